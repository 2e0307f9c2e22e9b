// Sweeps over touches, against the constrained least squares they converge to, and the laws of friction and impact.
#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <random>

#include "contact/touch_rows.h"
#include "contact/touch_sweeps.h"

using namespace yawara;
using namespace yawara::contact;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// Touches between some particles of random masses that go random displacements.
struct Heap {
    std::vector<float> masses;
    std::vector<Lanes> displacements;
    std::vector<Touch> touches;

    Heap(unsigned seed, std::size_t particles, std::size_t count)
    {
        std::mt19937 random(seed);
        std::uniform_real_distribution<float> mass(0.2f, 4.0f), any(-1, 1), share(0.1f, 0.4f);
        const auto vector = [&] { return Vec3{any(random), any(random), any(random)}; };
        for (std::size_t i = 0; i < particles; ++i) {
            masses.push_back(mass(random));
            displacements.push_back(to_lanes(vector() * 0.01f));
        }
        for (std::size_t k = 0; k < count; ++k) {
            Touch touch{};
            std::vector<std::int32_t> order(particles);
            for (std::size_t i = 0; i < particles; ++i) order[i] = std::int32_t(i);
            std::shuffle(order.begin(), order.end(), random);
            const float a = share(random), b = share(random);
            touch.particles = {order[0], order[1], order[2], order[3]};
            touch.weights = {1, -a, -b, a + b - 1};
            touch.own_count = 1;
            touch.normal = to_lanes(normalized(Vec3{0.3f * any(random), 1, 0.3f * any(random)}));
            touch.goal = 0.01f;
            touch.shortfall = 0.005f * any(random);
            float yielding = 0;
            for (std::size_t c = 0; c < 4; ++c) {
                touch.shares[c] = touch.weights[c] / masses[std::size_t(touch.particles[c])];
                yielding += touch.shares[c] * touch.weights[c];
            }
            for (float& s : touch.shares) s /= yielding;
            touches.push_back(touch);
        }
    }

    Vec3d momentum(const std::vector<Lanes>& values) const
    {
        Vec3d sum;
        for (std::size_t i = 0; i < values.size(); ++i) sum += to_vec3(values[i]).as<double>() * double(masses[i]);
        return sum;
    }
    double energy(const std::vector<Lanes>& values) const
    {
        double sum = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const Vec3d v = to_vec3(values[i]).as<double>();
            sum += double(masses[i]) * dot(v, v) / 2;
        }
        return sum;
    }
    Vec3d slip(const Touch& touch, const std::vector<Lanes>& values) const
    {
        Vec3d sum;
        for (std::size_t c = 0; c < 4; ++c)
            sum += to_vec3(values[std::size_t(touch.particles[c])]).as<double>() * double(touch.weights[c]);
        return sum;
    }
    Vec3d normal(const Touch& touch) const { return to_vec3(touch.normal).as<double>(); }
    Vec3d across(const Touch& touch, Vec3d v) const { return v - normal(touch) * dot(normal(touch), v); }

    void sweep(int sweeps, float friction)
    {
        float budget = 0;
        for (int k = 0; k < sweeps; ++k) solve_displacements(touches, friction, budget, displacements.data());
    }
};

/// The displacements nearest to the given ones, by mass, that keep every gap: every set of touches that may act is
/// tried.
VectorXd nearest_allowed(const Heap& heap)
{
    const auto n = Eigen::Index(3 * heap.masses.size()), count = Eigen::Index(heap.touches.size());
    VectorXd x(n), inverse(n), shortfall(count);
    MatrixXd J = MatrixXd::Zero(count, n);
    for (std::size_t i = 0; i < heap.masses.size(); ++i)
        for (std::size_t c = 0; c < 3; ++c) {
            x[Eigen::Index(3 * i + c)] = double(heap.displacements[i][c]);
            inverse[Eigen::Index(3 * i + c)] = 1 / double(heap.masses[i]);
        }
    for (std::size_t k = 0; k < heap.touches.size(); ++k) {
        const Touch& touch = heap.touches[k];
        shortfall[Eigen::Index(k)] = double(touch.shortfall);
        for (std::size_t p = 0; p < 4; ++p)
            for (std::size_t c = 0; c < 3; ++c)
                J(Eigen::Index(k), Eigen::Index(3 * std::size_t(touch.particles[p]) + c)) +=
                    double(touch.normal[c]) * double(touch.weights[p]);
    }
    for (unsigned acting = 0; acting < 1u << count; ++acting) {
        std::vector<Eigen::Index> rows;
        for (Eigen::Index k = 0; k < count; ++k)
            if (acting >> k & 1) rows.push_back(k);
        const MatrixXd A = J(rows, Eigen::all);
        const VectorXd wanted = shortfall(rows) - A * x;
        const VectorXd force = (A * inverse.asDiagonal() * A.transpose()).ldlt().solve(wanted);
        const VectorXd y = x + inverse.asDiagonal() * A.transpose() * force;
        if ((rows.empty() || force.minCoeff() >= 0) && (J * y - shortfall).minCoeff() > -1e-12) return y;
    }
    return x;
}

}  // namespace

TEST_CASE("without friction sweeps converge to the nearest displacements that keep every gap")
{
    for (unsigned seed = 1; seed <= 20; ++seed) {
        Heap heap(seed, 8, 5);
        const VectorXd expected = nearest_allowed(heap);
        heap.sweep(400, 0);
        for (std::size_t i = 0; i < heap.displacements.size(); ++i)
            for (std::size_t c = 0; c < 3; ++c)
                CHECK(std::abs(double(heap.displacements[i][c]) - expected[Eigen::Index(3 * i + c)]) < 2e-6);
    }
}

TEST_CASE("touches push and never pull: where the gap is larger than it has to be nothing is left of the push")
{
    Heap heap(21, 30, 25);
    heap.sweep(600, 0);
    int pushing = 0, open = 0;
    for (const Touch& touch : heap.touches) {
        const float excess = gap(touch, heap.displacements.data()) - touch.goal;
        CHECK(touch.move >= 0);
        CHECK(excess > -1e-5f);
        CHECK(touch.move * excess < 1e-9f);
        (touch.move > 1e-5f ? pushing : open) += 1;
    }
    CHECK(pushing > 5);
    CHECK(open > 5);
}

TEST_CASE("sweeps of displacements and velocities keep the momentum, with and without friction")
{
    for (const float friction : {0.0f, 0.4f, 5.0f}) {
        Heap heap(22, 20, 25);
        const Vec3d before = heap.momentum(heap.displacements);
        heap.sweep(16, friction);
        CHECK(length(heap.momentum(heap.displacements) - before) < 1e-6);

        std::vector<Lanes> velocities = heap.displacements;
        for (Lanes& v : velocities) v = v * 100.0f;
        for (Touch& touch : heap.touches) touch.rebound = 0.3f;
        const Vec3d start = heap.momentum(velocities);
        for (int k = 0; k < 4; ++k) solve_velocities(heap.touches, friction, 1.0f / 300, velocities.data());
        CHECK(length(heap.momentum(velocities) - start) < 1e-4);
    }
}

TEST_CASE("a sweep answers with the largest move along a normal, and nothing once all gaps are kept")
{
    Heap heap(23, 8, 5);
    float budget = 0;
    const std::vector<Touch> before = heap.touches;
    const float largest = solve_displacements(heap.touches, 0, budget, heap.displacements.data());
    float moved = 0;
    for (std::size_t k = 0; k < before.size(); ++k)
        moved = std::max(moved, std::abs(heap.touches[k].move - before[k].move));
    CHECK(largest == moved);
    CHECK(largest > 0);
    heap.sweep(400, 0);
    CHECK(solve_displacements(heap.touches, 0, budget, heap.displacements.data()) < 1e-6f);
}

TEST_CASE("friction of all touches together is its share of all pushes, against the slip, and large friction sticks")
{
    for (const float friction : {0.1f, 0.5f}) {
        Heap heap(24, 20, 15);
        heap.sweep(300, friction);
        double held = 0, pushed = 0;
        for (const Touch& touch : heap.touches) {
            held += double(touch.friction_length);
            pushed += double(touch.move);
            CHECK(std::abs(dot(heap.normal(touch), to_vec3(touch.friction_shift).as<double>())) < 1e-6);
            // What still slips does so against what holds it.
            const Vec3d slip = heap.across(touch, heap.slip(touch, heap.displacements));
            if (length(slip) > 1e-4 && touch.friction_length > 1e-4f)
                CHECK(dot(slip, to_vec3(touch.friction_shift).as<double>()) < 0);
        }
        CHECK(held <= 1.01 * double(friction) * pushed);  // a push that shrank later has left its friction
        CHECK(held > 0.5 * double(friction) * pushed);
    }
    Heap one(25, 4, 1);
    one.touches[0].shortfall = 0.02f;
    one.sweep(1, 100);
    CHECK(length(one.across(one.touches[0], one.slip(one.touches[0], one.displacements))) < 1e-6);
}

TEST_CASE("the speed along the normal becomes the rebound, and friction takes what Coulomb's law lets it")
{
    for (const float friction : {0.2f, 10.0f}) {
        Heap heap(26, 4, 1);
        Touch& touch = heap.touches[0];
        touch.move = 0.01f;
        touch.rebound = 0.7f;
        std::vector<Lanes> velocities = heap.displacements;
        const Vec3d n = heap.normal(touch);
        for (Lanes& v : velocities) v = v * 200.0f;
        for (std::size_t c = 0; c < 3; ++c) velocities[std::size_t(touch.particles[0])][c] -= float(n[int(c)]) * 3;
        const Vec3d before = heap.slip(touch, velocities);
        solve_velocities(heap.touches, friction, 1.0f / 300, velocities.data());
        const Vec3d after = heap.slip(touch, velocities);
        CHECK(dot(n, after) == doctest::Approx(0.7).epsilon(1e-4));
        const double most = double(friction) * (0.7 - dot(n, before)), was = length(heap.across(touch, before));
        CHECK(length(heap.across(touch, after)) == doctest::Approx(std::max(was - most, 0.0)).epsilon(1e-3));
    }
}

TEST_CASE("without rebound impacts and friction take energy, and touches that did not push are left alone")
{
    for (unsigned seed = 27; seed < 32; ++seed) {
        Heap heap(seed, 20, 12);
        heap.sweep(50, 0.5f);
        std::vector<Lanes> velocities;
        for (const Lanes& way : heap.displacements) velocities.push_back(way * 300.0f);
        const double before = heap.energy(velocities);
        std::vector<Touch> idle;
        for (const Touch& touch : heap.touches)
            if (!(touch.move > 0)) idle.push_back(touch);
        std::vector<Lanes> alone = velocities;
        solve_velocities(idle, 0.5f, 1.0f / 300, alone.data());
        for (std::size_t i = 0; i < velocities.size(); ++i) CHECK(to_vec3(alone[i]) == to_vec3(velocities[i]));
        for (int k = 0; k < 2; ++k) solve_velocities(heap.touches, 0.5f, 1.0f / 300, velocities.data());
        CHECK(heap.energy(velocities) <= before * (1 + 1e-5));
    }
}

TEST_CASE("pairs that are swept side by side come to the same bits as one after the other")
{
    for (const std::size_t pairs : {std::size_t(2), std::size_t(3), kLanes}) {
        std::vector<Heap> heaps;
        std::vector<Lanes> apart;
        for (std::size_t k = 0; k < pairs; ++k) {
            Heap& heap = heaps.emplace_back(40 + unsigned(k), 12, 9 - 2 * k);
            for (Touch& touch : heap.touches) {
                touch.rebound = 0.2f;
                for (std::int32_t& particle : touch.particles) particle += std::int32_t(apart.size());
            }
            apart.insert(apart.end(), heap.displacements.begin(), heap.displacements.end());
        }
        std::vector<Lanes> together = apart;
        const auto friction = [](std::size_t k) { return 0.2f * float(k); };
        std::vector<std::vector<Touch>> touches;
        std::vector<TouchRows::Pair> side_by_side;
        for (const Heap& heap : heaps) touches.push_back(heap.touches);
        for (std::size_t k = 0; k < pairs; ++k) side_by_side.push_back({touches[k], friction(k), 0.01f});
        TouchRows rows;
        rows.begin(side_by_side);
        std::vector<float> budgets(pairs, 0.0f);
        for (int sweep = 0; sweep < 10; ++sweep) {
            float largest = 0;
            for (std::size_t k = 0; k < pairs; ++k)
                largest = std::max(
                    largest, solve_displacements(heaps[k].touches, friction(k), budgets[k], apart.data()) / 0.01f);
            rows.solve_displacements(together.data());
            CHECK(rows.largest_move() == largest);
        }
        rows.tell();
        for (std::size_t i = 0; i < apart.size(); ++i) CHECK(to_vec3(together[i]) == to_vec3(apart[i]));
        for (std::size_t k = 0; k < pairs; ++k)
            for (std::size_t t = 0; t < touches[k].size(); ++t) CHECK(touches[k][t].move == heaps[k].touches[t].move);

        for (Lanes& v : apart) v = v * 200.0f;
        for (Lanes& v : together) v = v * 200.0f;
        for (int sweep = 0; sweep < 2; ++sweep) {
            for (std::size_t k = 0; k < pairs; ++k)
                solve_velocities(heaps[k].touches, friction(k), 1.0f / 300, apart.data());
            rows.solve_velocities(1.0f / 300, together.data());
        }
        for (std::size_t i = 0; i < apart.size(); ++i) CHECK(to_vec3(together[i]) == to_vec3(apart[i]));
    }
}
