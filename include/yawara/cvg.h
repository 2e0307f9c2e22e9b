// Constructive volume geometry [CVG]: solids with colour and stiffness inside, combined from simple ones, evaluated
// into sparse volumes (OpenVDB, hidden), turned into lattices, surfaces and tet meshes.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "yawara/field.h"
#include "yawara/solid.h"

namespace yawara::cvg {

/// The fields of a spatial object at a point, all in [0, 1]. Outside a base shape all are 0.
struct Sample {
    float opacity = 0, r = 0, g = 0, b = 0, stiffness = 0;
    friend constexpr bool operator==(const Sample&, const Sample&) = default;
};

enum class Operator { unite, intersect, subtract, blend, cap, trim };

/// One operator at one point, [CVG] 2.3; ties go to the first operand.
Sample combine(Operator op, const Sample& a, const Sample& b);

/// Ghosts are attributes left where an operator has just made the opacity 0; a later one would see them.
enum class Ghosts {
    masked,   ///< set to 0 after every operator: what a modeller expects
    literal,  ///< kept, as the published algebra has it
};

// ---- base shapes, in their own coordinates -------------------------------------------------------------------------

struct Ball {
    double radius = 1;
    friend bool operator==(const Ball&, const Ball&) = default;
};
struct Block {
    Vec3d side{1, 1, 1};
    double rounding = 0;  ///< radius of its edges
    friend bool operator==(const Block&, const Block&) = default;
};
struct Cylinder {
    double radius = 1, height = 1;  ///< along y, about the origin
    friend bool operator==(const Cylinder&, const Cylinder&) = default;
};
struct Cone {
    double radius = 1, height = 1;  ///< base at -height/2, apex at +height/2
    friend bool operator==(const Cone&, const Cone&) = default;
};
struct Torus {
    double radius = 1, tube = 0.25;  ///< about y
    friend bool operator==(const Torus&, const Torus&) = default;
};
/// A ball swept along a line of points; two points make a capsule.
struct Tube {
    std::vector<Vec3d> points;
    double radius = 0.1;
    friend bool operator==(const Tube&, const Tube&) = default;
};
/// A block in which smooth noise leaves blobs of about one size; they fill a share of it.
struct Noise {
    Vec3d side{1, 1, 1};
    double grain = 0.1, share = 0.5;
    std::uint32_t seed = 1;
    double level = 0;  ///< of the noise at the blobs' surfaces; made by Tree::check
    friend bool operator==(const Noise&, const Noise&) = default;
};
class MeshDistance;
/// What a surface encloses, closed or not, sampled at a distance (0: a 160th of its size).
struct Enclosed {
    TriMesh mesh;
    double voxel = 0;
    std::string file;                           ///< where it came from, for writing the tree
    std::shared_ptr<const LevelSet> level_set;  ///< made by Tree::check
    std::shared_ptr<const MeshDistance> distance;  ///< far from the surface too; made by Tree::check where it is needed
    /// The same surface, sampled once.
    friend bool operator==(const Enclosed& a, const Enclosed& b)
    {
        return a.level_set == b.level_set && a.voxel == b.voxel && a.file == b.file;
    }
};
class Volume;
/// Sampled fields, trilinear between voxel centres, 0 outside.
struct Sampled {
    std::shared_ptr<const Volume> volume;
    std::string file;
    friend bool operator==(const Sampled&, const Sampled&) = default;
};

struct Transform {
    Vec3d translate{};
    std::array<double, 4> rotate{0, 0, 0, 1};  ///< quaternion x, y, z, w
    Vec3d scale{1, 1, 1};                      ///< applied first
    friend bool operator==(const Transform&, const Transform&) = default;
};

struct Leaf {
    std::variant<Ball, Block, Cylinder, Cone, Torus, Tube, Noise, Enclosed, Sampled> shape;
    Sample inside{1, 1, 1, 1, 0};  ///< attributes everywhere inside; of Sampled: not used
    Transform transform;
    std::string name;
    friend bool operator==(const Leaf&, const Leaf&) = default;
};

// ---- trees ---------------------------------------------------------------------------------------------------------

/// The same thing several times, united from the first on.
struct Repeat {
    enum class Kind {
        mirror,  ///< itself, and its image in the plane through `point` across `direction`
        line,    ///< `count` times, each `direction` (m) farther
        ring,    ///< `count` times around the axis through `point` along `direction`
    };
    Kind kind = Kind::mirror;
    Vec3d direction{1, 0, 0}, point{};
    int count = 2;
    friend bool operator==(const Repeat&, const Repeat&) = default;
};

/// Leaves, operators and repetitions. Children come before their parents; the last node is the root.
class Tree {
public:
    Ghosts ghosts = Ghosts::masked;

    int add(Leaf leaf);
    /// At least two arguments, each added before; more are folded from the left (cap and trim take exactly two). With a
    /// radius, m, union, intersection and difference round the edge where their arguments' shapes meet; 0 is sharp.
    int add(Operator op, std::vector<int> args, double radius = 0, Transform transform = {});
    /// The same, with the edges between repetitions rounded by a radius.
    int add(Repeat repeat, int of, double radius = 0, Transform transform = {});

    struct Node {
        std::optional<Leaf> leaf;
        std::optional<Repeat> repeat;  ///< of the one argument
        Operator op = Operator::unite;
        std::vector<int> args;
        double radius = 0;
        Transform transform;  ///< of all that is beneath; a leaf has its own
        std::string place;    ///< in its document, for messages; given to check()
    };
    const std::vector<Node>& nodes() const { return nodes_; }
    /// The leaf with this name, or none.
    int find(const std::string& name) const;
    /// Replaces a leaf; check() is needed again.
    void set(int node, Leaf leaf) { nodes_[std::size_t(node)].leaf = std::move(leaf); }

    /// Refuses broken shapes, transforms and arguments; prepares surfaces. `where` names nodes in errors.
    Status check(const std::function<std::string(int)>& where = {});

    Sample at(Vec3d point) const;
    /// Holds everything with opacity.
    Box3 bounds() const;
    /// Holds all places where a node, or what is beneath it, matters: in the world, with all its repetitions.
    Box3 bounds(int node) const;
    /// The first operator that leaves nothing of what it is given, or a leaf without opacity; -1: none.
    int erasing_node() const;

private:
    std::vector<Node> nodes_;
};

/// Outside this box the two are the same: what an edit has to evaluate again.
Box3 changed(const Tree& before, const Tree& after);

/// A tree from a JSON document; file names in it are relative to its folder. load_tree also reads .vdb as one leaf.
Result<Tree> load_tree(const std::filesystem::path& path);
Result<Tree> parse_tree(std::string_view json, const std::filesystem::path& folder, const std::string& name = "tree");
std::string to_json(const Tree& tree);

// ---- volumes -------------------------------------------------------------------------------------------------------

struct SurfaceOptions {
    double stiffness_from = 0;                   ///< only what is at least this stiff
    std::optional<std::pair<Vec3d, Vec3d>> cut;  ///< point and normal: what lies on the normal's side is left out
    int smooth = 1;                              ///< rounds of smoothing against voxel steps
};

struct LatticeOptions {
    double cell = 0.1;        ///< edge length; a whole number of voxels
    double fill = 0;          ///< a cell exists if more than this share of its voxels has opacity of at least a half
    double hardness = 1;      ///< p of the hard-weighted average: 0 plain mean, large: maximum
    std::vector<Vec3d> also;  ///< cells that hold these points exist too: vertices of a surface to be carried
};

/// A lattice with what its particles inherit from the volume.
struct VolumeLattice {
    Lattice lattice;
    std::vector<float> stiffness;             ///< per particle
    std::vector<Vec3> colors;                 ///< per particle
    int volume_parts = 0, lattice_parts = 0;  ///< fewer parts in the lattice: gaps narrower than a cell were closed
};

/// Five sparse grids: opacity, r, g, b, stiffness. Voxel i has its centre at (i + 1/2) voxel along each axis.
class Volume {
public:
    /// Evaluates a tree. Refuses a volume without any opacity and one of more than 2e9 voxels across all.
    static Result<Volume> evaluate(const Tree& tree, double voxel, const Progress& progress = {});
    /// Evaluates again inside a box, after an edit there: the box of the leaf before and after.
    void update(const Tree& tree, const Box3& changed);

    /// .vdb files as Blender and Houdini read them. A float grid called opacity or density is needed; others may miss.
    static Result<Volume> load(const std::filesystem::path& path);
    Status save(const std::filesystem::path& path) const;

    double voxel() const;
    Box3 bounds() const;
    std::size_t voxel_count() const;    ///< with opacity
    Sample voxel_at(Int3 index) const;  ///< as stored
    Sample at(Vec3d point) const;       ///< trilinear
    bool same_as(const Volume& other) const;
    /// What a body made of the volume has at its rest positions: means over a tent of this half-width, of voxels with
    /// opacity of at least a half alone, so that a skin is as stiff as what lies under it. Stiffness by the
    /// hard-weighted average of LatticeOptions. Points farther outside take the nearest such voxel.
    std::vector<Sample> sample(std::span<const Vec3d> points, double width, double hardness = 1) const;

    /// Smooth surface of what has opacity of at least a half, coloured by r, g, b of the voxels beneath.
    TriMesh surface(const SurfaceOptions& options = {}) const;
    /// Negative inside, about a distance near the surface; for stuff() and LevelSet::from_function.
    std::function<double(Vec3d)> distance() const;

    Result<VolumeLattice> lattice(const LatticeOptions& options) const;

private:
    struct Data;
    class Reader;
    std::shared_ptr<Data> data_;
};

/// What a body made of a volume offers to its fields: opacity, r, g, b and stiffness; see Volume::sample.
Channels channels_of(Volume volume, double width, double hardness = 1);

}  // namespace yawara::cvg
