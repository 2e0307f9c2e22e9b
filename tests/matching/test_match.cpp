#include "matching/match.h"

#include <doctest/doctest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <random>


#include "brute_force.h"
#include "matching/combine.h"
#include "matching/layers.h"
#include "matching/list_work.h"
#include "matching/region_damping.h"
#include "yawara/rotation.h"

using namespace yawara;
using namespace yawara::matching;
using brute::Matrix3d;
using brute::Vector3d;

namespace {

/// A bar with random inner displacements, masses and hops, far from the origin.
struct Sample {
    TetMesh mesh;
    std::vector<double> masses;
    Regions regions;
    MatchMemory memory;

    static Sample make(Int3 cells, unsigned seed, std::size_t layers = 0)
    {
        TetMesh mesh = make_bar({0.5, 1.4, 0.5}, cells, {2, 1, -1});
        std::mt19937 random(seed);
        std::uniform_real_distribution<double> jitter(-0.01, 0.01), mass(0.2, 3.0);
        for (Vec3d& v : mesh.vertices) v += {jitter(random), jitter(random), jitter(random)};
        std::vector<double> masses(mesh.vertices.size());
        for (double& m : masses) m = mass(random);
        Regions regions(neighbourhoods(links(mesh), 1).value(), mesh.vertices, masses);
        MatchMemory memory(regions, layers, nullptr);
        return {std::move(mesh), std::move(masses), std::move(regions), std::move(memory)};
    }

    void set(const std::vector<Vector3d>& x)
    {
        for (std::size_t i = 0; i < x.size(); ++i)
            memory.set_position(regions.slot(i), Vec3d{x[i][0], x[i][1], x[i][2]}.as<float>());
    }
    Vec3 at(std::size_t i) const
    {
        const float* p = memory.positions.data() + kPositionSize * regions.slot(i);
        return {p[0], p[1], p[2]};
    }
    std::vector<Vector3d> rest() const
    {
        std::vector<Vector3d> out;
        for (const Vec3d& v : mesh.vertices) out.push_back(brute::eigen(v));
        return out;
    }
    std::vector<Vector3d> positions() const
    {
        std::vector<Vector3d> out;
        for (std::size_t i = 0; i < mesh.vertices.size(); ++i) out.push_back(brute::eigen(at(i).as<double>()));
        return out;
    }
    std::vector<Vector3d> match(std::vector<float>& turns, const StretchLayers& layers = {})
    {
        WantedShapes wanted;
        ask_layers({layers, {}, 0}, regions, turns.data(), wanted, memory);
        match_regions(regions, wanted, turns.data(), memory);
        find_displacements(regions, memory, memory.displacement.data(), [](std::size_t, std::size_t) {});
        std::vector<Vector3d> out;
        for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
            out.push_back(brute::eigen(at(i).as<double>() + memory.displacement[regions.slot(i)].as<double>()));
        return out;
    }
    std::vector<Vector3d> match()
    {
        std::vector<float> turns = placed_rotations(regions, Mat3d{});
        return match(turns);
    }
};

double largest_distance(const std::vector<Vector3d>& a, const std::vector<Vector3d>& b)
{
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double d = (a[i] - b[i]).norm();
        if (!(d <= largest)) largest = d;  // a NaN stays
    }
    return largest;
}

std::vector<Vector3d> wildly_deformed(const Sample& s, unsigned seed, double strength)
{
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    Matrix3d F = Matrix3d::Identity();
    for (int k = 0; k < 9; ++k) F.data()[k] += 0.3 * strength * normal(random);
    std::vector<Vector3d> x = s.rest();
    const Vector3d phase(normal(random), normal(random), normal(random));
    for (Vector3d& p : x) {
        const Vector3d wave(std::sin(5 * p[1] + phase[0]), std::cos(4 * p[2] + phase[1]),
                            std::sin(6 * p[0] + phase[2]));
        p = F * p + 0.1 * strength * wave + Vector3d(normal(random), normal(random), normal(random)) * 0.01 * strength;
    }
    return x;
}

}  // namespace

TEST_CASE("goals equal those of a brute-force pass in double, from mild to wild deformations, warm or cold")
{
    Sample s = Sample::make({3, 8, 4}, 1);
    const auto rings = brute::rings(s.mesh);
    std::vector<float> warm = placed_rotations(s.regions, Mat3d{});
    for (unsigned seed = 0; seed < 20; ++seed) {
        s.set(wildly_deformed(s, seed, seed < 10 ? 0.3 : 1.5));
        const std::vector<Vector3d> expected = brute::goals(rings, s.rest(), s.masses, s.positions());
        CHECK(largest_distance(s.match(), expected) < 2e-5);
        CHECK(largest_distance(s.match(warm), expected) < 2e-5);
    }
}

TEST_CASE("all kernels agree to rounding")
{
    Sample s = Sample::make({3, 7, 2}, 2);
    s.set(wildly_deformed(s, 5, 0.6));
    const Kernels* all[3];
    const std::size_t count = available_kernels(all);
    std::vector<std::vector<float>> transforms;
    for (std::size_t k = 0; k < count; ++k) {
        AlignedVector<RegionMoments> moments(s.regions.block_count());
        std::vector<float> turns = placed_rotations(s.regions, Mat3d{});
        std::vector<float> out(s.regions.block_count() * kLanes * kTransformSize, 0.0f);
        all[k]->moments(s.regions.view(), s.regions.rest().data(), s.memory.positions.data(), 0,
                        s.regions.block_count(), s.regions.region_count(), moments.data());
        all[k]->rotate(moments.data(), s.regions.rest().data(), {}, RotationSource::fit_stretched, nullptr, 0,
                       s.regions.block_count(), s.regions.region_count(), turns.data(), out.data());
        transforms.push_back(out);
    }
    for (std::size_t k = 1; k < count; ++k)
        for (std::size_t v = 0; v < transforms[0].size(); ++v)
            CHECK(transforms[k][v] == doctest::Approx(transforms[0][v]).epsilon(2e-4));
}

TEST_CASE("the stretch found without a rotation is that of the closest rotation, inside out and flat ones included")
{
    std::mt19937 random(4);
    std::uniform_real_distribution<double> u(-1, 1);
    const Kernels* all[3];
    const std::size_t kernel_count = available_kernels(all);
    constexpr std::size_t kBlocks = 40;
    AlignedVector<RegionMoments> moments(kBlocks);
    AlignedVector<RegionTensor> spread(kBlocks);
    std::vector<float> turns(kBlocks * kRotationSize);
    for (std::size_t k = 0; k < turns.size(); ++k) turns[k] = k / kLanes % 4 == 3 ? 1.0f : 0.0f;
    std::vector<Mat3d> fits;
    for (std::size_t r = 0; r < kBlocks * kLanes; ++r) {
        Mat3d A;
        const double amount = r < 100 ? 0.1 : r < 200 ? 0.5 : 2.0;
        for (Vec3d* c : {&A.c0, &A.c1, &A.c2}) *c += Vec3d{u(random), u(random), u(random)} * amount;
        if (r % 50 == 7) A.c2 = A.c0;  // flat
        if (r % 50 == 8) A = Mat3d::zero();
        if (r % 50 == 9) A.c1 = A.c1 * -1.0;
        fits.push_back(A);
        for (int e = 0; e < 9; ++e)
            moments[r / kLanes].A[e][r % kLanes] = float((e < 3 ? A.c0 : e < 6 ? A.c1 : A.c2)[e % 3]);
        for (int e = 0; e < 3; ++e) spread[r / kLanes].K[e][r % kLanes] = 1;
    }
    for (std::size_t k = 0; k < kernel_count; ++k) {
        AlignedVector<RegionStretch> stretch(kBlocks);
        all[k]->observe(moments.data(), spread.data(), 0, kBlocks, fits.size(), turns.data(), stretch.data());
        double worst = 0;
        for (std::size_t r = 0; r < fits.size(); ++r) {
            const Mat3d B = transpose(to_matrix(closest_rotation(fits[r], {}))) * fits[r];
            const double expected[6] = {B.c0.x, B.c1.y, B.c2.z, B.c1.z, B.c0.z, B.c0.y};
            for (int e = 0; e < 6; ++e)
                worst = std::max(worst, std::abs(double(stretch[r / kLanes].T[e][r % kLanes]) - expected[e]));
        }
        CHECK(worst < 1e-4);
    }
}

TEST_CASE("products with rows are those of the stretch, for each region and summed, whichever blocks go together")
{
    std::mt19937 random(5);
    std::uniform_real_distribution<float> u(-1, 1);
    const Kernels* all[3];
    const std::size_t kernel_count = available_kernels(all);
    constexpr std::size_t kBlocks = 5, kFirst = 2, kExamples = 3, kSome = kBlocks - kFirst;
    AlignedVector<RegionMoments> moments(kBlocks);
    AlignedVector<RegionTensor> spread(kBlocks);
    AlignedVector<RegionStretch> rows(kExamples * kBlocks);
    const auto fill = [&](float(&lanes)[kLanes], float middle) {
        for (float& v : lanes) v = middle + 0.3f * u(random);
    };
    for (std::size_t block = 0; block < kBlocks; ++block) {
        for (int e = 0; e < 9; ++e) fill(moments[block].A[e], e % 4 == 0 ? 1.0f : 0.0f);
        for (int e = 0; e < 3; ++e) std::fill_n(spread[block].K[e], kLanes, 1.0f);
    }
    for (RegionStretch& row : rows)
        for (float(&lanes)[kLanes] : row.T) fill(lanes, 0);
    for (int e = 0; e < 9; ++e) moments[3].A[e][1] = 0;  // hard
    std::vector<float> turns(kBlocks * kRotationSize);
    for (std::size_t k = 0; k < turns.size(); ++k) turns[k] = k / kLanes % 4 == 3 ? 1.0f : 0.0f;
    for (std::size_t k = 0; k < kernel_count; ++k) {
        AlignedVector<RegionStretch> stretch(kSome);
        all[k]->observe(moments.data() + kFirst, spread.data(), kFirst, kBlocks, kBlocks * kLanes, turns.data(),
                        stretch.data());
        AlignedVector<float> each[2], sums[2];  // from the moments, and from the stretch
        for (int way = 0; way < 2; ++way) {
            each[way].assign(kExamples * kSome * kLanes, 7.0f);
            sums[way].assign(kExamples * kSumLanes, 0.0f);
            const RowProducts out{rows.data() + kFirst, kExamples,      kBlocks,
                                  each[way].data(),     kSome * kLanes, sums[way].data()};
            if (way == 0)
                CHECK(all[k]->observe_products(moments.data() + kFirst, spread.data(), kFirst, kBlocks,
                                               kBlocks * kLanes, turns.data(), out) == 1);
            else
                all[k]->project(stretch.data(), kSome, out);
        }
        for (std::size_t example = 0; example < kExamples; ++example) {
            double expected_sum = 0, sum[2]{};
            for (std::size_t lane = 0; lane < kSome * kLanes; ++lane) {
                double expected = 0;
                for (int e = 0; e < 6; ++e)
                    expected += double(rows[example * kBlocks + kFirst + lane / kLanes].T[e][lane % kLanes]) *
                                (double(stretch[lane / kLanes].T[e][lane % kLanes]) - (e < 3 ? 1 : 0));
                for (const AlignedVector<float>& values : each)
                    CHECK(std::abs(double(values[example * kSome * kLanes + lane]) - expected) < 1e-5);
                expected_sum += expected;
            }
            for (int way = 0; way < 2; ++way) {
                for (std::size_t lane = 0; lane < kSumLanes; ++lane)
                    sum[way] += double(sums[way][example * kSumLanes + lane]);
                CHECK(std::abs(sum[way] - expected_sum) < 1e-4);
            }
        }
    }
}

TEST_CASE("a rigid motion moves every goal exactly with its particle")
{
    Sample s = Sample::make({2, 9, 3}, 3);
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    for (int k = 0; k < 10; ++k) {
        const Eigen::AngleAxisd turn(normal(random) * 3, Vector3d(normal(random), normal(random), 1).normalized());
        const Vector3d move(normal(random) * 5, normal(random) * 5, normal(random) * 5);
        std::vector<Vector3d> x = s.rest();
        for (Vector3d& p : x) p = turn * p + move;
        s.set(x);
        CHECK(largest_distance(s.match(), s.positions()) < 1e-5);
    }
}

TEST_CASE("matching keeps linear and angular momentum for random masses and states")
{
    Sample s = Sample::make({3, 8, 3}, 4);
    for (unsigned seed = 0; seed < 5; ++seed) {
        s.set(wildly_deformed(s, seed, 0.8));
        const std::vector<Vector3d> x = s.positions(), g = s.match();
        Vector3d linear = Vector3d::Zero(), angular = Vector3d::Zero(), center = Vector3d::Zero();
        double size = 0, mass = 0;
        for (std::size_t i = 0; i < x.size(); ++i) center += s.masses[i] * x[i], mass += s.masses[i];
        center /= mass;
        for (std::size_t i = 0; i < x.size(); ++i) {
            linear += s.masses[i] * (g[i] - x[i]);
            angular += s.masses[i] * (x[i] - center).cross(g[i] - x[i]);
            size += s.masses[i] * (g[i] - x[i]).norm();
        }
        CHECK(linear.norm() < 1e-5 * size);
        CHECK(angular.norm() < 1e-5 * size);
    }
}

TEST_CASE("what displacements give to the whole is summed with them, in any kernel")
{
    Sample s = Sample::make({3, 4, 2}, 9);
    s.set(wildly_deformed(s, 3, 0.5));
    std::mt19937 random(2);
    std::uniform_real_distribution<float> u(-1, 1);
    AlignedVector<float> transforms((s.regions.region_count() + 1) * kTransformSize);  // the last is nobody's
    for (std::size_t k = 0; k < s.regions.region_count() * kTransformSize; ++k)  // of no use, and so with momentum
        transforms[k] = k % 4 == 3 ? 0.0f : u(random);
    const std::size_t first = 5, last = s.regions.region_count() - 2;
    const Kernels* all[3];
    const std::size_t count = available_kernels(all);
    for (std::size_t k = 0; k < count; ++k) {
        DisplacementSums sums;
        all[k]->displacements(s.regions.view(), transforms.data(), s.memory.positions.data(), first, last,
                              s.memory.displacement.data(), sums);
        Vec3d push, turn;
        double size = 0;
        const Vec3d origin = s.at(s.regions.particle_at(first)).as<double>();
        for (std::size_t slot = first; slot < last; ++slot) {
            const std::size_t i = s.regions.particle_at(slot);
            const Vec3d mw = s.memory.displacement[slot].as<double>() * (s.masses[i] / s.regions.mass_unit());
            push += mw;
            turn += cross(s.at(i).as<double>() - origin, mw);
            size += length(mw);
        }
        CHECK(length(push) > 0.01 * size);
        CHECK(length(turn) > 0.01 * size);
        CHECK(length(push - Vec3d{sums.push[0], sums.push[1], sums.push[2]}) < 1e-5 * size);
        CHECK(length(turn - Vec3d{sums.turn[0], sums.turn[1], sums.turn[2]}) < 1e-5 * size);
    }
}

TEST_CASE("flat, mirrored and collapsed bodies get finite goals and proper rotations")
{
    Sample s = Sample::make({2, 5, 2}, 5);
    std::vector<Vector3d> flat = s.rest(), mirrored = s.rest(), line = s.rest(), point = s.rest();
    for (std::size_t i = 0; i < flat.size(); ++i) {
        flat[i][0] = 1;
        mirrored[i][0] *= -1;
        line[i][0] = line[i][2] = 0;
        point[i] = Vector3d(1, 2, 3);
    }
    const auto rings = brute::rings(s.mesh);
    for (const auto& x : {flat, mirrored, line, point}) {
        s.set(x);
        std::vector<float> turns = placed_rotations(s.regions, rotation(Vec3d{1, 1, 0}, 0.4));
        const std::vector<Vector3d> g = s.match(turns);
        for (const Vector3d& p : g) CHECK(p.allFinite());
        const std::span<const float> transforms = dynamic_cast<const ListWork&>(*s.memory.work).transforms();
        for (std::size_t r = 0; r < s.regions.region_count(); ++r) {
            const float* t = transforms.data() + kTransformSize * r;
            Matrix3d F;
            F << t[0], t[4], t[8], t[1], t[5], t[9], t[2], t[6], t[10];
            CHECK((F.transpose() * F - Matrix3d::Identity()).norm() < 1e-5);
            CHECK(F.determinant() > 0.99);
        }
    }
    s.set(mirrored);
    CHECK(largest_distance(s.match(), brute::goals(rings, s.rest(), s.masses, s.positions())) < 1e-4);
    const MatchCount count = match_regions(s.regions, {}, placed_rotations(s.regions, Mat3d{}).data(), s.memory);
    CHECK(count.inverted == int(s.regions.region_count()));
}

TEST_CASE("one and many workers give the same bits")
{
    Sample a = Sample::make({8, 30, 8}, 6), b = Sample::make({8, 30, 8}, 6);
    a.set(wildly_deformed(a, 1, 0.5));
    b.set(wildly_deformed(b, 1, 0.5));
    std::vector<Vector3d> one, many;
    const tbb::global_control allow(tbb::global_control::max_allowed_parallelism, 4);
    tbb::task_arena(1).execute([&] { one = a.match(); });
    tbb::task_arena(4).execute([&] { many = b.match(); });
    CHECK(one == many);
}

TEST_CASE("goals found while regions are matched are those found behind all of them, each once, by any number of threads")
{
    Sample s = Sample::make({8, 30, 8}, 6);
    s.set(wildly_deformed(s, 1, 0.5));
    std::vector<float> turns = placed_rotations(s.regions, Mat3d{});
    s.match(turns);
    const AlignedVector<Vec3> expected = s.memory.displacement;
    const std::vector<Momenta> momenta = s.memory.momenta;
    const tbb::global_control allow(tbb::global_control::max_allowed_parallelism, 4);
    for (const int threads : {1, 2, 4}) {
        CAPTURE(threads);
        std::vector<float> turned = placed_rotations(s.regions, Mat3d{});
        std::ranges::fill(s.memory.displacement, Vec3{});
        std::vector<int> found(expected.size(), 0);
        tbb::task_arena(threads).execute([&] {
            const auto count = s.memory.work->match_and_find(
                s.regions, {}, turned.data(), s.memory, s.memory.displacement.data(),
                [&](std::size_t first, std::size_t last) {
                    for (std::size_t slot = first; slot < last; ++slot)
                        found[slot] += s.memory.displacement[slot] == expected[slot] ? 1 : 100;
                });
            CHECK(count.has_value());
        });
        CHECK(std::ranges::all_of(found, [](int times) { return times == 1; }));
        CHECK(turned == turns);
        for (std::size_t k = 0; k < momenta.size(); ++k) {
            CHECK(s.memory.momenta[k].linear == momenta[k].linear);
            CHECK(s.memory.momenta[k].angular == momenta[k].angular);
        }
    }
}

namespace {

class Uniform : public StretchLayer {
public:
    explicit Uniform(Sym3 wanted) : wanted_(wanted) {}
    void target(double, std::span<Sym3> wanted) const override { std::fill(wanted.begin(), wanted.end(), wanted_); }

private:
    Sym3 wanted_;
};

Matrix3d matrix(const Sym3& s)
{
    Matrix3d m;
    m << s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz;
    return m;
}

}  // namespace

TEST_CASE("a uniformly stretched body is an exact fixed point of a uniform wanted stretch")
{
    const Sym3 T{1.4f, 0.8f, 0.9f, 0.05f, -0.1f, 0.15f};
    Sample s = Sample::make({3, 6, 3}, 8, 1);
    std::vector<Vector3d> x = s.rest();
    const Eigen::AngleAxisd turn(0.7, Vector3d(1, 2, -1).normalized());
    for (Vector3d& p : x) p = turn * (matrix(T) * p);
    s.set(x);
    std::vector<float> turns = placed_rotations(s.regions, Mat3d{});
    const StretchLayers layers{std::make_shared<Uniform>(T)};
    CHECK(largest_distance(s.match(turns, layers), s.positions()) < 1e-5);
}

TEST_CASE("stretched goals equal those of the brute-force pass")
{
    const Sym3 T{1.3f, 0.7f, 1.1f, 0.1f, 0.0f, -0.2f};
    Sample s = Sample::make({3, 6, 3}, 9, 1);
    s.set(wildly_deformed(s, 3, 0.8));
    std::vector<float> turns = placed_rotations(s.regions, Mat3d{});
    const StretchLayers layers{std::make_shared<Uniform>(T)};
    const std::vector<Matrix3d> stretch(s.mesh.vertices.size(), matrix(T));
    const auto expected = brute::goals(brute::rings(s.mesh), s.rest(), s.masses, s.positions(), stretch);
    CHECK(largest_distance(s.match(turns, layers), expected) < 2e-5);
}

TEST_CASE("layers that share their axes multiply, and the order of two layers does not matter")
{
    const auto both = [](Sym3 one, const Sym3& other) {
        combine({&one, 1}, {&other, 1});
        return matrix(one);
    };
    const Sym3 a{1.5f, 0.5f, 1.0f, 0, 0, 0}, b{0.8f, 2.0f, 1.25f, 0, 0, 0};
    CHECK((both(a, b) - Matrix3d(Vector3d(1.2, 1.0, 1.25).asDiagonal())).norm() < 1e-5);
    const Sym3 c{1.2f, 0.9f, 1.1f, 0.1f, 0.2f, -0.1f};
    CHECK((both(a, c) - both(c, a)).norm() < 1e-5);
    CHECK((both(c, Sym3{}) - matrix(c)).norm() == 0);
}

TEST_CASE("stretches near 1 and far from it are combined by the same law, and what was combined can be taken off again")
{
    // The law once more, by eigenvalues in double.
    const auto on_eigenvalues = [](const Matrix3d& m, double (*f)(double)) {
        const Eigen::SelfAdjointEigenSolver<Matrix3d> solver(m);
        return Matrix3d(solver.eigenvectors() * solver.eigenvalues().unaryExpr(f).asDiagonal() *
                        solver.eigenvectors().transpose());
    };
    const auto log_of = [&](const Sym3& s) { return on_eigenvalues(matrix(s), [](double v) { return std::log(v); }); };
    std::mt19937 random(7);
    std::uniform_real_distribution<float> unit(-1, 1);
    for (const float size : {0.01f, 0.1f, 0.3f, 0.6f}) {  // up to eigenvalues of a quarter and four
        std::vector<Sym3> a(37), b(37);
        for (std::vector<Sym3>* list : {&a, &b})
            for (Sym3& s : *list) {
                Matrix3d m;
                for (int k = 0; k < 9; ++k) m(k / 3, k % 3) = double(size * unit(random));
                m = on_eigenvalues(m + m.transpose(), [](double v) { return std::exp(v); });
                s = {float(m(0, 0)), float(m(1, 1)), float(m(2, 2)), float(m(1, 2)), float(m(0, 2)), float(m(0, 1))};
            }
        std::vector<Sym3> both = a;
        combine(both, b);
        std::vector<Sym3> again = both;
        without(again, b);
        for (std::size_t k = 0; k < a.size(); ++k) {
            const Matrix3d expected =
                on_eigenvalues(log_of(a[k]) + log_of(b[k]), [](double v) { return std::exp(v); });
            CHECK((matrix(both[k]) - expected).norm() < 2e-6 * expected.norm());
            CHECK((matrix(again[k]) - matrix(a[k])).norm() < 5e-6 * matrix(a[k]).norm());
        }
    }
}

TEST_CASE("aligned goals carry no angular momentum and keep their centre")
{
    Sample s = Sample::make({2, 6, 2}, 10);
    s.set(wildly_deformed(s, 11, 0.6));
    const std::vector<Vector3d> x = s.positions();
    std::vector<Vec3> start(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) start[i] = s.at(i);
    std::mt19937 random(3);
    std::normal_distribution<float> normal(0, 0.05f);
    const Mat3 turn = rotation(Vec3{1, 0, 1}, 0.2f);
    for (std::size_t i = 0; i < x.size(); ++i)
        s.memory.displacement[s.regions.slot(i)] =
            turn * s.at(i) - s.at(i) + Vec3{normal(random), normal(random), normal(random)};
    const auto moments = [&] {
        Vector3d linear = Vector3d::Zero(), angular = Vector3d::Zero(), center = Vector3d::Zero();
        double mass = 0;
        for (std::size_t i = 0; i < x.size(); ++i) center += s.masses[i] * x[i], mass += s.masses[i];
        center /= mass;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const Vector3d g = x[i] + brute::eigen(s.memory.displacement[s.regions.slot(i)].as<double>());
            linear += s.masses[i] * g;
            angular += s.masses[i] * (x[i] - center).cross(g);
        }
        return std::pair(linear, angular);
    };
    const auto before = moments();
    REQUIRE(before.second.norm() > 0.1);
    align_goals(s.regions, s.masses, start, s.memory);
    const auto after = moments();
    CHECK((after.first - before.first).norm() < 1e-4);
    CHECK(after.second.norm() < 1e-4);
}

TEST_CASE("damping by regions is that of the equation, for bodies of any size and weight")
{
    const Sample s = Sample::make({2, 4, 4}, 20);  // 75 regions: the last four lanes are not all used
    const std::size_t n = s.masses.size();
    const auto regions = brute::rings(s.mesh);
    std::mt19937 random(21);
    std::normal_distribution<double> normal;
    std::vector<Vector3d> v(n);
    for (Vector3d& one : v) one = Vector3d(normal(random), normal(random), normal(random));
    for (const double size : {1e-3, 1.0, 1e4}) {
        const double density = std::pow(size, 3) * 1000;
        std::vector<double> masses(n);
        std::vector<Vec3> x(n), damped(n);
        std::vector<Vec3d> rest(n);
        for (std::size_t i = 0; i < n; ++i) {
            rest[i] = s.mesh.vertices[i] * size;
            x[i] = rest[i].as<float>();
            masses[i] = s.masses[i] * density;
            damped[i] = Vec3d{v[i].x(), v[i].y(), v[i].z()}.as<float>();
        }
        const Regions same(neighbourhoods(links(s.mesh), 1).value(), rest, masses);
        RegionDamping().apply(0.3f, same, x, damped);

        std::vector<Vector3d> sum(n, Vector3d::Zero());  // [ProcDef] 3.4
        for (std::size_t r = 0; r < n; ++r) {
            double mass = 0;
            Vector3d c = Vector3d::Zero(), velocity = Vector3d::Zero(), angular = Vector3d::Zero();
            Matrix3d inertia = Matrix3d::Zero();
            const auto each = [&](const auto& then) {
                for (const int k : regions[r])
                    then(std::size_t(k), masses[std::size_t(k)] / double(regions[std::size_t(k)].size()),
                         brute::eigen(x[std::size_t(k)].as<double>()));
            };
            each([&](std::size_t k, double m, const Vector3d& p) { mass += m, c += m * p, velocity += m * v[k]; });
            c /= mass, velocity /= mass;
            each([&](std::size_t k, double m, const Vector3d& p) {
                const Vector3d q = p - c;
                angular += m * q.cross(v[k]);
                inertia += m * (q.squaredNorm() * Matrix3d::Identity() - q * q.transpose());
            });
            const Vector3d spin = inertia.inverse() * angular;
            each([&](std::size_t k, double, const Vector3d& p) { sum[k] += velocity + spin.cross(p - c); });
        }
        double worst = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const Vector3d expected = v[i] + 0.3 * (sum[i] / double(regions[i].size()) - v[i]);
            worst = std::max(worst, (brute::eigen(damped[i].as<double>()) - expected).norm());
        }
        CHECK(worst < 2e-4);
    }
}
