# The installed package: headers, libraries, the program, the scene schema and the gallery; see yawaraConfig.cmake.in.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/yawara)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/yawara DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS yawara EXPORT yawaraEngine)
install(EXPORT yawaraEngine NAMESPACE yawara:: DESTINATION ${package_dir})
if(YAWARA_TOOLS)
    install(TARGETS yawara_files yawara_pictures yawara_studio EXPORT yawaraTools)
    install(EXPORT yawaraTools NAMESPACE yawara:: DESTINATION ${package_dir})
    install(TARGETS yawara_cli)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/schema ${PROJECT_SOURCE_DIR}/scenes
            DESTINATION ${CMAKE_INSTALL_DATADIR}/yawara)
    # The studio's page, built by the launcher or by `npm run build` in studio/.
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/studio/dist/ DESTINATION ${CMAKE_INSTALL_DATADIR}/yawara/studio OPTIONAL)
endif()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/yawaraConfig.cmake.in
    ${PROJECT_BINARY_DIR}/yawaraConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/yawaraConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/yawaraConfig.cmake ${PROJECT_BINARY_DIR}/yawaraConfigVersion.cmake
        DESTINATION ${package_dir})
