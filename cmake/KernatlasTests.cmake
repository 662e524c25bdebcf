# add_unit_test(NAME file.cc [LABELS unit|device|slow|long|perf ...] [LINKS ...]): one executable a test
# file. The shared main fails a run that executes no test case and turns "nothing but skipped" into
# CTest's skip. Labels default to unit; add "concurrency" for what must also pass under TSan.
#
# Targets unit_tests, concurrency_tests, slow_tests, fuzzers: what one step of
# tests/run.sh builds; long_tests: what make test-long builds.
foreach(group unit concurrency slow long)
  add_custom_target(${group}_tests)
  add_dependencies(${group}_tests kernatlas-worker)
endforeach()
add_custom_target(fuzzers)

function(add_unit_test name source)
  cmake_parse_arguments(ARG "" "TIMEOUT" "LABELS;LINKS" ${ARGN})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE kernatlas_test_main ${ARG_LINKS})
  kernatlas_configure(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  add_test(NAME ${name} COMMAND ${name})
  foreach(group concurrency slow long)
    if(${group} IN_LIST ARG_LABELS)
      add_dependencies(${group}_tests ${name})
    endif()
  endforeach()
  if("unit" IN_LIST ARG_LABELS AND NOT "slow" IN_LIST ARG_LABELS)
    add_dependencies(unit_tests ${name})
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" SKIP_RETURN_CODE 77
    TIMEOUT ${ARG_TIMEOUT}
    ENVIRONMENT "KERNATLAS_SOURCE_DIR=${CMAKE_SOURCE_DIR};KERNATLAS_BIN_DIR=${CMAKE_BINARY_DIR}/bin;ASAN_OPTIONS=detect_leaks=1;UBSAN_OPTIONS=print_stacktrace=1")
endfunction()

# add_fuzzer(NAME file.cc [LINKS ...]): a libFuzzer target (preset fuzz); tests/fuzz/run.sh runs all.
function(add_fuzzer name source)
  cmake_parse_arguments(ARG "" "" "LINKS" ${ARGN})
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE ${ARG_LINKS})
  kernatlas_configure(${name})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzzers ${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/fuzz")
endfunction()
