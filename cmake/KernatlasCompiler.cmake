# Language level, warnings, sanitizers and coverage, applied by kernatlas_configure(target).
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# A clear refusal beats a page of template errors: <concepts>, <span> and friends need these versions.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
  message(FATAL_ERROR "kernatlas needs g++ 12 or newer, found ${CMAKE_CXX_COMPILER_VERSION}. "
                      "Hint: apt-get install g++-12, then cmake -DCMAKE_CXX_COMPILER=g++-12")
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  message(FATAL_ERROR "kernatlas needs clang 14 or newer, found ${CMAKE_CXX_COMPILER_VERSION}.")
endif()

find_program(KERNATLAS_CCACHE ccache)
if(KERNATLAS_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${KERNATLAS_CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER "${KERNATLAS_CCACHE}")
endif()

# kernatlas_configure(TARGET [UNSANITIZED]): warnings, include root and, unless UNSANITIZED, the
# sanitizers. The worker is never sanitized: its memory limits and its seccomp filter rule out the
# shadow memory and the system calls that a sanitizer's run-time needs.
function(kernatlas_configure target)
  cmake_parse_arguments(ARG "UNSANITIZED" "" "" ${ARGN})
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>"
                                              "$<INSTALL_INTERFACE:include/kernatlas>")
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wnon-virtual-dtor)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # g++ 12 at -O3 warns of overlapping copies in std::string's own operator+ (GCC bug 105329).
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  if(KERNATLAS_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(KERNATLAS_SANITIZE AND NOT ARG_UNSANITIZED)
    target_compile_options(${target} PRIVATE -fsanitize=${KERNATLAS_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${KERNATLAS_SANITIZE})
  endif()
  if(KERNATLAS_COVERAGE AND NOT ARG_UNSANITIZED)
    target_compile_options(${target} PRIVATE --coverage -fprofile-update=atomic)
    target_link_options(${target} PUBLIC --coverage)
  endif()
endfunction()
