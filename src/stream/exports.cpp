// What was recorded goes through a scene of its own, frame by frame, to the writer of the format.
#include "stream/exports.h"

#include "io/file.h"
#include "io/zip.h"
#include "stream/document.h"
#include "stream/scratch_folder.h"
#include "yawara/io.h"
#include "yawara/recorder.h"

namespace yawara::stream {

namespace fs = std::filesystem;
using scene_file::Json;

namespace {

/// A scene without forces that only stands as it stood in the frames of a take.
class Replay {
public:
    explicit Replay(const RecordedTake& take) : scene_(take.settings)
    {
        for (std::size_t k = 0; k < take.models.size(); ++k)
            scene_.add(take.models[k], {}, take.moments.front()->states[k]);
    }
    Scene& scene() { return scene_; }
    void show(const Moment& moment)
    {
        for (std::size_t k = 0; k < moment.states.size(); ++k) scene_.state(scene_.bodies()[k]) = moment.states[k];
        scene_.set_clock(moment.steps, moment.time);
    }

private:
    Scene scene_;
};

ClipInfo describe(const RecordedTake& take, const Scene& scene)
{
    ClipInfo info;
    info.frame_time = take.settings.dt;
    info.frames = take.moments.size();
    for (std::size_t k = 0; k < scene.bodies().size(); ++k) {
        info.bodies.push_back(clip_body(scene, scene.bodies()[k], {}));
        info.bodies.back().color = take.looks[k].color;
    }
    info.stage = take.stage;
    return info;
}

Status write_frames(const RecordedTake& take, Replay& replay, const ClipInfo& info, ClipWriter& writer,
                    const Progress& progress)
{
    ClipRecorder recorder(replay.scene(), info.bodies);
    for (std::size_t k = 0; k < take.moments.size(); ++k) {
        if (!progress("exporting", double(k) / double(take.moments.size()))) return Error{"export", "cancelled"};
        replay.show(*take.moments[k]);
        if (Status written = recorder.frame(replay.scene(), writer); !written) return written;
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

RecordedTake recorded_take(Playback& run)
{
    RecordedTake take;
    take.settings = run.scene().settings();
    for (const BodyId id : run.scene().bodies()) take.models.push_back(run.scene().model(id));
    take.looks.assign(run.loaded().looks().begin(), run.loaded().looks().end());
    take.stage = clip_stage(run.loaded());
    for (BodyLook& look : take.stage.looks) look.show.clear();  // values are not exported
    take.moments.assign(run.takes().shown().moments.begin(), run.takes().shown().moments.end());
    take.lent = run.takes().lend();
    return take;
}

Result<ExportedFile> export_clip(const RecordedTake& take, const std::string& format, const std::string& name,
                                 const Progress& progress)
{
    if (take.models.empty()) return Error{"", "the scene has no bodies: there is nothing to export"};
    const ScratchFolder scratch("export");
    if (scratch.path.empty()) return Error{"export", "there is no room for temporary files"};
    const bool one_file = format == "glb" || format == "ywc";
    const fs::path out = one_file ? scratch.path / (name + "." + format) : scratch.path / "clip";
    std::error_code error;
    if (!one_file) fs::create_directories(out, error);
    Replay replay(take);
    const ClipInfo info = describe(take, replay.scene());
    auto writer = make_clip_writer(format, out, info);
    if (!writer) return writer.error();
    if (Status written = write_frames(take, replay, info, **writer, progress); !written) return written.error();
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
    auto bytes = io::zip(files);
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
    auto bytes = io::zip(files);
    if (!bytes) return bytes.error();
    return ExportedFile{scene.name() + ".zip", *std::move(bytes), {}};
}

}  // namespace yawara::stream
