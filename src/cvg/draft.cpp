#include "cvg/draft.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "cvg/blocks.h"

namespace yawara::cvg {
namespace {

constexpr int kTop = 32;  ///< voxels along the side of the blocks that are tried first

/// Means over neighbours, 1/4, 1/2, 1/4 along one axis; the field is 0 beyond its ends.
void soften(std::vector<float>& field, std::size_t stride, std::size_t length)
{
    const std::size_t lines = field.size() / length;
    tbb::parallel_for(std::size_t{0}, lines, [&](std::size_t line) {
        float* at = field.data() + line / stride * stride * length + line % stride;
        float before = 0, here = at[0];
        for (std::size_t k = 0; k < length; ++k) {
            const float next = k + 1 < length ? at[(k + 1) * stride] : 0.0f;
            at[k * stride] = 0.25f * (before + next) + 0.5f * here;
            before = here;
            here = next;
        }
    });
}

bool same(const Sample& a, const Sample& b)
{
    return (a.opacity >= 0.5f) == (b.opacity >= 0.5f) &&
           (a.opacity < 0.5f || (a.r == b.r && a.g == b.g && a.b == b.b && a.stiffness == b.stiffness));
}

}  // namespace

double Draft::fitting_voxel(const Box3& box, int across)
{
    // In steps, so that a drag seldom changes it.
    const Vec3d size = box.size();
    const double wanted = std::max({size.x, size.y, size.z}) / across;
    return std::exp2(std::ceil(2 * std::log2(wanted)) / 2);
}

Draft::Grid Draft::around(const Box3& box, double voxel)
{
    // Some voxels are empty on all sides: surfaces are closed.
    Grid grid;
    std::size_t count = 1;
    for (int axis = 0; axis < 3; ++axis) {
        grid.low[std::size_t(axis)] = round_down(box.low[axis] / voxel - 3, kBlock);
        grid.high[std::size_t(axis)] = round_down(box.high[axis] / voxel + 3, kBlock) + kBlock;
        count *= std::size_t(grid.high[std::size_t(axis)] - grid.low[std::size_t(axis)]);
    }
    grid.voxels.assign(count, {});
    return grid;
}

void Draft::evaluate(const Program& program, const Box3& box, double voxel, Grid& grid, std::size_t& count)
{
    Int3 low, high;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        low[axis] = std::max(round_down(box.low[int(axis)] / voxel - 1, kBlock), grid.low[axis]);
        high[axis] = std::min(round_down(box.high[int(axis)] / voxel + 1, kBlock) + kBlock, grid.high[axis]);
        if (low[axis] >= high[axis]) return;
    }
    const bool large = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]}) > 2 * kTop;
    const int top = large ? kTop : kBlock;
    std::vector<Int3> blocks;
    for (int x = round_down(low[0], top); x < high[0]; x += top)
        for (int y = round_down(low[1], top); y < high[1]; y += top)
            for (int z = round_down(low[2], top); z < high[2]; z += top) blocks.push_back({x, y, z});
    const Vec3d a{low[0] * voxel, low[1] * voxel, low[2] * voxel}, b{high[0] * voxel, high[1] * voxel, high[2] * voxel};
    const Program local = large ? program : program.within({a, b});
    for (int x = low[0]; x < high[0]; ++x)
        for (int y = low[1]; y < high[1]; ++y)
            std::fill_n(grid.voxels.begin() + std::ptrdiff_t(grid.index(x, y, low[2])), high[2] - low[2], Sample{});
    tbb::parallel_for(std::size_t{0}, blocks.size(), [&](std::size_t k) {
        std::vector<Piece> pieces;
        evaluate_block(local, blocks[k], top, voxel, pieces);
        for (const Piece& piece : pieces)
            for (int x = std::max(piece.origin[0], low[0]); x < std::min(piece.origin[0] + piece.size, high[0]); ++x)
                for (int y = std::max(piece.origin[1], low[1]); y < std::min(piece.origin[1] + piece.size, high[1]); ++y)
                    for (int z = std::max(piece.origin[2], low[2]); z < std::min(piece.origin[2] + piece.size, high[2]); ++z) {
                        const int n = ((x - piece.origin[0]) * kBlock + y - piece.origin[1]) * kBlock + z - piece.origin[2];
                        grid.voxels[grid.index(x, y, z)] = piece.voxels.empty() ? piece.value : piece.voxels[std::size_t(n)];
                    }
    });
    count += std::size_t(high[0] - low[0]) * std::size_t(high[1] - low[1]) * std::size_t(high[2] - low[2]);
}

Status Draft::show(Tree tree)
{
    const Box3 box = tree.bounds();
    const std::string root = tree.nodes().back().place.empty() ? "root" : tree.nodes().back().place;
    const auto nothing = [&] {
        const int eraser = tree.erasing_node();
        const std::string place = eraser < 0 ? "" : tree.nodes()[std::size_t(eraser)].place;
        return Error{place.empty() ? root : place, "nothing is left of the body here"};
    };
    if (box.empty()) return nothing();
    const double voxel = fitting_voxel(box, across_);
    const Vec3d size = box.size() / voxel;
    if (!(length(box.low) + length(box.high) < 1e6 * voxel) || !(size.x * size.y * size.z < 1e9))
        return Error{root, "is too far from its origin for its size"};
    Grid grid = around(box, voxel);
    std::size_t count = 0;
    const Program program(tree);
    if (voxel == voxel_) {
        for (int x = std::max(grid.low[0], grid_.low[0]); x < std::min(grid.high[0], grid_.high[0]); ++x)
            for (int y = std::max(grid.low[1], grid_.low[1]); y < std::min(grid.high[1], grid_.high[1]); ++y) {
                const int from = std::max(grid.low[2], grid_.low[2]), to = std::min(grid.high[2], grid_.high[2]);
                if (from < to)
                    std::copy_n(grid_.voxels.begin() + std::ptrdiff_t(grid_.index(x, y, from)), to - from,
                                grid.voxels.begin() + std::ptrdiff_t(grid.index(x, y, from)));
            }
        const Box3 edited = changed(tree_, tree);
        if (!edited.empty()) evaluate(program, edited, voxel, grid, count);
    } else {
        evaluate(program, box, voxel, grid, count);
    }
    if (std::ranges::none_of(grid.voxels, [](const Sample& s) { return s.opacity > 0; })) return nothing();
    if (std::ranges::none_of(grid.voxels, [](const Sample& s) { return s.opacity >= 0.5f; }))
        return Error{root, "is nowhere opaque enough: below one half it counts as empty"};
    evaluated_ = double(count) / double(grid.voxels.size());
    voxel_ = voxel;
    tree_ = std::move(tree);
    grid_ = std::move(grid);
    return Done{};
}

DraftSurface Draft::surface(double stiffness_from) const
{
    const Grid& g = grid_;
    const int nx = g.high[0] - g.low[0], ny = g.high[1] - g.low[1], nz = g.high[2] - g.low[2];
    const auto kept = [&](const Sample& s) { return s.opacity >= 0.5f && double(s.stiffness) >= stiffness_from; };
    std::vector<float> field(g.voxels.size());
    for (std::size_t k = 0; k < field.size(); ++k) field[k] = kept(g.voxels[k]) ? 1.0f : 0.0f;
    for (int round = 0; round < 2; ++round) {
        soften(field, 1, std::size_t(nz));
        soften(field, std::size_t(nz), std::size_t(ny));
        soften(field, std::size_t(nz) * std::size_t(ny), std::size_t(nx));
    }

    // Surface nets: a point in every cell of eight voxel centres that the surface crosses, a square across every edge.
    DraftSurface out;
    const std::size_t sx = std::size_t(nz) * std::size_t(ny), sy = std::size_t(nz);
    const std::size_t steps[3] = {sx, sy, 1};
    std::vector<std::uint32_t> point_of(field.size(), 0);
    for (int x = 0; x + 1 < nx; ++x)
        for (int y = 0; y + 1 < ny; ++y)
            for (int z = 0; z + 1 < nz; ++z) {
                const std::size_t at = std::size_t(x) * sx + std::size_t(y) * sy + std::size_t(z);
                int inside = 0;
                for (std::size_t c = 0; c < 8; ++c)
                    inside += field[at + (c & 1 ? sx : 0) + (c & 2 ? sy : 0) + (c & 4 ? 1 : 0)] >= 0.5f;
                if (inside == 0 || inside == 8) continue;
                Vec3d sum;
                int crossings = 0;
                for (std::size_t axis = 0; axis < 3; ++axis)
                    for (std::size_t c = 0; c < 4; ++c) {
                        const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
                        const std::size_t from = at + (c & 1 ? steps[u] : 0) + (c & 2 ? steps[v] : 0);
                        const float f = field[from], t = field[from + steps[axis]];
                        if ((f >= 0.5f) == (t >= 0.5f)) continue;
                        Vec3d p;
                        p[int(axis)] = double((0.5f - f) / (t - f));
                        p[int(u)] = c & 1 ? 1 : 0;
                        p[int(v)] = c & 2 ? 1 : 0;
                        sum += p;
                        ++crossings;
                    }
                const Vec3d p = sum / double(crossings);
                out.points.push_back(((Vec3d{g.low[0] + x + 0.5, g.low[1] + y + 0.5, g.low[2] + z + 0.5} + p) * voxel_).as<float>());
                point_of[at] = std::uint32_t(out.points.size());
                Vec3 color;
                float stiffness = 0, weight = 0;
                for (std::size_t c = 0; c < 8; ++c) {
                    const Sample& s = g.voxels[at + (c & 1 ? sx : 0) + (c & 2 ? sy : 0) + (c & 4 ? 1 : 0)];
                    if (!kept(s)) continue;
                    color += Vec3{s.r, s.g, s.b};
                    stiffness += s.stiffness;
                    weight += 1;
                }
                out.colors.push_back(weight > 0 ? color / weight : Vec3{1, 1, 1});
                out.stiffness.push_back(weight > 0 ? stiffness / weight : 0.0f);
            }
    for (int x = 1; x + 1 < nx; ++x)
        for (int y = 1; y + 1 < ny; ++y)
            for (int z = 1; z + 1 < nz; ++z) {
                const std::size_t at = std::size_t(x) * sx + std::size_t(y) * sy + std::size_t(z);
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    const bool from = field[at] >= 0.5f, to = field[at + steps[axis]] >= 0.5f;
                    if (from == to) continue;
                    const std::size_t u = steps[(axis + 1) % 3], v = steps[(axis + 2) % 3];
                    std::array<std::uint32_t, 4> q{point_of[at - u - v], point_of[at - v], point_of[at], point_of[at - u]};
                    if (!from) std::swap(q[1], q[3]);
                    out.triangles.push_back({q[0] - 1, q[1] - 1, q[2] - 1});
                    out.triangles.push_back({q[0] - 1, q[2] - 1, q[3] - 1});
                }
            }
    return out;
}

DraftCut cut_of(const Tree& tree, Vec3d point, Vec3d normal, int rows)
{
    DraftCut out;
    const Box3 box = tree.bounds();
    if (box.empty()) return out;
    const Vec3d n = normalized(normal);
    const Vec3d along = normalized(cross(std::abs(n.y) < 0.9 ? Vec3d{0, 1, 0} : Vec3d{1, 0, 0}, n)), up = cross(n, along);
    const double half = 0.5 * box.diagonal();
    const Vec3d middle = box.center() - n * dot(box.center() - point, n);
    const double step = 2 * half / rows;
    constexpr int kTile = 16;
    const Program program(tree);
    for (int band = 0; band < rows; band += kTile) {
        std::vector<Program> tiles;
        for (int tile = 0; tile < rows; tile += kTile) {
            Box3 part;
            for (int c = 0; c < 4; ++c)
                part.add(middle + along * ((tile + (c & 1 ? kTile : 0)) * step - half) +
                         up * ((band + (c & 2 ? kTile : 0)) * step - half));
            tiles.push_back(program.within(part));
        }
        for (int row = band; row < std::min(band + kTile, rows); ++row) {
            const Vec3d left = middle + up * ((row + 0.5) * step - half) - along * half;
            const auto at = [&](double u) {
                const int tile = std::clamp(int(u / step) / kTile, 0, int(tiles.size()) - 1);
                return tiles[std::size_t(tile)].at(left + along * u);
            };
            // Runs of one value; their ends are found between the places that are asked.
            Sample here = at(0);
            double from = 0;
            const auto strip = [&](double to) {
                if (here.opacity < 0.5f) return;
                for (const auto& [u, v] : {std::pair{from, -0.5}, {to, -0.5}, {to, 0.5}, {from, 0.5}})
                    out.points.push_back((left + along * u + up * (v * step)).as<float>());
                out.colors.push_back({here.r, here.g, here.b});
                out.stiffness.push_back(here.stiffness);
            };
            for (int k = 1; k <= rows; ++k) {
                const double u = std::min(k * step, 2 * half);
                const Sample next = at(u);
                if (same(here, next)) continue;
                double a = u - step, b = u;
                for (int round = 0; round < 5; ++round) {
                    const double m = (a + b) / 2;
                    (same(at(m), here) ? a : b) = m;
                }
                strip((a + b) / 2);
                here = next;
                from = (a + b) / 2;
            }
            strip(2 * half);
        }
    }
    return out;
}

}  // namespace yawara::cvg
