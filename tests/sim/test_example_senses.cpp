// Weights that listen to speed, contact and controls, bodies that keep their poses, and soft borders between groups:
// against the twin in double, in their limits, and through snapshots.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "bodies.h"
#include "example_twin.h"
#include "sim/body_model.h"
#include "yawara/deform.h"

namespace yawara {
namespace {

using std::numbers::pi;

/// A bar with uneven vertices that knows a shortened twist and a squash.
struct Subject {
    TetMesh mesh = make_bar({0.5, 1.4, 0.5}, {2, 5, 2});
    std::vector<double> masses;
    ExampleSet set;

    Subject()
    {
        std::mt19937 random(3);
        std::uniform_real_distribution<double> jitter(-0.03, 0.03), mass(0.4, 2.0);
        for (Vec3d& v : mesh.vertices) v += {jitter(random), jitter(random), jitter(random)};
        for (std::size_t i = 0; i < mesh.vertices.size(); ++i) masses.push_back(mass(random));
        set.poses = {pose(mesh, "twist", {Twist{1, 0.8 * pi, {}}, Stretch{1, 0.8, false, {}}}),
                     pose(mesh, "squash", {Stretch{1, 0.6, true, {}}})};
        set.goal = ExampleGoal::affine;
    }
    Result<BodyModel> build_model() const
    {
        BodySpec spec;
        spec.solid = Matching{.domain = mesh, .stretch = {examples(set)}};
        spec.particle_masses = masses;
        return build(std::move(spec));
    }
    BodyModel model() const { return build_model().value(); }
};

ExampleCue cue(std::string pose, CueSource source, double low, double high, double fade, double strength)
{
    ExampleCue made;
    made.pose = std::move(pose), made.source = source;
    if (source == CueSource::control) made.control = made.pose;
    made.low = low, made.high = high, made.fade = fade, made.strength = strength;
    return made;
}

/// Largest distance from the twin after a hundred steps in which both land on the floor, and their last weights.
struct Apart {
    double positions = 0, heard = 0, kept = 0;
};
Apart run_beside_twin(const Subject& subject)
{
    const BodyModel model = subject.model();
    ExampleTwin twin;
    twin.mesh = subject.mesh, twin.masses = subject.masses, twin.set = subject.set;
    twin.use_offsets = subject.set.goal == ExampleGoal::offsets;
    twin.alpha = 0.6;
    twin.beta = double(model.data().examples->strength(0.95f));
    twin.floor = double(-0.1f);
    twin.prepare();
    if (subject.set.border > 0) twin.soften();
    const std::size_t groups = model.example_groups();
    twin.heard.assign(subject.set.cues.size(), std::vector<double>(groups, 0.0));
    for (const ExampleCue& c : subject.set.cues) twin.controls.push_back(c.source == CueSource::control ? 0.7 : 0);
    if (subject.set.plasticity) twin.kept.assign(groups, std::vector<double>(subject.set.poses.size(), 0.0));

    SceneSettings settings;
    settings.dt = twin.h;
    settings.substeps = 1;
    Scene scene(settings);
    scene.add(Collider{Plane{{0, -0.1, 0}, {0, 1, 0}}, 0.5f, 0.0f});
    BodySettings body;
    body.matching.alpha = 0.6f;
    body.matching.beta = 0.95f;
    const BodyId id = scene.add(model, body);
    for (float& control : scene.state(id).matching.controls) control = 0.7f;
    for (std::size_t i = 0; i < twin.v.size(); ++i) {
        twin.v[i] = {twin.x[i].y(), -4, std::sin(4 * twin.x[i].y())};
        scene.state(id).velocities[i] = {float(twin.v[i].x()), float(twin.v[i].y()), float(twin.v[i].z())};
    }
    for (int step = 0; step < 100; ++step) {
        scene.substep();
        twin.step();
    }
    Apart apart;
    const BodyState& state = std::as_const(scene).state(id);
    for (std::size_t i = 0; i < twin.x.size(); ++i) {
        const Vec3 p = state.positions[i];
        apart.positions = std::max(apart.positions, (twin.x[i] - ExampleTwin::V(p.x, p.y, p.z)).norm());
    }
    for (std::size_t c = 0; c < twin.heard.size(); ++c)
        for (std::size_t g = 0; g < groups; ++g)
            apart.heard =
                std::max(apart.heard, std::abs(twin.heard[c][g] - double(state.matching.heard[c * groups + g])));
    double most = 0;
    for (std::size_t g = 0; g < twin.kept.size(); ++g)
        for (std::size_t k = 0; k < twin.kept[g].size(); ++k) {
            const double own = double(state.matching.kept[g * twin.kept[g].size() + k]);
            apart.kept = std::max(apart.kept, std::abs(twin.kept[g][k] - own));
            most = std::max(most, own);
        }
    if (subject.set.plasticity) CHECK(most > 0.05);  // or it would say nothing
    return apart;
}

const std::vector<ExampleCue> kCues{cue("twist", CueSource::speed, 1, 5, 0.05, 2),
                                    cue("squash", CueSource::contact, 0.5, 6, 0.1, 3),
                                    cue("twist", CueSource::control, 0, 1, 0.15, 1)};
const Field<std::int32_t> kHalves = [](Vec3d p) { return p.y > 0.7; };

}  // namespace

TEST_CASE("bodies that listen, keep their poses and have soft borders follow the equations in double")
{
    struct Variant {
        bool cues, plastic;
        int groups;  // 0: each region
        double border = 0;
        ExampleGoal goal = ExampleGoal::affine;
        ExampleWeights weights = ExampleWeights::exact;
    };
    using enum ExampleGoal;
    for (const Variant& variant :
         {Variant{true, false, 1}, Variant{true, false, 2}, Variant{true, false, 0}, Variant{false, true, 1},
          Variant{false, true, 2}, Variant{false, true, 0}, Variant{true, true, 1, 0, offsets},
          Variant{true, false, 1, 0, affine, ExampleWeights::finite}, Variant{false, false, 2, 0.2},
          Variant{true, true, 2, 0.3}, Variant{true, true, 2, 0.3, offsets}}) {
        Subject subject;
        subject.set.goal = variant.goal;
        subject.set.weights = variant.weights;
        subject.set.each_region = variant.groups == 0;
        if (variant.groups == 2) subject.set.groups = kHalves;
        subject.set.border = variant.border;
        if (variant.cues) subject.set.cues = kCues;
        if (variant.cues && variant.groups == 2) subject.set.cues[0].group = 1;
        if (variant.plastic) subject.set.plasticity = ExamplePlasticity{0.05, 8, 0.5, 0.4};
        CAPTURE(variant.cues);
        CAPTURE(variant.plastic);
        CAPTURE(variant.groups);
        CAPTURE(variant.border);
        CAPTURE(int(variant.goal));
        const Apart apart = run_beside_twin(subject);
        CHECK(apart.positions < (variant.groups == 0 ? 3e-3 : 3e-4));
        CHECK(apart.heard < (variant.groups == 0 ? 0.1 : 5e-3));
        // Single regions that an example hardly touches have weights that say nothing, [Examples] 11.9.
        if (variant.groups != 0) CHECK(apart.kept < 2e-3);
    }
}

TEST_CASE("a control takes a body into a pose and back, whatever else is in its scene")
{
    Subject subject;
    subject.set.cues = {cue("squash", CueSource::control, 0, 1, 0.1, 50)};
    Scene scene(test::weightless());
    const BodyId body = scene.add(subject.model());
    CHECK(subject.model().example_controls().size() == 1);
    const auto height = [&] {
        Box3 box;
        for (const Vec3& p : scene.state(body).positions) box.add(p.as<double>());
        return box.size().y;
    };
    const double rest = height();
    Script script;
    script.add_control(0, {{0, 0}, {0.5, 1}, {2, 1}, {2.5, 0}});
    scene.set_script(body, script);
    const auto run_until = [&](double time) {
        while (scene.time() < time) scene.step();
    };
    run_until(2);
    CHECK(height() == doctest::Approx(0.6 * rest).epsilon(0.03));
    CHECK(example_weights(scene.model(body), std::as_const(scene).state(body))[2] > 0.97f);
    run_until(6);
    CHECK(height() == doctest::Approx(rest).epsilon(0.01));
}

TEST_CASE(
    "contact is heard as the speed that a blow takes, with any steps, stiffness and mesh, from obstacles and bodies")
{
    struct Case {
        Int3 cells;
        int substeps;
        float young;
    };
    for (const Case& c :
         {Case{{2, 2, 2}, 2, 0}, Case{{2, 2, 2}, 10, 0}, Case{{4, 4, 4}, 4, 0}, Case{{3, 3, 3}, 4, 2e5f}}) {
        for (const bool body_to_body : {false, true}) {
            BodySpec spec;
            const TetMesh mesh = make_bar({0.5, 0.5, 0.5}, c.cells);
            ExampleSet set;
            set.poses = {pose(mesh, "squash", {Stretch{1, 0.6, true, {}}})};
            set.cues = {cue("squash", CueSource::contact, 50, 60, 100, 1)};  // heard, but never enough
            spec.solid = Matching{.domain = mesh, .stretch = {examples(set)}};
            const BodyModel model = build(std::move(spec)).value();
            SceneSettings settings = test::weightless(1.0 / 60);
            settings.substeps = c.substeps;
            Scene scene(settings);
            BodySettings own;
            own.matching.young = c.young;
            own.contact.restitution = 0;
            const BodyId body = scene.add(model, own, {Mat3d{}, {0, 0.3, 0}}, {0, -3, 0});
            if (body_to_body)
                scene.add(model, own, {Mat3d{}, {0, -0.3, 0}}, {0, 3, 0});
            else
                scene.add(Collider{Plane{{0, 0, 0}, {0, 1, 0}}, 0.5f, 0.0f});
            for (int frame = 0; frame < 60; ++frame) scene.step();
            // What moved at 3 m/s was stopped, and thrown back by its own elasticity.
            Vec3d momentum;
            double mass = 0;
            for (std::size_t i = 0; i < model.particle_count(); ++i) {
                momentum += scene.state(body).velocities[i].as<double>() * model.masses()[i];
                mass += model.masses()[i];
            }
            const double turned = 3 + momentum.y / mass;
            CAPTURE(c.substeps);
            CAPTURE(c.young);
            CAPTURE(body_to_body);
            CHECK(turned > 2.9);
            const double heard = double(scene.state(body).matching.heard[0]);
            CHECK(heard > 0.95 * turned);
            CHECK(heard < 1.6 * turned);  // friction, and particles that are pushed to and fro
        }
    }
}

TEST_CASE(
    "a plastic body stays in its pose as far as its bound, forgets it at its rate, and one that keeps nothing goes "
    "home")
{
    const auto height_after = [](std::optional<ExamplePlasticity> law, double seconds,
                                 std::vector<float>* kept = nullptr) {
        Subject subject;
        subject.set.poses.erase(subject.set.poses.begin());
        subject.set.plasticity = law;
        const BodyModel model = subject.model();
        Scene scene(test::weightless());
        BodySettings own;
        own.matching.beta = 0.9f;
        own.matching.damping = 0.2f;  // what swings beyond would be kept, too
        const BodyId body = scene.add(model, own);
        for (std::size_t i = 0; i < model.particle_count(); ++i)
            scene.state(body).positions[i] = subject.set.poses[0].positions[i].as<float>();
        Script script;  // held in the pose for a second
        std::vector<std::int32_t> all;
        for (std::size_t i = 0; i < model.particle_count(); ++i) all.push_back(std::int32_t(i));
        HandleMotion held;
        held.keys = {{0, {}, {}, {}}};
        held.release = 1;
        script.add_handle(held, all, scene.state(body).positions);
        scene.set_script(body, script);
        while (scene.time() < 1 + seconds) scene.step();
        if (kept) *kept = scene.state(body).matching.kept;
        Box3 rest, now;
        for (const Vec3d& p : model.rest_positions()) rest.add(p);
        for (const Vec3& p : scene.state(body).positions) now.add(p.as<double>());
        return now.size().y / rest.size().y;
    };
    CHECK(height_after(std::nullopt, 3) == doctest::Approx(1).epsilon(0.01));
    std::vector<float> kept;
    const double stays = height_after(ExamplePlasticity{0.2, 20, 0, 0.5}, 3, &kept);
    CHECK(kept[0] == doctest::Approx(0.5f).epsilon(1e-4));
    CHECK(stays == doctest::Approx(1 - 0.4 * 0.5).epsilon(0.02));
    CHECK(height_after(ExamplePlasticity{2, 20, 0, 0.5}, 3) == doctest::Approx(1).epsilon(0.01));  // never yields
    // A body at what it keeps forgets at its rate.
    std::vector<float> later;
    height_after(ExamplePlasticity{0.3, 20, 0.5, 0.5}, 1, &kept);
    height_after(ExamplePlasticity{0.3, 20, 0.5, 0.5}, 3, &later);
    CHECK(double(later[0]) == doctest::Approx(double(kept[0]) * std::exp(-1.0)).epsilon(0.02));
}

TEST_CASE("soft borders: none is hard groups, endless ones are one group, and between shares fall by the distance")
{
    const auto run = [](double border, bool groups) {
        Subject subject;
        if (groups) subject.set.groups = kHalves;
        subject.set.border = border;
        Scene scene(test::weightless());
        const BodyId body = scene.add(subject.model());
        for (std::size_t i = 0; i < scene.model(body).particle_count(); ++i) {
            const Vec3d p = scene.model(body).rest_positions()[i];
            const double up = std::max(0.0, p.y - 0.6);  // the upper half is squashed and wound
            scene.state(body).velocities[i] = (Vec3d{p.z, -1, -p.x} * (8 * up)).as<float>();
        }
        for (int step = 0; step < 100; ++step) scene.step();
        return scene.state(body).positions;
    };
    const auto apart = [](const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
        float most = 0;
        for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, length(a[i] - b[i]));
        return most;
    };
    const std::vector<Vec3> hard = run(0, true), one = run(0, false);
    CHECK(apart(hard, one) > 5e-3f);
    CHECK(apart(run(1e-4, true), hard) < 1e-4f);
    CHECK(apart(run(1e5, true), one) < 5e-4f);

    const TetMesh bar = make_bar({4, 0.4, 0.4}, {80, 8, 8});
    std::vector<std::int32_t> labels;
    const double middle = bounds(bar.vertices).center().x + 0.025;  // between two layers of vertices
    for (const Vec3d& p : bar.vertices) labels.push_back(p.x > middle);
    const std::vector<double> masses(bar.vertices.size(), 1.0);
    const matching::SoftGroups soft = matching::soft_groups(matching::links(bar), bar.vertices, masses, labels, 0.4);
    for (std::size_t i = 0; i < bar.vertices.size(); ++i) {
        double sum = 0, second = 0;
        for (const auto& s : soft[i]) {
            CHECK(s.share > 0);
            sum += s.share;
            if (s.group == 1) second = s.share;
        }
        CHECK(sum == doctest::Approx(1).epsilon(1e-12));
        const double d = bar.vertices[i].x - middle;
        const double expected = d > 0 ? 1 - 0.5 * std::exp(-d / 0.4) : 0.5 * std::exp(d / 0.4);
        if (std::abs(d) < 1) CHECK(std::abs(second - expected) < 0.03);
    }
}

TEST_CASE("what is heard, kept and controlled goes through snapshots bit by bit, and back with the start")
{
    Subject subject;
    subject.set.groups = kHalves;
    subject.set.border = 0.2;
    subject.set.cues = kCues;
    subject.set.plasticity = ExamplePlasticity{};
    const BodyModel model = subject.model();
    const auto make = [&] {
        Scene scene;
        scene.add(Collider{Plane{{0, -0.5, 0}, {0, 1, 0}}, 0.5f, 0.0f});
        scene.state(scene.add(model)).matching.controls[0] = 0.8f;
        return scene;
    };
    Scene scene = make(), other = make();
    const SceneMoment start = scene.moment();
    for (int frame = 0; frame < 40; ++frame) scene.step();
    const std::string bytes = scene.snapshot();
    REQUIRE(other.restore(bytes));
    CHECK(other.state(other.bodies()[0]) == scene.state(scene.bodies()[0]));
    for (int frame = 0; frame < 20; ++frame) scene.step(), other.step();
    CHECK(other.hash() == scene.hash());
    CHECK(other.state(other.bodies()[0]).matching == scene.state(scene.bodies()[0]).matching);
    REQUIRE(scene.go_to(start));
    const MatchingState& fresh = scene.state(scene.bodies()[0]).matching;
    CHECK(fresh.controls[0] == 0.8f);
    for (const std::vector<float>* list : {&fresh.heard, &fresh.kept})
        for (const float value : *list) CHECK(value == 0);

    subject.set.plasticity.reset();  // the same body otherwise
    Scene without;
    without.add(Collider{Plane{{0, -0.5, 0}, {0, 1, 0}}, 0.5f, 0.0f});
    without.add(subject.model());
    CHECK(!without.restore(bytes));
}

TEST_CASE("cues, borders and laws that make no sense are refused with place and reason")
{
    const auto refused = [](const auto& spoil, const char* why) {
        Subject subject;
        subject.set.cues = kCues;
        spoil(subject.set);
        const Result<BodyModel> built = subject.build_model();
        REQUIRE(!built);
        CAPTURE(built.error().message());
        CHECK(built.error().message().find(why) != std::string::npos);
    };
    refused([](ExampleSet& set) { set.cues[1].pose = "nod"; }, "no pose \"nod\"");
    refused([](ExampleSet& set) { set.cues[0].high = set.cues[0].low; }, "less than \"to\"");
    refused([](ExampleSet& set) { set.cues[1].fade = 0; }, "of contact has to be above 0");
    refused([](ExampleSet& set) { set.cues[0].strength = 0; }, "above 0");
    refused([](ExampleSet& set) { set.cues[0].low = std::nan(""); }, "not finite");
    refused([](ExampleSet& set) { set.cues[2].control.clear(); }, "has no name");
    refused([](ExampleSet& set) { set.cues[0].control = "c"; }, "listens to something else");
    refused([](ExampleSet& set) { set.cues[0].group = 3; }, "no group 3");
    refused([](ExampleSet& set) { set.border = 0.1; }, "no groups");
    refused([](ExampleSet& set) { set.groups = kHalves, set.border = -1; }, "0 or more");
    refused([](ExampleSet& set) { set.groups = kHalves, set.border = 0.1, set.weights = ExampleWeights::finite; },
            "exact weights");
    refused([](ExampleSet& set) { set.plasticity = ExamplePlasticity{0.1, -1, 0, 0.5}; }, "0 or more");
    refused([](ExampleSet& set) { set.plasticity = ExamplePlasticity{0.1, 1, 0, 1.5}; }, "between 0 and 1");
    refused([](ExampleSet& set) { set.plasticity = ExamplePlasticity{}, set.rotation = ExampleRotation::joint; },
            "joint rotations");
}

}  // namespace yawara
