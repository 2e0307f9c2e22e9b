# The installed package: headers, libraries, the program, the scene schema and the gallery with its meshes; see
# yawaraConfig.cmake.in. What is needed to run, without a compiler, is the component `program`, and that is what
# `cpack -G DEB` packs for Debian.
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/yawara)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/yawara DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS yawara EXPORT yawaraEngine)
install(EXPORT yawaraEngine NAMESPACE yawara:: DESTINATION ${package_dir})
if(YAWARA_TOOLS)
    install(TARGETS yawara_files yawara_pictures yawara_studio EXPORT yawaraTools)
    install(EXPORT yawaraTools NAMESPACE yawara:: DESTINATION ${package_dir})
    install(TARGETS yawara_cli COMPONENT program)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/schema ${PROJECT_SOURCE_DIR}/scenes ${PROJECT_SOURCE_DIR}/data
            DESTINATION ${CMAKE_INSTALL_DATADIR}/yawara COMPONENT program)
    # The studio's page, built by the launcher or by `npm run build` in studio/.
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/studio/dist/ DESTINATION ${CMAKE_INSTALL_DATADIR}/yawara/studio
            COMPONENT program OPTIONAL)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/yawaraConfig.cmake.in
    ${PROJECT_BINARY_DIR}/yawaraConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/yawaraConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/yawaraConfig.cmake ${PROJECT_BINARY_DIR}/yawaraConfigVersion.cmake
        DESTINATION ${package_dir})

if(PROJECT_IS_TOP_LEVEL AND YAWARA_TOOLS)
    set(CPACK_GENERATOR DEB)
    set(CPACK_PACKAGE_VENDOR Yawara)
    set(CPACK_PACKAGE_CONTACT "The authors of Yawara <yawara@localhost>")
    set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Elastic solids in real time: command line and browser studio")
    set(CPACK_PACKAGE_DESCRIPTION "Simulates soft bodies made of any mesh or volume, draws them and converts their motion.")
    set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
    set(CPACK_STRIP_FILES ON)
    set(CPACK_COMPONENTS_ALL program)
    set(CPACK_DEB_COMPONENT_INSTALL ON)
    set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME yawara)
    set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
    set(CPACK_DEBIAN_PACKAGE_SECTION graphics)
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # dependencies are those of the libraries that the program links
    set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS ffmpeg)  # for MP4 and GIF
    include(CPack)
endif()
