# Installs the build into a new folder, builds the outside project against it, and runs its programs and the whole
# gallery; then the same from the Debian package, unpacked:
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

# Every scene of the gallery, from what was installed and nothing else.
function(run_gallery prefix)
    file(GLOB scenes ${prefix}/share/yawara/scenes/*.json)
    list(LENGTH scenes count)
    if(count LESS 30)
        message(FATAL_ERROR "only ${count} scenes in ${prefix}")
    endif()
    foreach(scene ${scenes})
        cmake_path(GET scene STEM name)
        run(env -i PATH=/nowhere ${prefix}/bin/yawara run ${scene} --frames ${ARGN}
            --out ${SCRATCH_DIR}/clips/${name}.ywc)
    endforeach()
endfunction()
run(${SCRATCH_DIR}/installed/bin/yawara --help)
run_gallery(${SCRATCH_DIR}/installed 3)

# The Debian package: right dependencies, no compiler among them, and it runs where it is unpacked.
run(cpack -G DEB --config ${BUILD_DIR}/CPackConfig.cmake -B ${SCRATCH_DIR}/deb)
file(GLOB package ${SCRATCH_DIR}/deb/yawara_*.deb)
run(dpkg-deb -x ${package} ${SCRATCH_DIR}/unpacked)
execute_process(COMMAND dpkg-deb -f ${package} Depends OUTPUT_VARIABLE depends COMMAND_ERROR_IS_FATAL ANY)
foreach(library libc6 libstdc++6 libtbb12 libopenvdb libembree3 libpng16 libwebp7 libzstd1 libzip4 libfmt)
    string(FIND "${depends}" ${library} found)
    if(found LESS 0)
        message(FATAL_ERROR "the package does not depend on ${library}: ${depends}")
    endif()
endforeach()
if(depends MATCHES "-dev|g\\+\\+|gcc-1")
    message(FATAL_ERROR "the package depends on what is for building: ${depends}")
endif()
foreach(file usr/share/doc/yawara/LICENSE usr/share/yawara/data/rabbit.obj usr/share/yawara/schema/scene.schema.json)
    if(NOT EXISTS ${SCRATCH_DIR}/unpacked/${file})
        message(FATAL_ERROR "the package lacks ${file}")
    endif()
endforeach()
run_gallery(${SCRATCH_DIR}/unpacked/usr 0)
run(env -i PATH=/nowhere ${SCRATCH_DIR}/unpacked/usr/bin/yawara render
    ${SCRATCH_DIR}/unpacked/usr/share/yawara/scenes/jelly_cube.json --frame 2 --size 64x48 --out ${SCRATCH_DIR}/cube.png)
