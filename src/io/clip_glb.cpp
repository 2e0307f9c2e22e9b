// Clips as one animated GLB (glTF 2.0): a node and mesh for every body, its rigid motion on the node and its change of
// shape as morph targets. For the web, Blender and game engines.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "io/clip_formats.h"
#include "io/clip_output.h"
#include "io/clip_shapes.h"

namespace yawara::io {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostTargets = 48;  // players slow down with more
constexpr double kWantedError = 1e-3;     // of the size of the body

// Numbers of the glTF specification.
constexpr int kUnsignedShort = 5123, kUnsignedInt = 5125, kFloat = 5126, kArrayBuffer = 34962, kElementBuffer = 34963;

float linear_light(float srgb)
{
    const float c = std::clamp(srgb, 0.0f, 1.0f);
    return c <= 0.04045f ? c / 12.92f : std::pow((c + 0.055f) / 1.055f, 2.4f);
}

Vec3 linear_light(Vec3 srgb)
{
    return {linear_light(srgb.x), linear_light(srgb.y), linear_light(srgb.z)};
}

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

/// The document under construction: JSON and one binary buffer.
class GlbDocument {
public:
    template <class T>
    int accessor(std::span<const T> values, std::string_view type, int component, int target = 0)
    {
        while (binary_.size() % 4 != 0) binary_.push_back(0);
        Json view{{"buffer", 0}, {"byteOffset", binary_.size()}, {"byteLength", values.size_bytes()}};
        if (target != 0) view["target"] = target;
        const char* bytes = reinterpret_cast<const char*>(values.data());
        binary_.insert(binary_.end(), bytes, bytes + values.size_bytes());
        json["bufferViews"].push_back(view);
        json["accessors"].push_back({{"bufferView", json["bufferViews"].size() - 1},
                                     {"componentType", component},
                                     {"count", values.size()},
                                     {"type", type}});
        return static_cast<int>(json["accessors"].size()) - 1;
    }
    /// glTF wants the range of positions.
    int positions(std::span<const Vec3> points)
    {
        const int index = accessor(points, "VEC3", kFloat, kArrayBuffer);
        Vec3 low = points[0], high = points[0];
        for (const Vec3& p : points) {
            low = min(low, p);
            high = max(high, p);
        }
        json["accessors"][index]["min"] = {low.x, low.y, low.z};
        json["accessors"][index]["max"] = {high.x, high.y, high.z};
        return index;
    }

    Status write(const std::filesystem::path& path)
    {
        while (binary_.size() % 4 != 0) binary_.push_back(0);
        if (!binary_.empty()) json["buffers"].push_back({{"byteLength", binary_.size()}});
        std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
        while (text.size() % 4 != 0) text += ' ';
        const std::uint64_t total = 12 + 8 + text.size() + (binary_.empty() ? 0 : 8 + binary_.size());
        if (total > std::numeric_limits<std::uint32_t>::max()) {
            return Error{path.string(), "would be larger than 4 GB, the limit of GLB"};
        }
        auto file = OutFile::create(path);
        if (!file) return file.error();
        const auto number = [&](std::uint64_t n) { file->write_value(static_cast<std::uint32_t>(n)); };
        file->write("glTF", 4);
        number(2);
        number(total);
        number(text.size());
        file->write("JSON", 4);
        file->write(text);
        if (!binary_.empty()) {
            number(binary_.size());
            file->write("BIN\0", 4);
            file->write(std::span<const char>(binary_));
        }
        bytes_ = total;
        return file->flush();
    }

    std::uint64_t bytes() const { return bytes_; }

    Json json{{"asset", {{"version", "2.0"}, {"generator", fmt::format("Yawara {}", version())}}}};

private:
    std::vector<char> binary_;
    std::uint64_t bytes_ = 0;
};

struct GlbBody {
    std::string name;
    Vec3 color;
    SplitSurface split;
    std::vector<Vec3> colors;  // per vertex of the surface, linear light
    ShapeRecorder recorder;

    std::vector<Vec3> expand(std::span<const Vec3> per_vertex) const
    {
        std::vector<Vec3> expanded;
        expanded.reserve(split.original.size());
        for (const std::int32_t v : split.original) expanded.push_back(per_vertex[v]);
        return expanded;
    }
};

Json mesh_of(GlbDocument& document, const GlbBody& body, const PrincipalShapes& shapes)
{
    Json primitive;
    Json& attributes = primitive["attributes"];
    attributes["POSITION"] = document.positions(body.expand(shapes.base));
    attributes["NORMAL"] =
        document.accessor(std::span<const Vec3>(body.expand(shapes.base_normals)), "VEC3", kFloat, kArrayBuffer);
    if (!body.split.uvs.empty()) {
        attributes["TEXCOORD_0"] = document.accessor(std::span(body.split.uvs), "VEC2", kFloat, kArrayBuffer);
    }
    if (!body.colors.empty()) {
        attributes["COLOR_0"] =
            document.accessor(std::span<const Vec3>(body.expand(body.colors)), "VEC3", kFloat, kArrayBuffer);
    }

    const std::span indices(body.split.triangles.data()->data(), 3 * body.split.triangles.size());
    if (body.split.original.size() < 65535) {
        const std::vector<std::uint16_t> small(indices.begin(), indices.end());
        primitive["indices"] = document.accessor(std::span(small), "SCALAR", kUnsignedShort, kElementBuffer);
    } else {
        primitive["indices"] = document.accessor(indices, "SCALAR", kUnsignedInt, kElementBuffer);
    }

    Json mesh{{"name", body.name}};
    for (std::size_t t = 0; t < shapes.targets.size(); ++t) {
        const auto& target = shapes.targets[t];
        const int position = document.positions(body.expand(target.positions));
        const int normal =
            document.accessor(std::span<const Vec3>(body.expand(target.normals)), "VEC3", kFloat, kArrayBuffer);
        primitive["targets"].push_back({{"POSITION", position}, {"NORMAL", normal}});
        mesh["weights"].push_back(shapes.weights[t]);
        mesh["extras"]["targetNames"].push_back(t == 0 ? "mean" : fmt::format("shape {}", t));
    }
    for (std::size_t v = shapes.base.size(); v < body.split.original.size(); ++v) {
        mesh["extras"]["seam_copies_of"].push_back(body.split.original[v]);
    }

    const Vec3 color = body.colors.empty() ? linear_light(body.color) : Vec3{1, 1, 1};
    document.json["materials"].push_back({{"name", body.name},
                                          {"pbrMetallicRoughness",
                                           {{"baseColorFactor", {color.x, color.y, color.z, 1.0f}},
                                            {"metallicFactor", 0.0f},
                                            {"roughnessFactor", 0.6f}}}});
    primitive["material"] = document.json["materials"].size() - 1;
    mesh["primitives"].push_back(primitive);
    return mesh;
}

std::string error_note(const std::string& body, const PrincipalShapes& shapes)
{
    const double part = shapes.size > 0.0 ? shapes.worst_error / shapes.size : 0.0;
    std::string note =
        fmt::format("body \"{}\": {} shapes, no vertex is off by more than {:.3g} ({:.2g} % of its size)", body,
                    shapes.targets.size(), shapes.worst_error, 100.0 * part);
    if (part > kWantedError) note += "; pc2 and mdd are exact";
    return note;
}

class GlbClip final : public ClipWriter {
public:
    explicit GlbClip(std::filesystem::path out) : out_(std::move(out)) {}

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

    Status frame(double time, std::span<const ClipFrame> bodies) override
    {
        if (!times_.empty() && static_cast<float>(time) <= times_.back()) {
            return Error{
                out_.string(),
                fmt::format("frame {} is too soon after the one before for the 32-bit times of GLB", times_.size())};
        }
        for (std::size_t b = 0; b < bodies.size(); ++b) {
            if (Status status = bodies_[b].recorder.add(bodies[b].surface); !status) return status;
        }
        times_.push_back(static_cast<float>(time));
        return Done{};
    }

    Status finish() override
    {
        GlbDocument document;
        Json scene = Json::object(), animation{{"name", "clip"}};
        const int input = times_.empty() ? -1 : document.accessor(std::span<const float>(times_), "SCALAR", kFloat);
        if (input >= 0) {
            document.json["accessors"][input]["min"] = {times_.front()};
            document.json["accessors"][input]["max"] = {times_.back()};
        }
        for (std::size_t b = 0; b < bodies_.size(); ++b) {
            const Result<PrincipalShapes> found = bodies_[b].recorder.shapes(kMostTargets, kWantedError);
            if (!found) return found.error();
            const PrincipalShapes& shapes = *found;
            const Json mesh = mesh_of(document, bodies_[b], shapes);
            document.json["meshes"].push_back(mesh);
            Json node{{"name", bodies_[b].name}, {"mesh", b}};
            scene["nodes"].push_back(b);

            const auto animate = [&](std::string_view path, int output) {
                animation["samplers"].push_back({{"input", input}, {"interpolation", "LINEAR"}, {"output", output}});
                animation["channels"].push_back(
                    {{"sampler", animation["samplers"].size() - 1}, {"target", {{"node", b}, {"path", path}}}});
            };
            if (input >= 0) {
                const Vec3 move = shapes.translations[0];
                node["translation"] = {move.x, move.y, move.z};
                node["rotation"] = shapes.rotations[0];
                animate("translation", document.accessor(std::span(shapes.translations), "VEC3", kFloat));
                animate("rotation", document.accessor(std::span(shapes.rotations), "VEC4", kFloat));
                if (!shapes.targets.empty()) {
                    animate("weights", document.accessor(std::span(shapes.weights), "SCALAR", kFloat));
                }
                notes_.push_back(error_note(bodies_[b].name, shapes));
            }
            document.json["nodes"].push_back(node);
        }
        if (!bodies_.empty() && input >= 0) document.json["animations"].push_back(animation);
        document.json["scene"] = 0;
        document.json["scenes"].push_back(scene);
        if (Status status = document.write(out_); !status) return status;
        notes_.insert(notes_.begin(),
                      fmt::format("{}: {} frames, {:.2f} MB", out_.string(), times_.size(), 1e-6 * document.bytes()));
        return Done{};
    }

    std::vector<std::string> notes() const override { return notes_; }

private:
    std::filesystem::path out_;
    std::vector<GlbBody> bodies_;
    std::vector<float> times_;
    std::vector<std::string> notes_;
};

}  // namespace

NewClipWriter make_glb_clip(const ClipTarget& target)
{
    auto clip = std::make_unique<GlbClip>(target.out);
    for (const ClipBody& body : target.info.bodies) {
        if (Status status = clip->add(body); !status) return status.error();
    }
    return std::unique_ptr<ClipWriter>(std::move(clip));
}

}  // namespace yawara::io
