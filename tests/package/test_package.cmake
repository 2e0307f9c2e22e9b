# Installs the build into a new folder, builds the outside project against it, and runs its programs:
# cmake -DSOURCE_DIR=... -DBUILD_DIR=... -DSCRATCH_DIR=... -P test_package.cmake
function(run)
    execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${SCRATCH_DIR} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The README's first C++ example, as a reader would copy it.
file(READ ${SOURCE_DIR}/README.md readme)
string(FIND "${readme}" "```cpp\n" begin)
string(SUBSTRING "${readme}" ${begin} -1 readme)
string(SUBSTRING "${readme}" 7 -1 readme)
string(FIND "${readme}" "```" end)
string(SUBSTRING "${readme}" 0 ${end} example)

file(REMOVE_RECURSE ${SCRATCH_DIR})
file(MAKE_DIRECTORY ${SCRATCH_DIR})
file(WRITE ${SCRATCH_DIR}/readme.cpp "${example}")
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${SCRATCH_DIR}/installed)
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE_DIR}/tests/package -B ${SCRATCH_DIR}/outside -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_PREFIX_PATH=${SCRATCH_DIR}/installed -DREADME_EXAMPLE=${SCRATCH_DIR}/readme.cpp)
run(${CMAKE_COMMAND} --build ${SCRATCH_DIR}/outside)
foreach(program falls readme files)
    run(${SCRATCH_DIR}/outside/${program})
endforeach()
run(${SCRATCH_DIR}/installed/bin/yawara --help)
