# SPDX-License-Identifier: MIT
# Copyright the allot authors
#
# `cpack` makes five Debian packages, for a tree that was configured with -DCMAKE_INSTALL_PREFIX=/usr:
# liballot0 and liballot-service0 (a program that embeds the first needs no loop and no database),
# liballot-dev, lua-allot, and allot, the command with its unit.

set(ALLOT_DEB_RELEASE 1 CACHE STRING "The Debian revision of the packages")
set(debian "${PROJECT_SOURCE_DIR}/core/cmake/debian")
set(debian_made "${PROJECT_BINARY_DIR}/debian")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
set(CPACK_PACKAGE_VENDOR "the allot authors")
set(CPACK_PACKAGE_CONTACT "the allot authors <maintainers@allot.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL library service dev command lua)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE "${ALLOT_DEB_RELEASE}")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/lib")
set(same_version "(= ${PROJECT_VERSION}-${ALLOT_DEB_RELEASE})")

# `component` becomes the package `name` of Debian's `section`, which says `summary` and `text`.
macro(allot_package component name section summary text)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${text}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_SHLIBDEPS ON)
  foreach(file copyright changelog.Debian.gz)
    install(FILES "${debian_made}/${file}" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${name}"
            COMPONENT ${component} EXCLUDE_FROM_ALL)
  endforeach()
endmacro()

set(what "allot decides, exactly and with reasons, how many slots of a cluster
each consumer gets now, who gives slots back, and which tasks go, by
policies written in Lua.")
allot_package(library liballot0 libs "policies that decide who gets how many slots (library)"
  "${what}\n\nThis is the library that programs embed.")
allot_package(service liballot-service0 libs "service of slot policies (library)"
  "${what}\n\nThis is the running service as a library, on the caller's libuv loop.")
allot_package(dev liballot-dev libdevel "policies that decide who gets how many slots (development)"
  "${what}\n\nThese are the headers, archives, and files for pkg-config and CMake.")
allot_package(command allot admin "policies that decide who gets how many slots (command)"
  "${what}\n\nThis is the command, with its service's unit, manual pages and completions.")
allot_package(lua lua-allot interpreters "policies that decide who gets how many slots (Lua)"
  "${what}\n\nThis is the Lua module, and its tools.")

foreach(library liballot liballot_service)
  string(REPLACE _ - package ${library}0)
  file(WRITE "${debian_made}/${library}/shlibs"
       "${library} 0 ${package} (>= ${PROJECT_VERSION})\n")
endforeach()
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA
    "${debian}/triggers;${debian_made}/liballot/shlibs")
set(CPACK_DEBIAN_SERVICE_PACKAGE_CONTROL_EXTRA
    "${debian}/triggers;${debian_made}/liballot_service/shlibs")
set(loop libwebsockets-evlib-uv) # libwebsockets loads it, so nothing that is linked shows the need
set(CPACK_DEBIAN_SERVICE_PACKAGE_DEPENDS "liballot0 ${same_version}, ${loop}")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
    "liballot0 ${same_version}, liballot-service0 ${same_version}")
set(CPACK_DEBIAN_LUA_PACKAGE_DEPENDS "lua5.4")
set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS
    "systemd | systemd-standalone-sysusers | systemd-sysusers, ${loop}")
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS "lua-allot")
if(ALLOT_POSTGRES) # loaded where the store is in PostgreSQL
  set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS "libpq5")
  set(CPACK_DEBIAN_SERVICE_PACKAGE_SUGGESTS "libpq5")
endif()
set(CPACK_DEBIAN_COMMAND_PACKAGE_CONTROL_EXTRA
    "${debian}/postinst;${debian}/prerm;${debian}/postrm;${debian}/conffiles")
foreach(unit allot allot-slurm)
  install(FILES core/cmake/debian/default/${unit} DESTINATION /etc/default
          COMPONENT command EXCLUDE_FROM_ALL)
endforeach()

find_program(ALLOT_GZIP gzip)
if(ALLOT_GZIP)
  configure_file("${debian}/changelog.in" "${debian_made}/changelog" @ONLY)
  configure_file("${debian}/copyright" "${debian_made}/copyright" COPYONLY)
  add_custom_command(OUTPUT "${debian_made}/changelog.Debian.gz" VERBATIM
    COMMAND "${ALLOT_GZIP}" -9nc "${debian_made}/changelog" > "${debian_made}/changelog.Debian.gz"
    DEPENDS "${debian_made}/changelog" COMMENT "Writing changelog.Debian.gz")
  add_custom_target(allot_debian ALL DEPENDS "${debian_made}/changelog.Debian.gz")
endif()
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/core/cmake/debian/pages.cmake")
include(CPack)
