# SPDX-License-Identifier: MIT
# Copyright the allot authors
#
# Targets that need a tool: without it they say so and do not break the build.

function(allot_check name tool)
  find_program(ALLOT_TOOL_${tool} ${tool})
  if(ALLOT_TOOL_${tool})
    add_custom_target(${name} COMMAND ${CMAKE_COMMAND} -E env "ALLOT_BUILD=${PROJECT_BINARY_DIR}"
      ${ARGN} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" VERBATIM USES_TERMINAL)
  else()
    add_custom_target(${name} COMMAND ${CMAKE_COMMAND} -E echo
      "${name}: ${tool} is not installed, nothing was checked" VERBATIM)
  endif()
endfunction()

allot_check(spec busted spec/busted)
allot_check(lint-lua luacheck luacheck --quiet lua policies spec examples)
add_dependencies(spec allot_lua allot_command)
