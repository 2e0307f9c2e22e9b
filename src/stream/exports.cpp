// Goes once through the record, frame by frame, then back to where the player was.
#include "stream/exports.h"

#include <stdlib.h>

#include "io/file.h"
#include "stream/document.h"
#include "stream/zip.h"
#include "yawara/io.h"

namespace yawara::stream {

namespace fs = std::filesystem;
using scene_file::Json;

namespace {

/// A folder that is gone afterwards.
struct Scratch {
    fs::path path;
    Scratch()
    {
        std::string pattern = (fs::temp_directory_path() / "yawara-export-XXXXXX").string();
        if (::mkdtemp(pattern.data())) path = pattern;
    }
    ~Scratch()
    {
        std::error_code ignored;
        if (!path.empty()) fs::remove_all(path, ignored);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
};

ClipInfo describe(Playback& run)
{
    ClipInfo info;
    info.frame_time = run.scene().settings().dt;
    info.frames = static_cast<std::size_t>(run.last_frame() - run.first_frame() + 1);
    for (std::size_t k = 0; k < run.body_count(); ++k) {
        const BodyModel& model = run.scene().model(run.scene().bodies()[k]);
        ClipBody body;
        body.name = model.name();
        body.surface = model.surface();
        body.solid = solid_of(model.domain());
        body.color = run.loaded().looks()[k].color;
        info.bodies.push_back(std::move(body));
    }
    info.stage = clip_stage(run.loaded());
    for (BodyLook& look : info.stage->looks) look.show.clear();  // values are not exported
    return info;
}

Status write_frames(Playback& run, ClipWriter& writer, const Progress& progress)
{
    const std::int64_t first = run.first_frame(), last = run.last_frame();
    for (std::int64_t frame = first; frame <= last; ++frame) {
        if (!progress("exporting", double(frame - first) / double(last - first + 1)))
            return Error{"export", "cancelled"};
        if (!run.seek(frame)) continue;
        std::vector<ClipFrame> bodies(run.body_count());
        for (std::size_t k = 0; k < bodies.size(); ++k) {
            const BodyId id = run.scene().bodies()[k];
            bodies[k].particles = run.scene().state(id).positions;
            bodies[k].surface = run.scene().surface(id);
        }
        if (Status written = writer.frame(run.scene().time(), bodies); !written) return written;
    }
    return writer.finish();
}

}  // namespace

Json with_renamed_files(Json value, const std::map<std::string, std::string>& names)
{
    if (value.is_string()) {
        const auto found = names.find(value.get<std::string>());
        return found == names.end() ? value : Json(found->second);
    }
    if (value.is_structured())
        for (auto& item : value) item = with_renamed_files(std::move(item), names);
    return value;
}

Result<ExportedFile> export_clip(Playback& run, const std::string& format, const std::string& name,
                                 const Progress& progress)
{
    if (run.body_count() == 0) return Error{"", "the scene has no bodies: there is nothing to export"};
    const Scratch scratch;
    if (scratch.path.empty()) return Error{"export", "there is no room for temporary files"};
    const bool one_file = format == "glb" || format == "ywc";
    const fs::path out = one_file ? scratch.path / (name + "." + format) : scratch.path / "clip";
    std::error_code error;
    if (!one_file) fs::create_directories(out, error);
    auto writer = make_clip_writer(format, out, describe(run));
    if (!writer) return writer.error();
    const std::int64_t shown = run.frame();
    const Status written = write_frames(run, **writer, progress);
    run.seek(shown);
    if (!written) return written.error();
    std::vector<std::string> notes = (*writer)->notes();
    const std::string folder = (one_file ? scratch.path : out).string() + "/";
    for (std::string& note : notes)  // people know the files by their names, not by where they were made
        for (std::size_t at; (at = note.find(folder)) != std::string::npos;) note.erase(at, folder.size());
    if (one_file) {
        auto bytes = io::read_file(out);
        if (!bytes) return bytes.error();
        return ExportedFile{out.filename().string(), *std::move(bytes), notes};
    }
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(out, error)) {
        if (!entry.is_regular_file(error)) continue;
        auto bytes = io::read_file(entry.path());
        if (!bytes) return bytes.error();
        files[entry.path().lexically_relative(out).string()] = *std::move(bytes);
    }
    auto bytes = zip(files);
    if (!bytes) return bytes.error();
    return ExportedFile{name + "_" + format + ".zip", *std::move(bytes), notes};
}

Result<ExportedFile> export_scene(const Json& content, const OpenedScene& scene)
{
    std::map<std::string, std::string> files, names;
    for (const std::string& name : file_names(content)) {
        const fs::path path = scene.folder() / name;
        auto bytes = io::read_file(path);
        if (!bytes) return bytes.error();
        std::string flat = path.filename().string();
        while (files.contains(flat)) flat = "_" + flat;
        files[flat] = *std::move(bytes);
        names[name] = flat;
        for (const fs::path& companion : mesh_companions(path))
            if (auto more = io::read_file(companion)) files[companion.filename().string()] = *std::move(more);
    }
    files[scene.name() + ".json"] = pretty(with_renamed_files(content, names));
    auto bytes = zip(files);
    if (!bytes) return bytes.error();
    return ExportedFile{scene.name() + ".zip", *std::move(bytes), {}};
}

}  // namespace yawara::stream
