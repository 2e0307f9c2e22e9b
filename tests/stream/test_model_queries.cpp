// Questions about volume models: surfaces, cuts and lattices are those of the tree, and what is wrong is said with its
// place.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "scratch.h"
#include "stream/queries/query.h"
#include "yawara/cvg.h"

using namespace yawara;
using namespace yawara::stream;

namespace {

/// A soft ball with a hard one beside its middle and a box taken away above: three stiffnesses, one of them nothing.
const char* const kTree = R"({"format": "yawara-cvg", "version": 1, "root": {"op": "difference", "args": [
    {"op": "union", "args": [
        {"prim": "sphere", "radius": 0.2, "stiffness": 1, "color": [0.1, 0.3, 0.9], "transform": {"translate": [0.1, 0, 0]}},
        {"prim": "sphere", "radius": 0.5, "stiffness": 0.3, "color": [1, 0.5, 0.1]}]},
    {"prim": "cube", "side": 1, "transform": {"translate": [0, 0.8, 0]}}]}})";

struct Desk {
    Scratch folder;
    Playback run;
    Snapshot snapshot;
    Mirror mirror;

    Desk()
        : run(LoadedScene::from_text(R"({"yawara": 1, "bodies": [{"name": "fruit", "solid": {"cell": 0.1, "volume": )" +
                                         std::string(kTree) + "}}]}",
                                     folder.path)
                  .value()),
          snapshot(take_snapshot(run, false))
    {
    }

    Result<Answer> ask(const char* about, Json query)
    {
        query["body"] = query.value("body", "fruit");
        REQUIRE(check_query(about, query));
        return find_query(about)->answer(query, snapshot, mirror);
    }
    Result<Answer> surface(const Json& model, bool fine = true, double from = 0)
    {
        return ask("model", {{"model", model}, {"fine", fine}, {"from", from}});
    }
    /// What is wrong with a model, in words with their place.
    std::string wrong(const Json& model)
    {
        const auto answer = surface(model);
        return answer ? "" : answer.error().message();
    }
};

Json model()
{
    return Json::parse(kTree);
}

Json with_root(const Json& root)
{
    return {{"format", "yawara-cvg"}, {"version", 1}, {"root", root}};
}

std::vector<float> floats(const Answer& answer, std::size_t array)
{
    return std::get<0>(std::get<BinaryAnswer>(answer).arrays[array]);
}

std::vector<std::uint32_t> indices(const Answer& answer, std::size_t array)
{
    return std::get<1>(std::get<BinaryAnswer>(answer).arrays[array]);
}

Vec3d point(const std::vector<float>& numbers, std::size_t k)
{
    return {double(numbers[3 * k]), double(numbers[3 * k + 1]), double(numbers[3 * k + 2])};
}

bool has(const std::string& text, const char* words)
{
    return text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("the surface of a model lies where the tree ends, closed, coloured as what is beneath it")
{
    Desk desk;
    const cvg::Tree tree = cvg::parse_tree(kTree, ".").value();
    for (const bool fine : {false, true}) {
        CAPTURE(fine);
        const auto answer = desk.surface(model(), fine).value();
        const std::vector<float> positions = floats(answer, 0), colors = floats(answer, 1),
                                 stiffness = floats(answer, 2);
        const std::vector<std::uint32_t> triangles = indices(answer, 3);
        const double voxel = double(floats(answer, 4)[0]);
        CHECK(voxel < (fine ? 0.012 : 0.034));
        REQUIRE(positions.size() == 3 * stiffness.size());
        REQUIRE(colors.size() == positions.size());
        REQUIRE(triangles.size() > (fine ? 30'000u : 3'000u));
        // Every point has the body on one side and nothing on the other, within two voxels; sharp edges are rounded.
        std::size_t off = 0;
        for (std::size_t k = 0; k < stiffness.size(); ++k) {
            const Vec3d p = point(positions, k);
            bool inside = false, outside = false;
            for (int c = 0; c < 27; ++c) {
                const Vec3d near = p + Vec3d{double(c % 3 - 1), double(c / 3 % 3 - 1), double(c / 9 - 1)} * (2 * voxel);
                (tree.at(near).opacity >= 0.5f ? inside : outside) = true;
            }
            off += !(inside && outside);
            CHECK(stiffness[k] == doctest::Approx(0.3));
            CHECK(colors[3 * k + 1] == doctest::Approx(0.5));
        }
        CHECK(off == 0);
        // Closed: every edge is passed once in each direction; and it encloses what the tree does.
        std::multiset<std::pair<std::uint32_t, std::uint32_t>> ways;
        double volume = 0;
        for (std::size_t t = 0; t < triangles.size(); t += 3) {
            for (std::size_t c = 0; c < 3; ++c) ways.emplace(triangles[t + c], triangles[t + (c + 1) % 3]);
            volume += dot(point(positions, triangles[t]),
                          cross(point(positions, triangles[t + 1]), point(positions, triangles[t + 2]))) /
                      6;
        }
        CHECK(std::ranges::all_of(ways, [&](const auto& way) {
            return ways.count({way.second, way.first}) == ways.count(way);
        }));
        std::size_t filled = 0;
        constexpr int kAcross = 100;
        for (int x = 0; x < kAcross; ++x)
            for (int y = 0; y < kAcross; ++y)
                for (int z = 0; z < kAcross; ++z)
                    filled += tree.at({(x + 0.5) / kAcross - 0.5, (y + 0.5) / kAcross - 0.5, (z + 0.5) / kAcross - 0.5})
                                  .opacity >= 0.5f;
        CHECK(volume == doctest::Approx(double(filled) / (kAcross * kAcross * kAcross)).epsilon(fine ? 0.01 : 0.03));
    }
}

TEST_CASE("only what is stiff is drawn, and a part that moves costs its own box with the same surface as anew")
{
    Desk desk;
    const auto hard = desk.surface(model(), true, 0.9).value();
    const std::vector<float> positions = floats(hard, 0);
    REQUIRE(!positions.empty());
    for (std::size_t k = 0; k < positions.size() / 3; ++k)
        CHECK(length(point(positions, k) - Vec3d{0.1, 0, 0}) == doctest::Approx(0.2).epsilon(0.06));

    Json moved = model();
    moved["root"]["args"][0]["args"][0]["transform"]["translate"] = {-0.1, 0, 0};
    const auto after = desk.surface(moved, true, 0.9).value();
    CHECK(floats(after, 4)[1] < 0.25f);
    CHECK(floats(after, 4)[1] > 0.01f);
    Desk fresh;
    const auto anew = fresh.surface(moved, true, 0.9).value();
    CHECK(floats(anew, 4)[1] == 1);
    CHECK(floats(after, 0) == floats(anew, 0));
    CHECK(indices(after, 3) == indices(anew, 3));
}

TEST_CASE("strips of a cut have the colour and stiffness that the tree has there, and fill what it fills")
{
    Desk desk;
    const cvg::Tree tree = cvg::parse_tree(kTree, ".").value();
    const Vec3d normal{0.2, 0.3, 1};
    const auto answer =
        desk.ask("model_cut", {{"model", model()}, {"point", {0, 0, 0.05}}, {"normal", {0.2, 0.3, 1}}, {"rows", 200}})
            .value();
    const std::vector<float> positions = floats(answer, 0), colors = floats(answer, 1), stiffness = floats(answer, 2);
    REQUIRE(stiffness.size() > 100);
    REQUIRE(positions.size() == 12 * stiffness.size());
    double area = 0, hard = 0;
    for (std::size_t k = 0; k < stiffness.size(); ++k) {
        Vec3d middle;
        for (std::size_t c = 0; c < 4; ++c) {
            const Vec3d p = point(positions, 4 * k + c);
            middle += p * 0.25;
            CHECK(std::abs(dot(p - Vec3d{0, 0, 0.05}, normal)) < 1e-6);
        }
        const cvg::Sample there = tree.at(middle);
        CHECK(there.opacity >= 0.5f);
        CHECK(stiffness[k] == there.stiffness);
        CHECK(colors[3 * k] == there.r);
        const double strip = length(cross(point(positions, 4 * k + 1) - point(positions, 4 * k),
                                          point(positions, 4 * k + 3) - point(positions, 4 * k)));
        area += strip;
        if (stiffness[k] == 1) hard += strip;
    }
    // A plane at a distance d from the middle of a ball cuts out a disc of pi (r^2 - d^2).
    const double far = std::abs(dot(Vec3d{0.1, 0, -0.05}, normal)) / length(normal);
    CHECK(hard == doctest::Approx(M_PI * (0.04 - far * far)).epsilon(0.01));
    CHECK(area < 0.9 * M_PI * 0.25);
    CHECK(area > 0.8 * M_PI * 0.25);  // without the part above y = 0.3
    const auto flat =
        desk.ask("model_cut", {{"model", model()}, {"point", {0, 0, 0}}, {"normal", {0, 0, 0}}, {"rows", 200}});
    REQUIRE(!flat);
    CHECK(flat.error().message() == "normal: has no length");
}

TEST_CASE("the lattice that is shown is the one that the body gets")
{
    Desk desk;
    const auto answer = desk.ask("model_lattice", {{"solid", {{"volume", model()}, {"cell", 0.1}}}}).value();
    const std::vector<float> positions = floats(answer, 0), stiffness = floats(answer, 1), numbers = floats(answer, 3);
    const std::vector<std::uint32_t> edges = indices(answer, 2);
    const std::span<const Vec3d> rest = desk.snapshot.bodies[0].model.rest_positions();
    REQUIRE(positions.size() == 3 * rest.size());
    CHECK(numbers[1] == float(rest.size()));
    for (std::size_t k = 0; k < rest.size(); ++k) CHECK(length(point(positions, k) - rest[k]) < 1e-6);
    const cvg::Volume volume = cvg::Volume::evaluate(cvg::parse_tree(kTree, ".").value(), 0.1 / 4).value();
    const std::vector<cvg::Sample> there = volume.sample(rest, 0.1);
    for (std::size_t k = 0; k < rest.size(); ++k) CHECK(stiffness[k] == doctest::Approx(there[k].stiffness));
    for (std::size_t e = 0; e < edges.size(); e += 2)
        CHECK(length(point(positions, edges[e]) - point(positions, edges[e + 1])) == doctest::Approx(0.1));

    const auto file = desk.ask("model_lattice", {{"solid", {{"volume", "peach.cvg.json"}, {"cell", 0.1}}}});
    REQUIRE(!file);
    CHECK(file.error().message() == "solid.volume: is a file: copy it into the document first");
    const auto none = desk.ask("model_lattice", {{"solid", {{"volume", model()}, {"cell", -1}}}});
    REQUIRE(!none);
    CHECK(none.error().where == "solid.cell");
}

TEST_CASE("a model of a file is told as it stands there, with the names of its own files from here")
{
    Desk desk;
    desk.folder.write(
        "parts/fruit.cvg.json",
        with_root(
            {{"op", "union"}, {"args", {{{"prim", "mesh"}, {"file", "tet.off"}}, {{"prim", "sphere"}, {"radius", 1}}}}})
            .dump());
    desk.folder.write("parts/tet.off", "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n");
    const Json told = std::get<Json>(desk.ask("model_file", {{"file", "parts/fruit.cvg.json"}}).value())["model"];
    CHECK(told["root"]["args"][0]["file"] == "parts/tet.off");
    CHECK(desk.surface(told));

    REQUIRE(
        cvg::Volume::evaluate(cvg::parse_tree(kTree, ".").value(), 0.05).value().save(desk.folder.path / "fruit.vdb"));
    const Json leaf = std::get<Json>(desk.ask("model_file", {{"file", "fruit.vdb"}}).value())["model"];
    CHECK(leaf["root"] == Json{{"prim", "volume"}, {"file", "fruit.vdb"}});
    const std::vector<float> positions = floats(desk.surface(leaf).value(), 0);
    float high = -1;
    for (std::size_t k = 1; k < positions.size(); k += 3) high = std::max(high, positions[k]);
    CHECK(high == doctest::Approx(0.3).epsilon(0.1));

    const auto wrong = [&](const char* name) {
        const auto answer = desk.ask("model_file", {{"file", name}});
        return answer ? std::string() : answer.error().message();
    };
    CHECK(wrong("none.cvg.json") == "none.cvg.json: no such file");
    CHECK(has(wrong("none.vdb"), "none.vdb: no such file"));
    desk.folder.write("broken.vdb", desk.folder.read("fruit.vdb").substr(0, 200));
    CHECK(has(wrong("broken.vdb"), "broken.vdb: "));
    desk.folder.write("bad.cvg.json", with_root({{"prim", "sphere"}, {"radius", -1}}).dump());
    CHECK(has(wrong("bad.cvg.json"), "root.radius"));
    desk.folder.write("text.cvg.json", "{");
    CHECK(has(wrong("text.cvg.json"), "text.cvg.json"));
    CHECK(desk.ask("model_file", {{"body", "nobody"}, {"file", "fruit.vdb"}}).error().message().find("nobody") !=
          std::string::npos);
}

TEST_CASE("what is wrong with a model is said at its node, and the next good one is shown")
{
    Desk desk;
    CHECK(has(desk.wrong(with_root(Json::object())), "model.root"));
    CHECK(has(desk.wrong(with_root({{"op", "union"}, {"args", Json::array()}})), "model.root.args"));
    CHECK(has(
        desk.wrong(with_root({{"op", "union"}, {"args", {{{"prim", "sphere"}, {"radius", 1}}, {{"prim", "blob"}}}}})),
        "model.root.args[1]"));
    CHECK(has(desk.wrong(with_root({{"prim", "sphere"}})), "model.root: a sphere needs \"radius\""));
    CHECK(has(desk.wrong(with_root({{"prim", "volume"}, {"file", "none.vdb"}})), "model.root.file: "));
    desk.folder.write("broken.vdb", "not a volume");
    CHECK(has(desk.wrong(with_root({{"prim", "volume"}, {"file", "broken.vdb"}})), "model.root.file: "));
    // The cube takes all of the ball away, inside of a union that has nothing else.
    const Json all{{"op", "difference"},
                   {"args", {{{"prim", "sphere"}, {"radius", 0.5}}, {{"prim", "cube"}, {"side", 2}}}}};
    CHECK(desk.wrong(with_root({{"op", "union"}, {"args", {all, all}}})) ==
          "model.root.args[0]: nothing is left of the body here");
    CHECK(desk.wrong(with_root({{"prim", "sphere"}, {"radius", 0.5}, {"opacity", 0}})) ==
          "model.root: nothing is left of the body here");
    const Json faint{{"prim", "sphere"}, {"radius", 0.5}, {"opacity", 0.3}};
    CHECK(has(desk.wrong(with_root(faint)), "model.root: is nowhere opaque enough"));
    CHECK(desk.wrong(with_root({{"op", "blend"}, {"args", {faint, faint}}})).empty());
    CHECK(has(desk.wrong(with_root({{"prim", "sphere"}, {"radius", 0.5}, {"transform", {{"translate", {1e9, 0, 0}}}}})),
              "model.root: is too far"));
    const auto nobody = desk.ask("model", {{"body", "nobody"}, {"model", model()}, {"fine", true}, {"from", 0}});
    CHECK(!nobody);
    CHECK(desk.wrong(model()).empty());
}
