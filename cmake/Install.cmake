# What `cmake --install` writes: library, headers, tools, and packages for CMake and pkg-config. No path in them is absolute.
set(CMAKE_INSTALL_LIBDIR lib CACHE PATH "Folder of libraries below the prefix")
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(cmakeFolder ${CMAKE_INSTALL_LIBDIR}/cmake/Zenith)
install(FILES runtime/include/zenith/types.h runtime/include/zenith/runtime.h frontends/c/include/zenith/zenith.h
              frontends/c/include/zenith/zenith.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/zenith COMPONENT dev)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/zenith COMPONENT runtime)
if(TARGET zenith)
  install(TARGETS zenith LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev)
endif()
install(TARGETS zenith-cache zenith-compile zenith-opt zenith-plan zenith-run zenith-search zenith-train zenith-translate
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)

configure_package_config_file(cmake/ZenithConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/ZenithConfig.cmake
  INSTALL_DESTINATION ${cmakeFolder} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_BINDIR
  NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/ZenithConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ZenithConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/ZenithConfigVersion.cmake
  DESTINATION ${cmakeFolder} COMPONENT dev)
file(RELATIVE_PATH ZENITH_PREFIX_OF_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/zenith.pc.in ${CMAKE_CURRENT_BINARY_DIR}/zenith.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/zenith.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
include(cmake/Packages.cmake)
