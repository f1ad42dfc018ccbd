# SPDX-License-Identifier: MIT
# Copyright the allot authors
#
# Files as arrays of bytes in C, for scripts that embed them.

# The script's arguments that match, in order.
function(allot_arguments pattern out)
  set(files)
  math(EXPR last "${CMAKE_ARGC} - 1")
  foreach(i RANGE ${last})
    if(CMAKE_ARGV${i} MATCHES "${pattern}")
      list(APPEND files "${CMAKE_ARGV${i}}")
    endif()
  endforeach()
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# Appends `file` to the text of the variable `all`, as an array that ends with a 0; sets `id_out`,
# the array's name, made of `name`, and `size_out`, the bytes before the 0.
function(allot_bytes file name all id_out size_out)
  file(SIZE "${file}" size)
  file(READ "${file}" hex HEX)
  string(REGEX REPLACE "(................................)" "\\1\n    " hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  string(MAKE_C_IDENTIFIER "text_${name}" id)
  string(APPEND ${all} "static const unsigned char ${id}[] = {\n    ${hex}0};\n\n")
  set(${all} "${${all}}" PARENT_SCOPE)
  set(${id_out} ${id} PARENT_SCOPE)
  set(${size_out} ${size} PARENT_SCOPE)
endfunction()
