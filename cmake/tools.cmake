# Around the engine: files, meshing, pictures, scene documents, and the command line.
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PNG REQUIRED)
find_package(JPEG REQUIRED)
find_package(ZLIB REQUIRED)
find_package(embree 3 REQUIRED)
find_package(meshoptimizer REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(WEBP REQUIRED IMPORTED_TARGET libwebp libwebpmux)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(ZIP REQUIRED IMPORTED_TARGET libzip)
find_package(Threads REQUIRED)

yawara_folder(meshing openvdb tbb Imath-3_1 Eigen3::Eigen)
yawara_folder(io fmt::fmt nlohmann_json::nlohmann_json Eigen3::Eigen PkgConfig::ZSTD PkgConfig::ZIP ZLIB::ZLIB meshoptimizer::meshoptimizer PNG::PNG JPEG::JPEG)
yawara_folder(cvg openvdb tbb Imath-3_1 Eigen3::Eigen)
yawara_folder(render TBB::tbb embree PNG::PNG PkgConfig::WEBP fmt::fmt)
yawara_folder(scene_file nlohmann_json::nlohmann_json fmt::fmt)
yawara_folder(sweep nlohmann_json::nlohmann_json fmt::fmt TBB::tbb Eigen3::Eigen Threads::Threads)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_definitions(yawara_sweep PRIVATE YAWARA_AVX2)  # it writes down which loops were used
endif()
yawara_folder(stream nlohmann_json::nlohmann_json fmt::fmt TBB::tbb Eigen3::Eigen Threads::Threads)

# The schemas of scene documents and of the studio's messages travel inside the library.
function(yawara_schema folder name)
    set(schema ${PROJECT_SOURCE_DIR}/schema/${name}.schema.json)
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${schema})
    string(TOUPPER ${name} upper)
    file(READ ${schema} YAWARA_${upper}_SCHEMA)
    configure_file(${PROJECT_SOURCE_DIR}/src/${folder}/${name}_schema.cpp.in ${PROJECT_BINARY_DIR}/generated/${name}_schema.cpp @ONLY)
    target_sources(yawara_${folder} PRIVATE ${PROJECT_BINARY_DIR}/generated/${name}_schema.cpp)
endfunction()
yawara_schema(scene_file scene)
yawara_schema(sweep sweep)
yawara_schema(stream protocol)

# The structs of the studio's messages, from their schema.
add_executable(make_messages ${PROJECT_SOURCE_DIR}/cmake/make_messages.cpp)
target_link_libraries(make_messages PRIVATE yawara_flags nlohmann_json::nlohmann_json)
set(messages ${PROJECT_BINARY_DIR}/generated/messages.h ${PROJECT_BINARY_DIR}/generated/messages.cpp)
add_custom_command(OUTPUT ${messages}
    COMMAND make_messages ${PROJECT_SOURCE_DIR}/schema/protocol.schema.json ${PROJECT_BINARY_DIR}/generated
    DEPENDS make_messages ${PROJECT_SOURCE_DIR}/schema/protocol.schema.json)
add_custom_target(messages DEPENDS ${messages})
add_dependencies(yawara_stream messages)
target_include_directories(yawara_stream PUBLIC $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>)
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/stream/handlers/*.cpp
    ${PROJECT_SOURCE_DIR}/src/stream/queries/*.cpp)
target_sources(yawara_stream PRIVATE ${sources} ${PROJECT_BINARY_DIR}/generated/messages.cpp)

# Reading documents and answering messages is soon done however it is compiled, and a third of the first build is won.
foreach(target yawara_scene_file yawara_sweep yawara_stream)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endforeach()
# What is included costs more than what is written: the fewer batches, the sooner.
foreach(target yawara_scene_file yawara_sweep yawara_stream yawara_io)
    set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE 16)
endforeach()

# Three libraries, so that who reads a scene links neither a ray tracer nor a web server: yawara::files (meshes, clips,
# meshing, volumes, scene documents, sweeps), yawara::pictures and yawara::studio. What they link privately follows LINK.
function(yawara_library name)
    cmake_parse_arguments(library "" "" "FOLDERS;USES;LINK" ${ARGN})
    set(objects)
    foreach(folder ${library_FOLDERS})
        list(APPEND objects $<TARGET_OBJECTS:yawara_${folder}>)
    endforeach()
    add_library(yawara_${name} ${objects})
    add_library(yawara::${name} ALIAS yawara_${name})
    set_target_properties(yawara_${name} PROPERTIES EXPORT_NAME ${name})
    target_link_libraries(yawara_${name} PUBLIC ${library_USES} PRIVATE $<BUILD_INTERFACE:yawara_flags> ${library_LINK})
endfunction()
yawara_library(files FOLDERS meshing io cvg scene_file sweep USES yawara
    LINK openvdb Imath-3_1 ZLIB::ZLIB PNG::PNG JPEG::JPEG fmt::fmt meshoptimizer::meshoptimizer Threads::Threads
         $<BUILD_INTERFACE:PkgConfig::ZSTD> $<INSTALL_INTERFACE:zstd> $<BUILD_INTERFACE:PkgConfig::ZIP> $<INSTALL_INTERFACE:zip>)
yawara_library(pictures FOLDERS render USES yawara
    LINK embree PNG::PNG fmt::fmt $<BUILD_INTERFACE:PkgConfig::WEBP> $<INSTALL_INTERFACE:webp> $<INSTALL_INTERFACE:webpmux>)
yawara_library(studio FOLDERS stream USES yawara_files yawara_pictures
    LINK fmt::fmt Threads::Threads)

file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/*.cpp)
add_executable(yawara_cli ${sources})  # has the public headers alone
set_target_properties(yawara_cli PROPERTIES OUTPUT_NAME yawara UNITY_BUILD ${YAWARA_UNITY})
target_compile_options(yawara_cli PRIVATE $<$<CONFIG:Release>:-O1>)
target_link_libraries(yawara_cli PRIVATE yawara_files yawara_pictures yawara_studio yawara_flags CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json)
