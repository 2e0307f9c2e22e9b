// Sparse volumes on OpenVDB, which only this and vdb_file.cpp include. A tree is evaluated block by block; blocks
// that miss everything cost nothing and uniform ones become tiles.
#include <openvdb/openvdb.h>
#include <openvdb/tools/Interpolation.h>
#include <openvdb/tools/Morphology.h>
#include <openvdb/tools/VolumeToMesh.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "cvg/blocks.h"
#include "cvg/vdb_file.h"
#include "cvg/volume_lattice.h"

namespace yawara::cvg {

using openvdb::Coord;
using openvdb::CoordBBox;
using openvdb::FloatGrid;

namespace {

constexpr std::size_t kChannels = 5;
constexpr const char* kNames[kChannels] = {"density", "r", "g", "b", "stiffness"};
constexpr int kTop = 64, kLeaf = kBlock;  ///< voxels along the side of the blocks that are tried first, and last
constexpr double kMostVoxels = 2e9;

std::array<float, kChannels> channels_of(const Sample& s)
{
    return {s.opacity, s.r, s.g, s.b, s.stiffness};
}

}  // namespace

struct Volume::Data {
    std::array<FloatGrid::Ptr, kChannels> grids;
    double voxel = 1;
    Vec3d first{};  ///< centre of voxel (0, 0, 0)

    Vec3d index_of(Vec3d p) const { return (p - first) / voxel; }
    Vec3d center_of(Coord c) const { return first + Vec3d{double(c.x()), double(c.y()), double(c.z())} * voxel; }

    void set_transform()
    {
        for (std::size_t c = 0; c < kChannels; ++c) {
            auto transform = openvdb::math::Transform::createLinearTransform(voxel);
            transform->postTranslate(openvdb::Vec3d(first.x, first.y, first.z));
            grids[c]->setTransform(transform);
            grids[c]->setName(kNames[c]);
            grids[c]->setGridClass(openvdb::GRID_FOG_VOLUME);
        }
    }

    /// Evaluates all blocks of kLeaf within a range of voxels that is a multiple of kLeaf.
    void evaluate(const Program& program, Coord low, Coord high, const Progress& progress)
    {
        std::vector<Int3> blocks;
        const int top = std::max({high.x() - low.x(), high.y() - low.y(), high.z() - low.z()}) > kTop ? kTop : kLeaf;
        for (int x = round_down(low.x(), top); x < high.x(); x += top)
            for (int y = round_down(low.y(), top); y < high.y(); y += top)
                for (int z = round_down(low.z(), top); z < high.z(); z += top) blocks.push_back({x, y, z});
        // In portions, so that the pieces of a large volume never wait all at once.
        constexpr std::size_t kPortion = 64;
        for (std::size_t first_block = 0; first_block < blocks.size(); first_block += kPortion) {
            if (progress && !progress("evaluating the volume", double(first_block) / double(blocks.size()))) return;
            const std::size_t count = std::min(kPortion, blocks.size() - first_block);
            std::vector<std::vector<Piece>> pieces(count);
            tbb::parallel_for(std::size_t{0}, count, [&](std::size_t k) {
                evaluate_block(program, blocks[first_block + k], top, voxel, pieces[k]);
            });
            tbb::parallel_for(std::size_t{0}, kChannels, [&](std::size_t c) {
                for (const auto& list : pieces)
                    for (const Piece& piece : list) insert(piece, c);
            });
        }
    }

    void insert(const Piece& piece, std::size_t c)
    {
        FloatGrid::TreeType& tree = grids[c]->tree();
        const Coord origin{piece.origin[0], piece.origin[1], piece.origin[2]};
        if (piece.voxels.empty()) {
            tree.fill(CoordBBox(origin, origin.offsetBy(piece.size - 1)), channels_of(piece.value)[c], true);
            return;
        }
        auto* leaf = tree.touchLeaf(origin);  // the same order of voxels
        for (openvdb::Index n = 0; n < piece.voxels.size(); ++n) {
            const Sample& s = piece.voxels[n];
            if (s.opacity > 0)
                leaf->setValueOn(n, channels_of(s)[c]);
            else
                leaf->setValueOff(n, 0.0f);
        }
    }
};

/// Looks at voxels from one thread.
class Volume::Reader {
public:
    explicit Reader(const Data& data)
        : at_{access(data, 0), access(data, 1), access(data, 2), access(data, 3), access(data, 4)}
    {
    }

    /// The weighted mean about p, or the nearest filled voxel within a few widths, or nothing.
    Sample mean(Vec3d p, double reach, double hardness) const
    {
        double opacity = 0, hard = 0, harder = 0;
        Vec3d color;
        for_each_near(p, reach, [&](Coord c, Vec3d away) {
            const double o = double(at_[0].getValue(c)), weight = (1 - std::abs(away.x) / reach) *
                                                                  (1 - std::abs(away.y) / reach) *
                                                                  (1 - std::abs(away.z) / reach);
            if (o < 0.5 || !(weight > 0)) return;
            const double S = double(at_[4].getValue(c)), power = std::pow(S, hardness);
            opacity += weight * o;
            color += color_at(c) * (weight * o);
            hard += weight * power;
            harder += weight * power * S;
        });
        if (opacity > 0) {
            const Vec3 mean = (color / opacity).as<float>();
            return {1, mean.x, mean.y, mean.z, hard > 0 ? float(harder / hard) : 0.0f};
        }
        for (double around = reach; around <= 4 * reach; around *= 2) {
            double nearest = 1e300;
            Sample found;
            for_each_near(p, around, [&](Coord c, Vec3d away) {
                if (at_[0].getValue(c) < 0.5f || dot(away, away) >= nearest) return;
                nearest = dot(away, away);
                found = {1, at_[1].getValue(c), at_[2].getValue(c), at_[3].getValue(c), at_[4].getValue(c)};
            });
            if (nearest < 1e300) return found;
        }
        return {};
    }

private:
    using Accessor = FloatGrid::ConstUnsafeAccessor;
    static Accessor access(const Data& data, std::size_t c) { return Accessor(data.grids[c]->constTree()); }
    Vec3d color_at(Coord c) const
    {
        return {double(at_[1].getValue(c)), double(at_[2].getValue(c)), double(at_[3].getValue(c))};
    }
    template <class Each>
    static void for_each_near(Vec3d p, double reach, const Each& each)
    {
        const auto low = [&](double v) { return int(std::ceil(v - reach)); };
        const auto high = [&](double v) { return int(std::floor(v + reach)); };
        for (int x = low(p.x); x <= high(p.x); ++x)
            for (int y = low(p.y); y <= high(p.y); ++y)
                for (int z = low(p.z); z <= high(p.z); ++z)
                    each(Coord{x, y, z}, Vec3d{double(x), double(y), double(z)} - p);
    }

    std::array<Accessor, kChannels> at_;
};

Result<Volume> Volume::evaluate(const Tree& tree, double voxel, const Progress& progress)
{
    if (!(voxel > 0) || !std::isfinite(voxel)) return Error{"voxel", "is not a positive number"};
    const Box3 box = tree.bounds();
    const auto nothing = [&](const std::string& otherwise) {
        const int eraser = tree.erasing_node();
        if (eraser < 0) return Error{"tree", otherwise};
        const Tree::Node& node = tree.nodes()[std::size_t(eraser)];
        return Error{node.place, node.leaf ? "has no opacity, so nothing is left of the body"
                                           : "leaves nothing of its parts: they do not overlap where they should, or one "
                                             "takes all of the other away"};
    };
    if (box.empty()) return nothing("encloses nothing: its parts do not overlap where they should");
    const Vec3d size = box.size() / voxel;
    if (!(size.x * size.y * size.z < kMostVoxels) || !(length(box.low) + length(box.high) < 1e8 * voxel))
        return Error{"voxel", std::to_string(voxel) + " m is too fine for a volume of " + std::to_string(box.size().x) +
                                  " x " + std::to_string(box.size().y) + " x " + std::to_string(box.size().z) + " m"};
    start_openvdb();
    Volume volume;
    volume.data_ = std::make_shared<Data>();
    Data& data = *volume.data_;
    data.voxel = voxel;
    data.first = Vec3d{0.5, 0.5, 0.5} * voxel;
    for (auto& grid : data.grids) grid = FloatGrid::create(0.0f);
    data.set_transform();
    const auto low = [&](double v) { return round_down(v / voxel, kLeaf); };
    const auto high = [&](double v) { return round_down(v / voxel, kLeaf) + kLeaf; };
    data.evaluate(Program(tree), {low(box.low.x), low(box.low.y), low(box.low.z)},
                  {high(box.high.x), high(box.high.y), high(box.high.z)}, progress);
    for (auto& grid : data.grids) grid->tree().prune();
    if (volume.voxel_count() == 0)
        return nothing("nothing has opacity: the body is empty, or thinner than a voxel of " + std::to_string(voxel) +
                       " m");
    return volume;
}

void Volume::update(const Tree& tree, const Box3& changed)
{
    if (changed.empty()) return;
    Data& data = *data_;
    const auto low = [&](double v) { return round_down(v / data.voxel - 1, kLeaf); };
    const auto high = [&](double v) { return round_down(v / data.voxel + 1, kLeaf) + kLeaf; };
    const Coord a{low(changed.low.x), low(changed.low.y), low(changed.low.z)};
    const Coord b{high(changed.high.x), high(changed.high.y), high(changed.high.z)};
    tbb::parallel_for(std::size_t{0}, kChannels,
                      [&](std::size_t c) { data.grids[c]->tree().fill(CoordBBox(a, b.offsetBy(-1)), 0.0f, false); });
    const Box3 region = {Vec3d{double(a.x()), double(a.y()), double(a.z())} * data.voxel,
                         Vec3d{double(b.x()), double(b.y()), double(b.z())} * data.voxel};
    // Small blocks only: a large one would reach beyond what was cleared.
    const Program program = Program(tree).within(region);
    std::vector<Int3> blocks;
    for (int x = a.x(); x < b.x(); x += kLeaf)
        for (int y = a.y(); y < b.y(); y += kLeaf)
            for (int z = a.z(); z < b.z(); z += kLeaf) blocks.push_back({x, y, z});
    std::vector<std::vector<Piece>> pieces(blocks.size());
    tbb::parallel_for(std::size_t{0}, blocks.size(),
                      [&](std::size_t k) { evaluate_block(program, blocks[k], kLeaf, data.voxel, pieces[k]); });
    tbb::parallel_for(std::size_t{0}, kChannels, [&](std::size_t c) {
        for (const auto& list : pieces)
            for (const Piece& piece : list) data.insert(piece, c);
    });
}

Result<Volume> Volume::load(const std::filesystem::path& path)
{
    const auto found = read_vdb(path);
    if (!found) return found.error();
    try {
        Volume volume;
        volume.data_ = std::make_shared<Data>();
        Data& data = *volume.data_;
        for (const auto& grid : *found) {
            const auto values = openvdb::gridPtrCast<FloatGrid>(grid);
            if (!values) continue;
            const std::string name = values->getName() == "opacity" ? "density" : values->getName();
            for (std::size_t c = 0; c < kChannels; ++c)
                if (name == kNames[c]) data.grids[c] = values;
        }
        if (!data.grids[0]) return Error{path.string(), "has no float grid called density or opacity"};
        const FloatGrid& opacity = *data.grids[0];
        if (double(opacity.activeVoxelCount()) > kMostVoxels)
            return Error{path.string(), "has " + std::to_string(opacity.activeVoxelCount()) +
                                            " voxels that are not empty; at most 2e9 are read"};
        if (!opacity.transform().isLinear() || !opacity.hasUniformVoxels())
            return Error{path.string(), "its voxels are not cubes"};
        const openvdb::Vec3d first = opacity.indexToWorld(openvdb::Vec3d(0)),
                             next = opacity.indexToWorld(openvdb::Vec3d(1));
        data.voxel = opacity.voxelSize()[0];
        if (!(data.voxel > 0 && std::isfinite(data.voxel) && std::isfinite(first.length())))
            return Error{path.string(), "its voxels have no size, or no finite position"};
        data.first = {first[0], first[1], first[2]};
        if ((next - first - openvdb::Vec3d(data.voxel)).length() > 1e-6 * data.voxel)
            return Error{path.string(), "its voxels are turned against the axes"};
        for (std::size_t c = 1; c < kChannels; ++c) {
            if (data.grids[c]) continue;
            data.grids[c] = opacity.deepCopy();  // white, and not stiff, wherever there is opacity
            const float value = c == 4 ? 0.0f : 1.0f;
            for (auto it = data.grids[c]->beginValueOn(); it; ++it) it.setValue(value);
        }
        for (auto& grid : data.grids)  // fog may be denser than 1
            for (auto it = grid->beginValueOn(); it; ++it) it.setValue(*it >= 0 ? std::min(*it, 1.0f) : 0.0f);
        data.set_transform();
        return volume;
    } catch (const std::exception&) {
        return Error{path.string(), "its grids are damaged, or too large to hold"};
    }
}

Status Volume::save(const std::filesystem::path& path) const
{
    return write_vdb(path, openvdb::GridCPtrVec(data_->grids.begin(), data_->grids.end()));
}

double Volume::voxel() const
{
    return data_->voxel;
}

Box3 Volume::bounds() const
{
    const CoordBBox box = data_->grids[0]->evalActiveVoxelBoundingBox();
    if (box.empty()) return {};
    const Vec3d half = Vec3d{0.5, 0.5, 0.5} * data_->voxel;
    return {data_->center_of(box.min()) - half, data_->center_of(box.max()) + half};
}

std::size_t Volume::voxel_count() const
{
    return std::size_t(data_->grids[0]->activeVoxelCount());
}

Sample Volume::voxel_at(Int3 index) const
{
    const Coord c{index[0], index[1], index[2]};
    float v[kChannels];
    for (std::size_t k = 0; k < kChannels; ++k)
        v[k] = FloatGrid::ConstUnsafeAccessor(data_->grids[k]->constTree()).getValue(c);
    return {v[0], v[1], v[2], v[3], v[4]};
}

Sample Volume::at(Vec3d point) const
{
    const Vec3d p = data_->index_of(point);
    if (!(std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) < 1e8)) return {};
    float v[kChannels];
    for (std::size_t k = 0; k < kChannels; ++k)
        v[k] = openvdb::tools::BoxSampler::sample(FloatGrid::ConstUnsafeAccessor(data_->grids[k]->constTree()),
                                                  openvdb::Vec3d(p.x, p.y, p.z));
    return {v[0], v[1], v[2], v[3], v[4]};
}

std::vector<Sample> Volume::sample(std::span<const Vec3d> points, double width, double hardness) const
{
    std::vector<Sample> out(points.size());
    const double reach = std::max(width / data_->voxel, 1.0);  // in voxels
    constexpr std::size_t kPortion = 256;
    tbb::parallel_for(std::size_t{0}, (points.size() + kPortion - 1) / kPortion, [&](std::size_t portion) {
        const Reader read(*data_);
        for (std::size_t k = portion * kPortion; k < std::min((portion + 1) * kPortion, points.size()); ++k) {
            const Vec3d p = data_->index_of(points[k]);
            if (!(std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) < 1e8)) continue;
            out[k] = read.mean(p, reach, hardness);
        }
    });
    return out;
}

bool Volume::same_as(const Volume& other) const
{
    if (voxel() != other.voxel()) return false;
    for (std::size_t c = 0; c < kChannels; ++c) {
        const FloatGrid &a = *data_->grids[c], &b = *other.data_->grids[c];
        if (a.activeVoxelCount() != b.activeVoxelCount()) return false;
        auto accessor = b.getConstAccessor();
        for (auto it = a.cbeginValueOn(); it; ++it) {
            const CoordBBox box = it.getBoundingBox();
            for (auto p = box.begin(); p; ++p)
                if (!accessor.isValueOn(*p) || accessor.getValue(*p) != *it) return false;
        }
    }
    return true;
}

TriMesh Volume::surface(const SurfaceOptions& options) const
{
    const auto kept = [&](Coord c, float stiffness) {
        if (double(stiffness) < options.stiffness_from) return false;
        return !options.cut || dot(data_->center_of(c) - options.cut->first, options.cut->second) <= 0;
    };
    // Share of what is kept, then means over neighbours: the half-way surface is smooth.
    FloatGrid::Ptr share = FloatGrid::create(0.0f);
    auto write = share->getAccessor();
    auto stiffness = data_->grids[4]->getConstAccessor();
    for (auto it = data_->grids[0]->cbeginValueOn(); it; ++it) {
        const CoordBBox box = it.getBoundingBox();
        for (auto p = box.begin(); p; ++p)
            if (*it >= 0.5f && kept(*p, stiffness.getValue(*p))) write.setValue(*p, 1.0f);
    }
    for (int round = 0; round < options.smooth; ++round) {
        FloatGrid::Ptr next = FloatGrid::create(0.0f);
        auto out = next->getAccessor();
        auto in = share->getConstAccessor();
        auto seen = share->deepCopy();
        openvdb::tools::dilateActiveValues(seen->tree(), 1, openvdb::tools::NN_FACE_EDGE_VERTEX);
        for (auto it = seen->cbeginValueOn(); it; ++it) {
            const CoordBBox box = it.getBoundingBox();
            for (auto p = box.begin(); p; ++p) {
                // Product of three hats: 1/4, 1/2, 1/4 along each axis.
                float sum = 0;
                for (int k = 0; k < 27; ++k) {
                    const Coord d{k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
                    const float weight = float(8 >> (std::abs(d.x()) + std::abs(d.y()) + std::abs(d.z()))) / 64.0f;
                    sum += weight * in.getValue(*p + d);
                }
                out.setValue(*p, sum);
            }
        }
        share = next;
    }
    std::vector<openvdb::Vec3s> points;
    std::vector<openvdb::Vec3I> triangles;
    std::vector<openvdb::Vec4I> quads;
    openvdb::tools::volumeToMesh(*share, points, triangles, quads, 0.5);

    TriMesh mesh;
    auto opacity = data_->grids[0]->getConstAccessor();
    std::array<FloatGrid::ConstAccessor, 3> color{
        data_->grids[1]->getConstAccessor(), data_->grids[2]->getConstAccessor(), data_->grids[3]->getConstAccessor()};
    for (const openvdb::Vec3s& point : points) {
        const Vec3d p{double(point.x()), double(point.y()), double(point.z())};
        mesh.vertices.push_back(data_->first + p * data_->voxel);
        const Coord near = Coord::round(openvdb::Vec3d(p.x, p.y, p.z));
        Vec3d sum;
        double total = 0;
        for (int k = 0; k < 125; ++k) {
            const Coord c = near.offsetBy(k % 5 - 2, k / 5 % 5 - 2, k / 25 - 2);
            if (opacity.getValue(c) < 0.5f || !kept(c, stiffness.getValue(c))) continue;
            const Vec3d away = Vec3d{double(c.x()), double(c.y()), double(c.z())} - p;
            const double weight = std::exp(-2 * dot(away, away));
            sum += Vec3d{double(color[0].getValue(c)), double(color[1].getValue(c)), double(color[2].getValue(c))} *
                   weight;
            total += weight;
        }
        mesh.colors.push_back(total > 0 ? (sum / total).as<float>() : Vec3{1, 1, 1});
    }
    const auto add = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        mesh.triangles.push_back({std::int32_t(a), std::int32_t(b), std::int32_t(c)});
    };
    for (const openvdb::Vec3I& t : triangles) add(t[0], t[1], t[2]);
    for (const openvdb::Vec4I& q : quads) {
        add(q[0], q[1], q[2]);
        add(q[0], q[2], q[3]);
    }
    double volume = 0;  // fronts have to show outwards
    for (const Int3& t : mesh.triangles)
        volume += dot(mesh.vertices[std::size_t(t[0])],
                      cross(mesh.vertices[std::size_t(t[1])], mesh.vertices[std::size_t(t[2])]));
    if (volume < 0)
        for (Int3& t : mesh.triangles) std::swap(t[1], t[2]);
    return mesh;
}

std::function<double(Vec3d)> Volume::distance() const
{
    return [data = data_](Vec3d point) {
        const Vec3d p = data->index_of(point);
        if (!(std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) < 1e8)) return data->voxel;
        const FloatGrid::ConstUnsafeAccessor accessor(data->grids[0]->constTree());
        const float opacity = openvdb::tools::BoxSampler::sample(accessor, openvdb::Vec3d(p.x, p.y, p.z));
        return (0.5 - double(opacity)) * data->voxel;
    };
}

Result<VolumeLattice> Volume::lattice(const LatticeOptions& options) const
{
    const double ratio = options.cell / data_->voxel;
    const int factor = int(std::lround(ratio));
    if (!(options.cell > 0) || factor < 1 || std::abs(ratio - factor) > 1e-6 * ratio)
        return Error{"cell", std::to_string(options.cell) + " m is not a whole number of voxels of " +
                                 std::to_string(data_->voxel) + " m"};
    const CoordBBox box = data_->grids[0]->evalActiveVoxelBoundingBox();
    const Vec3d corner = data_->first - Vec3d{0.5, 0.5, 0.5} * data_->voxel;  // of voxel (0, 0, 0)
    const auto row = [&](int y, int z, int x0, int count, FineVoxel* out) {
        std::array<FloatGrid::ConstUnsafeAccessor, kChannels> at{
            FloatGrid::ConstUnsafeAccessor(data_->grids[0]->constTree()),
            FloatGrid::ConstUnsafeAccessor(data_->grids[1]->constTree()),
            FloatGrid::ConstUnsafeAccessor(data_->grids[2]->constTree()),
            FloatGrid::ConstUnsafeAccessor(data_->grids[3]->constTree()),
            FloatGrid::ConstUnsafeAccessor(data_->grids[4]->constTree())};
        for (int k = 0; k < count; ++k) {
            const Coord c{x0 + k, y, z};
            const float opacity = at[0].getValue(c);
            out[k] = {};
            if (opacity < 0.5f) continue;
            out[k] = {true, opacity, at[4].getValue(c), {at[1].getValue(c), at[2].getValue(c), at[3].getValue(c)}};
        }
    };
    return down_convert({{box.min().x(), box.min().y(), box.min().z()},
                         {box.max().x(), box.max().y(), box.max().z()},
                         corner,
                         data_->voxel,
                         factor,
                         row},
                        options);
}

}  // namespace yawara::cvg
