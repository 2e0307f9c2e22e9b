// Animated GLB: parsed here from the specification of glTF 2.0 and played again, against the positions recorded.
#include <doctest/doctest.h>
#include <meshoptimizer.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "clip_samples.h"
#include "yawara/rotation.h"

using namespace clip_samples;

namespace {

using Json = nlohmann::json;

struct Glb {
    Json json;
    std::string binary, unpacked;

    explicit Glb(const std::string& bytes)
    {
        const auto word = [&](std::size_t offset) {
            std::uint32_t value;
            std::memcpy(&value, bytes.data() + offset, 4);
            return value;
        };
        REQUIRE(bytes.size() > 20);
        REQUIRE(bytes.substr(0, 4) == "glTF");
        REQUIRE(word(4) == 2);
        REQUIRE(word(8) == bytes.size());
        REQUIRE(bytes.substr(16, 4) == "JSON");
        json = Json::parse(bytes.substr(20, word(12)));
        const std::size_t rest = 20 + word(12);
        REQUIRE(rest % 4 == 0);
        REQUIRE(bytes.substr(rest + 4, 4) == std::string("BIN\0", 4));
        binary = bytes.substr(rest + 8);
        REQUIRE(word(rest) == binary.size());
        REQUIRE(json["buffers"][0]["byteLength"] == binary.size());
        for (const Json& view : json["bufferViews"])
            if (view["buffer"] == 1) unpack(view);
    }

    /// Numbers of an accessor, whatever it is stored as.
    std::vector<float> floats(int index) const
    {
        const Json& accessor = json["accessors"][index];
        const std::string type = accessor["type"];
        const std::size_t width = type == "SCALAR" ? 1 : type == "VEC2" ? 2 : type == "VEC3" ? 3 : 4;
        const std::size_t count = accessor["count"];
        std::vector<float> values(width * count);
        if (!accessor.contains("bufferView")) return values;
        const Json& view = json["bufferViews"][accessor["bufferView"].get<int>()];
        switch (accessor["componentType"].get<int>()) {
            case 5120:
                read<std::int8_t>(view, accessor, width, values, 127.0f);
                break;
            case 5122:
                read<std::int16_t>(view, accessor, width, values, 32767.0f);
                break;
            case 5123:
                read<std::uint16_t>(view, accessor, width, values, 65535.0f);
                break;
            case 5126:
                read<float>(view, accessor, width, values, 1.0f);
                break;
            default:
                FAIL("unexpected component");
        }
        return values;
    }
    std::vector<std::uint16_t> indices(int index) const
    {
        const Json& accessor = json["accessors"][index];
        REQUIRE(accessor["componentType"] == 5123);
        const Json& view = json["bufferViews"][accessor["bufferView"].get<int>()];
        std::vector<std::uint16_t> values(accessor["count"].get<std::size_t>());
        const std::string& buffer = view["buffer"] == 0 ? binary : unpacked;
        std::memcpy(values.data(), buffer.data() + view["byteOffset"].get<std::size_t>(), 2 * values.size());
        return values;
    }
    /// Output of the animation of one property of a node; empty if it is not animated.
    std::vector<float> track(int node, const std::string& path) const
    {
        for (const Json& channel : json["animations"][0]["channels"]) {
            if (channel["target"]["node"] != node || channel["target"]["path"] != path) continue;
            const Json& sampler = json["animations"][0]["samplers"][channel["sampler"].get<int>()];
            CHECK(sampler["interpolation"] == "LINEAR");
            return floats(sampler["output"]);
        }
        return {};
    }
    std::vector<float> times() const { return floats(json["animations"][0]["samplers"][0]["input"]); }

private:
    /// What the extension EXT_meshopt_compression asks a reader to do.
    void unpack(const Json& view)
    {
        const Json& packed = view["extensions"]["EXT_meshopt_compression"];
        REQUIRE(json["buffers"][1]["extensions"]["EXT_meshopt_compression"]["fallback"] == true);
        unpacked.resize(json["buffers"][1]["byteLength"]);
        const std::size_t count = packed["count"], stride = packed["byteStride"];
        REQUIRE(view["byteLength"] == count * stride);
        REQUIRE(view["byteOffset"].get<std::size_t>() + count * stride <= unpacked.size());
        char* out = unpacked.data() + view["byteOffset"].get<std::size_t>();
        const auto* in =
            reinterpret_cast<const unsigned char*>(binary.data()) + packed["byteOffset"].get<std::size_t>();
        const std::size_t bytes = packed["byteLength"];
        if (packed["mode"] == "TRIANGLES")
            REQUIRE(meshopt_decodeIndexBuffer(static_cast<void*>(out), count, stride, in, bytes) == 0);
        else
            REQUIRE(meshopt_decodeVertexBuffer(out, count, stride, in, bytes) == 0);
    }
    template <class T>
    void read(const Json& view, const Json& accessor, std::size_t width, std::vector<float>& values, float one) const
    {
        const std::size_t stride = view.value("byteStride", width * sizeof(T));
        const std::size_t offset = accessor.value("byteOffset", std::size_t{0});
        REQUIRE(offset % 4 == 0);
        if (view.contains("byteStride")) REQUIRE(stride % 4 == 0);
        REQUIRE(offset + stride * (values.size() / width - 1) + width * sizeof(T) <= view["byteLength"]);
        const char* start =
            (view["buffer"] == 0 ? binary : unpacked).data() + view["byteOffset"].get<std::size_t>() + offset;
        for (std::size_t i = 0; i < values.size(); ++i) {
            T stored;
            std::memcpy(&stored, start + i / width * stride + i % width * sizeof(T), sizeof stored);
            values[i] = static_cast<float>(stored);
            if (accessor.value("normalized", false)) values[i] = std::max(values[i] / one, -1.0f);
        }
    }
};

/// A mesh of the file played at its key frames.
class Player {
public:
    Player(const Glb& glb, int node)
        : primitive_(glb.json["meshes"][glb.json["nodes"][node]["mesh"].get<int>()]["primitives"][0]),
          moves_(glb.track(node, "translation")),
          turns_(glb.track(node, "rotation")),
          weights_(glb.track(node, "weights")),
          scale_(glb.json["nodes"][node].value("scale", std::vector<double>{1.0, 1.0, 1.0}))
    {
        CHECK((scale_[0] == scale_[1] && scale_[1] == scale_[2]));
        for (const char* attribute : {"POSITION", "NORMAL"}) {
            base_.push_back(glb.floats(primitive_["attributes"][attribute]));
            for (const Json& target : primitive_.value("targets", Json::array())) {
                targets_.push_back(glb.floats(target[attribute]));
            }
        }
    }

    std::size_t frames() const { return moves_.size() / 3; }
    std::size_t vertices() const { return base_[0].size() / 3; }
    std::size_t targets() const { return targets_.size() / 2; }
    const std::vector<float>& weights() const { return weights_; }
    const std::vector<float>& turns() const { return turns_; }

    Vec3d position(std::size_t f, std::size_t v) const
    {
        const Vec3d move{moves_[3 * f], moves_[3 * f + 1], moves_[3 * f + 2]};
        return turn(f, scale_[0] * blend(f, v, 0)) + move;
    }
    Vec3d normal(std::size_t f, std::size_t v) const { return normalized(turn(f, blend(f, v, 1))); }

private:
    Vec3d blend(std::size_t f, std::size_t v, std::size_t attribute) const
    {
        Vec3d sum;
        for (int i = 0; i < 3; ++i) {
            sum[i] = base_[attribute][3 * v + i];
            for (std::size_t t = 0; t < targets(); ++t) {
                sum[i] +=
                    static_cast<double>(weights_[f * targets() + t]) * targets_[attribute * targets() + t][3 * v + i];
            }
        }
        return sum;
    }
    Vec3d turn(std::size_t f, Vec3d p) const
    {
        const Vec3d axis{turns_[4 * f], turns_[4 * f + 1], turns_[4 * f + 2]};
        const double w = turns_[4 * f + 3];
        return p + 2.0 * cross(axis, cross(axis, p) + w * p);
    }

    Json primitive_;
    std::vector<std::vector<float>> base_, targets_;  // positions, then normals
    std::vector<float> moves_, turns_, weights_;
    std::vector<double> scale_;
};

double largest_error(const Player& player, Sample& sample, std::size_t b)
{
    double worst = 0.0;
    for (std::size_t f = 0; f < player.frames(); ++f) {
        sample.frame(static_cast<int>(f));
        const auto& surface = sample.points[2 * b + 1];
        for (std::size_t v = 0; v < surface.size(); ++v) {
            worst = std::max(worst, length(player.position(f, v) - surface[v].as<double>()));
        }
    }
    return worst;
}

Glb written(Sample& sample, int count, std::vector<std::string>* notes = nullptr, const ClipOptions& options = {})
{
    TempFolder folder;
    const auto result = sample.write("glb", folder / "clip.glb", count, options);
    REQUIRE(result);
    if (notes != nullptr) *notes = *result;
    return Glb(bytes_of(folder / "clip.glb"));
}

}  // namespace

TEST_CASE("a glb plays every frame within a thousandth of the size, and within the error it states")
{
    Sample sample(30, 16);
    std::vector<std::string> notes;
    const Glb glb = written(sample, 90, &notes);
    REQUIRE(glb.times().size() == 90);
    for (int k = 0; k < 90; ++k) CHECK(glb.times()[k] == static_cast<float>(sample.time(k)));
    for (const int b : {0, 1}) {
        const Player player(glb, b);
        CHECK(player.frames() == 90);
        Box3 box = bounds(sample.info.bodies[b].surface.vertices);
        const double error = largest_error(player, sample, b);
        CHECK(error < 1e-3 * box.diagonal());
        const std::string& note = notes[b + 1];
        const std::string words = "off by more than ";
        REQUIRE(note.find(words) != std::string::npos);
        const double stated = std::stod(note.substr(note.find(words) + words.size()));
        CHECK(error == doctest::Approx(stated).epsilon(0.02));
    }
}

TEST_CASE("frame 0 is exact, and every frame within whatever tolerance is asked for, with more shapes for less error")
{
    Sample sample(30, 16);
    const double size = bounds(sample.info.bodies[0].surface.vertices).diagonal();
    std::size_t shapes = 0;
    for (const double tolerance : {1e-2, 1e-3, 1e-4}) {
        const Player player(written(sample, 90, nullptr, {.tolerance = tolerance}), 0);
        CHECK(largest_error(player, sample, 0) <= tolerance * size);
        CHECK(player.targets() > shapes);
        shapes = player.targets();
        sample.frame(0);
        double first = 0.0;
        for (std::size_t v = 0; v < player.vertices() && v < sample.points[1].size(); ++v)
            first = std::max(first, length(player.position(0, v) - sample.points[1][v].as<double>()));
        CHECK(first < 2e-6 * size);
    }
    TempFolder folder;
    CHECK_FALSE(sample.write("glb", folder / "clip.glb", 1, {.tolerance = 0.0}));
}

TEST_CASE("a burst that one frame of a long clip shows at one vertex is not lost")
{
    Sample sample(30, 16);
    TempFolder folder;
    auto clip = make_clip_writer("glb", folder / "clip.glb", sample.info).value();
    const auto burst = [&](int k) {
        sample.frame(k);
        if (k == 301) sample.points[1][217].y += 0.1f;
    };
    for (int k = 0; k < 700; ++k) {
        burst(k);
        REQUIRE(clip->frame(sample.time(k), sample.frames));
    }
    REQUIRE(clip->finish());
    const Player player(Glb(bytes_of(folder / "clip.glb")), 0);
    burst(301);
    const double size = bounds(sample.info.bodies[0].surface.vertices).diagonal();
    CHECK(length(player.position(301, 217) - sample.points[1][217].as<double>()) <= 1e-3 * size);
}

TEST_CASE("small shapes take a byte a coordinate, and meshopt changes the size of the file but none of its numbers")
{
    Sample sample(60, 40);
    TempFolder folder;
    REQUIRE(sample.write("glb", folder / "plain.glb", 60));
    REQUIRE(sample.write("glb", folder / "packed.glb", 60, {.meshopt = true}));
    const std::string plain_bytes = bytes_of(folder / "plain.glb"), packed_bytes = bytes_of(folder / "packed.glb");
    CHECK(packed_bytes.size() < plain_bytes.size() / 2);
    const Glb plain(plain_bytes), packed(packed_bytes);
    REQUIRE(plain.json["accessors"].size() == packed.json["accessors"].size());
    std::size_t bytes = 0;
    for (std::size_t a = 0; a < plain.json["accessors"].size(); ++a) {
        const Json& accessor = plain.json["accessors"][a];
        bytes += accessor["componentType"] == 5120 && !accessor.contains("normalized");
        const bool corners = accessor["componentType"] == 5123 && !accessor.contains("normalized");
        if (!corners) CHECK(plain.floats(static_cast<int>(a)) == packed.floats(static_cast<int>(a)));
    }
    CHECK(bytes > 0);
    const Json& primitive = plain.json["meshes"][0]["primitives"][0];
    const auto corners = packed.indices(primitive["indices"]), wanted = plain.indices(primitive["indices"]);
    REQUIRE(corners.size() == wanted.size());
    for (std::size_t t = 0; t < corners.size(); t += 3) {  // the codec may turn a triangle
        const auto turned = std::ranges::min_element(&corners[t], &corners[t] + 3) - &corners[t];
        const auto was = std::ranges::min_element(&wanted[t], &wanted[t] + 3) - &wanted[t];
        for (int i = 0; i < 3; ++i) CHECK(corners[t + (turned + i) % 3] == wanted[t + (was + i) % 3]);
    }
}

TEST_CASE(
    "a glb is read again as the surfaces of its first frame; a packed one is refused by the name of its extension")
{
    Sample sample(30, 16);
    TempFolder folder;
    REQUIRE(sample.write("glb", folder / "plain.glb", 60));
    REQUIRE(sample.write("glb", folder / "packed.glb", 60, {.meshopt = true}));
    const TriMesh mesh = load_tri_mesh(folder / "plain.glb").value();
    sample.frame(0);
    const double size = bounds(sample.info.bodies[0].surface.vertices).diagonal();
    for (std::size_t v = 0; v < sample.points[1].size(); ++v)
        CHECK(length(mesh.vertices[v] - sample.points[1][v].as<double>()) < 2e-3 * size);
    const auto refused = load_tri_mesh(folder / "packed.glb");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().what.find("EXT_meshopt_compression") != std::string::npos);
}

TEST_CASE("weights stay in 0..1 and rotations are unit quaternions that never jump to the other side")
{
    Sample sample;
    const Glb glb = written(sample, 120);
    for (const int b : {0, 1}) {
        const Player player(glb, b);
        CHECK(std::ranges::min(player.weights()) >= 0.0f);
        CHECK(std::ranges::max(player.weights()) <= 1.0f);
        const auto& q = player.turns();
        for (std::size_t f = 0; f < player.frames(); ++f) {
            double square = 0.0, with_last = 0.0;
            for (int i = 0; i < 4; ++i) {
                square += static_cast<double>(q[4 * f + i]) * q[4 * f + i];
                if (f > 0) with_last += static_cast<double>(q[4 * f + i]) * q[4 * f - 4 + i];
            }
            CHECK(square == doctest::Approx(1.0).epsilon(1e-5));
            if (f > 0) CHECK(with_last > 0.0);
        }
    }
}

TEST_CASE("a body that only moves rigidly needs no shapes, and few frames need no more shapes than frames")
{
    Sample sample;
    auto writer = [&](auto&& place, int count) {
        TempFolder folder;
        auto clip = make_clip_writer("glb", folder / "clip.glb", sample.info).value();
        for (int k = 0; k < count; ++k) {
            sample.frame(k);
            for (const std::size_t b : {0, 1}) {
                const auto& rest = sample.info.bodies[b].surface.vertices;
                for (std::size_t v = 0; v < rest.size(); ++v) sample.points[2 * b + 1][v] = place(rest[v], k);
            }
            REQUIRE(clip->frame(sample.time(k), sample.frames));
        }
        REQUIRE(clip->finish());
        return Glb(bytes_of(folder / "clip.glb"));
    };
    const auto rigid = [](Vec3d p, int k) {
        return (rotation(Vec3d{1, -1, 0.5}, 0.3 * k) * p + Vec3d{1.0 * k, 0, 5}).as<float>();
    };
    const Glb turning = writer(rigid, 30);
    const Player player(turning, 0);
    CHECK(player.targets() == 0);
    const auto& rest = sample.info.bodies[0].surface.vertices;
    for (std::size_t f = 0; f < 30; ++f) {
        for (std::size_t v = 0; v < rest.size(); v += 7) {
            CHECK(length(player.position(f, v) - rigid(rest[v], static_cast<int>(f)).as<double>()) < 2e-5);
        }
    }

    const Glb few = written(sample, 4);
    CHECK(Player(few, 0).targets() <= 4);
    const Glb one = written(sample, 1);
    CHECK(Player(one, 0).targets() == 0);
    CHECK(largest_error(Player(one, 0), sample, 0) < 1e-5);
}

TEST_CASE("a body turned inside out or flattened to a point gives no mirror image and no number that is not finite")
{
    Sample sample;
    TempFolder folder;
    auto clip = make_clip_writer("glb", folder / "clip.glb", sample.info).value();
    for (int k = 0; k < 8; ++k) {
        sample.frame(k);
        for (Vec3& p : sample.points[1]) {
            if (k == 3) p = {1, 2, 3};
            if (k == 5) p.x = -p.x;
            if (k == 6) p.y = 0.0f;
        }
        REQUIRE(clip->frame(sample.time(k), sample.frames));
    }
    REQUIRE(clip->finish());
    const Glb glb(bytes_of(folder / "clip.glb"));
    const Player player(glb, 0);
    for (std::size_t f = 0; f < 8; ++f) {
        for (std::size_t v = 0; v < player.vertices(); ++v) CHECK(is_finite(player.position(f, v)));
    }
    CHECK(length(player.position(3, 0) - Vec3d{1, 2, 3}) < 1e-3);
}

TEST_CASE("shading normals follow the surface")
{
    Sample sample(30, 16);
    const Glb glb = written(sample, 90);
    const Player player(glb, 0);
    double sum = 0.0, worst = 1.0;
    int count = 0;
    for (std::size_t f = 0; f < 90; f += 9) {
        sample.frame(static_cast<int>(f));
        std::vector<Vec3d> normals(sample.points[1].size());
        for (const Int3& t : sample.info.bodies[0].surface.triangles) {
            const auto x = [&](int corner) { return sample.points[1][t[corner]].as<double>(); };
            const Vec3d area = cross(x(1) - x(0), x(2) - x(0));
            for (const int v : t) normals[v] += area;
        }
        for (std::size_t v = 0; v < normals.size(); ++v, ++count) {
            const double agreement = dot(player.normal(f, v), normalized(normals[v]));
            sum += agreement;
            worst = std::min(worst, agreement);
        }
    }
    CHECK(sum / count > 0.999);
    CHECK(worst > 0.96);
}

TEST_CASE("vertices keep their order; copies follow on uv seams, and the triangles carry the uvs of the mesh")
{
    Sample sample;
    const Glb glb = written(sample, 5);
    const TriMesh& mesh = sample.info.bodies[0].surface;
    const Json& out = glb.json["meshes"][0];
    const Json& primitive = out["primitives"][0];
    const std::vector<std::int32_t> copies = out["extras"]["seam_copies_of"];
    CHECK(copies.size() == 12);  // one a ring of the tube
    const auto uvs = glb.floats(primitive["attributes"]["TEXCOORD_0"]);
    const auto corners = glb.indices(primitive["indices"]);
    REQUIRE(uvs.size() == 2 * (108 + copies.size()));
    REQUIRE(corners.size() == 3 * mesh.triangles.size());
    for (std::size_t c = 0; c < corners.size(); ++c) {
        const std::int32_t v = corners[c];
        CHECK((v < 108 ? v : copies[v - 108]) == mesh.triangles[c / 3][c % 3]);
        CHECK(uvs[2 * v] == mesh.corner_uvs[c / 3][c % 3].x);
        CHECK(uvs[2 * v + 1] == 1.0f - mesh.corner_uvs[c / 3][c % 3].y);
    }
    const Player player(glb, 0);
    for (std::size_t copy = 0; copy < copies.size(); ++copy) {
        CHECK(player.position(3, 108 + copy) == player.position(3, copies[copy]));
    }
}

TEST_CASE("bodies keep their names and colours, in linear light")
{
    Sample sample;
    sample.info.bodies[0].name = "b\xff\"r";  // neither UTF-8 nor tame
    const Glb glb = written(sample, 2);
    CHECK(glb.json["nodes"][1]["name"] == "cloud");
    CHECK(glb.json["meshes"][1]["name"] == "cloud");
    CHECK(glb.json["animations"].size() == 1);
    const auto factor = glb.json["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"].get<std::vector<float>>();
    CHECK(factor[0] == doctest::Approx(std::pow((0.85 + 0.055) / 1.055, 2.4)));
    CHECK(glb.json["materials"][1]["pbrMetallicRoughness"]["baseColorFactor"][0] == 1.0f);
    const auto colors = glb.floats(glb.json["meshes"][1]["primitives"][0]["attributes"]["COLOR_0"]);
    CHECK(colors[3 * 5] == doctest::Approx(std::pow((0.5 + 0.055) / 1.055, 2.4)));
}

TEST_CASE("positions state their exact range")
{
    Sample sample;
    const Glb glb = written(sample, 12);
    int checked = 0;
    for (const Json& mesh : glb.json["meshes"]) {
        const Json& primitive = mesh["primitives"][0];
        std::vector<int> accessors{primitive["attributes"]["POSITION"].get<int>()};
        for (const Json& target : primitive["targets"]) accessors.push_back(target["POSITION"]);
        for (const int a : accessors) {
            const auto values = glb.floats(a);
            for (int i = 0; i < 3; ++i, ++checked) {
                float low = values[i], high = values[i];
                for (std::size_t v = i; v < values.size(); v += 3) {
                    low = std::min(low, values[v]);
                    high = std::max(high, values[v]);
                }
                CHECK(glb.json["accessors"][a]["min"][i].get<float>() == low);
                CHECK(glb.json["accessors"][a]["max"][i].get<float>() == high);
            }
        }
    }
    CHECK(checked > 6);
}

TEST_CASE("obstacles are nodes of a glb: those on paths move along them, the others stay where they are")
{
    Sample sample;
    const PathKey keys[] = {{.time = 0, .move = {0, 0, 0}}, {.time = 0.5, .move = {1, 2, 3}, .turn = {0, 4, 0}}};
    ClipStage stage;
    stage.looks.resize(sample.info.bodies.size());
    stage.floors = {Plane{{0, -2, 0}, {0, 1, 0}}};
    stage.floor_paths.resize(1);
    stage.obstacles = {boundary_surface(make_bar({1, 1, 1}, {2, 2, 2}, {3, 0, 0})),
                       boundary_surface(make_bar({1, 1, 1}, {1, 1, 1}))};
    stage.obstacle_paths = {Path(keys, false, {}), Path()};
    sample.info.stage = stage;
    const Glb glb = written(sample, 30);
    const int bodies = int(sample.info.bodies.size());
    REQUIRE(glb.json["nodes"].size() == std::size_t(bodies) + 3);
    REQUIRE(glb.json["scenes"][0]["nodes"].size() == glb.json["nodes"].size());
    CHECK(glb.json["nodes"][bodies]["name"] == "floor 1");
    CHECK(glb.track(bodies, "translation").empty());
    CHECK(glb.track(bodies + 2, "rotation").empty());

    const auto vertices = [&](int node) {
        const Json& primitive = glb.json["meshes"][glb.json["nodes"][node]["mesh"].get<int>()]["primitives"][0];
        return glb.floats(primitive["attributes"]["POSITION"]);
    };
    const std::vector<float> floor = vertices(bodies), moving = vertices(bodies + 1);
    REQUIRE(floor.size() == 12);
    for (std::size_t k = 1; k < floor.size(); k += 3) CHECK(floor[k] == doctest::Approx(-2));
    CHECK(moving.size() == 3 * 6 * 9);  // sharp edges
    const std::vector<float> moves = glb.track(bodies + 1, "translation"), turns = glb.track(bodies + 1, "rotation");
    REQUIRE(moves.size() == 3 * 30);
    REQUIRE(turns.size() == 4 * 30);
    for (std::size_t k = 0; k < 30; ++k) {
        const Placement at = stage.obstacle_paths[0].at(sample.time(int(k)));
        const Quat q{turns[4 * k], turns[4 * k + 1], turns[4 * k + 2], turns[4 * k + 3]};
        const Vec3d p{3, 1, 0.5}, expected = at(p);
        CHECK(length(to_matrix(q) * p + Vec3d{moves[3 * k], moves[3 * k + 1], moves[3 * k + 2]} - expected) < 1e-5);
        if (k > 0) {
            double same = 0;
            for (std::size_t i = 0; i < 4; ++i) same += double(turns[4 * k + i]) * double(turns[4 * k - 4 + i]);
            CHECK(same > 0);  // no player goes the long way round
        }
    }
}

TEST_CASE("an obstacle whose vertices move is a node with shapes, where its animation and its path say")
{
    Sample sample;
    ClipStage stage;
    stage.looks.resize(sample.info.bodies.size());
    stage.obstacles = {boundary_surface(make_bar({1, 1, 1}, {2, 2, 2}))};
    auto animation = std::make_shared<MeshAnimation>();
    animation->rate = 1 / (8 * sample.info.frame_time);
    for (int k = 0; k < 4; ++k) {
        std::vector<Vec3>& frame = animation->frames.emplace_back();
        for (const Vec3d& p : stage.obstacles[0].vertices)
            frame.push_back({float(p.x), float(p.y * (1 + 0.2 * k)), float(p.z + 0.1 * k * p.y * p.y)});
    }
    stage.obstacle_animations = {animation};
    const PathKey keys[] = {{.time = 0}, {.time = 1, .move = {1, 2, 3}}};
    stage.obstacle_paths = {Path(keys, false, {})};
    sample.info.stage = stage;
    const Glb glb = written(sample, 24);
    const int node = int(sample.info.bodies.size());
    REQUIRE(glb.json["nodes"].size() == std::size_t(node) + 1);
    CHECK(glb.json["nodes"][node]["name"] == "obstacle 1");
    const Json& mesh = glb.json["meshes"][glb.json["nodes"][node]["mesh"].get<int>()];
    REQUIRE(mesh["primitives"][0].contains("targets"));
    const std::vector<float> moves = glb.track(node, "translation"), turns = glb.track(node, "rotation"),
                             weights = glb.track(node, "weights");
    REQUIRE(moves.size() == 3 * 24);
    const Json& primitive = mesh["primitives"][0];
    const std::vector<float> base = glb.floats(primitive["attributes"]["POSITION"]);
    std::vector<std::vector<float>> targets;
    for (const Json& target : primitive["targets"]) targets.push_back(glb.floats(target["POSITION"]));
    const double unit = glb.json["nodes"][node].value("scale", std::vector<double>{1, 1, 1})[0];
    const std::size_t count = stage.obstacles[0].vertices.size();
    for (std::size_t k = 0; k < 24; ++k) {
        std::vector<Vec3d> expected(count);
        animation->at(sample.time(int(k)), expected);
        const Quat q{turns[4 * k], turns[4 * k + 1], turns[4 * k + 2], turns[4 * k + 3]};
        for (std::size_t v = 0; v < count; ++v) {
            Vec3d p{base[3 * v], base[3 * v + 1], base[3 * v + 2]};
            for (std::size_t t = 0; t < targets.size(); ++t)
                for (int i = 0; i < 3; ++i)
                    p[i] += double(weights[targets.size() * k + t]) * double(targets[t][3 * v + std::size_t(i)]);
            const Vec3d there = to_matrix(q) * (p * unit) + Vec3d{moves[3 * k], moves[3 * k + 1], moves[3 * k + 2]};
            CHECK(length(there - stage.obstacle_paths[0].at(sample.time(int(k)))(expected[v])) < 0.01);
        }
    }
}
