# SPDX-License-Identifier: MIT
# Copyright the allot authors
#
# What the built command writes of itself: completion for shells, and manual pages where scdoc is
# there to make them; without it they are left out.

set(desk_dir "${PROJECT_BINARY_DIR}/desk")
file(MAKE_DIRECTORY "${desk_dir}")
set(desk_made)

# `file`: what a line of shell prints, in which $0 is the command.
function(allot_write file line)
  add_custom_command(OUTPUT "${desk_dir}/${file}" VERBATIM
    COMMAND sh -ec "${line}" "$<TARGET_FILE:allot_command>" > "${desk_dir}/${file}"
    DEPENDS allot_command ${ARGN} COMMENT "Writing ${file}")
  set(desk_made ${desk_made} "${desk_dir}/${file}" PARENT_SCOPE)
endfunction()

foreach(shell bash zsh fish)
  allot_write(allot.${shell} "\"$0\" completion ${shell}")
endforeach()
install(FILES "${desk_dir}/allot.bash" RENAME allot
        DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" COMPONENT command)
install(FILES "${desk_dir}/allot.zsh" RENAME _allot
        DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" COMPONENT command)
install(FILES "${desk_dir}/allot.fish"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d" COMPONENT command)

find_program(ALLOT_SCDOC scdoc)
if(ALLOT_SCDOC)
  set(page "${PROJECT_SOURCE_DIR}/core/man/allot-plan.5.scd")
  allot_write(allot.1 "\"$0\" help --format scdoc | \"${ALLOT_SCDOC}\"")
  allot_write(allot-policy.7 "\"$0\" help policy --format scdoc | \"${ALLOT_SCDOC}\"")
  allot_write(allot-plan.5 "\"${ALLOT_SCDOC}\" < \"${page}\"" "${page}")
  foreach(page allot.1 allot-plan.5 allot-policy.7)
    string(REGEX REPLACE ".*[.]" "" section "${page}")
    install(FILES "${desk_dir}/${page}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man${section}"
            COMPONENT command)
  endforeach()
else()
  message(STATUS "scdoc is not installed: no manual pages")
endif()

add_custom_target(allot_desk ALL DEPENDS ${desk_made})
