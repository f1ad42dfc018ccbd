# SPDX-License-Identifier: MIT
# Copyright the allot authors
#
# Fuzz targets: driven by libFuzzer with ALLOT_FUZZ, which needs clang, else by core/test/fuzz/main.c.

file(GLOB fuzz_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/core/test/fuzz/*.c")
list(FILTER fuzz_sources EXCLUDE REGEX "/main\\.c$")
foreach(source IN LISTS fuzz_sources)
  get_filename_component(name "${source}" NAME_WE)
  set(target fuzz_${name})
  add_executable(${target} "${source}" "${PROJECT_SOURCE_DIR}/core/test/support/oom.c")
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
  target_include_directories(${target} PRIVATE ${allot_includes})
  target_link_libraries(${target} PRIVATE allot_service_static allot_static Threads::Threads
    PkgConfig::ALLOT_UV PkgConfig::ALLOT_SQLITE PkgConfig::ALLOT_WEBSOCKETS)
  if(ALLOT_FUZZ)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  else()
    target_sources(${target} PRIVATE "${PROJECT_SOURCE_DIR}/core/test/fuzz/main.c")
  endif()
endforeach()
