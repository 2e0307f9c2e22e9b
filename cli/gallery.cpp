// One scene after another: build, record with energies, film, then all cards to a page.
#include "gallery.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>

#include <nlohmann/json.hpp>

#include "film.h"
#include "gallery_page.h"
#include "interrupt.h"
#include "outputs.h"
#include "scene_input.h"
#include "temporary_folder.h"
#include "yawara/replace_file.h"
#include "yawara/spelling.h"

namespace yawara::cli {

namespace fs = std::filesystem;

namespace {

std::string read_text(const fs::path& path)
{
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

std::string machine_in_words(int threads)
{
    std::string processor = "an unknown processor";
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        if (!line.starts_with("model name")) continue;
        processor = line.substr(std::min(line.size(), line.find(':') + 2));
        break;
    }
    const unsigned used = threads > 0 ? static_cast<unsigned>(threads) : std::thread::hardware_concurrency();
    return fmt::format("yawara {}, {}, {} thread{}", version(), processor, used, used == 1 ? "" : "s");
}

/// "1/300 s" if it is one.
std::string in_seconds(double seconds)
{
    const double rate = 1 / seconds;
    const bool whole = std::abs(rate - std::round(rate)) < 1e-6 * rate && rate > 1.5;
    return whole ? fmt::format("1/{:.0f} s", rate) : brief(seconds) + " s";
}

Rows parameters_of(LoadedScene& loaded)
{
    Scene& scene = loaded.scene();
    const SceneSettings& settings = scene.settings();
    Rows rows{
        {"step", fmt::format("{}, {} in a frame", in_seconds(settings.dt / settings.substeps), settings.substeps)},
        {"gravity", fmt::format("{} {} {} m/s²", brief(settings.gravity.x), brief(settings.gravity.y),
                                brief(settings.gravity.z))}};
    for (std::size_t k = 0; k < scene.bodies().size(); ++k) {
        const BodyId body = scene.bodies()[k];
        const BodyModel& model = scene.model(body);
        const BodySettings& s = scene.body_settings(body);
        double mass = 0;
        for (const double m : model.masses()) mass += m;
        const Vec3d size = bounds(model.rest_positions()).size();
        std::string text = fmt::format("alpha {}, passes {}, damping {}", brief(s.matching.alpha), s.matching.passes,
                                       brief(s.matching.damping));
        if (s.matching.young > 0)
            text = fmt::format("Young's modulus {} Pa, damping {}", brief(s.matching.young), brief(s.matching.damping));
        if (s.matching.region_damping > 0) text += ", region damping " + brief(s.matching.region_damping);
        if (s.drag > 0) text += ", drag " + brief(s.drag) + "/s";
        text += fmt::format("; {} particles, {} kg, {} × {} × {} m", with_commas(model.particle_count()), brief(mass),
                            brief(size.x), brief(size.y), brief(size.z));
        rows.emplace_back(model.name(), text);
    }
    return rows;
}

Rows figures_of(LoadedScene& loaded, const Recording& recording)
{
    Scene& scene = loaded.scene();
    std::size_t particles = 0, tets = 0, cells = 0;
    for (std::size_t k = 0; k < scene.bodies().size(); ++k) {
        const BodyModel& model = scene.model(scene.bodies()[k]);
        particles += model.particle_count();
        if (const TetMesh* mesh = std::get_if<TetMesh>(&model.domain()))
            tets += mesh->tets.size();
        else
            cells += std::get<Lattice>(model.domain()).cells.size();
    }
    Rows figures{{with_commas(particles), "particles"}};
    if (tets) figures.emplace_back(with_commas(tets), "tets");
    if (cells) figures.emplace_back(with_commas(cells), "cells");
    const double frame_ms = recording.median_step_ms() * scene.settings().substeps;
    figures.emplace_back(brief(recording.median_step_ms()), "ms per step");
    if (frame_ms > 0)
        figures.emplace_back(fmt::format("{:.{}f}×", 1000 * scene.settings().dt / frame_ms, frame_ms < 2 ? 0 : 1),
                             "real time");
    return figures;
}

std::vector<Plot> plots_of(const Recording& recording)
{
    PlotLine kinetic{"kinetic", {}, {}}, elastic{"elastic", {}, {}}, height{"height", {}, {}};
    for (const FrameNumbers& frame : recording.numbers) {
        height.x.push_back(frame.time);
        height.y.push_back(frame.height);
        if (!frame.measured) continue;
        for (PlotLine* line : {&kinetic, &elastic}) line->x.push_back(frame.time);
        kinetic.y.push_back(frame.kinetic);
        elastic.y.push_back(frame.elastic);
    }
    std::vector<Plot> plots;
    for (std::size_t k = 0; k < recording.measures.size(); ++k) {
        const MeasureInfo& measure = recording.measures[k];
        auto plot = std::ranges::find(plots, measure.label, &Plot::title);
        if (plot == plots.end()) plot = plots.insert(plots.end(), Plot{measure.label, "s", {}});
        PlotLine line{measure.name, {}, {}};
        for (const FrameNumbers& frame : recording.numbers) {
            line.x.push_back(frame.time);
            line.y.push_back(frame.measures[k]);
        }
        plot->lines.push_back(std::move(line));
    }
    Plot active{"Active tetrahedra", "s", {}}, cost{"Time per step (ms)", "s", {}};
    for (std::size_t k = 0; !recording.numbers.empty() && k < recording.numbers.back().fronts.size(); ++k) {
        PlotLine count{recording.numbers.back().fronts[k].body, {}, {}}, time = count;
        for (const FrameNumbers& frame : recording.numbers) {
            if (k >= frame.fronts.size()) continue;
            count.x.push_back(frame.time);
            count.y.push_back(frame.fronts[k].active_tets);
            if (frame.measured) continue;
            time.x.push_back(frame.time);
            time.y.push_back(frame.fronts[k].step_ms);
        }
        active.lines.push_back(std::move(count));
        cost.lines.push_back(std::move(time));
    }
    if (!active.lines.empty()) {
        plots.push_back(std::move(active));
        plots.push_back(std::move(cost));
    }
    plots.push_back({"Energy (J)", "s", {kinetic, elastic}});
    plots.push_back({"Height of the centre of mass (m)", "s", {height}});
    Plot hollow{"Volume of the cavity (l)", "s", {}};
    for (std::size_t k = 0; !recording.numbers.empty() && k < recording.numbers.back().cavities.size(); ++k) {
        PlotLine line{recording.numbers.back().cavities[k].body, {}, {}};
        for (const FrameNumbers& frame : recording.numbers) {
            line.x.push_back(frame.time);
            line.y.push_back(1000 * frame.cavities[k].volume);
        }
        hollow.lines.push_back(std::move(line));
    }
    if (!hollow.lines.empty()) plots.push_back(std::move(hollow));
    return plots;
}

/// The files and the card of one scene.
Result<GalleryCard> film_scene(const fs::path& file, const GalleryOptions& options, const Session& session,
                               Recording& recording)
{
    auto loaded = load_scene(file.string(), session.threads, session.terminal);
    if (!loaded) return loaded.error();
    auto folder = TemporaryFolder::make();
    if (!folder) return folder.error();

    GalleryCard card;
    card.name = file.stem().string();
    card.title = loaded->title().empty() ? card.name : loaded->title();
    card.description = loaded->description();
    card.clip = card.name + ".webp";
    card.poster = card.name + ".png";
    card.glb = card.name + ".glb";
    card.scene_file = file.filename().string();
    card.scene_text = read_text(file);
    if (card.scene_text.size() > 20'000) card.scene_text.clear();
    card.warnings.assign(loaded->warnings().begin(), loaded->warnings().end());

    const std::size_t frames =
        static_cast<std::size_t>(options.quick ? std::min(30, loaded->frames()) : loaded->frames());
    const ClipInfo info = describe_clip(*loaded, frames, quantities_to_show(*loaded));
    const fs::path clip = folder->path() / "clip.ywc";
    auto writers = open_writers({{"ywc", clip}, {"glb", options.out / card.glb}}, info);
    if (!writers) return writers.error();
    auto recorded = record(*loaded, {.frames = frames, .measured = MeasuredFrames::every_second}, info, *writers,
                           session.terminal, card.name + ": simulating");
    if (!recorded) return recorded.error();
    recording = *std::move(recorded);
    card.figures = figures_of(*loaded, recording);
    card.parameters = parameters_of(*loaded);
    card.parameters.emplace_back("most contacts", with_commas(static_cast<std::size_t>(recording.contacts)));
    if (recording.touches > 0) {
        card.parameters.emplace_back("most touches", with_commas(static_cast<std::size_t>(recording.touches)));
        card.parameters.emplace_back("deepest overlap", fmt::format("{:.2g} % of a body", 100 * recording.overlap));
    }
    card.parameters.emplace_back("most inverted regions",
                                 with_commas(static_cast<std::size_t>(recording.inverted_regions)));
    card.plots = plots_of(recording);
    const auto medians = recording.median_phase_ms();
    for (std::size_t p = 0; p < kPhases; ++p) card.phases.emplace_back(to_string(static_cast<Phase>(p)), medians[p]);

    auto footage = open_footage(clip);
    if (!footage) return footage.error();
    Stage stage = stage_of(footage->info);
    card.width = stage.look.width = options.quick ? 320 : 640;
    card.height = stage.look.height = options.quick ? 180 : 360;
    stage.look.samples = options.quick ? 2 : std::min(stage.look.samples, 8);
    stage.look.transparent = false;
    const double fps = options.quick ? 15 : 30;
    FilmOptions film_options;
    film_options.frames = real_time_frames(0, recording.frames, info.frame_time, fps);
    ProgressBar bar(session.terminal, card.name + ": drawing");
    auto film = Film::prepare(*std::move(footage), std::move(stage), std::move(film_options), bar);
    if (!film) return film.error();
    if (Status drawn = film->shoot_still(options.out / card.poster, film->size() * 2 / 5); !drawn) return drawn.error();
    if (const auto shot = film->shoot(options.out / card.clip, fps, bar); !shot) return shot.error();
    std::error_code error;
    fs::copy_file(file, options.out / card.scene_file, fs::copy_options::overwrite_existing, error);
    if (error) return Error{(options.out / card.scene_file).string(), "cannot be written: " + error.message()};
    return card;
}

}  // namespace

Result<std::vector<fs::path>> list_scenes(const std::string& folder, const std::string& only)
{
    fs::path place = folder;
    if (folder.empty()) {
        const auto found = find_scenes_folder();
        if (!found) return Error{"--scenes", "no folder of scenes near the program; say where it is"};
        place = *found;
    }
    std::vector<fs::path> scenes;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(place, error))
        if (entry.path().extension() == ".json") scenes.push_back(entry.path());
    if (error) return Error{place.string(), "cannot be read: " + error.message()};
    std::ranges::sort(scenes);
    if (!only.empty()) {
        std::vector<std::string> names;
        for (const fs::path& scene : scenes) names.push_back(scene.stem().string());
        std::erase_if(scenes, [&](const fs::path& scene) { return scene.stem() != only; });
        if (scenes.empty())
            return Error{"--only", fmt::format("there is no scene \"{}\" in {}{}", only, place.string(),
                                               did_you_mean(only, names))};
    }
    if (scenes.empty()) return Error{place.string(), "has no scenes (*.json)"};
    return scenes;
}

int make_gallery(const GalleryOptions& options, const Session& session)
{
    const Terminal& terminal = session.terminal;
    if (Status made = make_folder_of(options.out / "index.html"); !made) return terminal.fail(made.error());
    std::vector<GalleryCard> cards;
    nlohmann::ordered_json scenes = nlohmann::ordered_json::array();
    bool all_good = true;
    for (const fs::path& file : options.scenes) {
        if (interrupted()) break;
        Recording recording;
        auto card = film_scene(file, options, session, recording);
        nlohmann::ordered_json object = {{"scene", file.string()}, {"ok", static_cast<bool>(card)}};
        if (card) {
            object.update(to_json(recording));
            terminal.say("{}: {} frames, {} ms per step", card->name, recording.frames,
                         brief(recording.median_step_ms()));
            cards.push_back(*std::move(card));
        } else if (!interrupted()) {
            all_good = false;
            object["error"] = card.error().message();
            fmt::print(stderr, "error: {}: {}\n", file.string(), card.error().message());
            GalleryCard failed;
            failed.name = failed.title = file.stem().string();
            failed.error = card.error().message();
            cards.push_back(std::move(failed));
        }
        scenes.push_back(std::move(object));
    }
    const fs::path page = options.out / "index.html";
    if (Status written = replace_file(page, gallery_page(cards, machine_in_words(session.threads))); !written)
        return terminal.fail(written.error());
    terminal.say("open {}", fs::absolute(page).lexically_normal().string());
    terminal.object({{"ok", all_good}, {"page", page.string()}, {"interrupted", interrupted()}, {"scenes", scenes}});
    return interrupted() ? kInterrupted : all_good ? kGood : kFailure;
}

}  // namespace yawara::cli
