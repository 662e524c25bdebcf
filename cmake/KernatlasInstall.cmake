# cmake --install BUILD --prefix DIR: a tree that works wherever it is moved to.
#   bin/kernatlas, bin/kernatlas-worker   find each other and everything below by their own place
#   lib/kernatlas/*.so*                   every shared library they need, except glibc
#   share/kernatlas/tasks                 the shipped tasks
# The kernels' prelude and the exported program's main are inside the program.
include(GNUInstallDirs)

set(KERNATLAS_PRIVATE_LIBDIR "lib/kernatlas")
set_target_properties(kernatlas kernatlas-worker PROPERTIES
  INSTALL_RPATH "$ORIGIN/../${KERNATLAS_PRIVATE_LIBDIR}" BUILD_WITH_INSTALL_RPATH ON)
# DT_RPATH, not DT_RUNPATH: the latter is not consulted for what a bundled library needs itself.
target_link_options(kernatlas PRIVATE -Wl,--disable-new-dtags)
target_link_options(kernatlas-worker PRIVATE -Wl,--disable-new-dtags)

install(TARGETS kernatlas kernatlas-worker RUNTIME_DEPENDENCY_SET kernatlas_runtime
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# glibc belongs to the machine: it fits the kernel and the loader, and the worker's candidates are
# compiled against it.
set(glibc "ld-linux.*|lib(c|m|mvec|pthread|dl|rt|resolv|util|anl|nss_.*)")
install(RUNTIME_DEPENDENCY_SET kernatlas_runtime
  PRE_EXCLUDE_REGEXES "^(${glibc})\\.so\\.[0-9]+$"
  POST_EXCLUDE_REGEXES "/(${glibc})\\.so\\.[0-9]+$"
  LIBRARY DESTINATION ${KERNATLAS_PRIVATE_LIBDIR})

install(DIRECTORY "${CMAKE_SOURCE_DIR}/tasks" DESTINATION share/kernatlas)
install(FILES "${CMAKE_SOURCE_DIR}/LICENSE" "${CMAKE_SOURCE_DIR}/README.md"
  DESTINATION share/doc/kernatlas)

# find_package(kernatlas): archives/CMakeLists.txt exports its target; this adds the files around it.
if(EXISTS "${CMAKE_SOURCE_DIR}/cmake/kernatlas-config.cmake.in")
  include(CMakePackageConfigHelpers)
  configure_package_config_file("${CMAKE_SOURCE_DIR}/cmake/kernatlas-config.cmake.in"
    "${CMAKE_BINARY_DIR}/kernatlas-config.cmake" INSTALL_DESTINATION lib/cmake/kernatlas)
  write_basic_package_version_file("${CMAKE_BINARY_DIR}/kernatlas-config-version.cmake"
    COMPATIBILITY SameMinorVersion)
  install(FILES "${CMAKE_BINARY_DIR}/kernatlas-config.cmake"
                "${CMAKE_BINARY_DIR}/kernatlas-config-version.cmake"
    DESTINATION lib/cmake/kernatlas)
endif()
