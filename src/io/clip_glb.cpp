// Clips as one animated GLB (glTF 2.0): a node and mesh for every body, its rigid motion on the node and its change of
// shape as morph targets; and a node for every obstacle, which moves if that does. For the web, Blender and game
// engines.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "geometry/drawn_surface.h"
#include "io/clip_formats.h"
#include "io/clip_shapes.h"
#include "io/glb_document.h"
#include "io/glb_materials.h"
#include "yawara/rotation.h"

namespace yawara::io {
namespace {

using Json = nlohmann::json;

/// Vertices of a GLB: those of the surface in their order, then copies of the ones on uv seams.
struct SplitSurface {
    std::vector<std::int32_t> original;  // of every vertex
    std::vector<Int3> triangles;
    std::vector<Vec2> uvs;  // per vertex, or empty
};

SplitSurface split_at_seams(const TriMesh& mesh)
{
    SplitSurface split;
    split.triangles = mesh.triangles;
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) split.original.push_back(static_cast<std::int32_t>(v));
    if (mesh.corner_uvs.empty()) return split;

    split.uvs.resize(mesh.vertices.size());
    std::vector<bool> has_uv(mesh.vertices.size());
    std::map<std::tuple<std::int32_t, float, float>, std::int32_t> copies;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        for (int corner = 0; corner < 3; ++corner) {
            std::int32_t& v = split.triangles[t][corner];
            const Vec2 uv{mesh.corner_uvs[t][corner].x,
                          1.0f - mesh.corner_uvs[t][corner].y};  // glTF counts from the top
            if (!has_uv[v]) {
                has_uv[v] = true;
                split.uvs[v] = uv;
            }
            if (split.uvs[v] == uv) continue;
            const auto [copy, is_new] =
                copies.try_emplace({v, uv.x, uv.y}, static_cast<std::int32_t>(split.original.size()));
            if (is_new) {
                split.original.push_back(v);
                split.uvs.push_back(uv);
            }
            v = copy->second;
        }
    }
    return split;
}

struct GlbBody {
    std::string name;
    Vec3 color;
    SplitSurface split;
    std::vector<Vec3> colors;  // per vertex of the surface, linear light
    ShapeRecorder recorder;
    bool obstacle = false;
    std::shared_ptr<const Skin> skin{};

    std::vector<Vec3> expand(std::span<const Vec3> per_vertex) const
    {
        std::vector<Vec3> expanded;
        expanded.reserve(split.original.size());
        for (const std::int32_t v : split.original) expanded.push_back(per_vertex[v]);
        return expanded;
    }
};

using Arrays = std::vector<std::vector<Vec3>>;

GlbComponent smallest_component(std::span<const Vec3> whole_numbers)
{
    float largest = 0.0f;
    for (const Vec3& v : whole_numbers)
        for (int i = 0; i < 3; ++i) largest = std::max(largest, std::abs(v[i]));
    return largest <= 127.0f ? GlbComponent::byte : largest <= 32767.0f ? GlbComponent::short_ : GlbComponent::float_;
}

/// The accessors of the targets. Targets of one component share a view.
Json targets_of(GlbDocument& document, const GlbBody& body, const ShapeClip& clip)
{
    constexpr GlbDocument::VertexArrays kNormals{.component = GlbComponent::byte, .normalized = true};
    Json targets = Json::array();
    std::map<GlbComponent, std::pair<std::vector<std::size_t>, Arrays>> positions;
    Arrays normals;
    for (std::size_t t = 0; t < clip.targets.size(); ++t) {
        targets.push_back(Json::object());
        auto& [which, arrays] = positions[smallest_component(clip.targets[t].positions)];
        which.push_back(t);
        arrays.push_back(body.expand(clip.targets[t].positions));
        if (!clip.targets[t].normals.empty()) normals.push_back(body.expand(clip.targets[t].normals));
    }
    for (const auto& [component, group] : positions) {
        const std::vector<std::span<const Vec3>> spans(group.second.begin(), group.second.end());
        const auto accessors = document.vertex_arrays(spans, {.component = component, .ranges = true});
        for (std::size_t i = 0; i < accessors.size(); ++i) targets[group.first[i]]["POSITION"] = accessors[i];
    }
    if (normals.empty()) return targets;
    std::vector<int> accessors =
        document.vertex_arrays(std::vector<std::span<const Vec3>>(normals.begin(), normals.end()), kNormals);
    if (accessors.size() < targets.size())
        accessors.resize(targets.size(), document.zeros(body.split.original.size(), kNormals));
    for (std::size_t t = 0; t < targets.size(); ++t) targets[t]["NORMAL"] = accessors[t];
    return targets;
}

/// The triangles of each material by themselves, in their order.
std::map<std::int32_t, std::vector<Int3>> by_material(const GlbBody& body)
{
    std::map<std::int32_t, std::vector<Int3>> parts;
    for (std::size_t t = 0; t < body.split.triangles.size(); ++t)
        parts[body.skin ? body.skin->material_of[t] : -1].push_back(body.split.triangles[t]);
    return parts;
}

Json mesh_of(GlbDocument& document, GlbSkins& skins, const GlbBody& body, const ShapeClip& clip)
{
    Json primitive;
    Json& attributes = primitive["attributes"];
    attributes["POSITION"] = document.vertex_array(body.expand(clip.base), {.ranges = true});
    attributes["NORMAL"] =
        document.vertex_array(body.expand(clip.base_normals), {.component = GlbComponent::byte, .normalized = true});
    if (!body.split.uvs.empty()) attributes["TEXCOORD_0"] = document.vertex_uvs(body.split.uvs);
    if (!body.colors.empty())
        attributes["COLOR_0"] = document.vertex_array(body.expand(body.colors),
                                                      {.component = GlbComponent::unsigned_short, .normalized = true});

    Json mesh{{"name", body.name}};
    if (!clip.targets.empty()) primitive["targets"] = targets_of(document, body, clip);
    for (std::size_t t = 0; t < clip.targets.size(); ++t) {
        mesh["weights"].push_back(static_cast<float>(clip.weights[t]) / 65535.0f);
        mesh["extras"]["targetNames"].push_back(t == 0 ? "offset" : fmt::format("shape {}", t));
    }
    for (std::size_t v = clip.base.size(); v < body.split.original.size(); ++v) {
        mesh["extras"]["seam_copies_of"].push_back(body.split.original[v]);
    }

    for (const auto& [material, triangles] : by_material(body)) {
        primitive["indices"] = document.triangles(triangles, body.split.original.size());
        primitive["material"] =
            material >= 0
                ? skins.materials(*body.skin)[std::size_t(material)]
                : add_material(document, body.name, body.colors.empty() ? linear_light(body.color) : Vec3{1, 1, 1});
        mesh["primitives"].push_back(primitive);
    }
    return mesh;
}

/// A square of a plane, about the point of it that is nearest to the middle of a box, and several times as large.
TriMesh square_of(const Plane& plane, const Box3& box)
{
    const Vec3d n = normalized(plane.normal), axis = std::abs(n.y) < 0.9 ? Vec3d{0, 1, 0} : Vec3d{1, 0, 0};
    const Vec3d middle = box.empty() ? plane.point : box.center();
    const Vec3d at = middle - n * dot(n, middle - plane.point);
    const double half = box.empty() ? 1 : std::max(2.5 * box.diagonal(), 1e-3);
    const Vec3d u = normalized(cross(axis, n)) * half, v = cross(n, u);
    return {{at - u - v, at + u - v, at + u + v, at - u + v}, {{0, 1, 2}, {0, 2, 3}}, {}, {}};
}

Json mesh_of(GlbDocument& document, const std::string& name, const TriMesh& obstacle, std::size_t material)
{
    const DrawnSurface surface(obstacle);
    std::vector<Vec3> vertices, normals(surface.vertex_count()), faces(obstacle.triangles.size());
    for (const std::int32_t v : surface.source()) vertices.push_back(obstacle.vertices[std::size_t(v)].as<float>());
    surface.normals(vertices, faces, normals);
    Json primitive{{"material", material}};
    primitive["attributes"]["POSITION"] = document.vertex_array(vertices, {.ranges = true});
    primitive["attributes"]["NORMAL"] =
        document.vertex_array(normals, {.component = GlbComponent::byte, .normalized = true});
    primitive["indices"] = document.triangles(surface.triangles(), vertices.size());
    return {{"name", name}, {"primitives", {primitive}}};
}

/// A path at the times of the frames: where the node is, and how it is turned, without jumps between q and -q.
struct NodeMotion {
    std::vector<Vec3> moves;
    std::vector<std::array<float, 4>> turns;

    NodeMotion(const Path& path, std::span<const float> times)
    {
        Quat last{};
        for (const float time : times) {
            const Placement at = path.at(double(time));
            Quat q = to_quat(at.turn);
            if (q.x * last.x + q.y * last.y + q.z * last.z + q.w * last.w < 0) q = {-q.x, -q.y, -q.z, -q.w};
            moves.push_back(at.move.as<float>());
            turns.push_back({float(q.x), float(q.y), float(q.z), float(q.w)});
            last = q;
        }
    }
};

std::string error_note(const std::string& name, const ShapeClip& clip, double tolerance, bool obstacle)
{
    const double part = clip.size > 0.0 ? clip.worst_error / clip.size : 0.0;
    std::string note =
        fmt::format("{} \"{}\": {} shapes, no vertex is off by more than {:.3g} ({:.2g} % of its size)",
                    obstacle ? "obstacle" : "body", name, clip.targets.size(), clip.worst_error, 100.0 * part);
    if (part > tolerance) note += fmt::format("; {:.2g} % was wanted, pc2 and mdd are exact", 100.0 * tolerance);
    return note;
}

constexpr Vec3 kGray{0.55f, 0.56f, 0.58f};  // of obstacles

class GlbClip final : public ClipWriter {
public:
    GlbClip(std::filesystem::path out, const ClipOptions& options) : out_(std::move(out)), options_(options) {}

    Status add(const ClipBody& body)
    {
        auto recorder = ShapeRecorder::create(out_, body.surface);
        if (!recorder) return recorder.error();
        std::vector<Vec3> colors;
        for (const Vec3& c : body.surface.colors) colors.push_back(linear_light(c));
        bodies_.push_back(
            {body.name, body.color, split_at_seams(body.surface), std::move(colors), std::move(*recorder)});
        return Done{};
    }

    /// What surrounds the bodies; its meshes are in their own frames.
    void add(const ClipStage& stage)
    {
        stage_ = stage;
        for (std::size_t b = 0; b < bodies_.size() && b < stage.looks.size(); ++b)
            if (stage.looks[b].worn(bodies_[b].split.triangles.size())) bodies_[b].skin = stage.looks[b].skin;
    }

    Status frame(double time, std::span<const ClipFrame> bodies) override
    {
        if (!times_.empty() && static_cast<float>(time) <= times_.back()) {
            return Error{
                out_.string(),
                fmt::format("frame {} is too soon after the one before for the 32-bit times of GLB", times_.size())};
        }
        for (std::size_t b = 0; b < bodies.size(); ++b) {
            if (Status status = bodies_[b].recorder.add(bodies[b].surface); !status) return status;
            if (times_.empty())
                for (const Vec3& p : bodies[b].surface) box_.add(p.as<double>());
        }
        times_.push_back(static_cast<float>(time));
        return Done{};
    }

    Status finish() override
    {
        if (Status status = take_animated(); !status) return status;
        GlbDocument document(options_.meshopt);
        GlbSkins skins(document);
        Json scene = Json::object(), animation{{"name", "clip"}};
        const int input = times_.empty() ? -1 : document.track(times_, "SCALAR");
        if (input >= 0) {
            document.json["accessors"][input]["min"] = {times_.front()};
            document.json["accessors"][input]["max"] = {times_.back()};
        }
        for (std::size_t b = 0; b < bodies_.size(); ++b) {
            const Result<ShapeClip> found = bodies_[b].recorder.shapes(options_.tolerance);
            if (!found) return found.error();
            const ShapeClip& clip = *found;
            const Json mesh = mesh_of(document, skins, bodies_[b], clip);
            document.json["meshes"].push_back(mesh);
            Json node{{"name", bodies_[b].name}, {"mesh", b}};
            if (clip.unit != 1.0) node["scale"] = {clip.unit, clip.unit, clip.unit};
            scene["nodes"].push_back(b);

            const auto animate = [&](std::string_view path, int output) {
                add_channel(animation, input, b, path, output);
            };
            if (input >= 0) {
                const auto& [moves, turns] = clip.motion;
                node["translation"] = {moves[0].x, moves[0].y, moves[0].z};
                node["rotation"] = turns[0];
                animate("translation", document.track(std::span(&moves[0].x, 3 * moves.size()), "VEC3"));
                animate("rotation", document.track(std::span(turns[0].data(), 4 * turns.size()), "VEC4"));
                if (!clip.targets.empty()) animate("weights", document.track(clip.weights));
                notes_.push_back(error_note(bodies_[b].name, clip, options_.tolerance, bodies_[b].obstacle));
            }
            document.json["nodes"].push_back(node);
        }
        add_obstacles(document, scene, animation, input);
        if (animation.contains("channels")) document.json["animations"].push_back(animation);
        document.json["scene"] = 0;
        document.json["scenes"].push_back(scene);
        if (Status status = document.write(out_); !status) return status;
        notes_.insert(notes_.begin(),
                      fmt::format("{}: {} frames, {:.2f} MB", out_.string(), times_.size(), 1e-6 * document.bytes()));
        return Done{};
    }

    std::vector<std::string> notes() const override { return notes_; }

private:
    /// Obstacles whose vertices move become shapes, as bodies are.
    Status take_animated()
    {
        for (std::size_t k = 0; k < stage_.obstacle_animations.size(); ++k) {
            const auto& animation = stage_.obstacle_animations[k];
            TriMesh& mesh = stage_.obstacles[k];
            if (!animation || times_.empty() || mesh.triangles.empty()) continue;
            ClipBody body;
            body.name = obstacle_name(k);
            body.surface = mesh;
            body.color = kGray;
            if (Status status = add(body); !status) return status;
            bodies_.back().obstacle = true;
            const Path path = k < stage_.obstacle_paths.size() ? stage_.obstacle_paths[k] : Path();
            std::vector<Vec3> surface(mesh.vertices.size());
            for (const float time : times_) {
                animation->at(double(time), mesh.vertices);
                const Placement at = path.empty() ? Placement{} : path.at(double(time));
                for (std::size_t v = 0; v < surface.size(); ++v) surface[v] = at(mesh.vertices[v]).as<float>();
                if (Status status = bodies_.back().recorder.add(surface); !status) return status;
            }
            mesh = {};  // what is left of it is nothing
        }
        return Done{};
    }

    static std::string obstacle_name(std::size_t k) { return fmt::format("obstacle {}", k + 1); }

    static void add_channel(Json& animation, int input, std::size_t node, std::string_view path, int output)
    {
        animation["samplers"].push_back({{"input", input}, {"interpolation", "LINEAR"}, {"output", output}});
        animation["channels"].push_back(
            {{"sampler", animation["samplers"].size() - 1}, {"target", {{"node", node}, {"path", path}}}});
    }

    void add_obstacles(GlbDocument& document, Json& scene, Json& animation, int input) const
    {
        const std::size_t count = stage_.floors.size() + stage_.obstacles.size();
        if (count == 0) return;
        const std::size_t material = add_material(document, "obstacles", linear_light(kGray));
        for (std::size_t k = 0; k < count; ++k) {
            const std::size_t own = k < stage_.floors.size() ? k : k - stage_.floors.size();
            const bool floor = k < stage_.floors.size();
            const auto& paths = floor ? stage_.floor_paths : stage_.obstacle_paths;
            const std::string name = floor ? fmt::format("floor {}", own + 1) : obstacle_name(own);
            const TriMesh mesh = floor ? square_of(stage_.floors[own], box_) : stage_.obstacles[own];
            if (mesh.triangles.empty()) continue;
            document.json["meshes"].push_back(mesh_of(document, name, mesh, material));
            Json node{{"name", name}, {"mesh", document.json["meshes"].size() - 1}};
            const std::size_t index = document.json["nodes"].size();
            if (own < paths.size() && !paths[own].empty() && input >= 0) {
                const NodeMotion motion(paths[own], times_);
                node["translation"] = {motion.moves[0].x, motion.moves[0].y, motion.moves[0].z};
                node["rotation"] = motion.turns[0];
                add_channel(animation, input, index, "translation",
                            document.track(std::span(&motion.moves[0].x, 3 * motion.moves.size()), "VEC3"));
                add_channel(animation, input, index, "rotation",
                            document.track(std::span(motion.turns[0].data(), 4 * motion.turns.size()), "VEC4"));
            }
            document.json["nodes"].push_back(node);
            scene["nodes"].push_back(index);
        }
    }

    std::filesystem::path out_;
    ClipOptions options_;
    std::vector<GlbBody> bodies_;
    ClipStage stage_;
    Box3 box_;  // of the bodies in the first frame
    std::vector<float> times_;
    std::vector<std::string> notes_;
};

}  // namespace

NewClipWriter make_glb_clip(const ClipTarget& target)
{
    auto clip = std::make_unique<GlbClip>(target.out, target.options);
    for (const ClipBody& body : target.info.bodies) {
        if (Status status = clip->add(body); !status) return status.error();
    }
    if (target.info.stage) clip->add(*target.info.stage);
    return std::unique_ptr<ClipWriter>(std::move(clip));
}

}  // namespace yawara::io
