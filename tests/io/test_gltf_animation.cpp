// Animations of glTF files as point caches: skins, morph targets and nodes, against formulas.
#include <cmath>
#include <numbers>

#include "io/mesh_files.h"
#include "yawara/point_cache.h"

using namespace mesh_files;

namespace {

/// Buffer, views and accessors of a document, filled one after another.
class Arrays {
public:
    int add(const std::vector<float>& numbers, const char* type, std::size_t width)
    {
        return put({reinterpret_cast<const char*>(numbers.data()), 4 * numbers.size()}, 5126, type,
                   numbers.size() / width);
    }
    int add(const std::string& bytes, const char* type, std::size_t width)
    {
        return put(bytes, 5121, type, bytes.size() / width);
    }
    /// The parts of a document that tell of them.
    std::string json() const
    {
        return R"("buffers": [{"byteLength": )" + std::to_string(bytes_.size()) + R"(, "uri": ")" + data_uri(bytes_) +
               R"("}], "bufferViews": [)" + views_ + R"(], "accessors": [)" + accessors_ + "]";
    }

private:
    int put(std::string_view bytes, int component, const char* type, std::size_t count)
    {
        const std::string comma = count_ > 0 ? ", " : "";
        views_ += comma + R"({"buffer": 0, "byteOffset": )" + std::to_string(bytes_.size()) + R"(, "byteLength": )" +
                  std::to_string(bytes.size()) + "}";
        accessors_ += comma + R"({"bufferView": )" + std::to_string(count_) + R"(, "componentType": )" +
                      std::to_string(component) + R"(, "count": )" + std::to_string(count) + R"(, "type": ")" + type +
                      R"("})";
        bytes_ += bytes;
        while (bytes_.size() % 4 != 0) bytes_ += '\0';
        return count_++;
    }

    std::string bytes_, views_, accessors_;
    int count_ = 0;
};

std::string with(std::string text, std::initializer_list<std::pair<const char*, int>> numbers)
{
    for (const auto& [name, value] : numbers)
        for (std::size_t at; (at = text.find(name)) != std::string::npos;)
            text.replace(at, std::string(name).size(), std::to_string(value));
    return text;
}

const std::vector<float> kPositions{0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0};

/// An arm of two bones: the first goes along z, the second turns about its start.
std::string arm(const char* interpolation = "LINEAR", const char* names = R"("name": "wave")")
{
    Arrays arrays;
    const float h = std::sqrt(0.5f);
    const int positions = arrays.add(kPositions, "VEC3", 3);
    const int indices = arrays.add(std::string("\0\1\3\1\2\3", 6), "SCALAR", 1);
    const int joints = arrays.add(std::string("\0\0\0\0\0\1\0\0\1\0\0\0\0\0\0\0", 16), "VEC4", 4);
    const int weights = arrays.add(std::vector<float>{1, 0, 0, 0, 0.5f, 0.5f, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, "VEC4", 4);
    std::vector<float> inverses(32);
    for (const std::size_t k : {0u, 5u, 10u, 15u}) inverses[k] = inverses[16 + k] = 1;
    inverses[16 + 12] = -1;
    const int binds = arrays.add(inverses, "MAT4", 16);
    const int times = arrays.add(std::vector<float>{0, 1}, "SCALAR", 1);
    const int turns = arrays.add(std::vector<float>{0, 0, 0, 1, 0, 0, h, h}, "VEC4", 4);
    const int moves = arrays.add(std::vector<float>{0, 0, 0, 0, 0, 2}, "VEC3", 3);
    return with(R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 1]}],
        "nodes": [{"mesh": 0, "skin": 0, "translation": [9, 9, 9]}, {"children": [2]}, {"translation": [1, 0, 0]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": #p, "JOINTS_0": #j, "WEIGHTS_0": #w}, "indices": #i}]}],
        "skins": [{"joints": [1, 2], "inverseBindMatrices": #b}],
        "animations": [{)" +
                    std::string(names) + R"(, "samplers": [{"input": #t, "output": #r, "interpolation": ")" +
                    interpolation + R"("}, {"input": #t, "output": #m}],
            "channels": [{"sampler": 0, "target": {"node": 2, "path": "rotation"}},
                         {"sampler": 1, "target": {"node": 1, "path": "translation"}}]}], )" +
                    arrays.json() + "}",
                {{"#p", positions},
                 {"#j", joints},
                 {"#w", weights},
                 {"#i", indices},
                 {"#b", binds},
                 {"#t", times},
                 {"#r", turns},
                 {"#m", moves}});
}

/// A flat thing that rises by a morph target, on a node that is scaled by two.
std::string riser(const std::vector<float>& weights, const char* interpolation)
{
    Arrays arrays;
    const int positions = arrays.add(kPositions, "VEC3", 3);
    const int indices = arrays.add(std::string("\0\1\3\1\2\3", 6), "SCALAR", 1);
    const int target = arrays.add(std::vector<float>{0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0}, "VEC3", 3);
    const int times = arrays.add(std::vector<float>{1, 3}, "SCALAR", 1);
    const int values = arrays.add(weights, "SCALAR", 1);
    return with(R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "scale": [2, 2, 2]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": #p}, "indices": #i, "targets": [{"POSITION": #g}]}]}],
        "animations": [{"samplers": [{"input": #t, "output": #v, "interpolation": ")" +
                    std::string(interpolation) +
                    R"("}], "channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}]}], )" +
                    arrays.json() + "}",
                {{"#p", positions}, {"#i", indices}, {"#g", target}, {"#t", times}, {"#v", values}});
}

PointCache load(const std::string& json, const std::string& animation = "")
{
    TempFolder folder;
    put_bytes(folder / "a.gltf", json);
    const PointCache cache = load_point_cache(folder / "a.gltf", animation).value();
    CHECK(cache.frames[0].size() == load_tri_mesh(folder / "a.gltf").value().vertices.size());
    return cache;
}

std::string refusal(const std::string& json, const std::string& animation = "", const char* name = "a.gltf")
{
    TempFolder folder;
    put_bytes(folder / name, json);
    const Result<PointCache> cache = load_point_cache(folder / name, animation);
    return cache ? "" : cache.error().message();
}

std::string replaced(std::string text, const std::string& old, const std::string& with)
{
    const std::size_t at = text.find(old);
    REQUIRE(at != std::string::npos);
    return text.replace(at, old.size(), with);
}

}  // namespace

TEST_CASE("a skin follows its joints")
{
    const PointCache cache = load(arm());
    REQUIRE(cache.frames.size() == 31);
    CHECK(*cache.rate == doctest::Approx(30));
    for (std::size_t k = 0; k < cache.frames.size(); ++k) {
        const float t = float(k) / 30, angle = t * std::numbers::pi_v<float> / 2;
        const std::vector<Vec3> expected{
            {0, 0, 2 * t}, {1, 0, 2 * t}, {1 + std::cos(angle), std::sin(angle), 2 * t}, {0, 1, 2 * t}};
        for (std::size_t v = 0; v < 4; ++v) CHECK(length(cache.frames[k][v] - expected[v]) < 1e-5f);
    }
    // Of steps only the last key turns.
    const PointCache stepped = load(arm("STEP"), "wave");
    CHECK(length(stepped.frames[29][2] - Vec3{2, 0, 2 * 29.0f / 30}) < 1e-5f);
    CHECK(length(stepped.frames[30][2] - Vec3{1, 1, 2}) < 1e-5f);
}

TEST_CASE("morph targets move by their weights, straight or along a spline, and nodes carry them")
{
    const PointCache straight = load(riser({0, 1}, "LINEAR"));
    REQUIRE(straight.frames.size() == 61);  // from its first key to its last
    for (std::size_t k = 0; k <= 60; ++k) {
        CHECK(length(straight.frames[k][2] - Vec3{4, 0, float(k) / 30}) < 1e-5f);
        CHECK(length(straight.frames[k][3] - Vec3{0, 2, 0}) < 1e-6f);
    }
    // Tangents of 1 at both ends, 2 s apart: Hermite's cubic.
    const PointCache curved = load(riser({0, 0, 1, 1, 1, 0}, "CUBICSPLINE"));
    for (std::size_t k = 0; k <= 60; ++k) {
        const double s = double(k) / 60, s2 = s * s, s3 = s2 * s;
        const double weight = (s3 - 2 * s2 + s) * 2 + (3 * s2 - 2 * s3) + (s3 - s2) * 2;
        CHECK(double(curved.frames[k][0].z) == doctest::Approx(2 * weight).epsilon(1e-5));
    }
}

TEST_CASE("an animation that is not there, or does not fit, is an error that says so")
{
    CHECK(refusal(arm(), "walk").find("has no animation \"walk\"; expected one of \"wave\"") != std::string::npos);
    CHECK(refusal(replaced(arm(), "\"animations\"", "\"other\"")).find("has no animation") != std::string::npos);
    CHECK(refusal(replaced(arm(), "\"joints\": [1, 2]", "\"joints\": [1]")).find("a joint") != std::string::npos);
    CHECK(refusal(replaced(arm(), "\"joints\": [1, 2]", "\"joints\": [1, 7]")).find("joints") != std::string::npos);
    CHECK(refusal(replaced(arm(), "\"node\": 2", "\"node\": 8")).find("channels[0].target.node") != std::string::npos);
    CHECK(refusal(arm("CUBICSPLINE")).find("numbers for its keys") != std::string::npos);
    CHECK(refusal(replaced(arm(), "\"sampler\": 1", "\"sampler\": 5")).find("sampler") != std::string::npos);
    CHECK(refusal("POINTCACHE2", "walk", "a.pc2").find("would be one of a .glb") != std::string::npos);
    CHECK(refusal("x", "", "a.abc").find("expected .pc2, .mdd, .glb or .gltf") != std::string::npos);
}
