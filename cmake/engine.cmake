# The engine: no dependency but oneTBB at run time; Eigen only while building.
set(YAWARA_ENGINE_FOLDERS core math geometry contact matching active fem sim)
yawara_folder(core TBB::tbb)
target_compile_definitions(yawara_core PRIVATE YAWARA_VERSION="${PROJECT_VERSION}")
yawara_folder(math Eigen3::Eigen)
yawara_folder(geometry Eigen3::Eigen TBB::tbb)
yawara_folder(contact Eigen3::Eigen TBB::tbb)
yawara_folder(matching Eigen3::Eigen TBB::tbb)
# The kernels may fuse multiply and add: explicit in their speed, and still the same bits for any number of threads.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/matching/kernels_any.cpp PROPERTIES COMPILE_OPTIONS "-ffp-contract=fast;-Wno-psabi")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_definitions(yawara_matching PRIVATE YAWARA_AVX2)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/matching/kernels_avx2.cpp PROPERTIES
        COMPILE_OPTIONS "-mavx2;-mfma;-ffp-contract=fast;-Wno-psabi")
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/matching/kernels_avx512.cpp PROPERTIES COMPILE_OPTIONS
        "-mavx2;-mfma;-mavx512f;-mavx512vl;-mavx512dq;-mavx512bw;-mprefer-vector-width=256;-ffp-contract=fast;-Wno-psabi")
else()
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/matching/kernels_avx2.cpp
        ${PROJECT_SOURCE_DIR}/src/matching/kernels_avx512.cpp PROPERTIES HEADER_FILE_ONLY ON)
endif()
yawara_folder(active Eigen3::Eigen TBB::tbb)
yawara_folder(fem Eigen3::Eigen TBB::tbb)
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/fem/kernels_any.cpp PROPERTIES COMPILE_OPTIONS "-ffp-contract=fast;-Wno-psabi")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_definitions(yawara_fem PRIVATE YAWARA_AVX2)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/fem/kernels_avx2.cpp PROPERTIES
        COMPILE_OPTIONS "-mavx2;-mfma;-ffp-contract=fast;-Wno-psabi")
else()
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/fem/kernels_avx2.cpp PROPERTIES HEADER_FILE_ONLY ON)
endif()
yawara_folder(sim Eigen3::Eigen TBB::tbb)

set(objects)
foreach(folder ${YAWARA_ENGINE_FOLDERS})
    list(APPEND objects $<TARGET_OBJECTS:yawara_${folder}>)
endforeach()
add_library(yawara ${objects})
add_library(yawara::yawara ALIAS yawara)
target_include_directories(yawara PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(yawara PUBLIC TBB::tbb PRIVATE $<BUILD_INTERFACE:yawara_flags>)
target_compile_features(yawara PUBLIC cxx_std_20)
