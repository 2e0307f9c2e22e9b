// Isosurface stuffing, Labelle and Shewchuk 2007: a body-centred cubic lattice is bent and cut to the zero set of a
// field. All tets are well shaped: for a smooth field their dihedral angles lie between 10.7 and 164.8 degrees.
#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "meshing/dihedral.h"
#include "meshing/stuffing.h"
#include "meshing/words.h"

namespace yawara {
namespace {

using meshing::cosine_of_smallest_dihedral;
using meshing::number;

// A cut nearer to a lattice point than this part of its edge pulls the point on to the surface. The paper's values for
// tets of one size; long edges lead along the axes, short ones from a cube's corner to its middle.
constexpr double kWarpLong = 0.24999, kWarpShort = 0.41189;
constexpr std::int64_t kMaxCells = 50'000'000;

/// Corners of the cubes are the even lattice, their middles the odd one; both in the order z, y, x.
class Lattice3 {
public:
    /// One cube or more beyond the box on every side. The middle of the box is a lattice point, which keeps symmetric
    /// shapes symmetric and gives thin plates a layer of points half-way.
    Lattice3(const Box3& box, double cell) : cell_(cell)
    {
        const Vec3d size = box.size();
        for (int k = 0; k < 3; ++k) cubes_[k] = 2 * (static_cast<std::int64_t>(std::ceil(0.5 * size[k] / cell)) + 1);
        origin_ = box.center() - Vec3d{double(cubes_[0]), double(cubes_[1]), double(cubes_[2])} * (0.5 * cell);
        even_ = (cubes_[0] + 1) * (cubes_[1] + 1) * (cubes_[2] + 1);
        odd_ = cubes_[0] * cubes_[1] * cubes_[2];
    }

    std::int64_t points() const { return even_ + odd_; }
    const std::array<std::int64_t, 3>& cubes() const { return cubes_; }
    std::int64_t even(std::int64_t x, std::int64_t y, std::int64_t z) const
    {
        return (z * (cubes_[1] + 1) + y) * (cubes_[0] + 1) + x;
    }
    std::int64_t odd(std::int64_t x, std::int64_t y, std::int64_t z) const
    {
        return even_ + (z * cubes_[1] + y) * cubes_[0] + x;
    }

    /// Twice the coordinates, in cubes: all even for corners, all odd for middles.
    std::array<std::int64_t, 3> doubled(std::int64_t point) const
    {
        const std::int64_t is_odd = point >= even_ ? 1 : 0;
        const std::int64_t rank = point - is_odd * even_, nx = cubes_[0] + 1 - is_odd, ny = cubes_[1] + 1 - is_odd;
        return {2 * (rank % nx) + is_odd, 2 * (rank / nx % ny) + is_odd, 2 * (rank / (nx * ny)) + is_odd};
    }
    Vec3d position(std::int64_t point) const
    {
        const auto d = doubled(point);
        return origin_ + Vec3d{double(d[0]), double(d[1]), double(d[2])} * (0.5 * cell_);
    }
    /// The point at doubled coordinates, -1 outside the lattice.
    std::int64_t at(std::array<std::int64_t, 3> d) const
    {
        for (int k = 0; k < 3; ++k) {
            if (d[k] < 0 || d[k] > 2 * cubes_[k]) return -1;
        }
        return d[0] & 1 ? odd(d[0] / 2, d[1] / 2, d[2] / 2) : even(d[0] / 2, d[1] / 2, d[2] / 2);
    }

private:
    Vec3d origin_;
    double cell_;
    std::array<std::int64_t, 3> cubes_{};
    std::int64_t even_ = 0, odd_ = 0;
};

constexpr int kNeighbours = 14;
/// Steps to the neighbours in doubled coordinates: six long edges, then eight short ones; k and opposite(k) are
/// mirrors.
constexpr std::array<std::array<int, 3>, kNeighbours> kSteps{{{2, 0, 0},
                                                              {-2, 0, 0},
                                                              {0, 2, 0},
                                                              {0, -2, 0},
                                                              {0, 0, 2},
                                                              {0, 0, -2},
                                                              {1, 1, 1},
                                                              {-1, -1, -1},
                                                              {1, 1, -1},
                                                              {-1, -1, 1},
                                                              {1, -1, 1},
                                                              {-1, 1, -1},
                                                              {-1, 1, 1},
                                                              {1, -1, -1}}};
constexpr int opposite(int direction)
{
    return direction ^ 1;
}
constexpr bool is_long(int direction)
{
    return direction < 6;
}

class Stuffer {
public:
    Stuffer(const std::function<double(Vec3d)>& distance, const Box3& box, double cell)
        : distance_(distance), box_(box), cell_(cell), lattice_(box, cell)
    {
    }

    Result<TetMesh> run(const Progress& progress)
    {
        if (Status status = sample(progress); !status) return status.error();
        find_cuts();
        warp();
        fill();
        sort_vertices();
        return std::move(mesh_);
    }

private:
    enum Side : std::int8_t { kOutside = -1, kSurface = 0, kInside = 1 };

    /// The field, cut off at the box so that what comes out is closed. Not a number counts as outside.
    double field(Vec3d p) const
    {
        const Vec3d beyond = max(box_.low - p, p - box_.high);
        const double outside_box = std::max({beyond.x, beyond.y, beyond.z});
        const double value = distance_(p);
        return value < outside_box || outside_box != outside_box ? outside_box : value != value ? cell_ : value;
    }

    Status sample(const Progress& progress)
    {
        const auto count = static_cast<std::size_t>(lattice_.points());
        side_.resize(count);
        value_.resize(count);
        constexpr std::size_t kReportEvery = 1 << 16;
        for (std::size_t p = 0; p < count; ++p) {
            if (progress && p % kReportEvery == 0 && !progress("tetrahedra", 0.8 * double(p) / double(count))) {
                return Error{"", "cancelled"};
            }
            const double v = field(lattice_.position(static_cast<std::int64_t>(p)));
            value_[p] = static_cast<float>(v);
            side_[p] = v < 0 ? kInside : v > 0 ? kOutside : kSurface;
        }
        return Done{};
    }

    std::int64_t neighbour(std::int64_t point, int direction) const
    {
        auto d = lattice_.doubled(point);
        for (int k = 0; k < 3; ++k) d[k] += kSteps[static_cast<std::size_t>(direction)][static_cast<std::size_t>(k)];
        return lattice_.at(d);
    }

    /// Where the field is zero between an inside and an outside point, as a part of the way; Illinois false position,
    /// which also copes with fields that are no distances.
    double root(Vec3d inside, double value_inside, Vec3d outside, double value_outside) const
    {
        double low = 0, high = 1, f_low = value_inside, f_high = value_outside;
        int last = 0;
        for (int i = 0; i < 24 && high - low > 1e-4; ++i) {
            double t = (low * f_high - high * f_low) / (f_high - f_low);
            if (!(t > low && t < high)) t = 0.5 * (low + high);
            const double f = field(inside + (outside - inside) * t);
            if (std::abs(f) < 1e-5 * cell_) return t;
            if (f < 0) {
                low = t, f_low = f;
                if (last == -1) f_high *= 0.5;
                last = -1;
            } else {
                high = t, f_high = f;
                if (last == 1) f_low *= 0.5;
                last = 1;
            }
        }
        return 0.5 * (low + high);
    }

    struct Cuts {
        std::array<float, kNeighbours> part;           ///< of the way from the inside point; 2: not cut
        std::array<std::int32_t, kNeighbours> vertex;  ///< of the mesh; -1: not used yet
    };

    void find_cuts()
    {
        record_.assign(side_.size(), -1);
        for (std::size_t p = 0; p < side_.size(); ++p) {
            if (side_[p] != kInside) continue;
            Cuts cuts;
            cuts.part.fill(2.0f);
            cuts.vertex.fill(-1);
            bool any = false;
            for (int k = 0; k < kNeighbours; ++k) {
                const std::int64_t q = neighbour(static_cast<std::int64_t>(p), k);
                if (side_[static_cast<std::size_t>(q)] != kOutside) continue;
                cuts.part[static_cast<std::size_t>(k)] =
                    static_cast<float>(root(lattice_.position(static_cast<std::int64_t>(p)), value_[p],
                                            lattice_.position(q), value_[static_cast<std::size_t>(q)]));
                any = true;
            }
            if (!any) continue;
            record_[p] = static_cast<std::int32_t>(cuts_.size());
            cuts_.push_back(cuts);
        }
    }

    /// Part of the way from `point` to its neighbour at which that edge is cut; 2 if it is not.
    double cut_from(std::int64_t point, int direction, std::int64_t other) const
    {
        const Side here = side_[static_cast<std::size_t>(point)], there = side_[static_cast<std::size_t>(other)];
        if (here * there >= 0) return 2;
        if (here == kInside) return cuts_[index(record_[static_cast<std::size_t>(point)])].part[index(direction)];
        return 1 - cuts_[index(record_[static_cast<std::size_t>(other)])].part[index(opposite(direction))];
    }

    /// Points with a cut close by move there and become part of the surface; their other cuts vanish with it.
    void warp()
    {
        moved_.assign(side_.size(), -1);
        const auto count = static_cast<std::int64_t>(side_.size());
        for (std::int64_t p = 0; p < count; ++p) {
            if (side_[index(p)] == kSurface) continue;
            int best = -1;
            double best_length = std::numeric_limits<double>::infinity(), best_part = 0;
            for (int k = 0; k < kNeighbours; ++k) {
                const std::int64_t q = neighbour(p, k);
                if (q < 0) continue;
                const double part = cut_from(p, k, q);
                if (part >= (is_long(k) ? kWarpLong : kWarpShort)) continue;
                const double along = part * (is_long(k) ? 1.0 : 0.8660254037844386);
                if (along < best_length) best = k, best_length = along, best_part = part;
            }
            if (best < 0) continue;
            const Vec3d from = lattice_.position(p), to = lattice_.position(neighbour(p, best));
            moved_[index(p)] = static_cast<std::int32_t>(warped_.size());
            warped_.push_back(from + (to - from) * best_part);
            side_[index(p)] = kSurface;
        }
    }

    std::int32_t vertex_of(std::int64_t point)
    {
        std::int32_t& vertex = vertex_[index(point)];
        if (vertex < 0) {
            vertex = static_cast<std::int32_t>(mesh_.vertices.size());
            const std::int32_t m = moved_[index(point)];
            mesh_.vertices.push_back(m < 0 ? lattice_.position(point) : warped_[index(m)]);
        }
        return vertex;
    }

    std::int32_t cut_vertex(std::int64_t inside, std::int64_t outside)
    {
        const auto a = lattice_.doubled(inside), b = lattice_.doubled(outside);
        const std::array<int, 3> step{int(b[0] - a[0]), int(b[1] - a[1]), int(b[2] - a[2])};
        const auto k = static_cast<std::size_t>(std::find(kSteps.begin(), kSteps.end(), step) - kSteps.begin());
        Cuts& cuts = cuts_[index(record_[index(inside)])];
        if (cuts.vertex[k] < 0) {
            cuts.vertex[k] = static_cast<std::int32_t>(mesh_.vertices.size());
            const Vec3d from = lattice_.position(inside), to = lattice_.position(outside);
            mesh_.vertices.push_back(from + (to - from) * double(cuts.part[k]));
        }
        return cuts.vertex[k];
    }

    /// Every lattice tet has one long edge of the even lattice and, across, one of the odd lattice.
    void fill()
    {
        vertex_.assign(side_.size(), -1);
        const auto [nx, ny, nz] = lattice_.cubes();
        // No inside point touches the rim of the lattice, so edges on it may be left out.
        for (std::int64_t z = 1; z < nz; ++z) {
            for (std::int64_t y = 1; y < ny; ++y) {
                for (std::int64_t x = 1; x < nx; ++x) {
                    for (int axis = 0; axis < 3; ++axis) {
                        const std::array<std::int64_t, 3> low{2 * x, 2 * y, 2 * z};
                        std::array<std::int64_t, 3> high = low, middle = low;
                        high[axis] += 2;
                        middle[axis] += 1;
                        const std::int64_t e0 = lattice_.at(low), e1 = lattice_.at(high);
                        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
                        std::array<std::int64_t, 4> ring;
                        for (int r = 0; r < 4; ++r) {
                            std::array<std::int64_t, 3> o = middle;
                            o[u] += r == 0 || r == 3 ? -1 : 1;
                            o[v] += r < 2 ? -1 : 1;
                            ring[r] = lattice_.at(o);
                        }
                        for (int r = 0; r < 4; ++r) cut_tet({e0, e1, ring[r], ring[(r + 1) % 4]});
                    }
                }
            }
        }
    }

    void cut_tet(std::array<std::int64_t, 4> points)
    {
        std::array<std::int64_t, 4> in{}, on{}, out{};
        int inside = 0, zero = 0, outside = 0;
        for (const std::int64_t p : points) {
            const Side side = side_[index(p)];
            if (side == kInside) in[inside++] = p;
            if (side == kSurface) on[zero++] = p;
            if (side == kOutside) out[outside++] = p;
        }
        if (inside == 0) return;
        if (outside == 0) {
            add({vertex_of(points[0]), vertex_of(points[1]), vertex_of(points[2]), vertex_of(points[3])});
        } else if (inside == 1) {  // the other corners are on the surface or give way to cuts
            std::array<std::int32_t, 3> others{};
            int n = 0;
            for (int k = 0; k < zero; ++k) others[n++] = vertex_of(on[k]);
            for (int k = 0; k < outside; ++k) others[n++] = cut_vertex(in[0], out[k]);
            add({vertex_of(in[0]), others[0], others[1], others[2]});
        } else if (inside == 2 && zero == 1) {  // a pyramid over the cut triangle
            const Quad base = cut_face(in[0], in[1], out[0]);
            const std::int32_t top = vertex_of(on[0]);
            if (base.from_first) {
                add({base.p0, base.p1, base.c1, top});
                add({base.p0, base.c1, base.c0, top});
            } else {
                add({base.p0, base.p1, base.c0, top});
                add({base.p1, base.c1, base.c0, top});
            }
        } else if (inside == 3) {
            const std::array<std::int32_t, 3> bottom{vertex_of(in[0]), vertex_of(in[1]), vertex_of(in[2])};
            const std::array<std::int32_t, 3> top{cut_vertex(in[0], out[0]), cut_vertex(in[1], out[0]),
                                                  cut_vertex(in[2], out[0])};
            std::array<bool, 3> from_bottom;  // diagonal of side k, k+1: from bottom k to top k+1
            for (int k = 0; k < 3; ++k) from_bottom[k] = cut_face(in[k], in[(k + 1) % 3], out[0]).from_first;
            add_prism(bottom, top, from_bottom);
        } else {  // two inside, two outside: a wedge with triangles at the ends and a free side
            const Quad first = cut_face(in[0], in[1], out[0]), second = cut_face(in[0], in[1], out[1]);
            const std::array<std::int32_t, 3> bottom{first.p0, first.c0, second.c0}, top{first.p1, first.c1, second.c1};
            const std::array<bool, 3> one{first.from_first, true, !second.from_first};
            std::array<bool, 3> other = one;
            other[1] = false;
            const bool cyclic_one = one[0] == one[1] && one[1] == one[2];
            const bool cyclic_other = other[0] == other[1] && other[1] == other[2];
            const bool take_one =
                cyclic_other || (!cyclic_one && prism_cosine(bottom, top, one) <= prism_cosine(bottom, top, other));
            add_prism(bottom, top, take_one ? one : other);
        }
    }

    /// What is left of a triangle with corners inside p, inside q and outside o: p0 p1 c1 c0, cut by one diagonal.
    struct Quad {
        std::int32_t p0, p1, c1, c0;
        bool from_first;  ///< diagonal p0-c1, else p1-c0
    };
    Quad cut_face(std::int64_t p, std::int64_t q, std::int64_t o)
    {
        // Both tets at the face must choose the same diagonal, so it may depend on the face alone. If one cut is on a
        // long edge, the diagonal ends there; else the two inside points are lattice neighbours along an axis, and
        // the one with the even sum of coordinates has the diagonal.
        const auto a = lattice_.doubled(p), b = lattice_.doubled(q), c = lattice_.doubled(o);
        const bool p_long = ((a[0] ^ c[0]) & 1) == 0, q_long = ((b[0] ^ c[0]) & 1) == 0;
        const bool even = ((a[0] + a[1] + a[2] - (a[0] & 1) * 3) / 2) % 2 == 0;
        return {vertex_of(p), vertex_of(q), cut_vertex(q, o), cut_vertex(p, o), p_long ? false : q_long ? true : even};
    }

    static std::array<Int4, 3> prism_tets(const std::array<std::int32_t, 3>& b, const std::array<std::int32_t, 3>& t,
                                          const std::array<bool, 3>& from_bottom)
    {
        // Some corner has two diagonals: turn the prism so that it is corner 0 of `low`; `high` is the other end.
        for (int k = 0; k < 3; ++k) {
            const int l = (k + 1) % 3, m = (k + 2) % 3;
            if (from_bottom[k] && !from_bottom[m]) {  // bottom k - top l and bottom k - top m
                const bool lm = from_bottom[l];
                return {Int4{b[k], t[k], t[l], t[m]}, Int4{b[k], lm ? b[l] : b[m], t[l], t[m]},
                        lm ? Int4{b[k], b[l], b[m], t[m]} : Int4{b[k], b[l], b[m], t[l]}};
            }
        }
        return {};  // a cycle of diagonals, which the rules above never make
    }
    double prism_cosine(const std::array<std::int32_t, 3>& b, const std::array<std::int32_t, 3>& t,
                        const std::array<bool, 3>& from_bottom) const
    {
        double largest = -1;
        for (const Int4& tet : prism_tets(b, t, from_bottom)) {
            largest = std::max(largest, cosine_of_smallest_dihedral(at(tet[0]), at(tet[1]), at(tet[2]), at(tet[3])));
        }
        return largest;
    }
    void add_prism(const std::array<std::int32_t, 3>& b, const std::array<std::int32_t, 3>& t,
                   const std::array<bool, 3>& from_bottom)
    {
        for (const Int4& tet : prism_tets(b, t, from_bottom)) add(tet);
    }

    Vec3d at(std::int32_t vertex) const { return mesh_.vertices[index(vertex)]; }

    void add(Int4 tet)
    {
        const Vec3d a = at(tet[0]);
        if (dot(at(tet[1]) - a, cross(at(tet[2]) - a, at(tet[3]) - a)) < 0) std::swap(tet[2], tet[3]);
        mesh_.tets.push_back(tet);
    }

    /// By half cells in the order z, y, x, so that what is near in space is near in memory.
    void sort_vertices()
    {
        const std::size_t count = mesh_.vertices.size();
        struct Key {
            std::array<std::int64_t, 3> cell;
            std::int32_t vertex;
            auto operator<=>(const Key&) const = default;
        };
        std::vector<Key> keys;
        keys.reserve(count);
        const Vec3d origin = lattice_.position(0);
        for (std::size_t v = 0; v < count; ++v) {
            const Vec3d q = (mesh_.vertices[v] - origin) * (2 / cell_);
            const auto part = [](double x) { return static_cast<std::int64_t>(std::floor(x + 0.5)); };
            keys.push_back({{part(q.z), part(q.y), part(q.x)}, static_cast<std::int32_t>(v)});
        }
        std::sort(keys.begin(), keys.end());
        std::vector<std::int32_t> rank(count);
        std::vector<Vec3d> vertices(count);
        for (std::size_t k = 0; k < count; ++k) {
            rank[index(keys[k].vertex)] = static_cast<std::int32_t>(k);
            vertices[k] = mesh_.vertices[index(keys[k].vertex)];
        }
        mesh_.vertices = std::move(vertices);
        for (Int4& tet : mesh_.tets) {
            for (std::int32_t& v : tet) v = rank[index(v)];
        }
        std::sort(mesh_.tets.begin(), mesh_.tets.end(), [](const Int4& a, const Int4& b) {
            const auto lowest_a = *std::min_element(a.begin(), a.end());
            const auto lowest_b = *std::min_element(b.begin(), b.end());
            return lowest_a != lowest_b ? lowest_a < lowest_b : a < b;
        });
    }

    template <class I>
    static std::size_t index(I i)
    {
        return static_cast<std::size_t>(i);
    }

    const std::function<double(Vec3d)>& distance_;
    Box3 box_;
    double cell_;
    Lattice3 lattice_;
    std::vector<Side> side_;            ///< per lattice point
    std::vector<float> value_;          ///< field, per lattice point
    std::vector<std::int32_t> record_;  ///< per lattice point: its entry in cuts_, -1 if none
    std::vector<Cuts> cuts_;            ///< of inside points that have an outside neighbour
    std::vector<std::int32_t> moved_;   ///< per lattice point: its entry in warped_, -1 if it stays
    std::vector<Vec3d> warped_;         ///< new positions
    std::vector<std::int32_t> vertex_;  ///< per lattice point: vertex of the mesh, -1 if not used
    TetMesh mesh_;
};

}  // namespace

namespace meshing {

Result<TetMesh> stuff_if_any(const std::function<double(Vec3d)>& distance, const Box3& box, double cell,
                             const Progress& progress)
{
    if (!distance) return Error{"distance", "is empty"};
    if (box.empty() || !is_finite(box.low) || !is_finite(box.high)) return Error{"box", "is empty or not finite"};
    if (!(cell > 0) || !std::isfinite(cell)) {
        return Error{"cell", number(cell) + " is not a length; expected a positive number"};
    }
    const Vec3d size = box.size();
    const double cells = (size.x / cell + 4) * (size.y / cell + 4) * (size.z / cell + 4);
    if (cells > double(kMaxCells)) {
        // Rounded up by a tenth, as the rim of the lattice counts too.
        const double smallest = 1.1 * std::cbrt(std::max(size.x, cell) * std::max(size.y, cell) *
                                                std::max(size.z, cell) / double(kMaxCells));
        return Error{"cell", number(cell) + " is too small for this box: the lattice would exceed " +
                                 std::to_string(kMaxCells) + " cells; the smallest possible is about " +
                                 number(smallest)};
    }
    return Stuffer(distance, box, cell).run(progress);
}

}  // namespace meshing

Result<TetMesh> stuff(const std::function<double(Vec3d)>& distance, const Box3& box, double cell,
                      const Progress& progress)
{
    Result<TetMesh> mesh = meshing::stuff_if_any(distance, box, cell, progress);
    if (mesh && mesh->tets.empty()) return meshing::nothing_inside(cell);
    return mesh;
}

}  // namespace yawara
