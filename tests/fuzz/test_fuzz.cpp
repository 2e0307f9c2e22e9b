// Files of every format, and hundreds of damaged ones made from each by fixed rules: loading one gives a valid mesh or
// an error with place and reason, and never anything else.
#include "damage.h"
#include "io/mesh_files.h"
#include "yawara/volume_image.h"

using namespace mesh_files;
using fuzz::damaged;

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
    for (const TetDialect dialect : {TetDialect::words, TetDialect::header, TetDialect::letters})
        samples.push_back({"bar.tet", tet_file(bar(), dialect), "", ""});
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

bool is_valid(const VolumeImage& image)
{
    return image.values.size() == image.size[0] * image.size[1] * image.size[2] &&
           std::ranges::all_of(image.values, [](float value) { return std::isfinite(value); });
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

TEST_CASE("a damaged volume image gives a whole image or an error with place and reason")
{
    std::string numbers;
    for (int k = 0; k < 24; ++k) numbers += static_cast<char>(k % 3);
    std::string inr = "#INRIMAGE-4#{\nXDIM=4\nYDIM=3\nZDIM=2\nVDIM=1\nTYPE=unsigned fixed\nPIXSIZE=8 bits\nVX=0.5\n";
    inr.resize(252, '\n');
    const std::string text = "0 1 2 0 1 2 0 1 2 0 1 2 0 1 2 0 1 2 0 1 2 0 1 2\n";
    const std::vector<Sample> images = {
        {"a.inr", inr + "##}\n" + numbers, "", ""},
        {"a.nrrd", "NRRD0004\ntype: uchar\ndimension: 3\nsizes: 4 3 2\nspacings: 1 1 2\nencoding: raw\n\n" + numbers,
         "", ""},
        {"b.nrrd", "NRRD0004\ntype: short\ndimension: 3\nsizes: 4 3 2\nencoding: ascii\n\n" + text, "", ""},
        {"a.mhd",
         "NDims = 3\nDimSize = 4 3 2\nElementType = MET_UCHAR\nElementSpacing = 1 1 1\nElementDataFile = a.raw\n",
         "a.raw", numbers}};
    const Outcome outcome =
        load_damaged(images, [](const std::filesystem::path& path) { return load_volume_image(path); });
    CHECK(outcome.refused > 100);
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
