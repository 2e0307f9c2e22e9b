// glTF and GLB: scenes, accessors of all kinds, and documents that mean harm.
#include "io/mesh_files.h"

using namespace mesh_files;

namespace {

const std::vector<Vec3d> kSquare = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};

TriMesh load_document(const std::string& json)
{
    return load_tri_text("a.gltf", json);
}

// Refused for a reason with this word; the place starts with the file's name.
void check_document_refused(const std::string& json, const std::string& place, const std::string& word)
{
    TempFolder folder;
    put_bytes(folder / "a.gltf", json);
    const Result<TriMesh> mesh = load_tri_mesh(folder / "a.gltf");
    REQUIRE_FALSE(mesh);
    CAPTURE(mesh.error().message());
    CHECK(mesh.error().where == (folder / "a.gltf").string() + place);
    CHECK(mesh.error().what.find(word) != std::string::npos);
}

std::string replaced(std::string text, const std::string& old, const std::string& with)
{
    const std::size_t at = text.find(old);
    REQUIRE(at != std::string::npos);
    return text.replace(at, old.size(), with);
}

}  // namespace

TEST_CASE("a buffer inside the document, beside it, or in a GLB gives the same mesh")
{
    TempFolder folder;
    put_bytes(folder / "square data.bin", square_buffer());
    put_bytes(folder / "beside.gltf", gltf("square%20data.bin"));
    put_bytes(folder / "inside.gltf", gltf(data_uri(square_buffer())));
    put_bytes(folder / "packed.glb", glb(gltf(""), square_buffer()));
    for (const char* name : {"beside.gltf", "inside.gltf", "packed.glb"}) {
        CAPTURE(name);
        const TriMesh mesh = load_tri_mesh(folder / name).value();
        CHECK(mesh.vertices == kSquare);
        CHECK(mesh.triangles == std::vector<Int3>{{0, 1, 2}, {0, 2, 3}});
        CHECK(mesh.corner_uvs.empty());
    }
}

TEST_CASE("a buffer outside of the document's folder is not read, by path, by link or by absolute name")
{
    TempFolder folder;
    std::filesystem::create_directories(folder / "scene");
    put_bytes(folder / "secret.bin", square_buffer());
    std::filesystem::create_symlink(folder / "secret.bin", folder / "scene/link.bin");
    for (const std::string& uri :
         {std::string("../secret.bin"), std::string("%2e%2e/secret.bin"), (folder / "secret.bin").string(),
          std::string("link.bin"), "file://" + (folder / "secret.bin").string(), std::string("x/../../secret.bin")}) {
        CAPTURE(uri);
        put_bytes(folder / "scene/a.gltf", gltf(uri));
        const Result<TriMesh> mesh = load_tri_mesh(folder / "scene/a.gltf");
        REQUIRE_FALSE(mesh);
        CHECK(mesh.error().what.find("File not found") != std::string::npos);
    }
}

TEST_CASE("nodes move, turn, scale and mirror what hangs below them")
{
    const std::string buffer = data_uri(square_buffer());
    const TriMesh moved = load_document(gltf(
        buffer,
        R"(, "translation": [10, 0, 0], "rotation": [0, 0, 0.70710678118654752, 0.70710678118654752], "scale": [2, 3, 1])"));
    const std::vector<Vec3d> expected = {{10, 0, 0}, {10, 2, 0}, {7, 2, 0}, {7, 0, 0}};
    for (std::size_t i = 0; i < 4; ++i) CHECK(length(moved.vertices[i] - expected[i]) < 1e-12);

    const TriMesh mirrored = load_document(gltf(buffer, R"(, "matrix": [-1,0,0,0, 0,1,0,0, 0,0,1,0, 5,6,7,1])"));
    CHECK(mirrored.vertices[1] == Vec3d{4, 6, 7});
    CHECK(mirrored.triangles == std::vector<Int3>{{0, 2, 1}, {0, 3, 2}});

    // Parent and child: the child's place is turned by the parent; a second child shows the mesh again.
    std::string tree = gltf(buffer);
    tree = replaced(
        tree, R"("nodes": [{"mesh": 0}])",
        R"("nodes": [{"scale": [2, 2, 2], "children": [1, 2]}, {"mesh": 0, "translation": [1, 0, 0]}, {"mesh": 0}])");
    const TriMesh two = load_document(tree);
    CHECK(two.vertices.size() == 8);
    CHECK(two.triangles.size() == 4);
    CHECK(two.vertices[1] == Vec3d{4, 0, 0});
    CHECK(two.vertices[5] == Vec3d{2, 0, 0});
    CHECK(two.triangles[2] == Int3{4, 5, 6});
}

TEST_CASE("only the default scene is read")
{
    std::string json = gltf(data_uri(square_buffer()));
    json = replaced(json, R"("scenes": [{"nodes": [0]}])", R"("scenes": [{"nodes": [0, 1]}, {"nodes": [1]}])");
    json = replaced(json, R"("nodes": [{"mesh": 0}])", R"("nodes": [{"mesh": 0}, {"mesh": 0}])");
    CHECK(load_document(json).vertices.size() == 8);
    CHECK(load_document(replaced(json, "\"scene\": 0", "\"scene\": 1")).vertices.size() == 4);
}

TEST_CASE("strips, fans, missing indices and sparse positions are understood")
{
    const std::string buffer = data_uri(square_buffer());
    CHECK(load_document(gltf(buffer, "", "\"mode\": 6")).triangles == std::vector<Int3>{{0, 1, 2}, {0, 2, 3}});
    CHECK(load_document(gltf(buffer, "", "\"mode\": 5")).triangles == std::vector<Int3>{{0, 1, 2}, {2, 1, 3}});

    // Vertex 2 is replaced by vertex 1 (bytes 12..23), by a sparse list whose one index is the byte 50 (= 2).
    std::string sparse = gltf(buffer, "", "\"mode\": 6");
    sparse = replaced(
        sparse, R"("count": 4, "type": "VEC3")",
        R"("count": 4, "type": "VEC3", "sparse": {"count": 1, "indices": {"bufferView": 1, "byteOffset": 2, "componentType": 5121}, "values": {"bufferView": 0, "byteOffset": 12}})");
    CHECK(load_document(sparse).vertices == std::vector<Vec3d>{{0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {0, 1, 0}});
}

TEST_CASE("indices of 8, 16 and 32 bits, texture coordinates and colours, packed or strided, are understood")
{
    for (const int type : {5121, 5123, 5125}) {
        Bytes b;
        for (int v = 0; v < 3; ++v) {  // position, colour as 16 bits, texture as 8 bits: 24 bytes each
            b.add(v * 1.0f).add(v * v * 1.0f).add(0.0f);
            for (const int c : {65535 * (v == 0), 65535 * (v == 1), 13107, 0}) b.add(static_cast<std::uint16_t>(c));
            for (const int c : {255 * (v == 1), 255 * (v == 2), 0, 0}) b.add(static_cast<std::uint8_t>(c));
        }
        for (const int i : {2, 0, 1}) {
            if (type == 5121) b.add(static_cast<std::uint8_t>(i));
            if (type == 5123) b.add(static_cast<std::uint16_t>(i));
            if (type == 5125) b.add(static_cast<std::uint32_t>(i));
        }
        const std::string size = std::to_string(b.out.size()), rest = std::to_string(b.out.size() - 72);
        const TriMesh mesh = load_document(R"({"asset": {"version": "2.0"}, "nodes": [{"mesh": 0}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "COLOR_0": 1, "TEXCOORD_0": 2}, "indices": 3}]}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
                          {"bufferView": 0, "byteOffset": 12, "componentType": 5123, "normalized": true, "count": 3, "type": "VEC4"},
                          {"bufferView": 0, "byteOffset": 20, "componentType": 5121, "normalized": true, "count": 3, "type": "VEC2"},
                          {"bufferView": 1, "componentType": )" +
                                           std::to_string(type) + R"(, "count": 3, "type": "SCALAR"}],
            "bufferViews": [{"buffer": 0, "byteLength": 72, "byteStride": 24}, {"buffer": 0, "byteOffset": 72, "byteLength": )" +
                                           rest + R"(}],
            "buffers": [{"byteLength": )" + size +
                                           ", \"uri\": \"" + data_uri(b.out) + "\"}]}");
        CHECK(mesh.vertices == std::vector<Vec3d>{{0, 0, 0}, {1, 1, 0}, {2, 4, 0}});
        CHECK(mesh.triangles == std::vector<Int3>{{2, 0, 1}});
        // glTF has linear light, we have sRGB.
        REQUIRE(mesh.colors.size() == 3);
        for (std::size_t v = 0; v < 3; ++v) {
            CHECK(mesh.colors[v].x == (v == 0 ? 1 : 0));
            CHECK(mesh.colors[v].y == (v == 1 ? 1 : 0));
            CHECK(mesh.colors[v].z == doctest::Approx(0.4845).epsilon(0.001));
        }
        REQUIRE(mesh.corner_uvs.size() == 1);
        CHECK(mesh.corner_uvs[0] == std::array<Vec2, 3>{Vec2{0, 0}, Vec2{0, 1}, Vec2{1, 1}});  // v upwards, as in OBJ
    }
}

TEST_CASE("mistakes in a glTF are told with their place in the document")
{
    const std::string good = gltf(data_uri(square_buffer()));
    check_document_refused("", "", "too short");
    check_document_refused("{\"asset\": ]", "", "its JSON is broken at line 1, column 11");
    check_document_refused("[1, 2, 3]", "", "object");
    check_document_refused(R"({"asset": {"version": "2.0"}})", "", "no triangles");
    check_document_refused(replaced(good, "\"count\": 4", "\"count\": 5"), ": accessors[0]",
                           "the buffer view has only 48");
    check_document_refused(replaced(good, "\"count\": 4", "\"count\": 4611686018427387904"), ": accessors[0]",
                           "the buffer view has only 48");
    check_document_refused(replaced(good, "\"count\": 4", "\"count\": 3"), ": meshes[0].primitives[0].indices",
                           "vertex 3 of 3");
    check_document_refused(replaced(good, "\"byteLength\": 48", "\"byteLength\": 48000"), ": bufferViews[0]",
                           "the buffer has only 56");
    check_document_refused(replaced(good, "\"byteLength\": 56", "\"byteLength\": 55"), "", "decode");
    check_document_refused(replaced(good, "\"POSITION\": 0", "\"POSITION\": 9"),
                           ": meshes[0].primitives[0].attributes.POSITION", "found 9");
    check_document_refused(replaced(good, "\"POSITION\": 0", "\"NORMAL\": 0"), ": meshes[0].primitives[0]", "POSITION");
    check_document_refused(replaced(good, "\"mesh\": 0", "\"mesh\": 7"), ": a node's mesh", "found 7");
    check_document_refused(replaced(good, "\"scene\": 0", "\"scene\": 3"), ": scene", "found 3");
    check_document_refused(replaced(good, "\"mesh\": 0", "\"children\": [0]"), ": nodes[0]", "reached twice");
    check_document_refused(replaced(good, "5121", "5130"), ": accessors[1].componentType", "5130");
    check_document_refused(
        gltf(data_uri(square_buffer()), ", \"scale\": [1e308, 1e308, 1e308]", "\"mode\": 4, \"indices\": 1"),
        ": byte 0", "1e+308");
    std::string nan = square_buffer();
    nan.replace(0, 4, "\xFF\xFF\xFF\xFF");
    check_document_refused(gltf(data_uri(nan)), ": meshes[0].primitives[0].attributes.POSITION", "finite");
    check_document_refused(gltf("missing.bin"), "", "missing.bin");
}

TEST_CASE("a glTF with 100,000 nested arrays is refused and does not exhaust the stack")
{
    const std::string deep = std::string(100000, '[') + std::string(100000, ']');
    check_document_refused(gltf(data_uri(square_buffer()), "", "\"indices\": 1", ", \"extras\": " + deep), ":7",
                           "nested");
    check_document_refused(std::string(100000, '['), ":1", "nested");
    TempFolder folder;
    put_bytes(folder / "a.glb", glb("{\"extras\": " + deep + "}", square_buffer()));
    CHECK(load_tri_mesh(folder / "a.glb").error().what.find("nested") != std::string::npos);
}
