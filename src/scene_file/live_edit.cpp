// An edit is read and checked first, as far as it acts on what runs; only then the scene is touched.
#include "scene_file/live_edit.h"

#include <algorithm>
#include <map>
#include <set>

#include "scene_file/acts.h"
#include "scene_file/build_cache.h"
#include "scene_file/identity.h"
#include "scene_file/loaded_scene.h"
#include "scene_file/read_values.h"

namespace yawara::scene_file {
namespace {

/// The first parts of a JSON pointer.
std::vector<std::string> keys_of(const std::string& pointer)
{
    std::vector<std::string> keys;
    for (Json::json_pointer rest(pointer); !rest.empty(); rest.pop_back()) keys.insert(keys.begin(), rest.back());
    return keys;
}

/// What has to be done to the bodies of one entry of "bodies".
struct BodyEdit {
    bool all = false;                 ///< something of the body itself changed, else only of some instances
    std::set<std::size_t> instances;  ///< that changed
    bool name = false, start = false, script = false, charts = false, stiffness = false, cavity = false, look = false;

    /// Copies have to be read, too; otherwise settings and charts of the body are theirs.
    bool reads_copies() const { return name || start || script || stiffness || cavity || look; }

    BodyDocument document;                       ///< as read
    std::map<std::size_t, BodyDocument> placed;  ///< by instance; 0 if there are none
};

/// An edit as read: the whole of each part that changed.
struct Reading {
    bool scene = false, obstacles = false, view = false;
    std::map<std::size_t, BodyEdit> bodies;
    SceneSettings settings;
    std::vector<ObstacleDocument> obstacle_documents;
    std::string title, description;
    int frames = 0;
    std::optional<int> poster;
    std::optional<Camera> camera;
    Look look;
    std::map<std::size_t, BodyLook> looks;  ///< by body of the scene
    Findings findings;
};

/// Which part an edit of a body touches, by the keys below "/bodies/N".
void note_edit(BodyEdit& edit, std::span<const std::string> keys)
{
    if (keys[0] == "instances") {
        if (keys.size() < 3) return;
        edit.instances.insert(std::stoul(keys[1]));
        keys = keys.subspan(2);
    } else {
        edit.all = true;
    }
    static const std::set<std::string> start{"place", "velocity", "spin", "initial", "rotate", "translate"};
    const std::string& key = keys[0];
    edit.name = edit.name || key == "name";
    edit.start = edit.start || start.contains(key);
    edit.script = edit.script || key == "pins" || key == "handles" || key == "forces";
    edit.cavity = edit.cavity || key == "cavity";
    edit.look = edit.look || key == "look" || key == "color";
    if (key != "matching" || keys.size() < 2) return;
    edit.charts = edit.charts || keys[1] == "stretch";
    edit.script = edit.script || (keys[1] == "examples" && keys.size() > 2 && keys[2] == "controls");
    edit.stiffness = edit.stiffness || keys[1] == "regions";
}

/// A value of the document, checked against a part of a schema and with what it leaves out.
Json checked(const Json& schema, const char* part, Json value, const std::string& path, Findings& findings)
{
    SchemaFindings found = check_schema(schema, schema["$defs"][part], value, path);
    findings.errors.insert(findings.errors.end(), found.errors.begin(), found.errors.end());
    findings.files.insert(findings.files.end(), found.files.begin(), found.files.end());
    return value;
}

Json checked(const char* part, const Json& document, const char* key, Findings& findings)
{
    return checked(parsed_scene_schema(), part, document.value(key, Json::object()), key, findings);
}

void read_bodies(const SceneInside::Data& inside, const Json& after, Reading& reading)
{
    Findings& findings = reading.findings;
    for (auto& [number, edit] : reading.bodies) {
        Json body = after["bodies"][number];
        const Json instances = body.value("instances", Json::array());
        body.erase("instances");
        const std::string path = join("bodies", number);
        const Json live = checked(live_schema(), "body", live_part(body), path, findings);
        if (!findings.errors.empty()) return;
        read_live_body({live, path}, number, edit.document, findings);
        for (const DocumentEntry& entry : inside.entries) {
            if (entry.number != number) continue;
            edit.document.law_modulus = entry.law_modulus;
            edit.document.law_is_young = entry.law_is_young;
            edit.document.model_says_stiffness = entry.model_says_stiffness;
            edit.document.scale = entry.scale;
            edit.document.masses.spread = entry.masses;
        }
        finish_settings({live, path}, edit.document, findings);
        if (instances.empty()) edit.placed.emplace(0, edit.document);
        for (std::size_t k = 0; k < instances.size(); ++k) {
            if (!edit.instances.contains(k) && !(edit.all && edit.reads_copies())) continue;
            const std::string place = join(join(path, "instances"), k);
            const Json copy = checked(parsed_scene_schema(), "instance", instances[k], place, findings);
            if (!findings.errors.empty()) return;
            edit.placed.emplace(k, read_instance({copy, place}, k, edit.document, findings));
        }
    }
}

void read_scene_view(const SceneInside::Data& inside, const Json& after, Reading& reading)
{
    Findings& findings = reading.findings;
    Json view;
    Json part = {{"type", "object"}, {"properties", Json::object()}};
    for (const char* key : {"title", "description", "made", "frames", "poster", "camera"}) {
        if (after.contains(key)) view[key] = after[key];
        part["properties"][key] = parsed_scene_schema()["properties"][key];
    }
    const SchemaFindings found = check_schema(parsed_scene_schema(), part, view, "");
    findings.errors.insert(findings.errors.end(), found.errors.begin(), found.errors.end());
    const Json look = checked("look", after, "look", findings);
    if (!findings.errors.empty()) return;
    reading.title = view["title"];
    reading.description = view["description"];
    reading.frames = view["frames"];
    if (view.contains("poster")) reading.poster = view["poster"].get<int>();
    if (view.contains("camera")) reading.camera = read_camera({view["camera"], "camera"}, findings);
    std::vector<ShownQuantity> shown;
    for (std::size_t k = 0; k < inside.entries.size(); ++k) {
        const DocumentEntry& entry = inside.entries[k];
        BodyLook own = inside.looks[k];
        if (const auto edit = reading.bodies.find(entry.number); edit != reading.bodies.end())
            if (const auto body = edit->second.placed.find(entry.instance.value_or(0));
                body != edit->second.placed.end()) {
                own = body->second.look;
                own.skin = inside.looks[k].skin;
                own.volume_colors = inside.looks[k].volume_colors;
            }
        shown.push_back({entry.where, own.show});
        reading.looks.emplace(k, std::move(own));
    }
    reading.look = read_look({look, "look"}, shown, findings);
}

void read_obstacles(const Json& after, Reading& reading)
{
    const Json list = after.value("obstacles", Json::array());
    for (std::size_t k = 0; k < list.size(); ++k) {
        const std::string path = join("obstacles", k);
        const Json obstacle = checked(parsed_scene_schema(), "obstacle", list[k], path, reading.findings);
        if (!reading.findings.errors.empty()) return;
        reading.obstacle_documents.push_back(read_obstacle({obstacle, path}, reading.findings));
        reading.obstacle_documents.back().identity = identity_of(list[k], k);
    }
}

/// Two bodies of one name, or a measure that speaks of a name that is gone: told by the reader of whole documents.
bool names_need_reading(const Json& after, const Reading& reading)
{
    if (std::ranges::none_of(reading.bodies, [](const auto& body) { return body.second.name; })) return false;
    if (!after.value("measures", Json::array()).empty()) return true;
    std::set<std::string> names;
    for (const Json& body : after["bodies"]) {
        const Json instances = body.value("instances", Json::array());
        if (!body.contains("name") || !body["name"].is_string()) return true;
        if (instances.empty() && !names.insert(body["name"]).second) return true;
        for (std::size_t k = 0; k < instances.size(); ++k)
            if (!names.insert(body["name"].get<std::string>() + "_" + identity_of(instances[k], k)).second) return true;
    }
    return false;
}

bool meshes_need_building(SceneInside::Data& inside, const Reading& reading)
{
    return std::ranges::any_of(reading.obstacle_documents, [&](const ObstacleDocument& obstacle) {
        return std::holds_alternative<MeshObstacle>(obstacle.shape) &&
               !inside.cache.data().obstacles.find(obstacle.shape_source);
    });
}

/// What is ready for one body of the scene.
struct BodyUpdate {
    DocumentEntry* entry = nullptr;
    const BodyEdit* edit = nullptr;
    const BodyDocument* document = nullptr;
    std::optional<BuiltBody> start;  ///< with its script, and the pins of that
    std::vector<Json> pins;
    std::vector<bool> held_later;
    std::optional<BodyModel> model;  ///< with other charts or another name
    std::optional<CavityGauge> cavity;
    double added_offset = 0;  ///< s, of a copy to the time of its body, if it was not read
    double body_offset = 0;   ///< s, of its body
    bool is_copy_read = false;
};

/// Pins that were there hold as they did; what is new, where its particles are if the scene `runs`.
std::vector<bool> held_later(const DocumentEntry& entry, const std::vector<Json>& pins, bool runs)
{
    std::vector<bool> held;
    for (const Json& pin : pins) {
        const auto known = std::ranges::find(entry.pins, pin);
        held.push_back(known == entry.pins.end() ? runs
                                                 : bool(entry.held_later[std::size_t(known - entry.pins.begin())]));
    }
    return held;
}

/// The clock of the muscles of a body.
double beat_time(SceneInside::Data& inside, const DocumentEntry& entry)
{
    return inside.scene.time() + inside.scene.body_settings(entry.body).matching.time_offset;
}

/// Prepares what could fail.
Result<std::vector<BodyUpdate>> prepare(SceneInside::Data& inside, const Reading& reading, const Json& after)
{
    std::vector<BodyUpdate> updates;
    std::map<std::size_t, std::pair<std::vector<ChartedLayer>, std::optional<BodyModel>>> charted;  ///< by body
    for (DocumentEntry& entry : inside.entries) {
        const auto edit = reading.bodies.find(entry.number);
        if (edit == reading.bodies.end()) continue;
        const auto document = edit->second.placed.find(entry.instance.value_or(0));
        const bool is_read = document != edit->second.placed.end();
        if (!is_read && !edit->second.all) continue;
        BodyUpdate update;
        update.entry = &entry;
        update.edit = &edit->second;
        update.document = is_read ? &document->second : &edit->second.document;
        update.added_offset = is_read ? 0 : entry.time_offset;
        update.body_offset = edit->second.document.settings.matching.time_offset;
        update.is_copy_read = is_read && entry.instance;
        const BodyModel& model = inside.scene.model(entry.body);
        if (edit->second.charts) {
            std::vector<ChartedLayer> layers = charts_of(*update.document);
            if (inside.scene.step_count() > 0) layers = going_on(model, std::move(layers), beat_time(inside, entry));
            auto& [shared, same] = charted[entry.number];
            if (!same || shared != layers) {
                Result<BodyModel> made = with_charts(model, layers);
                if (!made) return Error{update.document->where, made.error().message()};
                shared = std::move(layers), same = *std::move(made);
            }
            update.model = same->renamed(is_read ? update.document->name : model.name());
        } else if (edit->second.name) {
            update.model = model.renamed(update.document->name);
        }
        if (edit->second.start || edit->second.script || edit->second.stiffness) {
            update.pins = pins_of(entry, after);
            update.held_later = held_later(entry, update.pins, inside.scene.step_count() > 0);
            Result<BuiltBody> start =
                build_body(*update.document, model, {update.held_later, inside.scene.state(entry.body).positions});
            if (!start) return start.error();
            update.start = *std::move(start);
        }
        if (edit->second.cavity && update.document->cavity_depth) {
            Result<CavityGauge> cavity = build_cavity(*update.document, model);
            if (!cavity) return cavity.error();
            update.cavity = *std::move(cavity);
        }
        updates.push_back(std::move(update));
    }
    return updates;
}

void apply(SceneInside::Data& inside, BodyUpdate& update)
{
    Scene& scene = inside.scene;
    DocumentEntry& entry = *update.entry;
    const bool measured = scene.body_settings(entry.body).measure;
    scene.body_settings(entry.body) = update.document->settings;
    scene.body_settings(entry.body).measure = measured;
    scene.body_settings(entry.body).matching.time_offset += update.added_offset;
    scene.state(entry.body).still = 0;  // it may have to move now
    if (update.is_copy_read) entry.time_offset = update.document->settings.matching.time_offset - update.body_offset;
    if (update.model) (void)scene.revise(entry.body, *std::move(update.model));
    if (update.start) {
        if (update.edit->stiffness) scene.state(entry.body).matching.stiffness = update.start->state.matching.stiffness;
        scene.set_script(entry.body, std::move(update.start->script));
        entry.script_warnings = std::move(update.start->warnings);
        DocumentEntry fresh = entry_of(*update.document, entry.body, std::move(update.start->state));
        entry.start = std::move(fresh.start);
        entry.grips = std::move(fresh.grips);
        entry.pins = std::move(update.pins);
        entry.held_later = std::move(update.held_later);
    }
    if (update.edit->cavity) {
        std::erase_if(inside.cavities, [&](const BodyCavity& cavity) { return cavity.body == entry.body; });
        if (update.cavity)
            inside.cavities.push_back(
                {update.document->name, entry.body, *std::move(update.cavity), scene.model(entry.body).revision()});
    }
}

/// The obstacles of the document; those that are the same stay, so that nothing wakes for nothing.
void apply(SceneInside::Data& inside, std::vector<Collider> colliders, const std::vector<ObstacleDocument>& documents)
{
    Scene& scene = inside.scene;
    std::vector<std::string> sources;
    for (const ObstacleDocument& document : documents)
        sources.push_back(document.shape_source + document.motion_source);
    if (colliders.size() == inside.obstacles.size()) {
        for (std::size_t k = 0; k < colliders.size(); ++k) {
            const Collider& old = scene.collider(inside.obstacles[k]);
            const Collider& now = colliders[k];
            if (sources[k] == inside.obstacle_sources[k] && old.friction == now.friction &&
                old.restitution == now.restitution && old.friction_along == now.friction_along &&
                old.filter == now.filter)
                continue;
            (void)scene.replace(inside.obstacles[k], std::move(colliders[k]));
        }
    } else {
        for (const ColliderId id : inside.obstacles) (void)scene.remove(id);
        inside.obstacles.clear();
        for (Collider& collider : colliders) inside.obstacles.push_back(scene.add(std::move(collider)));
    }
    inside.obstacle_sources = std::move(sources);
    inside.obstacle_identities.clear();
    for (const ObstacleDocument& document : documents) inside.obstacle_identities.push_back(document.identity);
}

void apply(SceneInside::Data& inside, const SceneSettings& settings)
{
    SceneSettings& own = inside.scene.settings();
    const std::int64_t frame = inside.scene.step_count() / std::max(1, own.substeps);
    const bool recount = own.substeps != settings.substeps;
    const bool wake = own.gravity != settings.gravity || own.medium.drag != settings.medium.drag ||
                      own.medium.density != settings.medium.density || own.medium.current != settings.medium.current ||
                      own.medium.level != settings.medium.level;
    own.dt = settings.dt;
    own.substeps = settings.substeps;
    own.gravity = settings.gravity;
    own.medium = settings.medium;
    own.sleep = settings.sleep;
    // The clock counts steps: their number in a frame has changed, the time has not.
    if (recount) inside.scene.set_clock(frame * settings.substeps, inside.scene.time());
    if (wake) inside.scene.wake_all();
}

/// Warnings about the parts that were read anew take the place of the earlier ones.
void renew_warnings(SceneInside::Data& inside, const Reading& reading)
{
    std::vector<std::string> places;
    if (reading.scene) places.insert(places.end(), {"step", "medium"});
    if (reading.view) places.insert(places.end(), {"look", "camera"});
    if (reading.obstacles) places.push_back("obstacles");
    for (const auto& [number, edit] : reading.bodies) {
        const std::string body = join("bodies", number);
        for (const char* part :
             {"matching:", "matching.stretch", "initial", "contact", "pins", "handles", "forces", "look", "instances"})
            places.push_back(body + "." + part);
    }
    // What only the reader of whole documents looks at stays: it speaks of keys that act on models.
    std::erase_if(inside.document_warnings, [&](const std::string& warning) {
        return std::ranges::any_of(places, [&](const std::string& place) { return warning.starts_with(place); });
    });
    inside.document_warnings.insert(inside.document_warnings.end(), reading.findings.warnings.begin(),
                                    reading.findings.warnings.end());
    for (DocumentEntry& entry : inside.entries)
        if (reading.scene || reading.bodies.contains(entry.number))
            entry.modulus_warnings = modulus_warnings(entry, inside.scene.model(entry.body),
                                                      inside.scene.body_settings(entry.body), inside.scene.settings());
    inside.gather_warnings();
}

/// Brings a document up to date at one place.
void follow(Json& document, const std::string& pointer, const Json& after)
{
    const Json::json_pointer place(pointer);
    if (after.contains(place))
        document[place] = after.at(place);
    else if (document.contains(place))
        document.at(place.parent_pointer()).erase(place.back());
}

}  // namespace

namespace {

/// Makes the script of a body anew, with pins that hold where the particles are now.
void rescript(SceneInside::Data& inside, DocumentEntry& entry, std::vector<bool> held)
{
    Reading reading;
    reading.findings.folder = inside.folder;
    reading.bodies[entry.number].all = reading.bodies[entry.number].script = true;
    read_bodies(inside, inside.document, reading);
    const auto& placed = reading.bodies[entry.number].placed;
    const auto document = placed.find(entry.instance.value_or(0));
    if (document == placed.end()) return;
    Result<BuiltBody> built =
        build_body(document->second, inside.scene.model(entry.body), {held, inside.scene.state(entry.body).positions});
    if (!built) return;  // it was built before
    inside.scene.set_script(entry.body, std::move(built->script));
    entry.held_later = std::move(held);
}

/// Lets the layers of a body lead by these times, those that are missing by none.
void lead_by(Scene& scene, BodyId body, const std::vector<double>& leads)
{
    std::vector<ChartedLayer> layers;
    bool changed = false;
    for (const ActiveParts* parts : all_active_parts(scene.model(body))) {
        const double lead = layers.size() < leads.size() && parts->layer.keys.size() < 2 ? leads[layers.size()] : 0;
        changed = changed || lead != parts->layer.lead;
        layers.push_back(parts->layer);
        layers.back().lead = lead;
    }
    if (!changed) return;
    if (Result<BodyModel> made = with_charts(scene.model(body), layers)) (void)scene.revise(body, *std::move(made));
}

bool any(const std::vector<bool>& flags)
{
    return std::ranges::find(flags, true) != flags.end();
}

}  // namespace

void hold_pins_here(LoadedScene& scene)
{
    SceneInside::Data& inside = SceneInside::of(scene);
    for (DocumentEntry& entry : inside.entries)
        if (any(entry.held_later)) rescript(inside, entry, entry.held_later);
}

void hold_pins_at_start(LoadedScene& scene)
{
    SceneInside::Data& inside = SceneInside::of(scene);
    for (DocumentEntry& entry : inside.entries)
        if (any(entry.held_later)) rescript(inside, entry, std::vector<bool>(entry.pins.size(), false));
}

void beat_from_start(LoadedScene& scene)
{
    SceneInside::Data& inside = SceneInside::of(scene);
    for (const DocumentEntry& entry : inside.entries) lead_by(inside.scene, entry.body, {});
}

void carry_beat(LoadedScene& from, LoadedScene& to)
{
    SceneInside::Data &before = SceneInside::of(from), &now = SceneInside::of(to);
    for (const DocumentEntry& entry : now.entries) {
        const auto old = std::ranges::find(before.entries, entry.identity, &DocumentEntry::identity);
        if (old == before.entries.end()) continue;
        std::vector<double> leads;
        for (const ActiveParts* parts : all_active_parts(before.scene.model(old->body))) leads.push_back(parts->layer.lead);
        lead_by(now.scene, entry.body, leads);
    }
}

void carry_pins(LoadedScene& from, LoadedScene& to)
{
    const SceneInside::Data& before = SceneInside::of(from);
    SceneInside::Data& now = SceneInside::of(to);
    for (DocumentEntry& entry : now.entries) {
        const auto old = std::ranges::find(before.entries, entry.identity, &DocumentEntry::identity);
        if (old == before.entries.end()) continue;
        std::vector<bool> held = held_later(*old, entry.pins, true);
        if (any(held)) rescript(now, entry, std::move(held));
    }
}

bool LiveEdit::did(Acts acts) const
{
    return std::ranges::find(done, acts, &Difference::acts) != done.end();
}

bool LiveEdit::looks_changed() const
{
    return std::ranges::any_of(done, [](const Difference& difference) {
        const std::string& pointer = difference.pointer;
        return difference.acts == Acts::view || pointer.starts_with("/obstacles") || pointer.ends_with("/name");
    });
}

std::vector<Error> check_document(const Json& document, const std::filesystem::path& folder, const std::string& name)
{
    return read_scene(document, folder, name).errors;
}

Result<LiveEdit> edit_live(LoadedScene& scene, const Json& after)
{
    SceneInside::Data& inside = SceneInside::of(scene);
    LiveEdit edit;
    Reading reading;
    reading.findings.folder = inside.folder;
    const std::vector<Difference> all = differences(inside.document, after);
    const bool mesh_waits = std::ranges::any_of(all, [](const Difference& difference) {
        return difference.acts == Acts::model && difference.pointer.starts_with("/obstacles");
    });
    const bool same_bodies = std::ranges::none_of(all, [](const Difference& difference) {
        return difference.acts == Acts::model &&
               (difference.pointer == "/bodies" || difference.pointer.ends_with("/instances"));
    });
    for (const Difference& difference : all) {
        const std::vector<std::string> keys = keys_of(difference.pointer);
        const bool of_body = keys[0] == "bodies";
        if (difference.acts == Acts::model || (of_body && !same_bodies) || (keys[0] == "obstacles" && mesh_waits)) {
            edit.waiting.push_back(difference);
            continue;
        }
        edit.done.push_back(difference);
        reading.scene = reading.scene || keys[0] == "step" || keys[0] == "medium";
        reading.obstacles = reading.obstacles || keys[0] == "obstacles";
        reading.view = reading.view || difference.acts == Acts::view;
        if (of_body) note_edit(reading.bodies[std::stoul(keys[1])], std::span(keys).subspan(2));
    }
    if (edit.done.empty()) return edit;

    Findings& findings = reading.findings;
    if (reading.scene) {
        const Json step = checked("step", after, "step", findings),
                   medium = checked("medium", after, "medium", findings);
        if (findings.errors.empty()) {
            reading.settings = read_step({step, "step"}, findings);
            reading.settings.medium = read_medium({medium, "medium"}, findings);
        }
    }
    if (findings.errors.empty()) read_bodies(inside, after, reading);
    if (findings.errors.empty() && reading.view) read_scene_view(inside, after, reading);
    if (findings.errors.empty() && reading.obstacles) read_obstacles(after, reading);
    check_files(findings);
    if (!findings.errors.empty()) return findings.errors.front();
    if (names_need_reading(after, reading) || meshes_need_building(inside, reading)) {
        edit.waiting.insert(edit.waiting.end(), edit.done.begin(), edit.done.end());
        edit.done.clear();
        return edit;
    }
    std::vector<Collider> colliders;
    for (const ObstacleDocument& obstacle : reading.obstacle_documents) {
        Result<Collider> collider = inside.cache.data().obstacle(obstacle);
        if (!collider) return collider.error();
        colliders.push_back(*std::move(collider));
    }
    Result<std::vector<BodyUpdate>> updates = prepare(inside, reading, after);
    if (!updates) return updates.error();

    if (reading.scene) apply(inside, reading.settings);
    if (reading.obstacles) apply(inside, std::move(colliders), reading.obstacle_documents);
    for (BodyUpdate& update : *updates) apply(inside, update);
    if (reading.view) {
        inside.title = std::move(reading.title);
        inside.description = std::move(reading.description);
        inside.frames = reading.frames;
        inside.poster = reading.poster;
        inside.camera = reading.camera;
        inside.look = reading.look;
        for (auto& [k, look] : reading.looks) inside.looks[k] = std::move(look);
    }
    renew_warnings(inside, reading);
    for (const Difference& difference : edit.done) follow(inside.document, difference.pointer, after);
    return edit;
}

FieldScope field_scope(LoadedScene& scene, BodyId body)
{
    const SceneInside::Data& inside = SceneInside::of(scene);
    const DocumentEntry& entry = inside.entry(body);
    FieldScope scope{entry.channels, entry.scale, inside.folder, entry.file, {}};
    for (const Json& one : inside.document.value("bodies", Json::array()))
        for (const Json& pose : one.value(Json::json_pointer("/matching/examples/poses"), Json::array()))
            for (const char* key : {"surface", "vertices"})
                if (pose.contains(key)) scope.pose_files.push_back(pose[key].get<std::string>());
    return scope;
}

const Json& document_of(LoadedScene& scene)
{
    return SceneInside::of(scene).document;
}

}  // namespace yawara::scene_file
