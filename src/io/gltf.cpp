// glTF 2.0 and GLB: the triangles of the default scene as one surface, moved by their nodes. tinygltf reads the
// document; its buffers are confined to the folder of the file, its materials and pictures are read by gltf_skin.cpp. Skinned meshes keep their
// bind pose, unless an animation moves them: then the surface is asked for frame by frame.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "io/binary.h"
#include "io/formats.h"
#include "io/gltf_motion.h"
#include "io/gltf_skin.h"
#include "io/gltf_shapes.h"
#include "io/surface_builder.h"

#define TINYGLTF_IMPLEMENTATION
#include "io/tiny_gltf_model.h"

namespace yawara::io {

namespace {

namespace fs = std::filesystem;

constexpr int kDeepestJson = 200;                  // tinygltf recurses into "extras"
constexpr std::size_t kMostVertices = 20'000'000;  // of the scene: nodes may show one mesh again and again
constexpr std::size_t kMostWithoutData = 1'000'000;

/// x -> linear * x + move, of any scale and shear.
struct Affine {
    Mat3d linear;
    Vec3d move;
    Vec3d operator()(const Vec3d& x) const { return linear * x + move; }
    friend Affine operator*(const Affine& a, const Affine& b) { return {a.linear * b.linear, a(b.move)}; }
};

// Nesting of arrays and objects, counted without parsing.
void check_depth(std::string_view json, const std::string& name)
{
    int depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (in_string) {
            if (c == '\\') ++i;
            if (c == '"') in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            if (++depth > kDeepestJson) {
                fail(Place{name, json}.at(i), "JSON nested deeper than " + std::to_string(kDeepestJson) + " levels");
            }
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
}

// The buffers beside the file, for tinygltf, whose `self` is the path of the file.
bool buffer_exists(const std::string& uri, void* self)
{
    return file_beside(*static_cast<const fs::path*>(self), uri).has_value();
}
std::string keep_name(const std::string& uri, void*)
{
    return uri;
}
bool read_buffer(std::vector<unsigned char>* bytes, std::string* error, const std::string& uri, void* self)
{
    const std::optional<fs::path> file = file_beside(*static_cast<const fs::path*>(self), uri);
    const Result<std::string> content = file ? read_file(*file) : Error{uri, "not in the folder of the file"};
    if (!content) {
        *error = content.error().message();
        return false;
    }
    bytes->assign(content->begin(), content->end());
    return true;
}
bool write_nothing(std::string*, const std::string&, const std::vector<unsigned char>&, void*)
{
    return false;
}

// Takes the bytes of a picture inside the document as they are, if `wanted` is not null.
bool keep_bytes(tinygltf::Image* image, int, std::string*, std::string*, int, int, const unsigned char* bytes, int size,
                void* wanted)
{
    if (wanted && size > 0) image->image.assign(bytes, bytes + size);
    return true;
}

/// " at line 3, column 7", if the JSON library names one.
std::string place_of(const std::string& complaint)
{
    const std::size_t start = complaint.find(" at line "), end = complaint.find(':', start);
    return start == std::string::npos || end == std::string::npos ? "" : complaint.substr(start, end - start);
}

tinygltf::Model parse(std::string_view content, const fs::path& path, bool with_pictures = false)
{
    const std::string name = path.string();
    const bool is_glb = content.starts_with("glTF");
    if (is_glb) {
        ByteReader in(content, name);
        in.take(12, "the header of a GLB");
        const auto json_bytes = in.get<std::uint32_t>("the length of the JSON chunk");
        in.get<std::uint32_t>("the type of the JSON chunk");
        check_depth(in.take(json_bytes, "the JSON chunk"), name);
    } else {
        check_depth(content, name);
    }

    tinygltf::TinyGLTF loader;
    fs::path self = path;
    loader.SetFsCallbacks({&buffer_exists, &keep_name, &read_buffer, &write_nothing, &self});
    loader.SetImageLoader(&keep_bytes, with_pictures ? &loader : nullptr);
    tinygltf::Model model;
    std::string errors, warnings;
    const auto size = static_cast<unsigned int>(content.size());
    const bool done =
        is_glb ? loader.LoadBinaryFromMemory(&model, &errors, &warnings,
                                             reinterpret_cast<const unsigned char*>(content.data()), size, ".")
               : loader.LoadASCIIFromString(&model, &errors, &warnings, content.data(), size, ".");
    if (!done) {
        if (content.find("\"EXT_meshopt_compression\"") != std::string_view::npos)
            fail(name, "is compressed with EXT_meshopt_compression, which is not read here");
        while (errors.ends_with('\n')) errors.pop_back();
        if (errors.find("json.exception") != std::string::npos) errors = "its JSON is broken" + place_of(errors);
        fail(name, errors.empty() ? "not a glTF 2.0 document" : "not a readable glTF 2.0 document: " + errors);
    }
    return model;
}

/// `list[index]`, or an error that names the place which holds the index.
template <class T>
const T& at(const std::vector<T>& list, int index, const std::string& where, const char* things)
{
    if (index < 0 || static_cast<std::size_t>(index) >= list.size()) {
        fail(where, "found " + std::to_string(index) + "; expected the number of one of the " +
                        std::to_string(list.size()) + " " + things);
    }
    return list[static_cast<std::size_t>(index)];
}

/// A property of a node that an animation moves.
struct NodeTrack {
    int node;
    std::vector<double> tinygltf::Node::*property;
    GltfTrack track;
};

/// Blend shapes (morph targets) of a mesh, as "targetNames" of its extras call them, or by their numbers from 1.
std::vector<std::string> shapes_of(const tinygltf::Mesh& mesh)
{
    std::size_t count = 0;
    for (const tinygltf::Primitive& primitive : mesh.primitives) count = std::max(count, primitive.targets.size());
    std::vector<std::string> names;
    for (std::size_t k = 0; k < count; ++k) {
        std::string name = "shape " + std::to_string(k + 1);
        if (mesh.extras.IsObject() && mesh.extras.Has("targetNames")) {
            const tinygltf::Value& list = mesh.extras.Get("targetNames");
            if (list.IsArray() && k < list.ArrayLen() && list.Get(int(k)).IsString() &&
                !list.Get(int(k)).Get<std::string>().empty())
                name = list.Get(int(k)).Get<std::string>();
        }
        names.push_back(std::move(name));
    }
    return names;
}

class GltfReader {
public:
    /// `shape`: a blend shape that it takes, where a mesh has it; empty: none.
    GltfReader(const tinygltf::Model& model, std::string_view content, const std::string& name, std::string shape = {})
        : model_(model), name_(name), shape_(std::move(shape)), mesh_(Place{name, content, true})
    {
    }

    /// As nodes are placed in the file, or as tracks of an animation place them at a time.
    TriMesh read(std::span<const NodeTrack> tracks = {}, double time = 0)
    {
        posed_ = !tracks.empty();
        nodes_ = model_.nodes;
        for (const NodeTrack& track : tracks) {
            tinygltf::Node& node = nodes_[std::size_t(track.node)];
            (node.*track.property) = track.track.at(time);
            if (track.property != &tinygltf::Node::weights) node.matrix.clear();
        }
        if (model_.nodes.empty()) {
            for (std::size_t m = 0; m < model_.meshes.size(); ++m) add_mesh(static_cast<int>(m), {});
        }
        struct Visit {
            int node;
            Affine parent;
        };
        std::vector<Visit> stack, found;
        std::vector<bool> seen(model_.nodes.size(), false);
        worlds_.assign(model_.nodes.size(), {});
        for (const int root : roots()) stack.push_back({root, {}});
        std::reverse(stack.begin(), stack.end());
        while (!stack.empty()) {
            const Visit visit = stack.back();
            stack.pop_back();
            const std::string where = where_of("nodes", visit.node);
            const tinygltf::Node& node = at(nodes_, visit.node, where, "nodes");
            if (seen[static_cast<std::size_t>(visit.node)])
                fail(where, "the node is reached twice; expected a tree of nodes");
            seen[static_cast<std::size_t>(visit.node)] = true;
            const Affine world = visit.parent * transform(node, where);
            worlds_[static_cast<std::size_t>(visit.node)] = world;
            if (node.mesh >= 0) found.push_back({visit.node, world});
            for (auto child = node.children.rbegin(); child != node.children.rend(); ++child) {
                stack.push_back({*child, world});
            }
        }
        for (const auto& [index, world] : found) {  // by now it is known where the joints of skins are
            const tinygltf::Node& node = nodes_[static_cast<std::size_t>(index)];
            if (posed_) pose_mesh(node);
            add_mesh(node.mesh, node.skin >= 0 ? Affine{} : world);
        }
        if (!shape_.empty() && !has_shape_) {
            std::string known;
            for (const tinygltf::Mesh& mesh : model_.meshes)
                for (const std::string& name : shapes_of(mesh)) known += (known.empty() ? "" : ", ") + name;
            fail(name_, "has no blend shape \"" + shape_ + "\"; " + (known.empty() ? "it has none" : "it has " + known));
        }
        if (mesh_.polygon_count() == 0) fail(name_, "no triangles found in the default scene; expected a surface mesh");
        return mesh_.finish(&materials_);
    }

    /// Per triangle, after read(); -1: none.
    std::vector<std::int32_t>& materials() { return materials_; }

    /// What an animation does, by its name; none: the first.
    std::vector<NodeTrack> tracks(const std::string& wanted) const
    {
        if (model_.animations.empty()) fail(name_, "has no animation");
        std::size_t found = 0;
        std::string names;
        for (std::size_t k = 0; k < model_.animations.size(); ++k)
            names += (k > 0 ? ", \"" : "\"") + model_.animations[k].name + "\"";
        while (!wanted.empty() && found < model_.animations.size() && model_.animations[found].name != wanted) ++found;
        if (found == model_.animations.size())
            fail(name_, "has no animation \"" + wanted + "\"; expected one of " + names);
        const tinygltf::Animation& animation = model_.animations[found];
        std::vector<NodeTrack> tracks;
        for (std::size_t k = 0; k < animation.channels.size(); ++k) {
            const tinygltf::AnimationChannel& channel = animation.channels[k];
            if (channel.target_node < 0) continue;
            const std::string where = where_of("animations", found) + ".channels[" + std::to_string(k) + "]";
            const tinygltf::Node& node = at(model_.nodes, channel.target_node, where + ".target.node", "nodes");
            NodeTrack track{channel.target_node, nullptr, {}};
            if (channel.target_path == "translation") track.property = &tinygltf::Node::translation;
            if (channel.target_path == "rotation") track.property = &tinygltf::Node::rotation;
            if (channel.target_path == "scale") track.property = &tinygltf::Node::scale;
            if (channel.target_path == "weights") track.property = &tinygltf::Node::weights;
            if (!track.property) continue;  // what extensions move
            track.track.turns = channel.target_path == "rotation";
            track.track.width = track.track.turns ? 4 : 3;
            if (channel.target_path == "weights") track.track.width = target_count(node, where);
            if (track.track.width == 0) continue;
            read_track(at(animation.samplers, channel.sampler, where + ".sampler", "samplers"), where, track.track);
            tracks.push_back(std::move(track));
        }
        if (tracks.empty()) fail(where_of("animations", found), "moves nothing");
        return tracks;
    }

private:
    std::string where_of(const char* list, std::size_t index) const
    {
        return name_ + ": " + list + "[" + std::to_string(index) + "]";
    }

    // ---- animations
    // ----------------------------------------------------------------------------------------------------

    std::size_t target_count(const tinygltf::Node& node, const std::string& where) const
    {
        const tinygltf::Mesh& mesh = at(model_.meshes, node.mesh, where + ": a node's mesh", "meshes");
        return mesh.primitives.empty() ? 0 : mesh.primitives[0].targets.size();
    }

    void read_track(const tinygltf::AnimationSampler& sampler, const std::string& where, GltfTrack& track) const
    {
        if (sampler.interpolation == "STEP") track.interpolation = GltfTrack::Interpolation::step;
        if (sampler.interpolation == "CUBICSPLINE") track.interpolation = GltfTrack::Interpolation::cubic;
        int components = 0;
        track.times = read_accessor(sampler.input, where + ": its sampler's input", components);
        if (track.times.empty() || components != 1) fail(where, "has no times");
        for (std::size_t k = 0; k < track.times.size(); ++k)
            if (!std::isfinite(track.times[k]) || (k > 0 && !(track.times[k] > track.times[k - 1])))
                fail(where, "its times are not finite, or do not increase");
        track.values = read_accessor(sampler.output, where + ": its sampler's output", components);
        const std::size_t each = track.interpolation == GltfTrack::Interpolation::cubic ? 3 : 1;
        if (const std::size_t expected = track.times.size() * track.width * each; track.values.size() != expected)
            fail(where, "has " + std::to_string(track.values.size()) + " numbers for its keys; expected " +
                            std::to_string(expected));
        for (const double value : track.values)
            if (!std::isfinite(value)) fail(where, "a value is not a finite number");
    }

    /// Where the joints of a node's skin take its vertices, and which targets they go to.
    void pose_mesh(const tinygltf::Node& node)
    {
        weights_ = node.weights;
        const tinygltf::Mesh& mesh = at(model_.meshes, node.mesh, name_ + ": a node's mesh", "meshes");
        if (weights_.empty()) weights_ = mesh.weights;
        joints_.clear();
        if (node.skin < 0) return;
        const tinygltf::Skin& skin = at(model_.skins, node.skin, name_ + ": a node's skin", "skins");
        const std::string where = where_of("skins", static_cast<std::size_t>(node.skin));
        std::vector<double> inverses;
        if (skin.inverseBindMatrices >= 0) {
            int components = 0;
            inverses = read_accessor(skin.inverseBindMatrices, where + ".inverseBindMatrices", components);
            if (components != 16 || inverses.size() < 16 * skin.joints.size())
                fail(where + ".inverseBindMatrices", "expected a MAT4 for each joint");
        }
        for (std::size_t k = 0; k < skin.joints.size(); ++k) {
            const Affine& world = at(worlds_, skin.joints[k], where + ".joints", "nodes");
            joints_.push_back(inverses.empty() ? world : world * affine(&inverses[16 * k]));
        }
    }

    static Affine affine(const double* m)
    {
        return {{{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}}, {m[12], m[13], m[14]}};
    }

    /// Adds the targets of a primitive to its positions, by their weights; then lets its joints take them along.
    void pose_positions(const tinygltf::Primitive& primitive, const std::string& where, int stride,
                        std::vector<double>& positions) const
    {
        const std::size_t count = positions.size() / static_cast<std::size_t>(stride);
        const auto check = [&](std::size_t numbers, int components, const char* what) {
            if (numbers != count * static_cast<std::size_t>(components))
                fail(where, std::string("as many elements of ") + what + " as of POSITION expected");
        };
        for (std::size_t t = 0; t < std::min(primitive.targets.size(), weights_.size()); ++t) {
            const auto found = primitive.targets[t].find("POSITION");
            if (found == primitive.targets[t].end() || weights_[t] == 0) continue;
            int components = 0;
            const std::vector<double> more = read_accessor(found->second, where + ".targets", components);
            check(more.size(), components, "a target");
            if (components < 3) fail(where + ".targets", "expected an accessor of type VEC3");
            for (std::size_t v = 0; v < count; ++v)
                for (std::size_t axis = 0; axis < 3; ++axis)
                    positions[v * std::size_t(stride) + axis] += weights_[t] * more[v * std::size_t(components) + axis];
        }
        if (joints_.empty()) return;
        std::vector<Vec3d> moved(count);
        std::vector<double> sums(count, 0.0);
        for (const char* set : {"_0", "_1"}) {
            int components = 0;
            const std::vector<double> joints =
                attribute(primitive, ("JOINTS" + std::string(set)).c_str(), 4, where, components);
            const std::vector<double> shares =
                attribute(primitive, ("WEIGHTS" + std::string(set)).c_str(), 4, where, components);
            if (joints.empty() && shares.empty()) continue;
            check(joints.size(), 4, "JOINTS");
            check(shares.size(), 4, "WEIGHTS");
            for (std::size_t k = 0; k < joints.size(); ++k) {
                if (shares[k] == 0) continue;
                const double* p = &positions[k / 4 * std::size_t(stride)];
                moved[k / 4] +=
                    at(joints_, int(joints[k]), where + ": a joint", "joints")({p[0], p[1], p[2]}) * shares[k];
                sums[k / 4] += shares[k];
            }
        }
        for (std::size_t v = 0; v < count; ++v) {
            if (!(sums[v] > 0)) continue;
            const Vec3d p = moved[v] / sums[v];
            for (int axis = 0; axis < 3; ++axis) positions[v * std::size_t(stride) + std::size_t(axis)] = p[axis];
        }
    }

    std::vector<int> roots() const
    {
        if (!model_.scenes.empty()) {
            return at(model_.scenes, std::max(model_.defaultScene, 0), name_ + ": scene", "scenes").nodes;
        }
        std::vector<bool> is_child(model_.nodes.size(), false);
        for (const tinygltf::Node& node : model_.nodes) {
            for (const int child : node.children) {
                if (child >= 0 && static_cast<std::size_t>(child) < is_child.size()) is_child[child] = true;
            }
        }
        std::vector<int> result;
        for (std::size_t i = 0; i < is_child.size(); ++i) {
            if (!is_child[i]) result.push_back(static_cast<int>(i));
        }
        return result;
    }

    static Affine transform(const tinygltf::Node& node, const std::string& where)
    {
        const auto check = [&](const std::vector<double>& values, std::size_t count, const char* what) {
            if (values.empty()) return false;
            if (values.size() != count) {
                fail(where, std::string(what) + " has " + std::to_string(values.size()) + " numbers; expected " +
                                std::to_string(count));
            }
            return true;
        };
        Affine result;
        if (check(node.matrix, 16, "matrix")) return affine(node.matrix.data());
        if (check(node.rotation, 4, "rotation")) {
            const double x = node.rotation[0], y = node.rotation[1], z = node.rotation[2], w = node.rotation[3];
            result.linear = {{1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)},
                             {2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)},
                             {2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)}};
        }
        if (check(node.scale, 3, "scale")) {
            result.linear.c0 *= node.scale[0];
            result.linear.c1 *= node.scale[1];
            result.linear.c2 *= node.scale[2];
        }
        if (check(node.translation, 3, "translation")) {
            result.move = {node.translation[0], node.translation[1], node.translation[2]};
        }
        return result;
    }

    // ---- accessors
    // -----------------------------------------------------------------------------------------------------

    struct View {
        const char* bytes;
        std::size_t size;
        std::size_t stride;  // 0: tightly packed
    };

    View view(int index, const std::string& where) const
    {
        const tinygltf::BufferView& view = at(model_.bufferViews, index, where + ".bufferView", "bufferViews");
        const std::string place = where_of("bufferViews", static_cast<std::size_t>(index));
        const auto& data = at(model_.buffers, view.buffer, place + ".buffer", "buffers").data;
        if (view.byteOffset > data.size() || view.byteLength > data.size() - view.byteOffset) {
            fail(place, std::to_string(view.byteLength) + " bytes from byte " + std::to_string(view.byteOffset) +
                            "; the buffer has only " + std::to_string(data.size()));
        }
        return {reinterpret_cast<const char*>(data.data()) + view.byteOffset, view.byteLength, view.byteStride};
    }

    static double component(const char* bytes, int type, bool normalized)
    {
        const auto scaled = [normalized](double value, double most) {
            return normalized ? std::max(value / most, -1.0) : value;
        };
        switch (type) {
            case TINYGLTF_COMPONENT_TYPE_BYTE:
                return scaled(decode<std::int8_t>(bytes), 127.0);
            case TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE:
                return scaled(decode<std::uint8_t>(bytes), 255.0);
            case TINYGLTF_COMPONENT_TYPE_SHORT:
                return scaled(decode<std::int16_t>(bytes), 32767.0);
            case TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT:
                return scaled(decode<std::uint16_t>(bytes), 65535.0);
            case TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT:
                return decode<std::uint32_t>(bytes);
            default:
                return decode<float>(bytes);
        }
    }

    // `count` elements of `components` numbers each, from one buffer view, into `values`.
    void read_view(const View& view, std::size_t offset, std::size_t count, int type, bool normalized, int components,
                   const std::string& where, std::vector<double>& values) const
    {
        const int size = tinygltf::GetComponentSizeInBytes(static_cast<std::uint32_t>(type));
        if (size <= 0 || type == TINYGLTF_COMPONENT_TYPE_DOUBLE || type == TINYGLTF_COMPONENT_TYPE_INT) {
            fail(where + ".componentType", "found " + std::to_string(type) + "; expected 5120 to 5123, 5125 or 5126");
        }
        const std::size_t element = static_cast<std::size_t>(size) * static_cast<std::size_t>(components);
        const std::size_t stride = view.stride == 0 ? element : view.stride;
        const bool fits = count == 0 || (offset <= view.size && element <= view.size - offset &&
                                         (count - 1) <= (view.size - offset - element) / stride);
        if (!fits) {
            fail(where, std::to_string(count) + " elements of " + std::to_string(element) + " bytes from byte " +
                            std::to_string(offset) + "; the buffer view has only " + std::to_string(view.size));
        }
        values.reserve(count * static_cast<std::size_t>(components));
        for (std::size_t i = 0; i < count; ++i) {
            const char* bytes = view.bytes + offset + i * stride;
            for (int k = 0; k < components; ++k) values.push_back(component(bytes + k * size, type, normalized));
        }
    }

    /// All numbers of an accessor; `components` receives how many each element has.
    std::vector<double> read_accessor(int index, const std::string& user, int& components) const
    {
        const tinygltf::Accessor& accessor = at(model_.accessors, index, user, "accessors");
        const std::string where = where_of("accessors", static_cast<std::size_t>(index));
        components = tinygltf::GetNumComponentsInType(static_cast<std::uint32_t>(accessor.type));
        if (components < 1 || (components > 4 && components != 16))
            fail(where + ".type", "expected SCALAR, VEC2, VEC3, VEC4 or MAT4");
        std::vector<double> values;
        if (accessor.bufferView >= 0) {
            read_view(view(accessor.bufferView, where), accessor.byteOffset, accessor.count, accessor.componentType,
                      accessor.normalized, components, where, values);
        } else {
            if (accessor.count > kMostWithoutData) {
                fail(where + ".count", std::to_string(accessor.count) + " elements without a bufferView");
            }
            values.assign(accessor.count * static_cast<std::size_t>(components), 0.0);
        }
        if (accessor.sparse.isSparse) overlay_sparse(accessor, where + ".sparse", components, values);
        return values;
    }

    void overlay_sparse(const tinygltf::Accessor& accessor, const std::string& where, int components,
                        std::vector<double>& values) const
    {
        const auto& sparse = accessor.sparse;
        if (sparse.count < 0 || sparse.indices.byteOffset < 0 || sparse.values.byteOffset < 0) {
            fail(where, "a count or byteOffset is negative");
        }
        const auto count = static_cast<std::size_t>(sparse.count);
        std::vector<double> indices, replacements;
        read_view(view(sparse.indices.bufferView, where + ".indices"),
                  static_cast<std::size_t>(sparse.indices.byteOffset), count, sparse.indices.componentType, false, 1,
                  where + ".indices", indices);
        read_view(view(sparse.values.bufferView, where + ".values"), static_cast<std::size_t>(sparse.values.byteOffset),
                  count, accessor.componentType, accessor.normalized, components, where + ".values", replacements);
        for (std::size_t i = 0; i < count; ++i) {
            if (!(indices[i] >= 0.0 && indices[i] < static_cast<double>(accessor.count))) {
                fail(where + ".indices",
                     "an index lies outside of the accessor's " + std::to_string(accessor.count) + " elements");
            }
            const auto target = static_cast<std::size_t>(indices[i]);
            for (int k = 0; k < components; ++k) values[target * components + k] = replacements[i * components + k];
        }
    }

    /// An attribute with one element per vertex; empty if the primitive does not have it.
    std::vector<double> attribute(const tinygltf::Primitive& primitive, const char* key, int least_components,
                                  const std::string& where, int& components) const
    {
        const auto found = primitive.attributes.find(key);
        if (found == primitive.attributes.end()) return {};
        const std::string place = where + ".attributes." + key;
        std::vector<double> values = read_accessor(found->second, place, components);
        if (components < least_components) {
            fail(place, std::to_string(components) + " components; expected " + std::to_string(least_components));
        }
        return values;
    }

    // ---- meshes
    // --------------------------------------------------------------------------------------------------------

    void add_mesh(int index, const Affine& world)
    {
        const tinygltf::Mesh& mesh = at(model_.meshes, index, name_ + ": a node's mesh", "meshes");
        std::map<std::pair<int, int>, std::size_t> known;  // accessors of position and colour -> first vertex
        const std::vector<std::string> shapes = shapes_of(mesh);
        const auto target = std::size_t(std::find(shapes.begin(), shapes.end(), shape_) - shapes.begin());
        has_shape_ = has_shape_ || (!shape_.empty() && target < shapes.size());
        for (std::size_t p = 0; p < mesh.primitives.size(); ++p) {
            const std::string where =
                where_of("meshes", static_cast<std::size_t>(index)) + ".primitives[" + std::to_string(p) + "]";
            add_primitive(mesh.primitives[p], where, world, shape_.empty() ? shapes.size() : target, known);
        }
    }

    /// Adds what a blend shape moves the vertices by.
    void displace(const tinygltf::Primitive& primitive, std::size_t target, const std::string& where, int components,
                  std::vector<double>& positions) const
    {
        if (target >= primitive.targets.size()) return;
        const auto found = primitive.targets[target].find("POSITION");
        if (found == primitive.targets[target].end()) return;
        const std::string place = where + ".targets[" + std::to_string(target) + "].POSITION";
        int width = 0;
        const std::vector<double> moves = read_accessor(found->second, place, width);
        if (width < 3 || moves.size() / width != positions.size() / components)
            fail(place, "expected as many vectors as POSITION");
        for (std::size_t i = 0; i < moves.size() / width; ++i)
            for (int k = 0; k < 3; ++k) positions[i * components + k] += moves[i * width + k];
    }

    void add_primitive(const tinygltf::Primitive& primitive, const std::string& where, const Affine& world,
                       std::size_t target, std::map<std::pair<int, int>, std::size_t>& known)
    {
        const int mode = primitive.mode < 0 ? TINYGLTF_MODE_TRIANGLES : primitive.mode;
        if (mode < TINYGLTF_MODE_TRIANGLES) return;  // points and lines
        if (mode > TINYGLTF_MODE_TRIANGLE_FAN)
            fail(where + ".mode", "found " + std::to_string(mode) + "; expected 0 to 6");
        const auto accessor_of = [&](const char* key) {
            const auto found = primitive.attributes.find(key);
            return found == primitive.attributes.end() ? -1 : found->second;
        };
        if (accessor_of("POSITION") < 0) fail(where, "no attribute POSITION");
        for (const char* compressed : {"KHR_draco_mesh_compression", "EXT_meshopt_compression"}) {
            if (primitive.extensions.count(compressed) != 0) fail(where, std::string(compressed) + " is not supported");
        }

        int components = 0;
        std::vector<double> positions = attribute(primitive, "POSITION", 3, where, components);
        displace(primitive, target, where, components, positions);
        if (posed_) pose_positions(primitive, where, components, positions);
        const std::size_t count = positions.size() / components;
        const auto [entry, is_new] =
            known.try_emplace({accessor_of("POSITION"), accessor_of("COLOR_0")}, mesh_.vertex_count());
        const std::size_t first = entry->second;
        if (is_new) {
            int color_components = 0;
            const std::vector<double> colors = attribute(primitive, "COLOR_0", 3, where, color_components);
            if (!colors.empty() && colors.size() / color_components != count) {
                fail(where + ".attributes.COLOR_0", "expected as many elements as POSITION");
            }
            add_vertices(positions, components, colors, color_components, where, world);
        }

        int uv_components = 0;
        const std::vector<double> uvs = attribute(primitive, "TEXCOORD_0", 2, where, uv_components);
        if (!uvs.empty() && uvs.size() / uv_components != count) {
            fail(where + ".attributes.TEXCOORD_0", "expected as many elements as POSITION");
        }
        std::vector<double> indices;
        if (primitive.indices >= 0) {
            int index_components = 0;
            indices = read_accessor(primitive.indices, where + ".indices", index_components);
            if (index_components != 1) fail(where + ".indices", "expected an accessor of type SCALAR");
        } else {
            indices.resize(count);
            for (std::size_t i = 0; i < count; ++i) indices[i] = static_cast<double>(i);
        }
        for (const double i : indices) {
            if (i >= 0.0 && i < static_cast<double>(count)) continue;
            fail(where + ".indices", "a triangle uses vertex " + std::to_string(static_cast<long long>(i)) + " of " +
                                         std::to_string(count));
        }

        mesh_.set_material(primitive.material);
        const bool mirrored = determinant(world.linear) < 0.0;
        const auto triangle = [&](std::size_t a, std::size_t b, std::size_t c) {
            mesh_.begin_polygon(0);
            if (mirrored) std::swap(b, c);
            for (const std::size_t corner : {a, b, c}) {
                const auto vertex = static_cast<std::size_t>(indices[corner]);
                mesh_.add_corner(static_cast<std::int64_t>(first + vertex));
                if (uvs.empty()) continue;
                // glTF measures v downwards from the top of the picture, everybody else upwards.
                mesh_.set_uv(uvs[vertex * uv_components], 1.0 - uvs[vertex * uv_components + 1]);
            }
        };
        const std::size_t n = indices.size();
        if (mesh_.polygon_count() + n > 3 * kMostVertices) fail(where, "the scene has too many triangles");
        if (mode == TINYGLTF_MODE_TRIANGLES) {
            if (n % 3 != 0) fail(where, std::to_string(n) + " corners of triangles; expected a multiple of 3");
            for (std::size_t i = 0; i + 2 < n; i += 3) triangle(i, i + 1, i + 2);
        } else if (mode == TINYGLTF_MODE_TRIANGLE_STRIP) {
            for (std::size_t i = 0; i + 2 < n; ++i) i % 2 == 0 ? triangle(i, i + 1, i + 2) : triangle(i + 1, i, i + 2);
        } else {
            for (std::size_t i = 1; i + 1 < n; ++i) triangle(0, i, i + 1);
        }
    }

    void add_vertices(const std::vector<double>& positions, int components, const std::vector<double>& colors,
                      int color_components, const std::string& where, const Affine& world)
    {
        const std::size_t count = positions.size() / components;
        if (mesh_.vertex_count() + count > kMostVertices) {
            fail(where, "the scene has more than " + std::to_string(kMostVertices) + " vertices");
        }
        for (std::size_t i = 0; i < count; ++i) {
            const double* p = &positions[i * components];
            const Vec3d position = world({p[0], p[1], p[2]});
            if (!is_finite(position)) fail(where + ".attributes.POSITION", "a coordinate is not a finite number");
            mesh_.add_vertex(position, 0);
            if (colors.empty()) continue;
            const double* c = &colors[i * color_components];
            mesh_.set_color({to_srgb(c[0]), to_srgb(c[1]), to_srgb(c[2])});
        }
    }

    const tinygltf::Model& model_;
    std::string name_, shape_;
    bool has_shape_ = false;
    SurfaceBuilder mesh_;
    std::vector<std::int32_t> materials_;
    bool posed_ = false;                 ///< by an animation
    std::vector<tinygltf::Node> nodes_;  ///< of the model, where they are now
    std::vector<Affine> worlds_;         ///< per node
    std::vector<double> weights_;        ///< of the targets of the mesh that is being added
    std::vector<Affine> joints_;         ///< of its skin: from the bind pose to where they are; none: no skin
};

}  // namespace

TriMesh read_gltf(std::string_view content, const fs::path& path)
{
    const tinygltf::Model model = parse(content, path);
    return GltfReader(model, content, path.string()).read();
}

std::shared_ptr<const Skin> read_gltf_skin(std::string_view content, const fs::path& path)
{
    const tinygltf::Model model = parse(content, path, true);
    if (model.materials.empty()) return nullptr;
    GltfReader reader(model, content, path.string());
    reader.read();
    auto skin = std::make_shared<Skin>();
    skin->material_of = std::move(reader.materials());
    const auto count = static_cast<std::int32_t>(model.materials.size());
    bool any = false;
    for (std::int32_t& material : skin->material_of) {
        if (material < -1 || material >= count)
            fail(path.string(), "a primitive has the material " + std::to_string(material) + " of " +
                                    std::to_string(count));
        any = any || material >= 0;
    }
    if (!any) return nullptr;
    read_gltf_materials(model, path, *skin);
    return skin;
}

PointCache read_gltf_animation(std::string_view content, const fs::path& path, const std::string& animation)
{
    constexpr double kRate = 30;         // frames per second, about
    constexpr double kMostFrames = 1e5;  // an hour
    const tinygltf::Model model = parse(content, path);
    const std::vector<NodeTrack> tracks = GltfReader(model, content, path.string()).tracks(animation);
    double first = tracks[0].track.times.front(), last = tracks[0].track.times.back();
    for (const NodeTrack& track : tracks) {
        first = std::min(first, track.track.times.front());
        last = std::max(last, track.track.times.back());
    }
    const double duration = last - first;
    if (duration * kRate > kMostFrames) fail(path.string(), "its animation takes longer than an hour");
    PointCache cache;
    const auto steps = std::max(std::size_t(std::lround(duration * kRate)), std::size_t(duration > 0));
    for (std::size_t k = 0; k <= steps; ++k) {
        const double time = steps > 0 ? first + duration * double(k) / double(steps) : first;
        const TriMesh mesh = GltfReader(model, content, path.string()).read(tracks, time);
        std::vector<Vec3>& frame = cache.frames.emplace_back();
        for (const Vec3d& p : mesh.vertices) frame.push_back(p.as<float>());
    }
    if (steps > 0) cache.rate = double(steps) / duration;
    return cache;
}

TriMesh read_gltf_shape(std::string_view content, const fs::path& path, const std::string& shape)
{
    const tinygltf::Model model = parse(content, path);
    return GltfReader(model, content, path.string(), shape).read();
}

std::vector<std::string> gltf_shapes(std::string_view content, const fs::path& path)
{
    std::vector<std::string> names;
    for (const tinygltf::Mesh& mesh : parse(content, path).meshes)
        for (std::string& name : shapes_of(mesh))
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    return names;
}

}  // namespace yawara::io
