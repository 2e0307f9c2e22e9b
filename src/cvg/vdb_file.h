// Grids of OpenVDB in and out of .vdb files; used by volume.cpp. A file may be anything: its sizes are checked before
// OpenVDB, which believes them, reads it.
#pragma once

#include <openvdb/openvdb.h>

#include <filesystem>

#include "yawara/core.h"

namespace yawara::cvg {

/// Once in a program, before anything else.
void start_openvdb();

/// All grids of a file, or those made of a volume image (io/volume_image.h); time and memory are bounded by its size.
Result<openvdb::GridPtrVec> read_vdb(const std::filesystem::path& path);
Status write_vdb(const std::filesystem::path& path, const openvdb::GridCPtrVec& grids);

}  // namespace yawara::cvg
