// Layers of stretch that look at the body, written as a user would, against the built-in examples and plain matching.
#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <cmath>

#include "bodies.h"
#include "matching/region_sums.h"
#include "sim/body_model.h"
#include "yawara/deform.h"

namespace yawara {
namespace {

Eigen::Matrix3d matrix(const Sym3& s)
{
    Eigen::Matrix3d m;
    m << s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz;
    return m;
}
Sym3 packed(const Eigen::Matrix3d& m)
{
    return {float(m(0, 0)), float(m(1, 1)), float(m(2, 2)), float(m(1, 2)), float(m(0, 2)), float(m(0, 1))};
}

/// [Examples] 3.6 and 3.7 with one pose, affine goals and the frobenius metric: w = (L . (S - I)) / (L . L), clamped,
/// and T = I + beta w L.
class OnePose : public StretchLayer {
public:
    OnePose(std::vector<Eigen::Matrix3d> pose, double beta) : pose_(std::move(pose)), beta_(beta) {}
    bool looks() const override { return true; }
    void respond(double, std::span<const Sym3> now, std::span<Sym3> wanted) const override
    {
        const Eigen::Matrix3d I = Eigen::Matrix3d::Identity();
        double along = 0, square = 0;
        for (std::size_t r = 0; r < now.size(); ++r) {
            along += ((pose_[r] - I) * (matrix(now[r]) - I)).trace();
            square += (pose_[r] - I).squaredNorm();
        }
        const double weight = std::clamp(along / square, 0.0, 1.0);
        largest_weight = std::max(largest_weight, weight);
        for (std::size_t r = 0; r < now.size(); ++r) wanted[r] = packed(I + beta_ * weight * (pose_[r] - I));
    }
    mutable double largest_weight = 0;

private:
    std::vector<Eigen::Matrix3d> pose_;
    double beta_;
};

/// The rest shape, whatever it sees.
class Indifferent : public StretchLayer {
public:
    bool looks() const override { return true; }
};

class Shorten : public StretchLayer {
public:
    void target(double, std::span<Sym3> wanted) const override { std::ranges::fill(wanted, Sym3{1, 0.8f, 1, 0, 0, 0}); }
};

/// Wants what it sees.
class Agree : public StretchLayer {
public:
    bool looks() const override { return true; }
    void respond(double, std::span<const Sym3> now, std::span<Sym3> wanted) const override
    {
        std::ranges::copy(now, wanted.begin());
        seen.assign(now.begin(), now.end());
    }
    mutable std::vector<Sym3> seen;
};

/// Linear fits of a pose, region by region, in double.
std::vector<Eigen::Matrix3d> stretches(const BodyModel& model, std::span<const Vec3d> pose)
{
    const BodyModel::Data& data = model.data();
    const matching::RegionSums sums(data.regions, data.masses);
    const auto eigen = [](const Mat3d& m) {
        Eigen::Matrix3d e;
        e << m.c0.x, m.c1.x, m.c2.x, m.c0.y, m.c1.y, m.c2.y, m.c0.z, m.c1.z, m.c2.z;
        return e;
    };
    const std::vector<Mat3d> A_pq = sums.covariances(pose, data.rest), A_qq = sums.covariances(data.rest, data.rest);
    std::vector<Eigen::Matrix3d> out;
    for (std::size_t r = 0; r < A_pq.size(); ++r) {
        const Eigen::Matrix3d A = eigen(A_pq[r]) * eigen(A_qq[r]).inverse();
        const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> square(A.transpose() * A);
        out.push_back(square.operatorSqrt());
    }
    return out;
}

Domain bar_or_lattice(bool lattice)
{
    if (!lattice) return make_bar({0.4, 1.2, 0.4}, {3, 8, 3});
    return make_lattice(Box3{{0, 0, 0}, {0.4, 1.2, 0.4}}, 0.1, [](Vec3d) { return true; });
}

BodyModel body_of(const Domain& domain, StretchLayers layers)
{
    BodySpec spec;
    spec.solid = Matching{.domain = domain, .stretch = std::move(layers)};
    return build(std::move(spec)).value();
}

/// Thrown and twisted, for a hundred steps.
std::vector<Vec3> run(const BodyModel& model, float beta, int passes = 1, int threads = 1)
{
    SceneSettings scene_settings = test::weightless();
    scene_settings.threads = threads;
    Scene scene(scene_settings);
    BodySettings settings;
    settings.matching.beta = beta;
    settings.matching.passes = passes;
    scene.add(model, settings);
    for (std::size_t i = 0; i < model.particle_count(); ++i) {
        const Vec3d p = model.rest_positions()[i];
        scene.state(scene.bodies()[0]).velocities[i] =
            Vec3d{8 * (p.z - 0.2) * p.y, -3 * p.y, -8 * (p.x - 0.2) * p.y}.as<float>();
    }
    for (int step = 0; step < 100; ++step) scene.substep();
    return scene.state(scene.bodies()[0]).positions;
}

double farthest(const std::vector<Vec3>& a, const std::vector<Vec3>& b)
{
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, double(length(a[i] - b[i])));
    return most;
}

}  // namespace

TEST_CASE("a user's layer that projects on one pose moves a body as the built-in examples do")
{
    for (const bool lattice : {false, true})
        for (const int passes : {1, 3}) {
            const Domain domain = bar_or_lattice(lattice);
            ExampleSet set;
            set.poses = {{"twist", deformed(rest_positions(domain),
                                            std::vector<Deformer>{Twist{1, 1.5, {}}, Stretch{1, 0.8, false, {}}})}};
            set.metric = ExampleMetric::frobenius;
            set.goal = ExampleGoal::affine;
            const BodyModel built_in = body_of(domain, {examples(set)});
            const auto mine = std::make_shared<OnePose>(stretches(built_in, set.poses[0].positions), 0.9);
            const BodyModel by_user = body_of(domain, {mine});
            const std::vector<Vec3> a = run(built_in, 0.9f, passes), b = run(by_user, 0.9f, passes);
            CAPTURE(lattice);
            CAPTURE(passes);
            CHECK(mine->largest_weight > 0.05);
            CHECK(farthest(a, run(body_of(domain, {}), 0.9f, passes)) > 2e-3);
            CHECK(farthest(a, b) < 1e-4);
        }
}

TEST_CASE("a layer that looks and wants the rest shape is plain shape matching")
{
    for (const bool lattice : {false, true}) {
        const Domain domain = bar_or_lattice(lattice);
        CHECK(farthest(run(body_of(domain, {}), 0), run(body_of(domain, {std::make_shared<Indifferent>()}), 0)) < 1e-5);
    }
}

TEST_CASE("a layer sees what the layers before it do not explain")
{
    // Bent, and shortened along the bent length.
    const Domain domain = bar_or_lattice(false);
    const std::vector<Vec3d> rest = rest_positions(domain);
    const std::vector<Deformer> bent{Bend{1, 0, 0.8, {}}}, shorter{Stretch{1, 0.8, false, {}}};
    const std::vector<Vec3d> both = deformed(deformed(rest, shorter), bent);
    ExampleSet set;
    set.poses = {{"bend", deformed(rest, bent)}};
    set.goal = ExampleGoal::affine;
    const auto shorten = std::make_shared<Shorten>();
    const auto agree = std::make_shared<Agree>();
    const auto look_at = [&](StretchLayers layers) {
        Scene scene(test::weightless());
        BodySettings settings;
        settings.matching.beta = 1;
        scene.add(body_of(domain, std::move(layers)), settings);
        for (std::size_t i = 0; i < both.size(); ++i) scene.state(scene.bodies()[0]).positions[i] = both[i].as<float>();
        const float weight = scene.model(scene.bodies()[0]).examples().empty()
                                 ? 0
                                 : example_weights(scene.model(scene.bodies()[0]), scene.state(scene.bodies()[0]))[1];
        scene.substep();
        double away = 0;  // mean size of what the last layer saw
        for (const Sym3& s : agree->seen) away += (matrix(s) - Eigen::Matrix3d::Identity()).norm();
        return std::pair(weight, away / double(agree->seen.size()));
    };
    const double all = look_at({agree}).second;
    const double without_shortening = look_at({shorten, agree}).second;
    const auto [weight, nothing] = look_at({shorten, examples(set), agree});
    CHECK(all > 0.15);
    CHECK(without_shortening < 0.8 * all);
    CHECK(weight == doctest::Approx(1).epsilon(0.05));
    CHECK(nothing < 0.3 * without_shortening);
    // An example of both is seen whole if it comes first, and the rest of it behind the shortening.
    set.poses[0].positions = both;
    CHECK(look_at({examples(set), shorten, agree}).first == doctest::Approx(1).epsilon(0.01));
    CHECK(look_at({shorten, examples(set), agree}).first < 0.8f);
}

TEST_CASE("threads do not change a bit of a body whose layers look")
{
    for (const bool lattice : {false, true}) {
        const Domain domain = bar_or_lattice(lattice);
        ExampleSet set;
        set.poses = {{"squash", deformed(rest_positions(domain), std::vector<Deformer>{Stretch{1, 0.7, true, {}}})}};
        set.goal = ExampleGoal::affine;
        const BodyModel model =
            body_of(domain, {std::make_shared<Shorten>(), examples(set), std::make_shared<Indifferent>()});
        const std::vector<Vec3> one = run(model, 0.9f, 2, 1);
        CHECK(one == run(model, 0.9f, 2, 4));
        CHECK(farthest(one, run(body_of(domain, {}), 0.9f, 2)) > 0.01);
    }
}

TEST_CASE("one layer of examples is all a body may have")
{
    const Domain domain = bar_or_lattice(false);
    ExampleSet set;
    set.poses = {{"squash", deformed(rest_positions(domain), std::vector<Deformer>{Stretch{1, 0.7, true, {}}})}};
    BodySpec spec;
    spec.solid = Matching{.domain = domain, .stretch = {examples(set), examples(set)}};
    CHECK(build(std::move(spec)).error().message().find("two layers of examples") != std::string::npos);
    CHECK(example_set(*examples(set))->poses.size() == 1);
    CHECK(example_set(Shorten()) == nullptr);
}

}  // namespace yawara
