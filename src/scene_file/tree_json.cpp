// Volume models as JSON: read against the schema's `cvg`, written in the same form.
#include <fmt/format.h>

#include <algorithm>

#include "io/file.h"
#include "scene_file/read_values.h"
#include "scene_file/schema_check.h"
#include "scene_file/tree_json.h"
#include "yawara/io.h"
#include "yawara/volume_image.h"

namespace yawara::scene_file {
namespace {

using namespace cvg;

constexpr std::pair<const char*, Operator> kOperators[] = {{"union", Operator::unite},
                                                           {"intersection", Operator::intersect},
                                                           {"difference", Operator::subtract},
                                                           {"blend", Operator::blend},
                                                           {"cap", Operator::cap},
                                                           {"trim", Operator::trim}};

struct RepeatWords {
    const char* word;
    Repeat::Kind kind;
    std::array<std::string_view, 3> keys;
};
constexpr RepeatWords kRepeats[] = {{"mirror", Repeat::Kind::mirror, {"normal", "point"}},
                                    {"line", Repeat::Kind::line, {"step", "count"}},
                                    {"ring", Repeat::Kind::ring, {"axis", "point", "count"}}};

/// Reads nodes into a tree and remembers where each came from; stops at the first thing that cannot be.
class TreeReader {
public:
    TreeReader(std::filesystem::path folder, const LeafFiles* files) : folder_(std::move(folder)), files_(files) {}

    Status add(const Node& node)
    {
        if (node.has("prim")) return add_leaf(node);
        if (node.has("repeat")) return add_repeat(node);
        const Node list = node["args"];
        std::vector<int> args;
        for (std::size_t k = 0; k < list.size(); ++k) {
            if (const Status s = add(list[k]); !s) return s;
            args.push_back(int(tree.nodes().size()) - 1);
        }
        const auto name = node["op"].as<std::string>();
        for (const auto& [word, op] : kOperators)
            if (name == word) tree.add(op, args, node["radius"].as<double>(), read_transform(node["transform"]));
        places.push_back(node.path);
        return Done{};
    }

    Tree tree;
    std::vector<std::string> places;

private:
    static Result<double> length(const Node& node, const char* key)
    {
        if (!node.has(key))
            return Error{node.path, fmt::format("a {} needs \"{}\"", node["prim"].as<std::string>(), key)};
        return node[key].as<double>();
    }

    static Vec3d read_side(const Node& side)
    {
        return side.json.is_array() ? read_vector(side) : Vec3d{1, 1, 1} * side.as<double>();
    }

    static Transform read_transform(const Node& node)
    {
        const Node scale = node["scale"];
        return {read_vector(node["translate"]), node["rotate"].as<std::array<double, 4>>(),
                scale.json.is_array() ? read_vector(scale) : Vec3d{1, 1, 1} * scale.as<double>()};
    }

    Status add_repeat(const Node& node)
    {
        if (const Status s = add(node["of"]); !s) return s;
        const auto kind = node["repeat"].as<std::string>();
        Repeat repeat;
        std::vector<std::string_view> known;
        for (const auto& [word, value, keys] : kRepeats)
            if (kind == word) repeat.kind = value, known.assign(keys.begin(), keys.end());
        const auto knows = [&](std::string_view key) { return std::ranges::find(known, key) != known.end(); };
        for (const char* key : {"normal", "step", "axis", "point", "count"}) {
            if (node.has(key) && !knows(key))
                return Error{node.path, fmt::format("a repetition by {} has no \"{}\"", kind, key)};
            if (!node.has(key) && knows(key) && std::string_view(key) != "point")
                return Error{node.path, fmt::format("a repetition by {} needs \"{}\"", kind, key)};
        }
        if (node.has("count")) repeat.count = node["count"].as<int>();
        if (node.has("point")) repeat.point = read_vector(node["point"]);
        for (const char* key : {"normal", "step", "axis"})
            if (node.has(key)) repeat.direction = read_vector(node[key]);
        tree.add(repeat, int(tree.nodes().size()) - 1, node["radius"].as<double>(), read_transform(node["transform"]));
        places.push_back(node.path);
        return Done{};
    }

    Status add_leaf(const Node& node)
    {
        const auto prim = node["prim"].as<std::string>();
        Leaf leaf;
        leaf.name = node["name"].as<std::string>();
        const Node color = node["color"];
        leaf.inside = {node["opacity"].as<float>(), color.json[0].get<float>(), color.json[1].get<float>(),
                       color.json[2].get<float>(), node["stiffness"].as<float>()};
        leaf.transform = read_transform(node["transform"]);
        if (const Status s = read_shape(node, prim, leaf); !s) return s;
        const char* const known[] = {"radius", "side",  "rounding", "height", "tube", "points",
                                     "grain",  "share", "seed",     "file",   "voxel"};
        for (const char* key : known)
            if (node.has(key) && std::find(used_.begin(), used_.end(), key) == used_.end() &&
                !(std::string_view(key) == "rounding" && node[key].as<double>() == 0))
                return Error{node.path, fmt::format("a {} has no \"{}\"", prim, key)};
        used_.clear();
        tree.add(std::move(leaf));
        places.push_back(node.path);
        return Done{};
    }

    Status read_shape(const Node& node, const std::string& prim, Leaf& leaf)
    {
        Error missing;
        const auto get = [&](const char* key) {
            used_.push_back(key);
            const Result<double> value = length(node, key);
            if (!value && missing.what.empty()) missing = value.error();
            return value ? *value : 1.0;
        };
        if (prim == "sphere") {
            leaf.shape = Ball{get("radius")};
        } else if (prim == "cube") {
            used_.insert(used_.end(), {"side", "rounding"});
            if (!node.has("side")) return Error{node.path, "a cube needs \"side\""};
            leaf.shape = Block{read_side(node["side"]), node["rounding"].as<double>()};
        } else if (prim == "cylinder") {
            leaf.shape = Cylinder{get("radius"), get("height")};
        } else if (prim == "cone") {
            leaf.shape = Cone{get("radius"), get("height")};
        } else if (prim == "capsule") {
            const double radius = get("radius"), half = get("height") / 2;
            leaf.shape = Tube{{{0, -half, 0}, {0, half, 0}}, radius};
        } else if (prim == "torus") {
            leaf.shape = Torus{get("radius"), get("tube")};
        } else if (prim == "tube") {
            used_.push_back("points");
            if (!node.has("points")) return Error{node.path, "a tube needs \"points\""};
            Tube tube{{}, get("radius")};
            const Node points = node["points"];
            for (std::size_t k = 0; k < points.size(); ++k) tube.points.push_back(read_vector(points[k]));
            leaf.shape = std::move(tube);
        } else if (prim == "noise") {
            used_.insert(used_.end(), {"side", "share", "seed"});
            if (!node.has("side")) return Error{node.path, "a noise needs \"side\""};
            leaf.shape = Noise{read_side(node["side"]), get("grain"), get("share"),
                               node.has("seed") ? node["seed"].as<std::uint32_t>() : 1u};
        } else {
            used_.insert(used_.end(), {"file", "voxel"});
            if (!node.has("file")) return Error{node.path, fmt::format("a {} needs \"file\"", prim)};
            const auto name = node["file"].as<std::string>();
            const auto path = folder_ / std::filesystem::path(std::u8string(name.begin(), name.end()));
            const double voxel = node.has("voxel") ? node["voxel"].as<double>() : 0.0;
            if (const auto* known = files_ ? files_->find(path, voxel) : nullptr) {
                leaf.shape = *known;
            } else if (prim == "mesh") {
                Result<TriMesh> mesh = load_tri_mesh(path);
                if (!mesh) return Error{node.path + ".file", mesh.error().message()};
                leaf.shape = Enclosed{std::move(*mesh), voxel, name, nullptr, nullptr};
            } else {
                Result<Volume> volume = Volume::load(path);
                if (!volume) return Error{node.path + ".file", volume.error().message()};
                leaf.shape = Sampled{std::make_shared<const Volume>(std::move(*volume)), name};
            }
        }
        if (!missing.what.empty()) return missing;
        return Done{};
    }

    std::filesystem::path folder_;
    const LeafFiles* files_;
    std::vector<std::string_view> used_;  ///< keys that the shape at hand knows
};

Json vector_json(Vec3d v)
{
    return {v.x, v.y, v.z};
}

struct ShapeWriter {
    Json& out;
    void operator()(const Ball& s) const { out.update({{"prim", "sphere"}, {"radius", s.radius}}); }
    void operator()(const Block& s) const
    {
        out.update({{"prim", "cube"}, {"side", vector_json(s.side)}});
        if (s.rounding > 0) out["rounding"] = s.rounding;
    }
    void operator()(const Cylinder& s) const
    {
        out.update({{"prim", "cylinder"}, {"radius", s.radius}, {"height", s.height}});
    }
    void operator()(const Cone& s) const { out.update({{"prim", "cone"}, {"radius", s.radius}, {"height", s.height}}); }
    void operator()(const Torus& s) const { out.update({{"prim", "torus"}, {"radius", s.radius}, {"tube", s.tube}}); }
    void operator()(const Tube& s) const
    {
        out.update({{"prim", "tube"}, {"radius", s.radius}, {"points", Json::array()}});
        for (const Vec3d& p : s.points) out["points"].push_back(vector_json(p));
    }
    void operator()(const Noise& s) const
    {
        out.update({{"prim", "noise"},
                    {"side", vector_json(s.side)},
                    {"grain", s.grain},
                    {"share", s.share},
                    {"seed", s.seed}});
    }
    void operator()(const Enclosed& s) const
    {
        out.update({{"prim", "mesh"}, {"file", s.file}});
        if (s.voxel > 0) out["voxel"] = s.voxel;
    }
    void operator()(const Sampled& s) const { out.update({{"prim", "volume"}, {"file", s.file}}); }
};

Json transform_json(const Transform& t)
{
    return {{"translate", vector_json(t.translate)}, {"rotate", t.rotate}, {"scale", vector_json(t.scale)}};
}

Json repeat_json(const Repeat& repeat)
{
    for (const auto& [word, kind, keys] : kRepeats)
        if (kind == repeat.kind) {
            Json out{{"repeat", word}, {keys[0], vector_json(repeat.direction)}};
            if (kind != Repeat::Kind::mirror) out["count"] = repeat.count;
            if (kind != Repeat::Kind::line) out["point"] = vector_json(repeat.point);
            return out;
        }
    return {};
}

Json node_json(const Tree& tree, int index)
{
    const Tree::Node& node = tree.nodes()[std::size_t(index)];
    Json out = Json::object();
    if (node.leaf) {
        const Leaf& leaf = *node.leaf;
        std::visit(ShapeWriter{out}, leaf.shape);
        const Sample& s = leaf.inside;
        out.update({{"opacity", s.opacity}, {"color", Json{s.r, s.g, s.b}}, {"stiffness", s.stiffness}});
        out["transform"] = transform_json(leaf.transform);
        if (!leaf.name.empty()) out["name"] = leaf.name;
        return out;
    }
    if (node.repeat) out = repeat_json(*node.repeat);
    if (node.radius > 0) out["radius"] = node.radius;
    if (!(node.transform == Transform{})) out["transform"] = transform_json(node.transform);
    if (node.repeat) {
        out["of"] = node_json(tree, node.args[0]);
        return out;
    }
    for (const auto& [word, op] : kOperators)
        if (op == node.op) out["op"] = word;
    out["args"] = Json::array();
    for (const int argument : node.args) out["args"].push_back(node_json(tree, argument));
    return out;
}

}  // namespace

std::string LeafFiles::key(const std::filesystem::path& file, double voxel)
{
    std::error_code none;
    const auto changed = std::filesystem::last_write_time(file, none);
    return fmt::format("{} {} {}", file.string(), voxel, changed.time_since_epoch().count());
}

const LeafFiles::Shape* LeafFiles::find(const std::filesystem::path& file, double voxel) const
{
    const auto found = shapes_.find(key(file, voxel));
    return found == shapes_.end() ? nullptr : &found->second;
}

void LeafFiles::keep(const std::filesystem::path& file, double voxel, const Shape& shape)
{
    constexpr std::size_t kMost = 32;
    if (shapes_.size() >= kMost) shapes_.clear();
    shapes_.insert_or_assign(key(file, voxel), shape);
}

Result<Tree> tree_from(const Json& document, const std::string& where, const std::filesystem::path& folder,
                       LeafFiles* files)
{
    TreeReader reader(folder, files);
    const std::string path = where.empty() ? "root" : where + ".root";
    if (const Status s = reader.add({document.at("root"), path}); !s) return s.error();
    Tree tree = std::move(reader.tree);
    tree.ghosts = document.at("ghosts") == "literal" ? Ghosts::literal : Ghosts::masked;
    if (const Status s = tree.check([&](int node) { return reader.places[std::size_t(node)]; }); !s) return s.error();
    if (files)
        for (const Tree::Node& node : tree.nodes()) {
            if (!node.leaf) continue;
            if (const auto* mesh = std::get_if<Enclosed>(&node.leaf->shape))
                files->keep(folder / mesh->file, mesh->voxel, node.leaf->shape);
            if (const auto* volume = std::get_if<Sampled>(&node.leaf->shape))
                files->keep(folder / volume->file, 0, node.leaf->shape);
        }
    return tree;
}

}  // namespace yawara::scene_file

namespace yawara::cvg {

using scene_file::Json;

Result<Tree> parse_tree(std::string_view json, const std::filesystem::path& folder, const std::string& name)
{
    Result<Json> document = scene_file::parse_json(json, name);
    if (!document) return document.error();
    static const Json schema = [] {
        Json whole = Json::parse(scene_schema());
        return Json{{"$ref", "#/$defs/cvg"}, {"$defs", whole["$defs"]}};
    }();
    const scene_file::SchemaFindings found = scene_file::check_schema(schema, *document);
    if (!found.errors.empty()) {
        Error error = found.errors.front();
        error.where = name + (error.where.empty() ? "" : ", " + error.where);
        return error;
    }
    Result<Tree> tree = scene_file::tree_from(*document, "", folder);
    if (!tree) return Error{name + ", " + tree.error().where, tree.error().what};
    return tree;
}

Result<Tree> load_tree(const std::filesystem::path& path)
{
    if (path.extension() == ".vdb" || is_volume_image(path)) {
        Result<Volume> volume = Volume::load(path);
        if (!volume) return volume.error();
        Tree tree;
        Leaf leaf;
        leaf.shape = Sampled{std::make_shared<const Volume>(std::move(*volume)), path.filename().string()};
        tree.add(std::move(leaf));
        if (const Status s = tree.check(); !s) return Error{path.string(), s.error().what};
        return tree;
    }
    const Result<std::string> text = io::read_file(path);
    if (!text) return text.error();
    return parse_tree(*text, path.parent_path(), path.string());
}

std::string to_json(const Tree& tree)
{
    Json out{{"format", "yawara-cvg"}, {"version", 1}};
    if (tree.ghosts == Ghosts::literal) out["ghosts"] = "literal";
    out["root"] = scene_file::node_json(tree, int(tree.nodes().size()) - 1);
    return out.dump(1);
}

}  // namespace yawara::cvg
