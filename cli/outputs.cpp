// Rules for --out and --format, shared by run and convert.
#include "outputs.h"

#include <algorithm>

#include <fmt/format.h>

namespace yawara::cli {

namespace fs = std::filesystem;

namespace {

bool is_format(std::string_view word)
{
    return std::ranges::find(clip_formats(), word) != clip_formats().end();
}

bool is_one_file(std::string_view format)
{
    return format == "ywc" || format == "glb";
}

}  // namespace

Result<std::vector<Output>> plan_outputs(const std::string& out, std::vector<std::string> formats,
                                         const std::string& stem)
{
    const fs::path path = out;
    std::string ending = path.extension().string();
    if (!ending.empty()) ending.erase(0, 1);
    const bool out_is_file = is_format(ending);

    if (formats.empty()) {
        std::error_code ignored;
        if (!ending.empty() && !out_is_file && !fs::is_directory(path, ignored))
            return Error{"--out",
                         fmt::format("\".{}\" is not a recording's extension; expected one of {}, or a folder and "
                                     "--format",
                                     ending, fmt::join(clip_formats(), ", "))};
        formats = {out_is_file ? ending : "ywc"};
    }
    for (const std::string& format : formats)
        if (!is_format(format))
            return Error{"--format",
                         fmt::format("\"{}\" is not a format; expected {}", format, fmt::join(clip_formats(), ", "))};
    std::ranges::sort(formats);
    formats.erase(std::unique(formats.begin(), formats.end()), formats.end());

    // A file name stands for its folder if several files will be written.
    fs::path folder = path;
    if (out_is_file)
        folder = out.find('%') != std::string::npos ? path.parent_path() : fs::path(path).replace_extension();
    if (out.empty()) folder = stem;
    if (folder.empty()) folder = ".";

    std::vector<Output> outputs;
    for (const std::string& format : formats) {
        if (!is_one_file(format))
            outputs.push_back({format, folder});
        else if (out.empty())
            outputs.push_back({format, stem + "." + format});
        else if (out_is_file && ending == format && out.find('%') == std::string::npos)
            outputs.push_back({format, path});
        else
            outputs.push_back({format, folder / (stem + "." + format)});
    }
    return outputs;
}

void warn_if_cut_off(const fs::path& ywc, const ClipInfo& info, const Terminal& terminal)
{
    if (is_cut_off(ywc))
        terminal.warn(
            fmt::format("{} is incomplete: its writer was stopped, or part of the file is missing; {} whole "
                        "frames are there",
                        ywc.string(), info.frames));
}

Status make_folder_of(const fs::path& file)
{
    if (!file.has_parent_path()) return Done{};
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    if (error) return Error{file.parent_path().string(), "cannot create this folder: " + error.message()};
    return Done{};
}

void add_clip_options(CLI::App& verb, ClipOptions& options)
{
    verb.add_option("--fps", options.fps,
                    "Frames per second to write, interpolated linearly between recorded ones (default: every frame)")
        ->check(CLI::Range(0.01, 10000.0))
        ->type_name("N");
    verb.add_option_function<double>(
            "--tolerance", [&options](double percent) { options.tolerance = 0.01 * percent; },
            "For glb: how far any vertex may be off in any frame, in % of the body's size (default: 0.1)")
        ->check(CLI::Range(1e-4, 100.0))
        ->type_name("PERCENT");
    verb.add_flag("--meshopt", options.meshopt,
                  "For glb: compress with EXT_meshopt_compression: two to five times smaller, for three.js, Babylon.js "
                  "and other players with its decoder; Blender 3.4 cannot read it");
}

Result<ClipWriters> open_writers(const std::vector<Output>& outputs, const ClipInfo& info, const ClipOptions& options)
{
    ClipWriters writers;
    for (const Output& output : outputs) {
        if (Status made = make_folder_of(is_one_file(output.format) ? output.path : output.path / "x"); !made)
            return made.error();
        auto writer = make_clip_writer(output.format, output.path, info, options);
        if (!writer) return writer.error();
        writers.add(*std::move(writer));
    }
    return writers;
}

}  // namespace yawara::cli
