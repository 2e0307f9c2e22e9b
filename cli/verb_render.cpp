// `yawara render`: pictures and movies of a scene, a recording or a mesh, without a display.
#include <algorithm>
#include <filesystem>
#include <memory>

#include <nlohmann/json.hpp>

#include "film.h"
#include "interrupt.h"
#include "outputs.h"
#include "record.h"
#include "scene_input.h"
#include "temporary_folder.h"
#include "verbs.h"
#include "volume_picture.h"

namespace yawara::cli {

namespace {

namespace fs = std::filesystem;

struct RenderChoices {
    std::string source, out, size, frames, show, map, range, cut, slice;
    double stiffness = 0;
    std::optional<std::size_t> frame;
    std::optional<int> samples;
    double fps = 30;
    float lens = 0;
    double shutter = 0;
    std::string caption;
    std::vector<std::string> cameras;
    bool turntable = false, transparent = false, wireframe = false, poster = false;
};

/// "a<separator>b" as two numbers.
template <class Number>
std::optional<std::pair<Number, Number>> two_numbers(const std::string& text, char separator)
{
    const std::size_t middle = text.find(separator);
    if (middle == std::string::npos) return std::nullopt;
    std::pair<Number, Number> numbers;
    if (!CLI::detail::lexical_cast(text.substr(0, middle), numbers.first)) return std::nullopt;
    if (!CLI::detail::lexical_cast(text.substr(middle + 1), numbers.second)) return std::nullopt;
    return numbers;
}

/// "x,y,z@x,y,z": eye and target.
std::optional<Camera> read_camera(const std::string& text)
{
    Camera camera;
    std::vector<std::string> numbers = CLI::detail::split(text, ',');
    if (numbers.size() != 5) return std::nullopt;
    const std::vector<std::string> middle = CLI::detail::split(numbers[2], '@');
    if (middle.size() != 2) return std::nullopt;
    const std::string all[] = {numbers[0], numbers[1], middle[0], middle[1], numbers[3], numbers[4]};
    for (int k = 0; k < 6; ++k) {
        float& number = k < 3 ? camera.eye[k] : camera.target[k - 3];
        if (!CLI::detail::lexical_cast(all[k], number) || !std::isfinite(number)) return std::nullopt;
    }
    if (camera.eye == camera.target) return std::nullopt;
    return camera;
}

/// An option read wrongly: empty if `text` is fine.
std::string refuse_unless(bool fine, const std::string& expected)
{
    return fine ? "" : "expected " + expected;
}

bool is_still(const RenderChoices& options)
{
    return fs::path(options.out).extension() == ".png" && options.out.find('%') == std::string::npos;
}

/// What to film and where it stands.
struct Source {
    std::optional<TemporaryFolder> folder;
    Footage footage;
    Stage stage;
    std::optional<std::size_t> poster;  ///< of a scene: the frame that stands for it
};

/// Simulates as far as the pictures need it.
Result<Source> from_scene(const RenderChoices& options, const Session& session, std::size_t last_frame)
{
    auto loaded = load_scene(options.source, session.threads, session.terminal);
    if (!loaded) return loaded.error();
    if (loaded->scene().bodies().empty()) return Error{options.source, "has no bodies: there is nothing to see"};
    for (const std::string& warning : loaded->warnings()) session.terminal.warn(warning);
    auto folder = TemporaryFolder::make();
    if (!folder) return folder.error();
    const fs::path clip = folder->path() / "clip.ywc";
    const auto poster = static_cast<std::size_t>(loaded->poster());
    const std::size_t frames =
        options.poster ? poster : std::min(last_frame, static_cast<std::size_t>(loaded->frames()));
    const ClipInfo info = describe_clip(*loaded, frames, quantities_to_show(*loaded, options.show), options.wireframe);
    auto writers = open_writers({{"ywc", clip}}, info);
    if (!writers) return writers.error();
    if (auto recording = record(*loaded, {.frames = frames}, info, *writers, session.terminal, "simulating");
        !recording)
        return recording.error();
    auto footage = open_footage(clip);
    if (!footage) return footage.error();
    Stage stage = stage_of(footage->info);
    return Source{*std::move(folder), *std::move(footage), std::move(stage), poster};
}

Result<Source> open_source(const RenderChoices& options, const Session& session, std::size_t last_frame)
{
    const std::string ending = fs::path(options.source).extension().string();
    if (options.source != "-" && is_volume_model(options.source)) {
        auto mesh = volume_surface(options.source, options.stiffness, read_axis_plane(options.cut));
        if (!mesh) return mesh.error();
        Source model;
        model.footage = still_footage(stem_of(options.source), *std::move(mesh));
        model.stage = stage_of(model.footage.info);
        return model;
    }
    if (options.source == "-" || ending == ".json") return from_scene(options, session, last_frame);
    Source source;
    if (ending == ".ywc") {
        auto footage = open_footage(options.source);
        if (!footage) return footage.error();
        warn_if_cut_off(options.source, footage->info, session.terminal);
        source.footage = *std::move(footage);
    } else if (is_tet_mesh_file(options.source)) {
        auto mesh = load_tet_mesh(options.source);
        if (!mesh) return mesh.error();
        if (const auto report = repair(*mesh); !report) return Error{options.source, report.error().message()};
        source.footage = still_footage(stem_of(options.source), boundary_surface(*mesh));
    } else {
        auto mesh = load_tri_mesh(options.source);
        if (!mesh) return mesh.error();
        source.footage = still_footage(stem_of(options.source), *std::move(mesh));
        auto skin = load_skin(options.source);
        if (!skin) return skin.error();
        source.stage = stage_of(source.footage.info);
        if (*skin)
            for (const std::string& warning : (*skin)->warnings) session.terminal.warn(warning);
        source.stage.looks[0].skin = *std::move(skin);
        return source;
    }
    source.stage = stage_of(source.footage.info);
    return source;
}

/// The frames asked for that the footage has.
Result<std::vector<std::size_t>> choose_frames(const RenderChoices& options, const Source& source)
{
    const ClipInfo& info = source.footage.info;
    if (options.poster) {
        if (!source.poster)
            return Error{"--poster", fmt::format("{} is no scene; only a scene has a poster", options.source)};
        return std::vector<std::size_t>{*source.poster};
    }
    if (info.frames == 0) return Error{options.source, "has no frames"};
    const std::size_t end = info.frames - 1;
    if (options.frame && *options.frame > end)
        return Error{"--frame", fmt::format("{} is after the last frame, {}", *options.frame, end)};
    const auto range = two_numbers<std::size_t>(options.frames, ':').value_or(std::pair{std::size_t{0}, end});
    if (range.first > end) return Error{"--frames", fmt::format("{} is after the last frame, {}", range.first, end)};
    const std::size_t last = std::min(range.second, end);
    if (is_still(options)) return std::vector<std::size_t>{options.frame.value_or(last)};
    if ((options.turntable || options.cameras.size() > 1) && (options.frame || end == 0))
        return std::vector<std::size_t>(static_cast<std::size_t>(std::max(1.0, 4 * options.fps)),
                                        options.frame.value_or(0));
    if (options.frame) return std::vector<std::size_t>{*options.frame};
    return real_time_frames(range.first, last, info.frame_time, options.fps);
}

void apply_look(const RenderChoices& options, Stage& stage)
{
    if (const auto size = two_numbers<int>(options.size, 'x')) std::tie(stage.look.width, stage.look.height) = *size;
    if (options.samples) stage.look.samples = *options.samples;
    if (options.transparent) stage.look.transparent = true;
    if (!options.cameras.empty()) {
        const float field_of_view = stage.camera.value_or(Camera{}).field_of_view;
        stage.camera = read_camera(options.cameras[0]);
        stage.camera->field_of_view = field_of_view;
    }
    for (BodyLook& look : stage.looks) look.wireframe = look.wireframe || options.wireframe;
    if (const auto cut = read_axis_plane(options.cut); cut && !is_volume_model(options.source)) {
        Plane& plane = stage.look.cut.emplace();
        plane.point = plane.normal = Vec3d{};
        plane.point[cut->axis] = cut->at;
        plane.normal[cut->axis] = 1;
    }
}

int render_verb(const RenderChoices& options, const Session& session)
{
    const Terminal& terminal = session.terminal;
    std::size_t last_frame = std::numeric_limits<std::size_t>::max();
    if (options.frame) {
        last_frame = *options.frame;
    } else if (const auto range = two_numbers<std::size_t>(options.frames, ':')) {
        last_frame = range->second;
        if (is_still(options) && range->first < range->second)
            return terminal.fail(Error{"--frames", fmt::format("{} is one picture: choose one with --frame, or name a "
                                                               "series such as frames/%04d.png",
                                                               options.out)});
    }

    if (!options.slice.empty()) {
        const auto size = two_numbers<int>(options.size, 'x').value_or(std::pair{960, 480});
        if (!is_still(options)) return terminal.fail(Error{"--slice", "a slice is one picture: name a .png"});
        const auto image = volume_slice(options.source, *read_axis_plane(options.slice), size.first, size.second);
        if (!image) return terminal.fail(image.error());
        if (Status saved = save_png(options.out, *image); !saved) return terminal.fail(saved.error());
        terminal.say("1 picture: {}", options.out);
        terminal.object({{"ok", true}, {"pictures", 1}, {"output", options.out}, {"interrupted", false}});
        return kGood;
    }
    auto source = open_source(options, session, last_frame);
    if (interrupted()) return terminal.stopped("stopped before the first picture; nothing was written");
    if (!source) return terminal.fail(source.error());
    auto frames = choose_frames(options, *source);
    if (!frames) return terminal.fail(frames.error());
    apply_look(options, source->stage);

    std::vector<Camera> path;
    if (options.cameras.size() > 1)
        for (const std::string& text : options.cameras) {
            path.push_back(*read_camera(text));
            path.back().field_of_view = source->stage.camera->field_of_view;
        }
    ProgressBar bar(terminal, "drawing");
    FilmOptions film_options{
        *std::move(frames), options.show,   options.map,     two_numbers<float>(options.range, ':'),
        options.turntable,  options.lens,   options.shutter, options.caption,
        options.poster,     std::move(path)};
    auto film = Film::prepare(std::move(source->footage), std::move(source->stage), std::move(film_options), bar);
    if (!film) return terminal.fail(film.error());
    std::size_t pictures = 1;
    if (is_still(options)) {
        if (Status drawn = film->shoot_still(options.out, 0); !drawn) return terminal.fail(drawn.error());
    } else {
        const auto shot = film->shoot(options.out, options.fps, bar);
        if (!shot) return terminal.fail(shot.error());
        pictures = *shot;
    }
    bar.clear();
    const bool stopped = pictures < film->size();
    if (stopped) terminal.warn(fmt::format("stopped after {} of {} pictures", pictures, film->size()));
    terminal.say("{} picture{}: {}", pictures, pictures == 1 ? "" : "s", options.out);
    terminal.object({{"ok", true}, {"pictures", pictures}, {"output", options.out}, {"interrupted", stopped}});
    return stopped ? kInterrupted : kGood;
}

}  // namespace

void add_render(CLI::App& app, Session& session)
{
    CLI::App* verb = app.add_subcommand("render", "Draw a scene, a recording or a mesh");
    auto options = std::make_shared<RenderChoices>();
    verb->add_option("source", options->source,
                     "Scene (or - for standard input), .ywc, surface, tet mesh or volume model")
        ->required()
        ->type_name("SOURCE");
    verb->add_option("-o,--out", options->out, "x.png, x.webp, x.mp4, x.gif or frames/%04d.png")
        ->required()
        ->type_name("FILE");
    CLI::Option* frame = verb->add_option("--frame", options->frame, "Draw this frame only; 0 is the initial state");
    frame->type_name("K");
    verb->add_option("--frames", options->frames, "From frame A to frame B")
        ->check([](const std::string& text) {
            const auto range = two_numbers<std::size_t>(text, ':');
            return refuse_unless(range && range->first <= range->second, "A:B, for example 0:120");
        })
        ->type_name("A:B")
        ->excludes(frame);
    verb->add_option("--size", options->size, "Width and height in pixels (default: as the scene says, or 960x540)")
        ->check([](const std::string& text) {
            const auto size = two_numbers<int>(text, 'x');
            const bool fine =
                size && std::min(size->first, size->second) >= 16 && std::max(size->first, size->second) <= 16384;
            return refuse_unless(fine, "WxH between 16x16 and 16384x16384, for example 640x360");
        })
        ->type_name("WxH");
    verb->add_option("--samples", options->samples, "Rays per pixel: more is smoother")
        ->check(CLI::Range(1, 4096))
        ->type_name("N");
    verb->add_option("--show", options->show,
                     "Colour by speed, displacement, stretch or another recorded value; or none")
        ->type_name("NAME");
    verb->add_option("--map", options->map, "Colour map")
        ->check(CLI::IsMember({"viridis", "cividis", "coolwarm", "turbo"}))
        ->type_name("NAME");
    verb->add_option("--range", options->range, "Values at the ends of the colour map (default: the range seen)")
        ->check([](const std::string& text) {
            const auto range = two_numbers<float>(text, ':');
            return refuse_unless(range && range->first < range->second, "LOW:HIGH, for example 0:2.5");
        })
        ->type_name("LOW:HIGH");
    verb->add_option("--fps", options->fps, "Frames per second of a movie, which plays in real time")
        ->check(CLI::Range(1.0, 240.0))
        ->type_name("N")
        ->capture_default_str();
    const auto axis_plane = [](const std::string& text) {
        return refuse_unless(read_axis_plane(text).has_value(), "an axis and a place, for example z=0.1");
    };
    verb->add_option("--stiffness", options->stiffness, "For volume models: show only what is at least this stiff")
        ->check(CLI::Range(0.0, 1.0))
        ->type_name("S");
    verb->add_option("--cut", options->cut, "Cut away what lies beyond this plane, and show what is inside")
        ->check(axis_plane)
        ->type_name("AXIS=AT");
    verb->add_option("--slice", options->slice, "For volume models: a flat slice, colour beside stiffness")
        ->check(axis_plane)
        ->type_name("AXIS=AT");
    CLI::Option* poster =
        verb->add_flag("--poster", options->poster,
                       "Draw the one picture that stands for a scene in galleries: its poster frame, from near");
    poster->excludes(frame)->excludes("--frames");
    CLI::Option* turntable =
        verb->add_flag("--turntable", options->turntable, "Move the camera once around the scene");
    verb->add_option("--camera", options->cameras,
                     "Place of the eye and what it looks at, in metres; given again, the camera moves smoothly from "
                     "one to the next")
        ->check([](const std::string& text) {
            return refuse_unless(read_camera(text).has_value(), "X,Y,Z@X,Y,Z, two different places, for example 3,2,5@0,1,0");
        })
        ->take_all()
        ->type_name("EYE@TARGET")
        ->excludes(turntable)
        ->excludes(poster);
    turntable->excludes(poster);
    verb->add_option("--lens", options->lens,
                     "Radius of the camera's lens in metres; blurs what is nearer or farther than its target")
        ->type_name("M")
        ->check(CLI::Range(0.0, 100.0));
    verb->add_option("--shutter", options->shutter,
                     "Share of the time between two pictures of a movie that each is exposed for; blurs motion")
        ->type_name("SHARE")
        ->check(CLI::Range(0.0, 1.0));
    verb->add_option("--caption", options->caption, "Write a line of text in the lower left corner")->type_name("TEXT");
    verb->add_flag("--transparent", options->transparent, "No background: PNG and WebP with alpha");
    verb->add_flag("--wireframe", options->wireframe, "Also draw the edges of the surface");
    add_common(*verb, session);
    verb->footer(
        "Examples:\n"
        "  yawara render jelly.json --out jelly.webp\n"
        "  yawara render jelly.ywc --out jelly.mp4 --show stretch --size 1280x720\n"
        "  yawara render jelly.json --frame 40 --out jelly.png --show speed --map turbo --range 0:3\n"
        "  yawara render jelly.json --out jelly.png --poster\n"
        "  yawara render bunny.obj --out bunny.gif --turntable\n"
        "  yawara render jelly.json --out fly.mp4 --camera 6,4,8@0,1,0 --camera 1,1,3@0,0.5,0\n"
        "  yawara render peach.cvg.json --out peach.png --cut z=0\n"
        "  yawara render log.json --out log.png --cut x=0.2\n"
        "  yawara render peach.cvg.json --out slice.png --slice z=0\n"
        "  yawara render jelly.ywc --out frames/%04d.png --frames 0:60 --transparent");
    verb->callback(
        [options, &session] { session.action = [options, &session] { return render_verb(*options, session); }; });
}

}  // namespace yawara::cli
