// Files of every format, and hundreds of damaged ones made from each by fixed rules: loading one gives a valid mesh or
// an error with place and reason, and never anything else.
#include <random>

#include "io/mesh_files.h"

using namespace mesh_files;

namespace {

struct Sample {
    std::string name;  ///< the ending chooses the reader
    std::string content;
    std::string partner;  ///< the untouched other file of a pair, if any
    std::string partner_content;
};

std::vector<Sample> surfaces()
{
    TempFolder folder;
    std::vector<Sample> samples;
    for (const char* name : {"cube.obj", "cube.off", "cube.ply", "cube.stl"}) {
        REQUIRE(save_tri_mesh(folder / name, cube()));
        samples.push_back({name, bytes_of(folder / name), "", ""});
    }
    samples.push_back({"quads.obj",
                       "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0.4 0.4 0\nv 0 1 1\nvt 0 1\nvn 0 0 1\nf 1/1/1 2/1/1 3/1/1 4/1/1 "
                       "5/1/1\nf -1//1 -2//1 \\\n-3//1\n",
                       "", ""});
    samples.push_back({"ascii.ply",
                       "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float "
                       "z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n"
                       "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0 255 0 0\n1 0 0 0 0 "
                       "0\n1 1 0 0 0 0\n0 1 0 0 0 0\n4 0 1 2 3\n",
                       "", ""});
    samples.push_back({"ascii.stl",
                       "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 "
                       "0\nendloop\nendfacet\nendsolid s\n",
                       "", ""});
    samples.push_back({"square.gltf", gltf(data_uri(square_buffer()), ", \"translation\": [1, 2, 3]"), "", ""});
    samples.push_back({"square.glb", glb(gltf(""), square_buffer()), "", ""});
    samples.push_back({"beside.gltf", gltf("square.bin"), "square.bin", square_buffer()});
    samples.push_back(
        {"sparse.gltf",
         gltf(data_uri(square_buffer()), "", "\"mode\": 5", ", \"extras\": {\"a\": [1, 2, {\"b\": null}]}"), "", ""});
    return samples;
}

std::vector<Sample> volumes()
{
    TempFolder folder;
    std::vector<Sample> samples;
    for (const char* name : {"bar.msh", "bar.mesh", "bar.vtu"}) {
        REQUIRE(save_tet_mesh(folder / name, bar()));
        samples.push_back({name, bytes_of(folder / name), "", ""});
    }
    REQUIRE(save_tet_mesh(folder / "bar.node", bar()));
    samples.push_back({"bar.node", bytes_of(folder / "bar.node"), "bar.ele", bytes_of(folder / "bar.ele")});
    samples.push_back({"bar.ele", bytes_of(folder / "bar.ele"), "bar.node", bytes_of(folder / "bar.node")});
    samples.push_back({"one.msh", msh1(bar()), "", ""});
    samples.push_back({"two.msh", msh2(bar(), false), "", ""});
    samples.push_back({"two-bytes.msh", msh2(bar(), true), "", ""});
    samples.push_back({"four-bytes.msh", msh4_binary(bar(), std::endian::big), "", ""});
    samples.push_back({"four-0.msh", msh4_binary(bar(), std::endian::little, true), "", ""});
    for (const bool binary : {false, true}) {
        for (const bool version_5 : {false, true})
            samples.push_back({"legacy.vtk", vtk(bar(), binary, version_5), "", ""});
    }
    for (const VtuData kind : {VtuData::inline_base64, VtuData::appended_raw, VtuData::appended_base64}) {
        for (const bool compressed : {false, true})
            samples.push_back({"grid.vtu", vtu(bar(), kind, compressed), "", ""});
    }
    samples.push_back({"bar.veg", vega(bar()), "", ""});
    return samples;
}

std::vector<Sample> arrays()
{
    TempFolder folder;
    const std::vector<float> values = {1, 2, 3, 4, 5, 6};
    REQUIRE(save_npy(folder / "a.npy", std::vector<std::size_t>{3, 2}, std::span<const float>(values)));
    std::string fortran = bytes_of(folder / "a.npy");
    fortran.replace(fortran.find("False"), 5, "True ");
    return {{"a.npy", bytes_of(folder / "a.npy"), "", ""}, {"f.npy", fortran, "", ""}};
}

// ---- damage
// ------------------------------------------------------------------------------------------------------------------

/// Same numbers on every machine and library: only the raw engine is used.
class Dice {
public:
    explicit Dice(std::uint32_t seed) : engine_(seed) {}
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_()) % n; }

private:
    std::mt19937 engine_;
};

std::vector<std::string> damaged(const std::string& good, std::uint32_t seed)
{
    Dice dice(seed);
    std::vector<std::string> files;
    files.push_back("");
    for (std::size_t k = 1; k < 40; ++k) files.push_back(good.substr(0, good.size() * k / 40));
    for (std::size_t cut = 1; cut <= 12 && cut < good.size(); ++cut) files.push_back(good.substr(0, good.size() - cut));
    for (int k = 0; k < 60; ++k) {  // a flipped bit, or a few other bytes
        std::string file = good;
        const std::size_t changes = k < 30 ? 1 : 1 + dice.below(8);
        for (std::size_t c = 0; c < changes; ++c) {
            char& byte = file[dice.below(file.size())];
            byte = k % 2 == 0 ? static_cast<char>(byte ^ (1 << dice.below(8))) : static_cast<char>(dice.below(256));
        }
        files.push_back(file);
    }
    static const char* const kNumbers[] = {"nan",
                                           "inf",
                                           "-inf",
                                           "1e999",
                                           "-1",
                                           "0",
                                           "99999999999999999999",
                                           "2147483648",
                                           "4294967295",
                                           "18446744073709551615",
                                           "1e18",
                                           "-9223372036854775808",
                                           "0x10",
                                           "",
                                           "abc",
                                           "1.5",
                                           "3.",
                                           "1e-999",
                                           "100000000",
                                           "-2147483648"};
    std::vector<std::pair<std::size_t, std::size_t>> numbers;  // start and length of the runs of digits
    for (std::size_t i = 0; i < good.size();) {
        std::size_t end = i;
        while (end < good.size() && std::string_view("0123456789.-+e").find(good[end]) != std::string_view::npos) ++end;
        if (end > i) numbers.emplace_back(i, end - i);
        i = end + 1;
    }
    for (int k = 0; k < 100 && !numbers.empty(); ++k) {  // early numbers are counts: half of the changes go there
        const std::size_t some = k % 2 == 0 ? std::min<std::size_t>(numbers.size(), 24) : numbers.size();
        const auto [start, length] = numbers[dice.below(some)];
        files.push_back(std::string(good).replace(start, length, kNumbers[dice.below(std::size(kNumbers))]));
    }
    for (int k = 0; k < 24; ++k) {  // a piece taken out, doubled, or replaced by extreme bytes
        const std::size_t start = dice.below(good.size()), length = 1 + dice.below(40);
        std::string file = good;
        if (k % 4 == 0) file.erase(start, length);
        if (k % 4 == 1) file.insert(start, good.substr(start, length));
        if (k % 4 == 2) file.replace(start, length, std::string(std::min(length, good.size() - start), '\xFF'));
        if (k % 4 == 3) file.replace(start, length, std::string(std::min(length, good.size() - start), '\x7F'));
        files.push_back(file);
    }
    std::string noise(1000, '\0');
    for (char& byte : noise) byte = static_cast<char>(dice.below(256));
    files.push_back(noise);
    files.push_back(good.substr(0, std::min<std::size_t>(good.size(), 20)) + noise);
    files.push_back(good + noise);
    files.push_back(good + good);
    files.push_back(std::string(5000, '\n'));
    files.push_back(std::string(5000, '\0'));
    files.push_back(std::string(100000, '['));
    files.push_back(std::string(100000, '9'));
    return files;
}

// ---- what may come out
// ---------------------------------------------------------------------------------------------------------

template <std::size_t N>
bool elements_fit(const std::vector<std::array<std::int32_t, N>>& elements, std::size_t vertices)
{
    return !elements.empty() && std::ranges::all_of(elements, [&](const auto& element) {
        return std::ranges::all_of(element,
                                   [&](std::int32_t v) { return v >= 0 && static_cast<std::size_t>(v) < vertices; });
    });
}

bool all_finite(const std::vector<Vec3d>& vertices)
{
    return std::ranges::all_of(vertices, [](const Vec3d& v) { return is_finite(v); });
}

bool is_valid(const TriMesh& mesh)
{
    return all_finite(mesh.vertices) && elements_fit(mesh.triangles, mesh.vertices.size()) &&
           (mesh.corner_uvs.empty() || mesh.corner_uvs.size() == mesh.triangles.size()) &&
           (mesh.colors.empty() || mesh.colors.size() == mesh.vertices.size());
}

bool is_valid(const TetMesh& mesh)
{
    return all_finite(mesh.vertices) && elements_fit(mesh.tets, mesh.vertices.size()) &&
           (mesh.materials.empty() || mesh.materials.size() == mesh.tets.size());
}

bool is_valid(const Array& array)
{
    std::size_t count = 1;
    for (const std::size_t extent : array.shape) count *= extent;
    return count == array.values.size();
}

template <class T>
bool is_valid_or_explained(const Result<T>& result)
{
    if (result) return is_valid(*result);
    return !result.error().where.empty() && !result.error().what.empty();
}

struct Outcome {
    int accepted = 0, refused = 0;
};

template <class Load>
Outcome load_damaged(const std::vector<Sample>& samples, Load&& load)
{
    Outcome outcome;
    TempFolder folder;
    std::uint32_t seed = 1;
    for (const Sample& sample : samples) {
        if (!sample.partner.empty()) put_bytes(folder / sample.partner, sample.partner_content);
        put_bytes(folder / sample.name, sample.content);
        const auto good = load(folder / sample.name);
        CAPTURE(sample.name);
        REQUIRE(good);
        REQUIRE(is_valid(*good));
        int number = 0;
        for (const std::string& content : damaged(sample.content, seed++)) {
            put_bytes(folder / sample.name, content);
            const auto result = load(folder / sample.name);
            if (!is_valid_or_explained(result)) {
                CAPTURE(number);
                CAPTURE(content.substr(0, 2000));
                CHECK(is_valid_or_explained(result));
            }
            ++(result ? outcome.accepted : outcome.refused);
            ++number;
        }
    }
    const int tried = outcome.accepted + outcome.refused;
    MESSAGE(tried, " damaged files: ", outcome.accepted, " still valid, ", outcome.refused, " refused");
    return outcome;
}

}  // namespace

TEST_CASE("a damaged surface file gives a valid mesh or an error with place and reason")
{
    const Outcome outcome =
        load_damaged(surfaces(), [](const std::filesystem::path& path) { return load_tri_mesh(path); });
    CHECK(outcome.refused > outcome.accepted);
}

TEST_CASE("a damaged volume file gives a valid mesh or an error with place and reason")
{
    const Outcome outcome = load_damaged(volumes(), [](const std::filesystem::path& path) {
        is_tet_mesh_file(path);
        (void)load_tet_vertices(path);
        return load_tet_mesh(path);
    });
    CHECK(outcome.refused > outcome.accepted);
}

TEST_CASE("a damaged array file gives a whole array or an error with place and reason")
{
    const Outcome outcome = load_damaged(arrays(), [](const std::filesystem::path& path) { return load_npy(path); });
    CHECK(outcome.refused > outcome.accepted);
}

TEST_CASE("a file of one format under the name of another is refused with place and reason")
{
    TempFolder folder;
    std::vector<Sample> samples = surfaces();
    for (const Sample& sample : volumes()) samples.push_back(sample);
    for (const Sample& sample : arrays()) samples.push_back(sample);
    for (const Sample& sample : samples) {
        const std::string own = std::filesystem::path(sample.name).extension().string();
        std::vector<std::string> endings{".npy"};
        for (const MeshFormat& format : mesh_formats()) endings.emplace_back(format.ending);
        for (const std::string& ending : endings) {
            const bool pair = own == ".node" || own == ".ele";
            const bool twins = (own == ".gltf" || own == ".glb") && ending.starts_with(".gl");
            if (own == ending || twins || (pair && (ending == ".node" || ending == ".ele"))) continue;
            const std::filesystem::path path = folder / ("wrong" + ending);
            put_bytes(path, sample.content);
            CAPTURE(sample.name);
            CAPTURE(ending);
            CHECK(is_valid_or_explained(load_tri_mesh(path)));
            CHECK(is_valid_or_explained(load_tet_mesh(path)));
            CHECK(is_valid_or_explained(load_npy(path)));
            CHECK_FALSE((load_tri_mesh(path) || load_tet_mesh(path)));
        }
    }
}
