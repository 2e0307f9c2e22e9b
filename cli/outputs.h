// Which files a recording becomes: from --out and --format to one format and place for each writer.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "yawara/io.h"

#include "terminal.h"

namespace yawara::cli {

struct Output {
    std::string format;
    std::filesystem::path path;  ///< a file for ywc and glb, a folder for the others
};

/// Without formats, the ending of `out` decides, and ywc if it has none. `out` may be empty, a file, a folder, or a
/// pattern such as frames/%04d.obj, which stands for its folder. `stem` names what has no name yet.
Result<std::vector<Output>> plan_outputs(const std::string& out, std::vector<std::string> formats,
                                         const std::string& stem);

/// --fps, --tolerance and --meshopt.
void add_clip_options(CLI::App& verb, ClipOptions& options);

/// Makes the folders and opens a writer for each output.
Result<ClipWriters> open_writers(const std::vector<Output>& outputs, const ClipInfo& info,
                                 const ClipOptions& options = {});

/// Says if a .ywc has no end, so that frames may be missing.
void warn_if_cut_off(const std::filesystem::path& ywc, const ClipInfo& info, const Terminal& terminal);

/// Makes the folder a file will be in.
Status make_folder_of(const std::filesystem::path& file);

}  // namespace yawara::cli
