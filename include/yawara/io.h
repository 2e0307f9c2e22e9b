// Files: meshes in and out, arrays, and clips (recorded motion) in every format people use.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yawara/clip.h"
#include "yawara/core.h"
#include "yawara/mesh.h"
#include "yawara/skin.h"

namespace yawara {

// ---- meshes --------------------------------------------------------------------------------------------------------

/// What can be done with mesh files of one ending. The formats are the rows of one table, src/io/mesh_formats.cpp.
struct MeshFormat {
    std::string_view ending;         ///< lower case, with its dot: ".obj"
    std::string_view partner;        ///< ending of the second file that such a mesh consists of; empty: none
    bool loads_surface, loads_tets;  ///< by load_tri_mesh(), by load_tet_mesh()
    bool saves_surface, saves_tets;  ///< by save_tri_mesh(), by save_tet_mesh()
};
std::span<const MeshFormat> mesh_formats();
/// The format that the ending of a file's name says, in small or capital letters; null: it is not that of a mesh.
const MeshFormat* mesh_format(const std::filesystem::path& file);
/// Endings for messages and help, e.g. ".obj, .off, .ply, .stl" for &MeshFormat::saves_surface.
std::string mesh_endings(bool MeshFormat::*use);

/// OBJ, OFF, PLY, STL, glTF, GLB. Vertex order is kept; polygons are cut into triangles.
Result<TriMesh> load_tri_mesh(const std::filesystem::path& path);
/// Materials, textures and normal maps of the same file, if it is an OBJ with its MTL, a glTF or a GLB; null: it has
/// none. Pictures that cannot be read are left out, with a warning.
Result<std::shared_ptr<const Skin>> load_skin(const std::filesystem::path& path);
/// What a PNG or JPEG shows. Refuses others, damaged ones, and those of more than 8192 pixels a side.
Result<Image> decode_image(std::string_view bytes);
/// Gmsh .msh (1, 2.2, 4.1), TetGen .node/.ele, VTK .vtk/.vtu, Medit .mesh, Vega .veg, .tet. As in the file: see
/// repair().
Result<TetMesh> load_tet_mesh(const std::filesystem::path& path);
/// Only the vertices of such a file, in its order: of TetGen, the .node is enough.
Result<std::vector<Vec3d>> load_tet_vertices(const std::filesystem::path& path);
/// True if the file is, by its name and a look inside, a volume mesh.
bool is_tet_mesh_file(const std::filesystem::path& path);

/// OBJ, OFF, PLY, STL by the ending.
Status save_tri_mesh(const std::filesystem::path& path, const TriMesh& mesh);
/// .msh (4.1), .node/.ele, .vtu, .mesh by the ending.
Status save_tet_mesh(const std::filesystem::path& path, const TetMesh& mesh);

// ---- arrays --------------------------------------------------------------------------------------------------------

/// A NumPy array of float32, float64 or int32 read from .npy, as doubles, row-major.
struct Array {
    std::vector<std::size_t> shape;
    std::vector<double> values;
};
Result<Array> load_npy(const std::filesystem::path& path);
Status save_npy(const std::filesystem::path& path, std::span<const std::size_t> shape, std::span<const float> values);
Status save_npy(const std::filesystem::path& path, std::span<const std::size_t> shape, std::span<const double> values);
Status save_npy(const std::filesystem::path& path, std::span<const std::size_t> shape,
                std::span<const std::int32_t> values);

// ---- clips ---------------------------------------------------------------------------------------------------------

struct ClipOptions {
    double fps = 0.0;         ///< frames a second that are written, in between those that come; 0: all as they come
    double tolerance = 1e-3;  ///< glb, the only format that loses anything: largest error of any vertex in any frame, a part of the size of its body
    bool meshopt = false;     ///< glb: compress with EXT_meshopt_compression, which browsers read and Blender 3.4 does not
};
/// Formats: npy, ywc (our cache), glb, pc2, mdd, obj, ply, vtu. `out` is a folder, or a file for ywc and glb.
Result<std::unique_ptr<ClipWriter>> make_clip_writer(std::string_view format, const std::filesystem::path& out,
                                                     const ClipInfo& info, const ClipOptions& options = {});
std::span<const std::string_view> clip_formats();

/// Several clips of one motion. Those that refuse a change of a body's mesh end there; the others go on.
class ClipWriters final : public ClipWriter {
public:
    void add(std::unique_ptr<ClipWriter> writer) { writers_.push_back({std::move(writer), true}); }
    Status frame(double time, std::span<const ClipFrame> bodies) override;
    Status change(std::size_t body, const ClipBody& now) override;
    Status finish() override;                                ///< all of them; the first error
    std::vector<std::string> notes() const override;         ///< each sentence once
    std::span<const Error> ended() const { return ended_; }  ///< why clips ended before the motion did

private:
    struct Writer {
        std::unique_ptr<ClipWriter> writer;
        bool goes_on;
    };
    std::vector<Writer> writers_;
    std::vector<Error> ended_;
};

/// Whether a .ywc is without its end: the program that wrote it was killed, or the rest was lost. The frames that are
/// whole can be read.
bool is_cut_off(const std::filesystem::path& path);

/// Reads a .ywc cache; frames in any order.
class ClipReader {
public:
    static Result<ClipReader> open(const std::filesystem::path& path);
    ~ClipReader();
    ClipReader(ClipReader&&) noexcept;
    ClipReader& operator=(ClipReader&&) noexcept;

    const ClipInfo& info() const;  ///< `frames` is what the file really holds
    /// Reads frame k; the spans are valid until the next call.
    Result<std::span<const ClipFrame>> frame(std::size_t k);
    double time(std::size_t k) const;
    /// Bodies that have another mesh from a frame on, in the order of the frames.
    struct Change {
        std::size_t frame = 0, body = 0;
    };
    std::span<const Change> changes() const;
    /// A body as it is in frame k: the same object for as long as it does not change.
    Result<std::shared_ptr<const ClipBody>> body(std::size_t body, std::size_t k);

private:
    struct Data;
    explicit ClipReader(std::unique_ptr<Data> data);
    std::unique_ptr<Data> data_;
};

}  // namespace yawara
