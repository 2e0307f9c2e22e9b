// glTF 2.0 and GLB: the triangles of the default scene as one surface, moved by their nodes. tinygltf reads the
// document; its pictures are not decoded, its buffers are confined to the folder of the file. Skinned meshes keep their
// bind pose.
#include <algorithm>
#include <array>
#include <fstream>  // missing in tiny_gltf.h
#include <map>

#include "io/binary.h"
#include "io/formats.h"
#include "io/gltf_shapes.h"
#include "io/surface_builder.h"

#define TINYGLTF_IMPLEMENTATION
#define TINYGLTF_NO_STB_IMAGE
#define TINYGLTF_NO_STB_IMAGE_WRITE
#define TINYGLTF_NO_EXTERNAL_IMAGE
#define TINYGLTF_NO_FS
#include <tiny_gltf.h>

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

bool ignore_image(tinygltf::Image*, int, std::string*, std::string*, int, int, const unsigned char*, int, void*)
{
    return true;
}

/// " at line 3, column 7", if the JSON library names one.
std::string place_of(const std::string& complaint)
{
    const std::size_t start = complaint.find(" at line "), end = complaint.find(':', start);
    return start == std::string::npos || end == std::string::npos ? "" : complaint.substr(start, end - start);
}

tinygltf::Model parse(std::string_view content, const fs::path& path)
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
    loader.SetImageLoader(&ignore_image, nullptr);
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

    TriMesh read()
    {
        if (model_.nodes.empty()) {
            for (std::size_t m = 0; m < model_.meshes.size(); ++m) add_mesh(static_cast<int>(m), {});
        }
        struct Visit {
            int node;
            Affine parent;
        };
        std::vector<Visit> stack;
        std::vector<bool> seen(model_.nodes.size(), false);
        for (const int root : roots()) stack.push_back({root, {}});
        std::reverse(stack.begin(), stack.end());
        while (!stack.empty()) {
            const Visit visit = stack.back();
            stack.pop_back();
            const std::string where = where_of("nodes", visit.node);
            const tinygltf::Node& node = at(model_.nodes, visit.node, where, "nodes");
            if (seen[static_cast<std::size_t>(visit.node)])
                fail(where, "the node is reached twice; expected a tree of nodes");
            seen[static_cast<std::size_t>(visit.node)] = true;
            const Affine world = visit.parent * transform(node, where);
            if (node.mesh >= 0) add_mesh(node.mesh, node.skin >= 0 ? Affine{} : world);
            for (auto child = node.children.rbegin(); child != node.children.rend(); ++child) {
                stack.push_back({*child, world});
            }
        }
        if (!shape_.empty() && !has_shape_) {
            std::string known;
            for (const tinygltf::Mesh& mesh : model_.meshes)
                for (const std::string& name : shapes_of(mesh)) known += (known.empty() ? "" : ", ") + name;
            fail(name_, "has no blend shape \"" + shape_ + "\"; " + (known.empty() ? "it has none" : "it has " + known));
        }
        if (mesh_.polygon_count() == 0) fail(name_, "no triangles found in the default scene; expected a surface mesh");
        return mesh_.finish();
    }

private:
    std::string where_of(const char* list, std::size_t index) const
    {
        return name_ + ": " + list + "[" + std::to_string(index) + "]";
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
        if (check(node.matrix, 16, "matrix")) {
            const auto& m = node.matrix;
            return {{{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}}, {m[12], m[13], m[14]}};
        }
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
        if (components < 1 || components > 4) fail(where + ".type", "expected SCALAR, VEC2, VEC3 or VEC4");
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
            fail(place, "as many vectors as POSITION expected");
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
        const std::size_t count = positions.size() / components;
        const auto [entry, is_new] =
            known.try_emplace({accessor_of("POSITION"), accessor_of("COLOR_0")}, mesh_.vertex_count());
        const std::size_t first = entry->second;
        if (is_new) {
            int color_components = 0;
            const std::vector<double> colors = attribute(primitive, "COLOR_0", 3, where, color_components);
            if (!colors.empty() && colors.size() / color_components != count) {
                fail(where + ".attributes.COLOR_0", "as many elements as POSITION expected");
            }
            add_vertices(positions, components, colors, color_components, where, world);
        }

        int uv_components = 0;
        const std::vector<double> uvs = attribute(primitive, "TEXCOORD_0", 2, where, uv_components);
        if (!uvs.empty() && uvs.size() / uv_components != count) {
            fail(where + ".attributes.TEXCOORD_0", "as many elements as POSITION expected");
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
            mesh_.set_color({c[0], c[1], c[2]});
        }
    }

    const tinygltf::Model& model_;
    std::string name_, shape_;
    bool has_shape_ = false;
    SurfaceBuilder mesh_;
};

}  // namespace

TriMesh read_gltf(std::string_view content, const fs::path& path)
{
    const tinygltf::Model model = parse(content, path);
    return GltfReader(model, content, path.string()).read();
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
