# SPDX-License-Identifier: MIT
# Copyright the allot authors
#
# What `cmake --install` puts where, and how others find it: allot.pc and find_package(allot). Its
# components are the packages of package.cmake: library, service, dev, command, lua.

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/allot")

install(DIRECTORY core/include/allot DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT dev
        FILES_MATCHING PATTERN "*.h")
install(TARGETS allot EXPORT allotTargets
        LIBRARY COMPONENT library NAMELINK_COMPONENT dev)
install(TARGETS allot_service EXPORT allotTargets
        LIBRARY COMPONENT service NAMELINK_COMPONENT dev)
install(TARGETS allot_static allot_service_static EXPORT allotTargets ARCHIVE COMPONENT dev)
install(TARGETS allot_command RUNTIME COMPONENT command)
install(TARGETS allot_lua LIBRARY DESTINATION "${ALLOT_LUA_CDIR}/allot" COMPONENT lua)
install(DIRECTORY lua/allot DESTINATION "${ALLOT_LUADIR}" COMPONENT lua
        FILES_MATCHING PATTERN "*.lua")
install(DIRECTORY policies/ DESTINATION "${CMAKE_INSTALL_DATADIR}/allot/policies"
        COMPONENT command FILES_MATCHING PATTERN "*.lua")

configure_package_config_file(core/cmake/allotConfig.cmake.in allotConfig.cmake
  INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(allotConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/allotConfig.cmake"
              "${PROJECT_BINARY_DIR}/allotConfigVersion.cmake" DESTINATION "${package_dir}"
        COMPONENT dev)
install(EXPORT allotTargets NAMESPACE allot:: DESTINATION "${package_dir}" COMPONENT dev)

# Paths relative to where the .pc file lies: a moved tree still works.
file(RELATIVE_PATH ALLOT_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" ALLOT_PC_PREFIX "${ALLOT_PC_PREFIX}")
configure_file(core/cmake/allot.pc.in allot.pc @ONLY)
configure_file(core/cmake/allot-service.pc.in allot-service.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/allot.pc" "${PROJECT_BINARY_DIR}/allot-service.pc"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)

# systemd looks for units of /usr/local there, too.
foreach(unit allot allot-slurm)
  configure_file(core/cmake/${unit}.service.in ${unit}.service @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${unit}.service" DESTINATION "lib/systemd/system"
          COMPONENT command)
endforeach()
install(FILES core/cmake/allot.sysusers DESTINATION "lib/sysusers.d" RENAME allot.conf
        COMPONENT command)
