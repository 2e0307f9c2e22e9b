// Signed distance volumes on OpenVDB: the only file that includes it. Distances come from OpenVDB's narrow band, the
// sign from winding numbers, which need neither clean orientation nor closed surfaces.
#include <openvdb/Grid.h>
#include <openvdb/tools/Interpolation.h>
#include <openvdb/tools/MeshToVolume.h>
#include <openvdb/tools/SignedFloodFill.h>
#include <openvdb/tools/VolumeToMesh.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string>

#include "meshing/level_set_build.h"
#include "meshing/thin_parts.h"
#include "meshing/voxel_inside.h"
#include "meshing/words.h"

namespace yawara {

/// The grid is in index space, one unit a voxel; `origin` is the position of voxel (0, 0, 0).
struct LevelSet::Data {
    openvdb::FloatGrid::Ptr grid;
    Vec3d origin;
    double voxel = 1;
    TriMesh surface;
    Box3 box;
    double volume = 0;
};

namespace {

using meshing::number;
using meshing::TriangleTree;
using openvdb::FloatGrid;

constexpr float kBand = 3;  ///< voxels on either side of the surface that know their distance
// In cells. Thin features are made up to kThickened thick on either side of their middle, but no more is added than
// keeps the surface within half a cell, so that the thinnest are still lost: of rings laid at random, those of radius
// 0.5 stayed whole (24 of 24), of radius 0.4 few (2 of 24); without thickening none up to 0.6. A little more than
// kThickened counts as thin, for the level of the rest may shrink.
constexpr double kThin = 0.72, kThickened = 0.68, kMostAdded = 0.33;
constexpr double kMaxBandVoxels = 100e6, kMaxDenseVoxels = 50e6;

Error cancelled()
{
    return {"", "cancelled"};
}

FloatGrid::Ptr unsigned_distance(std::span<const Vec3d> vertices, std::span<const Int3> triangles, Vec3d origin,
                                 double voxel)
{
    std::vector<openvdb::Vec3s> points;
    points.reserve(vertices.size());
    for (const Vec3d& v : vertices) {
        const Vec3 p = ((v - origin) / voxel).as<float>();
        points.emplace_back(p.x, p.y, p.z);
    }
    std::vector<openvdb::Vec3I> faces;
    faces.reserve(triangles.size());
    for (const Int3& t : triangles) faces.emplace_back(std::uint32_t(t[0]), std::uint32_t(t[1]), std::uint32_t(t[2]));
    return openvdb::tools::meshToUnsignedDistanceField<FloatGrid>(*openvdb::math::Transform::createLinearTransform(1.0),
                                                                  points, faces, {}, kBand);
}

/// Calls visit(offset) for the voxels of a leaf that share a face with the one at `offset`.
template <class Visit>
void for_each_face(openvdb::Index offset, Visit visit)
{
    using Leaf = FloatGrid::TreeType::LeafNodeType;
    for (int axis = 0; axis < 3; ++axis) {
        const openvdb::Index step = 1u << (axis * Leaf::LOG2DIM), along = offset / step % Leaf::DIM;
        if (along > 0) visit(offset - step);
        if (along + 1 < Leaf::DIM) visit(offset + step);
    }
}

/// Gives the voxels of the band their sign and floods the rest. The surface must be watertight. Sets `overlapping` if
/// some place is enclosed more than once.
Status sign_by_winding(FloatGrid& grid, const TriangleTree& tree, Vec3d origin, double voxel, bool& overlapping,
                       const Progress& progress)
{
    using Leaf = FloatGrid::TreeType::LeafNodeType;
    // No surface passes between neighbours whose distances from it add up to more than their own: they have one winding
    // number, which takes long to find. A little more, as distances are rounded.
    constexpr float kNothingBetween = 1.01f;
    std::vector<Leaf*> leaves;
    grid.tree().getNodes(leaves);
    std::atomic<bool> twice{false};
    constexpr std::size_t kAtOnce = 512;
    for (std::size_t first = 0; first < leaves.size(); first += kAtOnce) {
        if (progress && !progress("inside and outside", double(first) / double(leaves.size()))) return cancelled();
        tbb::parallel_for(first, std::min(first + kAtOnce, leaves.size()), [&](std::size_t l) {
            Leaf& leaf = *leaves[l];
            std::array<float, Leaf::SIZE> distance;
            for (openvdb::Index i = 0; i < Leaf::SIZE; ++i) distance[i] = leaf.getValue(i);
            std::array<char, Leaf::SIZE> seen{};
            std::vector<openvdb::Index> lump;
            for (openvdb::Index seed = 0; seed < Leaf::SIZE; ++seed) {
                if (seen[seed] || !leaf.isValueOn(seed)) continue;
                lump.assign(1, seed);
                seen[seed] = 1;
                for (std::size_t head = 0; head < lump.size(); ++head) {
                    const openvdb::Index i = lump[head];
                    for_each_face(i, [&](openvdb::Index j) {
                        if (seen[j] || !leaf.isValueOn(j) || distance[i] + distance[j] < kNothingBetween) return;
                        seen[j] = 1;
                        lump.push_back(j);
                    });
                }
                // Asked where the surface is farthest, and the answer clearest.
                const openvdb::Index farthest =
                    *std::ranges::max_element(lump, {}, [&](openvdb::Index i) { return distance[i]; });
                const openvdb::Coord c = leaf.offsetToGlobalCoord(farthest);
                const double w = tree.winding(origin + Vec3d{double(c.x()), double(c.y()), double(c.z())} * voxel);
                if (w > 1.5 || w < -0.5) twice = true;
                if (!(w > 0.5)) continue;
                for (const openvdb::Index i : lump) leaf.setValueOnly(i, -distance[i]);
            }
        });
    }
    openvdb::tools::signedFloodFill(grid.tree());
    overlapping = twice;
    return Done{};
}

TriMesh zero_surface(FloatGrid& grid, Vec3d origin, double voxel)
{
    grid.setGridClass(openvdb::GRID_LEVEL_SET);  // else OpenVDB takes the negative side for the outside
    std::vector<openvdb::Vec3s> points;
    std::vector<openvdb::Vec3I> triangles;
    std::vector<openvdb::Vec4I> quads;
    openvdb::tools::volumeToMesh(grid, points, triangles, quads, 0.0, 0.0, true);
    TriMesh mesh;
    mesh.vertices.reserve(points.size());
    for (const auto& p : points) mesh.vertices.push_back(origin + Vec3d{p.x(), p.y(), p.z()} * voxel);
    const auto add = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        mesh.triangles.push_back({std::int32_t(a), std::int32_t(c), std::int32_t(b)});  // OpenVDB turns them inwards
    };
    for (const auto& t : triangles) add(t[0], t[1], t[2]);
    for (const auto& q : quads) {
        if ((points[q[0]] - points[q[2]]).lengthSqr() <= (points[q[1]] - points[q[3]]).lengthSqr()) {
            add(q[0], q[1], q[2]);
            add(q[0], q[2], q[3]);
        } else {
            add(q[0], q[1], q[3]);
            add(q[1], q[2], q[3]);
        }
    }
    return mesh;
}

/// True distances to the zero surface of a grid whose signs are right but whose values are not.
FloatGrid::Ptr with_distances(const FloatGrid& signs, const TriMesh& zero, Vec3d origin, double voxel)
{
    FloatGrid::Ptr grid = unsigned_distance(zero.vertices, zero.triangles, origin, voxel);
    const FloatGrid::ConstUnsafeAccessor sign(signs.constTree());
    for (auto it = grid->beginValueOn(); it; ++it) {
        if (sign.getValue(it.getCoord()) < 0) it.setValue(-*it);
    }
    openvdb::tools::signedFloodFill(grid->tree());
    return grid;
}

/// Moves the vertices on to the zero set of a function by Newton's method along its gradient, less than half a voxel.
void project(TriMesh& mesh, const std::function<double(Vec3d)>& function, double voxel)
{
    const double h = 1e-3 * voxel;
    for (Vec3d& vertex : mesh.vertices) {
        Vec3d p = vertex;
        for (int step = 0; step < 3; ++step) {
            const double value = function(p);
            const Vec3d slope{(function(p + Vec3d{h, 0, 0}) - value) / h, (function(p + Vec3d{0, h, 0}) - value) / h,
                              (function(p + Vec3d{0, 0, h}) - value) / h};
            p = p - slope * (value / dot(slope, slope));
        }
        if (length(p - vertex) < 0.5 * voxel) vertex = p;  // also false where the slope is zero or not a number
    }
}

/// Where many edges have three and more triangles there are walls inside, and which way those face means nothing.
meshing::Sides sides_of(const Surface& surface)
{
    if (surface.nonmanifold_edges > 0.1 * static_cast<double>(surface.triangles.size())) return meshing::Sides::unknown;
    const bool doubtful = surface.nonmanifold_edges > 0 || surface.flipped_edges > 0;
    return doubtful ? meshing::Sides::doubtful : meshing::Sides::known;
}

/// How much of a surface is farther than `reach` from the triangles of the tree.
double capped_part(const TriMesh& mesh, const TriangleTree& tree, double reach)
{
    double area = 0, capped = 0;
    for (const Int3& t : mesh.triangles) {
        const Vec3d a = mesh.vertices[static_cast<std::size_t>(t[0])],
                    b = mesh.vertices[static_cast<std::size_t>(t[1])],
                    c = mesh.vertices[static_cast<std::size_t>(t[2])];
        const double own = length(cross(b - a, c - a));
        area += own;
        if (tree.distance((a + b + c) / 3.0) > reach) capped += own;
    }
    return area > 0 ? capped / area : 0.0;
}

Error too_small(double voxel, double voxels, double most, int power)
{
    const double smallest = voxel * std::pow(voxels / most, 1.0 / power);
    return {"voxel", number(voxel) +
                         " is too small for this shape, the volume would not fit into memory; the "
                         "smallest possible is about " +
                         number(1.05 * smallest)};
}

Status check_voxel(double voxel)
{
    if (voxel > 0 && std::isfinite(voxel)) return Done{};
    return Error{"voxel", number(voxel) + " is not a length; expected a positive number"};
}

/// A block of voxels around the box, `rim` more on every side; refused if it has too many.
Result<meshing::VoxelGrid> voxels_around(const Box3& box, double voxel, int rim)
{
    const Vec3d size = box.size() / voxel;
    const double count = (size.x + 2 * rim + 1) * (size.y + 2 * rim + 1) * (size.z + 2 * rim + 1);
    if (!(count < kMaxDenseVoxels)) return too_small(voxel, count, kMaxDenseVoxels, 3);
    meshing::VoxelGrid grid;
    grid.voxel = voxel;
    for (std::size_t k = 0; k < 3; ++k) grid.dims[k] = int(std::ceil(size[int(k)])) + 2 * rim + 1;
    grid.origin = box.center() -
                  Vec3d{double(grid.dims[0] - 1), double(grid.dims[1] - 1), double(grid.dims[2] - 1)} * (0.5 * voxel);
    return grid;
}

FloatGrid::Ptr to_sparse(const meshing::VoxelGrid& block, const std::vector<float>& field)
{
    FloatGrid::Ptr grid = FloatGrid::create(kBand);
    auto accessor = grid->getAccessor();
    for (std::size_t i = 0; i < field.size(); ++i) {
        if (field[i] >= kBand) continue;
        const auto [x, y, z] = block.coords(i);
        accessor.setValue(openvdb::Coord(x, y, z), field[i]);
    }
    return grid;
}

Error nowhere_negative()
{
    return {"inside", "is nowhere negative in the box, or only in places smaller than a voxel"};
}

/// Runs `make`, turning what OpenVDB or the allocator throws into an Error.
template <class Make>
auto guarded(Make make) -> decltype(make())
{
    try {
        return make();
    } catch (const std::bad_alloc&) {
        return Error{"voxel", "not enough memory for a volume this fine"};
    } catch (const std::exception&) {
        return Error{"surface", "no volume can be made of it at this voxel size"};
    }
}

}  // namespace

Result<LevelSet> LevelSetBuilder::from_surface(const Surface& surface, const TriangleTree& tree, double voxel,
                                               LevelSetNotes* notes, const Progress& progress)
{
    return guarded([&]() -> Result<LevelSet> {
        if (Status status = check_voxel(voxel); !status) return status.error();
        double area = 0;
        for (const Int3& t : surface.triangles) {
            const Vec3d a = surface.vertices[static_cast<std::size_t>(t[0])];
            const Vec3d b = surface.vertices[static_cast<std::size_t>(t[1])];
            const Vec3d c = surface.vertices[static_cast<std::size_t>(t[2])];
            area += 0.5 * length(cross(b - a, c - a));
        }
        const double band_voxels = 2 * kBand * area / (voxel * voxel);
        if (!(band_voxels < kMaxBandVoxels)) return too_small(voxel, band_voxels, kMaxBandVoxels, 2);
        if (progress && !progress("distance", 0.0)) return cancelled();

        LevelSetNotes found;
        auto data = std::make_shared<LevelSet::Data>();
        data->voxel = voxel;
        if (surface.watertight) {
            data->origin = surface.box.center();
            data->grid = unsigned_distance(surface.vertices, surface.triangles, data->origin, voxel);
            if (Status status = sign_by_winding(*data->grid, tree, data->origin, voxel, found.overlapping, progress);
                !status) {
                return status.error();
            }
        } else {
            const Result<meshing::VoxelGrid> block = voxels_around(surface.box, voxel, int(kBand) + 2);
            if (!block) return block.error();
            data->origin = block->origin;
            std::vector<float> distance(block->size(), kBand);
            const FloatGrid::Ptr sparse = unsigned_distance(surface.vertices, surface.triangles, block->origin, voxel);
            for (auto it = sparse->cbeginValueOn(); it; ++it) {
                const openvdb::Coord c = it.getCoord();
                if (c.x() < 0 || c.y() < 0 || c.z() < 0 || c.x() >= block->dims[0] || c.y() >= block->dims[1] ||
                    c.z() >= block->dims[2]) {
                    continue;
                }
                distance[block->index(c.x(), c.y(), c.z())] = *it;
            }
            const Result<meshing::VoxelInside> inside =
                meshing::find_inside(tree, *block, distance, kBand, sides_of(surface), progress);
            if (!inside) return inside.error();
            found.flooded = inside->flooded;
            data->grid = to_sparse(*block, inside->field);
        }
        // Walls inside the solid leave creases of small distance, which a rebuild from the outer surface removes.
        if (found.overlapping || !surface.watertight || surface.nonmanifold_edges > 0) {
            const TriMesh outside = zero_surface(*data->grid, data->origin, voxel);
            if (!outside.triangles.empty()) data->grid = with_distances(*data->grid, outside, data->origin, voxel);
        }
        data->surface = zero_surface(*data->grid, data->origin, voxel);
        Result<LevelSet> made = finish(std::move(data));
        if (made && !surface.watertight) found.capped = capped_part(made->data_->surface, tree, voxel);
        if (notes) *notes = found;
        return made;
    });
}

Result<LevelSet> LevelSetBuilder::from_function(const std::function<double(Vec3d)>& inside, const Box3& box,
                                                double voxel)
{
    return guarded([&]() -> Result<LevelSet> {
        if (!inside) return Error{"inside", "is empty"};
        if (box.empty() || !is_finite(box.low) || !is_finite(box.high)) return Error{"box", "is empty or not finite"};
        if (Status status = check_voxel(voxel); !status) return status.error();
        const Result<meshing::VoxelGrid> block = voxels_around(box, voxel, 2);
        if (!block) return block.error();
        std::vector<float> field(block->size());
        // Cut off beyond the box, so that the surface is closed; not a number counts as outside.
        const std::function<double(Vec3d)> closed = [&](Vec3d p) {
            const Vec3d beyond = max(box.low - p, p - box.high);
            const double outside_box = std::max({beyond.x, beyond.y, beyond.z}), value = inside(p);
            if (value != value) return voxel;
            return outside_box > 0 ? std::max(value, outside_box) : value;
        };
        for (std::size_t i = 0; i < field.size(); ++i) {
            field[i] = float(std::clamp(closed(block->position(i)) / voxel, -1e6, 1e6));
        }
        if (std::ranges::none_of(field, [](float value) { return value < 0; })) return nowhere_negative();
        auto data = std::make_shared<LevelSet::Data>();
        data->voxel = voxel;
        data->origin = block->origin;
        // All values are kept: a function that is no distance may leave the band within one voxel of its zero.
        data->grid = FloatGrid::create(1e6f);
        auto accessor = data->grid->getAccessor();
        for (std::size_t i = 0; i < field.size(); ++i) {
            const auto [x, y, z] = block->coords(i);
            accessor.setValue(openvdb::Coord(x, y, z), field[i]);
        }
        data->surface = zero_surface(*data->grid, data->origin, voxel);
        if (data->surface.triangles.empty()) {
            return nowhere_negative();
        }
        project(data->surface, closed, voxel);
        data->grid = with_distances(*data->grid, data->surface, data->origin, voxel);
        return finish(std::move(data));
    });
}

std::optional<LevelSet> LevelSetBuilder::thickening(const LevelSet& level_set, double cell)
{
    const LevelSet::Data& from = *level_set.data_;
    const double voxel = from.voxel, rim = kThickened * cell + 3 * voxel;
    // On the voxels of the level set itself, so that nothing thin is blurred.
    const Vec3d low = (from.box.low - from.origin - Vec3d{rim, rim, rim}) / voxel;
    const openvdb::Coord corner(int(std::floor(low.x)), int(std::floor(low.y)), int(std::floor(low.z)));
    const Vec3d size = (from.box.size() + Vec3d{2 * rim, 2 * rim, 2 * rim}) / voxel;
    if (!((size.x + 2) * (size.y + 2) * (size.z + 2) < kMaxDenseVoxels)) return {};
    meshing::VoxelGrid block;
    block.voxel = voxel;
    block.dims = {int(size.x) + 2, int(size.y) + 2, int(size.z) + 2};
    block.origin = from.origin + Vec3d{double(corner.x()), double(corner.y()), double(corner.z())} * voxel;

    std::vector<float> field(block.size());
    const FloatGrid::ConstUnsafeAccessor accessor(from.grid->constTree());
    for (std::size_t i = 0; i < field.size(); ++i) {
        const auto [x, y, z] = block.coords(i);
        field[i] = accessor.getValue(corner.offsetBy(x, y, z));
    }
    const std::vector<meshing::Middle> middles = meshing::middles_of_thin_parts(block, field, kThin * cell / voxel);
    if (middles.empty()) return {};

    std::fill(field.begin(), field.end(), kBand);
    for (const meshing::Middle& middle : middles) {
        const Vec3d m = (middle.point - block.origin) / voxel;
        const double radius = std::min(kThickened * cell / voxel, middle.depth + kMostAdded * cell / voxel);
        const double reach = radius + kBand;
        const auto first = [&](double x) { return std::max(0, int(std::ceil(x - reach))); };
        const auto last = [&](double x, int n) { return std::min(n - 1, int(std::floor(x + reach))); };
        for (int z = first(m.z); z <= last(m.z, block.dims[2]); ++z) {
            for (int y = first(m.y); y <= last(m.y, block.dims[1]); ++y) {
                for (int x = first(m.x); x <= last(m.x, block.dims[0]); ++x) {
                    float& value = field[block.index(x, y, z)];
                    const double d = length(Vec3d{double(x), double(y), double(z)} - m) - radius;
                    value = std::min(value, static_cast<float>(d));
                }
            }
        }
    }
    auto data = std::make_shared<LevelSet::Data>();
    data->voxel = voxel;
    data->origin = block.origin;
    data->grid = to_sparse(block, field);
    data->surface = zero_surface(*data->grid, data->origin, voxel);
    Result<LevelSet> made = finish(std::move(data));
    if (!made) return {};
    return *std::move(made);
}

/// Volume and bounds come from the surface.
Result<LevelSet> LevelSetBuilder::finish(std::shared_ptr<LevelSet::Data> data)
{
    if (data->surface.triangles.empty()) return Error{"surface", "encloses no volume"};
    data->box = yawara::bounds(data->surface.vertices);
    data->volume = signed_volume(data->surface);
    LevelSet level_set;
    level_set.data_ = std::move(data);
    return level_set;
}

Result<LevelSet> LevelSet::from_mesh(const TriMesh& mesh, double voxel, const Progress& progress)
{
    const Result<Surface> surface = check_surface(mesh);
    if (!surface) return surface.error();
    const TriangleTree tree(surface->vertices, surface->triangles);
    return LevelSetBuilder::from_surface(*surface, tree, voxel, nullptr, progress);
}

Result<LevelSet> LevelSet::from_function(const std::function<double(Vec3d)>& inside, const Box3& box, double voxel)
{
    return LevelSetBuilder::from_function(inside, box, voxel);
}

double LevelSet::operator()(Vec3d point) const
{
    // Far outside the index range of OpenVDB is simply outside.
    const Vec3d p = (point - data_->origin) / data_->voxel;
    const double farthest = std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)});
    if (!(farthest < 1e8)) return kBand * data_->voxel;
    const FloatGrid::ConstUnsafeAccessor accessor(data_->grid->constTree());
    return openvdb::tools::BoxSampler::sample(accessor, openvdb::Vec3d(p.x, p.y, p.z)) * data_->voxel;
}

Box3 LevelSet::bounds() const
{
    return data_->box;
}

double LevelSet::voxel() const
{
    return data_->voxel;
}

double LevelSet::volume() const
{
    return data_->volume;
}

TriMesh LevelSet::surface() const
{
    return data_->surface;
}

}  // namespace yawara
