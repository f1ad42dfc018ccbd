# SPDX-License-Identifier: MIT
# Copyright the allot authors
#
# Manual pages are compressed in packages, and in no other installation.

file(GLOB_RECURSE pages "${CPACK_TEMPORARY_DIRECTORY}/*.[1-8]")
foreach(page IN LISTS pages)
  execute_process(COMMAND gzip -9nf "${page}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
