# The loops of a file, compiled for one instruction set each (core/instruction_sets.h). They may fuse multiply and add:
# explicit in their speed, and still the same bits for any number of threads. More options may follow.
function(yawara_kernels folder file)
    set(kernels ${PROJECT_SOURCE_DIR}/src/${folder}/${file})
    set(options -ffp-contract=fast -Wno-psabi)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # GCC 12 warns of its own header for AVX-512 (_mm512_undefined_pd).
        list(APPEND options -Wno-maybe-uninitialized)
    endif()
    list(APPEND options ${ARGN})
    set_source_files_properties(${kernels}_any.cpp PROPERTIES COMPILE_OPTIONS "${options}")
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
        target_compile_definitions(yawara_${folder} PRIVATE YAWARA_AVX2)
        list(APPEND options -mavx2 -mfma)
        set_source_files_properties(${kernels}_avx2.cpp PROPERTIES COMPILE_OPTIONS "${options}")
        list(APPEND options -mavx512f -mavx512vl -mavx512dq -mavx512bw -mprefer-vector-width=256)
        set_source_files_properties(${kernels}_avx512.cpp PROPERTIES COMPILE_OPTIONS "${options}")
    else()
        set_source_files_properties(${kernels}_avx2.cpp ${kernels}_avx512.cpp PROPERTIES HEADER_FILE_ONLY ON)
    endif()
endfunction()

# The engine: no dependency but oneTBB at run time; Eigen only while building.
set(YAWARA_ENGINE_FOLDERS core math geometry contact matching field active fem sim)
yawara_folder(core TBB::tbb)
target_compile_definitions(yawara_core PRIVATE YAWARA_VERSION="${PROJECT_VERSION}")
yawara_folder(math Eigen3::Eigen)
yawara_folder(geometry Eigen3::Eigen TBB::tbb)
yawara_folder(contact Eigen3::Eigen TBB::tbb)
yawara_folder(matching Eigen3::Eigen TBB::tbb)
yawara_kernels(matching kernels)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    # For processors without AVX2 alone, and compiled in half the time.
    set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/matching/kernels_any.cpp APPEND PROPERTY COMPILE_OPTIONS -O2)
endif()
yawara_kernels(matching damping_kernels)
yawara_folder(field Eigen3::Eigen TBB::tbb)
yawara_folder(active Eigen3::Eigen TBB::tbb)
yawara_kernels(active layer_kernels)
yawara_folder(fem Eigen3::Eigen TBB::tbb)
# Without it the time of the loops depends on where the linker puts them, by a quarter.
yawara_kernels(fem kernels -falign-functions=64 -falign-loops=64)
yawara_folder(sim Eigen3::Eigen TBB::tbb)
yawara_kernels(sim medium_kernels)
# It gives the bits that any processor gives.
yawara_kernels(sim advance_kernels -ffp-contract=off)
# Each fills the same table of functions with its own (sim/step.h).
file(GLOB steps CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/sim/step_*.cpp)
set_source_files_properties(${steps} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

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
