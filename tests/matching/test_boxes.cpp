#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "brute_force.h"
#include "matching/box_classes.h"
#include "matching/box_damping.h"
#include "matching/match.h"
#include "matching/region_damping.h"

using namespace yawara;
using namespace yawara::matching;
using brute::Matrix3d;
using brute::Vector3d;

namespace {

/// Link distances from one particle by walking the cells again and again, up to `most`.
std::map<int, int> distances(const Lattice& lattice, const std::vector<std::vector<int>>& cells_of, int from, int most)
{
    std::map<int, int> found{{from, 0}};
    std::vector<int> front{from};
    for (int hop = 1; hop <= most; ++hop) {
        std::vector<int> next;
        for (const int i : front)
            for (const int c : cells_of[std::size_t(i)])
                for (const int v : lattice.cells[std::size_t(c)])
                    if (found.emplace(v, hop).second) next.push_back(v);
        front = std::move(next);
    }
    return found;
}

/// A lattice body whose regions are known from breadth-first lists too.
struct Body {
    Lattice lattice;
    std::vector<Reach> reach;  ///< of the classes, equal along the axes
    BoxChoice choice;
    RegionRule rule;
    std::vector<double> masses;
    std::vector<std::vector<int>> members;  ///< of each region, from distances alone
    std::vector<double> beta;
    Regions regions;
    MatchMemory memory;

    static Body make(Lattice lattice, std::vector<int> widths, RegionRule rule, unsigned seed)
    {
        std::mt19937 random(seed);
        const std::size_t n = lattice.nodes.size();
        std::vector<Reach> reach;
        for (const int w : widths) reach.push_back({w, w, w});
        BoxChoice choice;
        std::vector<double> masses;
        std::uniform_real_distribution<double> mass(0.2, 3.0), alpha(0.1, 1.0);
        for (std::size_t i = 0; i < n; ++i) {
            choice.classes.push_back(std::uint8_t(random() % widths.size()));
            choice.alphas.push_back(float(alpha(random)));
            masses.push_back(mass(random));
        }
        std::vector<std::vector<int>> cells_of(n), members(n);
        for (std::size_t c = 0; c < lattice.cells.size(); ++c)
            for (const int v : lattice.cells[c]) cells_of[std::size_t(v)].push_back(int(c));
        std::vector<double> beta(n, 1.0);
        const auto width = [&](std::size_t i) { return widths[choice.classes[i]]; };
        for (std::size_t r = 0; r < n; ++r) {
            for (const auto& [i, d] : distances(lattice, cells_of, int(r), width(r)))
                if (rule == RegionRule::paper || d <= width(std::size_t(i))) members[r].push_back(i);
            if (rule == RegionRule::sharp) beta[r] = 1.0 / double(members[r].size());
        }
        auto grid = std::make_shared<const BoxGrid>(BoxGrid::build(lattice, levels_of(reach)).value());
        BoxClasses classes(grid, reach, rule, choice, masses);
        std::vector<Vec3d> rest(n);
        for (std::size_t i = 0; i < n; ++i) rest[i] = lattice.position(int(i));
        Regions regions(std::move(classes), rest, masses);
        MatchMemory memory(regions, 0, nullptr);
        return {std::move(lattice), std::move(reach),   std::move(choice), rule, std::move(masses), std::move(members),
                std::move(beta),    std::move(regions), std::move(memory)};
    }

    std::size_t size() const { return lattice.nodes.size(); }
    Vector3d rest(std::size_t i) const { return brute::eigen(lattice.position(int(i))); }
    Vector3d at(std::size_t i) const
    {
        const float* p = memory.positions.data() + kPositionSize * i;
        return {double(p[0]), double(p[1]), double(p[2])};
    }

    /// Bent, twisted and shaken, far from the origin.
    void deform(unsigned seed, double shake)
    {
        std::mt19937 random(seed);
        std::uniform_real_distribution<double> jitter(-shake, shake);
        for (std::size_t i = 0; i < size(); ++i) {
            const Vector3d q = rest(i) / lattice.cell;
            const double angle = 0.05 * q.y();
            const Vector3d x = Eigen::AngleAxisd(0.7 + angle, Vector3d(0.3, 1, 0.2).normalized()) * q +
                               Vector3d(jitter(random), jitter(random), jitter(random));
            memory.set_position(
                i, Vec3d{40 + x[0] * lattice.cell, -7 + x[1] * lattice.cell, x[2] * lattice.cell}.as<float>());
        }
    }
    std::vector<Vector3d> ways(std::vector<float>& turns)
    {
        match_regions(regions, {}, turns.data(), memory);
        find_displacements(regions, memory, memory.displacement.data(), [](std::size_t, std::size_t) {});
        std::vector<Vector3d> out;
        for (const Vec3& w : memory.displacement) out.push_back(brute::eigen(w.as<double>()));
        return out;
    }
    std::vector<Vector3d> ways()
    {
        std::vector<float> turns = placed_rotations(regions, Mat3d{});
        return ways(turns);
    }

    /// (1 / B_i) sum over the regions of i of beta alpha (T x0 - x), from the lists, in double; and the energy.
    std::vector<Vector3d> brute_ways(double* energy = nullptr) const
    {
        const std::size_t n = size();
        std::vector<double> B(n, 0.0);
        for (std::size_t r = 0; r < n; ++r)
            for (const int i : members[r]) B[std::size_t(i)] += beta[r];
        std::vector<Vector3d> way(n, Vector3d::Zero());
        for (std::size_t r = 0; r < n; ++r) {
            double mass = 0;
            Vector3d c0 = Vector3d::Zero(), c = Vector3d::Zero();
            for (const int m : members[r]) {
                const auto i = std::size_t(m);
                mass += masses[i] / B[i];
                c0 += masses[i] / B[i] * rest(i);
                c += masses[i] / B[i] * at(i);
            }
            c0 /= mass;
            c /= mass;
            Matrix3d A = Matrix3d::Zero();
            for (const int m : members[r]) {
                const auto i = std::size_t(m);
                A += masses[i] / B[i] * (at(i) - c) * (rest(i) - c0).transpose();
            }
            const Matrix3d R = brute::signed_polar_rotation(A);
            for (const int m : members[r]) {
                const auto i = std::size_t(m);
                const Vector3d to_goal = R * (rest(i) - c0) + c - at(i);
                const double weight = beta[r] * double(choice.alphas[r]) / B[i];
                way[i] += weight * to_goal;
                if (energy) *energy += 0.5 * weight * masses[i] * to_goal.squaredNorm();
            }
        }
        return way;
    }
};

/// The largest difference, in cells.
double difference(const Body& body, const std::vector<Vector3d>& a, const std::vector<Vector3d>& b)
{
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, (a[i] - b[i]).norm());
    return largest / body.lattice.cell;
}

Lattice block(Int3 cells)
{
    std::vector<Int3> occupied;
    for (int z = 0; z < cells[2]; ++z)
        for (int y = 0; y < cells[1]; ++y)
            for (int x = 0; x < cells[0]; ++x) occupied.push_back({x, y, z});
    return make_lattice({}, 0.1, occupied);
}

/// A third of the cells missing: holes, gaps, several parts, cells that touch along an edge only.
Lattice porous(unsigned seed, Int3 cells = {11, 6, 7})
{
    std::mt19937 random(seed);
    std::vector<Int3> occupied;
    for (int z = 0; z < cells[2]; ++z)
        for (int y = 0; y < cells[1]; ++y)
            for (int x = 0; x < cells[0]; ++x)
                if (random() % 3 != 0) occupied.push_back({x - 4, y + 100, z});
    return make_lattice({0.3, -0.2, 1}, 0.1, occupied);
}

Lattice ball(int radius)
{
    std::vector<Int3> occupied;
    for (int z = -radius; z < radius; ++z)
        for (int y = -radius; y < radius; ++y)
            for (int x = -radius; x < radius; ++x)
                if ((x + 0.5) * (x + 0.5) + (y + 0.5) * (y + 0.5) + (z + 0.5) * (z + 0.5) < radius * radius)
                    occupied.push_back({x, y, z});
    return make_lattice({}, 0.1, occupied);
}

/// Two blocks joined at the bottom, with a slit one cell wide between them.
Lattice u_shape()
{
    std::vector<Int3> occupied;
    for (int z = 0; z < 2; ++z)
        for (int y = 0; y < 12; ++y)
            for (int x = 0; x < 7; ++x)
                if (y < 2 || x != 3) occupied.push_back({x, y, z});
    return make_lattice({}, 0.1, occupied);
}

/// A bar along the diagonal of y and z: in every plane there are other rows.
Lattice slanted()
{
    std::vector<Int3> occupied;
    for (int z = 0; z < 14; ++z)
        for (int y = z; y < z + 2; ++y)
            for (int x = 0; x < 3; ++x) occupied.push_back({x, y, z});
    return make_lattice({}, 0.1, occupied);
}

Lattice plate()
{
    std::vector<Int3> occupied;
    for (int z = 0; z < 9; ++z)
        for (int x = 0; x < 13; ++x)
            if (x * z % 7 != 3) occupied.push_back({x, 0, z});
    return make_lattice({}, 0.1, occupied);
}

}  // namespace

TEST_CASE("box sums give the goals of breadth-first lists, with holes, gaps, plates and mixed widths")
{
    struct Case {
        const char* name;
        Lattice lattice;
    };
    const Case cases[] = {{"block", block({9, 7, 8})},
                          {"porous", porous(1)},
                          {"porous again", porous(2)},
                          {"ball", ball(5)},
                          {"slit", u_shape()},
                          {"plate", plate()},
                          {"one cell", block({1, 1, 1})},
                          {"slanted", slanted()},
                          {"wide and porous", porous(3, {37, 3, 3})}};
    const std::vector<std::vector<int>> widths{{1}, {2}, {4}, {0, 1, 2, 3, 5}, {1, 3, 12}};
    for (const Case& c : cases)
        for (const std::vector<int>& w : widths)
            for (const RegionRule rule : {RegionRule::sharp, RegionRule::paper}) {
                CAPTURE(c.name);
                CAPTURE(w.back());
                CAPTURE(int(rule));
                Body body = Body::make(c.lattice, w, rule, 3);
                body.deform(4, 0.2);
                CHECK(difference(body, body.ways(), body.brute_ways()) < 3e-4);
            }
}

TEST_CASE("box sums along rows longer than their windows")
{
    const std::vector<std::vector<int>> widths{{4}, {7}, {8}, {13}, {6, 9}, {1, 8, 30}};
    for (const std::vector<int>& w : widths) {
        CAPTURE(w.back());
        Body body = Body::make(block({38, 4, 3}), w, RegionRule::sharp, 5);
        body.deform(6, 0.2);
        CHECK(difference(body, body.ways(), body.brute_ways()) < 3e-4);
    }
}

TEST_CASE("the kernels of every processor sum along rows and columns as a loop does")
{
    const Kernels* all[3];
    const std::size_t count = available_kernels(all);
    std::mt19937 random(3);
    std::uniform_real_distribution<float> value(-1.0f, 1.0f);
    std::vector<float> scratch(line_scratch(30));
    for (const std::size_t row : {16, 48, 80}) {
        const std::size_t n = 3 * row;  // three rows that follow each other
        std::vector<float> in(6 * n), out(6 * n);
        for (float& v : in) v = value(random);
        const auto sums = [&](std::size_t c, std::size_t at, int width,
                              int moment) {  // of (j - x)^moment times a value
            double sum = 0;
            const int x = int(at % row);
            for (int j = std::max(x - width, 0); j <= std::min(x + width, int(row) - 1); ++j)
                sum += double(in[c * n + at / row * row + std::size_t(j)]) * (moment ? j - x : 1);
            return sum;
        };
        for (std::size_t k = 0; k < count; ++k)
            for (int width = 0; width <= 30; ++width) {
                CAPTURE(all[k]->name);
                CAPTURE(row);
                CAPTURE(width);
                const BoxKernels& kernel = all[k]->boxes;
                double wrong = 0;
                const auto check = [&](std::size_t c, const auto& expected) {
                    for (std::size_t x = 0; x < n; ++x)
                        wrong = std::max(wrong, std::abs(double(out[c * n + x]) - expected(x)));
                };
                kernel.row_moment({in.data(), n}, width, row, {out.data(), n, n});
                for (std::size_t c = 0; c < 3; ++c) {
                    check(c, [&](std::size_t x) { return sums(c, x, width, 0); });
                    check(3 + c, [&](std::size_t x) { return sums(c, x, width, 1); });
                }
                kernel.row_sum({in.data(), n}, width, row, {out.data(), n, n});
                for (std::size_t c = 0; c < 3; ++c) check(c, [&](std::size_t x) { return sums(c, x, width, 0); });
                kernel.row_spread({in.data(), n}, width, row, {out.data(), n, n});
                for (std::size_t c = 0; c < 3; ++c)
                    check(c, [&](std::size_t x) { return sums(c, x, width, 0) - sums(3 + c, x, width, 1); });
                CHECK(wrong < 2e-4);

                // The first row as columns of sixteen lanes, all alike.
                const std::size_t channel = row * 16;
                std::vector<float> columns(6 * channel), to(6 * channel);
                for (std::size_t c = 0; c < 6; ++c)
                    for (std::size_t i = 0; i < channel; ++i) columns[c * channel + i] = in[c * n + i / 16];
                Window window{int(row), width, scratch.data()};
                window.sixteen = true;
                const Line from{columns.data(), 16, channel};
                wrong = 0;
                const auto compare = [&](std::size_t c, const auto& expected) {
                    for (std::size_t i = 0; i < channel; ++i)
                        wrong = std::max(wrong, std::abs(double(to[c * channel + i]) - expected(i / 16)));
                };
                kernel.moment(from, window, {to.data(), 16, channel}, {to.data() + 3 * channel, 16, channel});
                for (std::size_t c = 0; c < 3; ++c) {
                    compare(c, [&](std::size_t x) { return sums(c, x, width, 0); });
                    compare(3 + c, [&](std::size_t x) { return sums(c, x, width, 1); });
                }
                kernel.spread(from, {columns.data() + 3 * channel, 16, channel}, window, {to.data(), 16, channel});
                for (std::size_t c = 0; c < 3; ++c)
                    compare(c, [&](std::size_t x) { return sums(c, x, width, 0) - sums(3 + c, x, width, 1); });
                CHECK(wrong < 2e-4);
            }
    }
}

TEST_CASE("windows about some entries of a line, and about places beyond its ends")
{
    const Kernels* all[3];
    const std::size_t count = available_kernels(all);
    std::mt19937 random(4);
    std::uniform_real_distribution<float> value(-1.0f, 1.0f);
    std::vector<float> scratch(line_scratch(30));
    constexpr std::size_t kStep = 16, kChannel = 60 * kStep, kZero = 20 * kStep;  // place 0 is entry 20
    for (const int n : {1, 2, 9, 20})
        for (const auto& [skip_first, skip_last] : {std::pair{0, 0}, {3, 4}, {-3, -1}, {-8, -8}, {-2, 5}})
            for (const int width : {1, 2, 3, 4, 8}) {
                if (skip_first + skip_last >= n || -skip_first > width || -skip_last > width) continue;
                CAPTURE(n);
                CAPTURE(skip_first);
                CAPTURE(width);
                std::vector<float> in(6 * kChannel);
                for (std::size_t c = 0; c < 6; ++c)
                    for (std::size_t i = 0; i < std::size_t(n) * kStep; ++i) in[c * kChannel + i] = value(random);
                const Line p{in.data(), kStep, kChannel}, f{in.data() + 3 * kChannel, kStep, kChannel};
                Window window{n, width, scratch.data()};
                window.sixteen = true;
                window.skip_first = skip_first, window.skip_last = skip_last;
                for (std::size_t k = 0; k < count; ++k) {
                    const float untouched = 77;
                    std::vector<float> sums(3 * kChannel, untouched), moments(6 * kChannel, untouched),
                        spread(3 * kChannel, untouched);
                    const auto out = [&](std::vector<float>& to, std::size_t channel) {
                        return LineOut{to.data() + channel * kChannel + kZero, kStep, kChannel};
                    };
                    all[k]->boxes.sum(p, window, out(sums, 0));
                    all[k]->boxes.moment(p, window, out(moments, 0), out(moments, 3));
                    all[k]->boxes.spread(p, f, window, out(spread, 0));
                    double wrong = 0;
                    for (std::size_t c = 0; c < 3; ++c)
                        for (int i = -20; i < 40; ++i)
                            for (std::size_t lane = 0; lane < kStep; ++lane) {
                                double s = 0, m = 0, back = 0;
                                for (int j = std::max(i - width, 0); j <= std::min(i + width, n - 1); ++j) {
                                    const std::size_t at = c * kChannel + std::size_t(j) * kStep + lane;
                                    s += double(in[at]);
                                    m += (j - i) * double(in[at]);
                                    back += double(in[at]) - (j - i) * double(in[at + 3 * kChannel]);
                                }
                                if (i < skip_first || i >= n - skip_last) s = m = back = double(untouched);
                                const std::size_t at = c * kChannel + std::size_t(20 + i) * kStep + lane;
                                wrong =
                                    std::max({wrong, std::abs(double(sums[at]) - s), std::abs(double(moments[at]) - s),
                                              std::abs(double(moments[at + 3 * kChannel]) - m),
                                              std::abs(double(spread[at]) - back)});
                            }
                    CHECK(wrong < 1e-4);
                }
            }
}

TEST_CASE("a matching pass with mixed widths, masses and alphas has no net force and no net moment")
{
    for (const RegionRule rule : {RegionRule::sharp, RegionRule::paper}) {
        Body body = Body::make(porous(5), {0, 1, 2, 4}, rule, 6);
        body.deform(7, 0.2);
        const std::vector<Vector3d> ways = body.ways();
        Vector3d force = Vector3d::Zero(), moment = Vector3d::Zero();
        double size = 0;
        for (std::size_t i = 0; i < ways.size(); ++i) {
            force += body.masses[i] * ways[i];
            moment += body.masses[i] * (body.at(i) - body.at(0)).cross(ways[i]);
            size += body.masses[i] * ways[i].norm();
        }
        CHECK(force.norm() < 2e-4 * size);
        CHECK(moment.norm() < 2e-4 * size);
    }
}

TEST_CASE("the energy of a lattice body is that of its lists")
{
    for (const double shake : {0.2, 1e-3}) {
        Body body = Body::make(porous(8), {1, 2, 4}, RegionRule::sharp, 9);
        body.deform(10, shake);
        std::vector<float> turns = placed_rotations(body.regions, Mat3d{});
        body.ways(turns);
        double energy = 0;
        body.brute_ways(&energy);
        CHECK(mismatch(body.regions, body.memory) == doctest::Approx(energy).epsilon(1e-3));
    }
}

TEST_CASE("region damping by boxes is region damping by lists")
{
    const Lattice lattice = porous(11);
    const std::size_t n = lattice.nodes.size();
    std::mt19937 random(12);
    std::uniform_real_distribution<double> any(-1, 1);
    std::vector<Vec3d> rest(n);
    std::vector<double> masses(n);
    std::vector<Vec3> x(n), v(n);
    for (std::size_t i = 0; i < n; ++i) {
        rest[i] = lattice.position(int(i));
        masses[i] = 2 + any(random);
        x[i] = (rest[i] + Vec3d{any(random), any(random), any(random)} * 0.02).as<float>();
        v[i] = Vec3d{any(random), any(random), any(random)}.as<float>();
    }
    const std::vector<Reach> reach{{2, 2, 2}};
    const auto grid = std::make_shared<const BoxGrid>(BoxGrid::build(lattice, reach).value());
    const BoxClasses classes(grid, reach, RegionRule::paper,
                             {std::vector<std::uint8_t>(n, 0), std::vector<float>(n, 1.0f)}, masses);
    const Regions lists(neighbourhoods(links(lattice), 2).value(), rest, masses);
    std::vector<Vec3> by_lists = v, by_boxes = v;
    RegionDamping().apply(0.3f, lists, x, by_lists);
    BoxDamping(classes).apply(0.3f, classes, x, by_boxes);
    float largest = 0;
    for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, length(by_lists[i] - by_boxes[i]));
    CHECK(largest < 1e-4f);
}

TEST_CASE("widths along the axes make a box, and a lattice too wide is refused with the reason")
{
    const Lattice lattice = block({6, 6, 6});
    const std::vector<Reach> reach{{1, 3, 0}};
    const std::size_t n = lattice.nodes.size();
    const auto grid = std::make_shared<const BoxGrid>(BoxGrid::build(lattice, reach).value());
    const BoxClasses classes(grid, reach, RegionRule::sharp,
                             {std::vector<std::uint8_t>(n, 0), std::vector<float>(n, 1.0f)},
                             std::vector<double>(n, 1.0));
    const std::vector<double> sizes = classes.over_regions(std::vector<double>(n, 1.0));
    for (std::size_t i = 0; i < n; ++i) {
        int expected = 1;
        for (std::size_t axis = 0; axis < 3; ++axis)
            expected *= std::min(lattice.nodes[i][axis] + reach[0][axis], 6) -
                        std::max(lattice.nodes[i][axis] - reach[0][axis], 0) + 1;
        CHECK(sizes[i] == expected);
    }
    const auto refused = BoxGrid::build(lattice, {{1, 99, 1}});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().what.find("99") != std::string::npos);
}
