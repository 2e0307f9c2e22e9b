// Coats of paint: where they reach, what they do to what is there, and that another mesh changes neither.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "yawara/paint.h"

using namespace yawara;

namespace {

/// 2 x 1 x 1 m, the middle of its floor at the origin.
Domain bar(int cells)
{
    return make_bar({2, 1, 1}, {2 * cells, cells, cells}, {-1, 0, -0.5});
}

/// Two fingers, 1 m long and a cell apart, on a common base.
Domain two_fingers()
{
    std::vector<Int3> cells;
    for (int x = 0; x < 3; ++x) cells.push_back({x, 0, 0});
    for (int y = 1; y < 10; ++y) cells.insert(cells.end(), {{0, y, 0}, {2, y, 0}});
    return make_lattice({0, 0, 0}, 0.1, cells);
}

std::vector<double> values_of(const Domain& domain, std::vector<Coat> coats, double base = 0.5, double low = -1e9,
                              double high = 1e9)
{
    return sample(painted(Painting<double>{base, std::move(coats), low, high}), particle_places(domain)).value();
}

Coat stroke(std::vector<Vec3d> path, double radius, double value)
{
    Coat coat;
    coat.path = std::move(path);
    coat.radius = radius;
    coat.value = value;
    return coat;
}

Coat everywhere(double value, Coat::Operation operation = Coat::Operation::set)
{
    Coat coat;
    coat.brush = Coat::Brush::select;
    coat.operation = operation;
    coat.value = value;
    return coat;
}

}  // namespace

TEST_CASE("a stroke counts fully up to half its radius, not at all from the radius on, and leaves the rest alone")
{
    const Domain domain = bar(20);
    const std::vector<Vec3d> rest = rest_positions(domain);
    const std::vector<double> values = values_of(domain, {stroke({{-0.3, 1, 0}, {0.4, 1, 0}}, 0.3, 1)});
    int full = 0, part = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
        const Vec3d p = rest[i];
        const double far = length(p - Vec3d{std::clamp(p.x, -0.3, 0.4), 1, 0});
        if (far <= 0.15 - 1e-9) {
            CHECK(values[i] == doctest::Approx(1));
            ++full;
        }
        if (far >= 0.3) CHECK(values[i] == 0.5);
        if (far > 0.15 + 1e-9 && far < 0.3 - 1e-9) {
            CHECK(values[i] > 0.5);
            CHECK(values[i] < 1);
            ++part;
        }
    }
    CHECK(full > 50);
    CHECK(part > 200);
}

TEST_CASE("a coat means the same places of a finer mesh")
{
    const Domain coarse = bar(10), fine = bar(20);
    Coat soft = stroke({{-0.3, 1, 0}, {0.4, 1, 0.1}}, 0.35, 1);
    soft.strength = 0.6;
    const std::vector<double> a = values_of(coarse, {soft}), b = values_of(fine, {soft});
    const std::vector<Vec3d> at = rest_positions(coarse), fine_at = rest_positions(fine);
    int changed = 0;
    for (std::size_t i = 0; i < at.size(); ++i)
        for (std::size_t j = 0; j < fine_at.size(); ++j)
            if (length(at[i] - fine_at[j]) < 1e-9) {
                CHECK(a[i] == doctest::Approx(b[j]));
                changed += a[i] != 0.5;
            }
    CHECK(changed > 50);
}

TEST_CASE("a stroke on one finger does not reach the other through the air, unless it goes through")
{
    const Domain domain = two_fingers();
    const std::vector<Vec3d> rest = rest_positions(domain);
    Coat coat = stroke({{0.05, 0.95, 0.05}}, 0.35, 1);
    const auto other_finger = [&](const Coat& one) {
        const std::vector<double> values = values_of(domain, {one}, 0);
        double most = 0;
        for (std::size_t i = 0; i < rest.size(); ++i)
            if (rest[i].x > 0.15) most = std::max(most, values[i]);
        CHECK(*std::ranges::max_element(values) == doctest::Approx(1));
        return most;
    };
    CHECK(other_finger(coat) == 0);
    coat.reach = Coat::Reach::through;
    coat.along = {1, 0, 0};
    CHECK(other_finger(coat) == doctest::Approx(1));
}

TEST_CASE("a brush smaller than the mesh paints what is nearest, and the skin is what lies outside")
{
    const Domain domain = bar(5);
    const std::vector<Vec3d> rest = rest_positions(domain);
    const std::vector<double> values = values_of(domain, {stroke({{0.03, 0.98, 0.02}}, 1e-3, 1)});
    CHECK(std::ranges::count(values, 1.0) == 1);
    Coat skin = stroke({{0, 0.9, 0}}, 0.7, 1);
    skin.reach = Coat::Reach::skin;
    const std::vector<double> outer = values_of(domain, {skin});
    for (std::size_t i = 0; i < rest.size(); ++i) {
        const Vec3d p = rest[i];
        const bool outside = std::abs(std::abs(p.x) - 1) < 1e-9 || std::abs(p.y) < 1e-9 || std::abs(p.y - 1) < 1e-9 ||
                             std::abs(std::abs(p.z) - 0.5) < 1e-9;
        if (!outside) CHECK(outer[i] == 0.5);
    }
    CHECK(std::ranges::count_if(outer, [](double v) { return v > 0.9; }) > 3);
}

TEST_CASE("what is added can be subtracted, erasing gives the base, and both are held to the range")
{
    const Domain domain = bar(10);
    Coat add = stroke({{0, 1, 0}}, 0.4, 0.2), subtract = add, erase = add;
    add.operation = Coat::Operation::add;
    subtract.operation = Coat::Operation::subtract;
    erase.operation = Coat::Operation::erase;
    for (const double v : values_of(domain, {add, subtract})) CHECK(v == doctest::Approx(0.5));
    Coat twofold = add;
    twofold.operation = Coat::Operation::multiply;
    twofold.value = 2;
    const std::vector<double> fourfold = values_of(domain, {twofold, twofold});
    CHECK(*std::ranges::max_element(fourfold) == doctest::Approx(2));
    const std::vector<double> twice = values_of(domain, {add, add});
    CHECK(*std::ranges::max_element(twice) == doctest::Approx(0.9));
    const std::vector<double> held = values_of(domain, {add, add, add, add}, 0.5, 0, 1);
    CHECK(*std::ranges::max_element(held) == 1);
    const std::vector<Vec3d> rest = rest_positions(domain);
    const std::vector<double> erased = values_of(domain, {everywhere(0.9), erase});
    for (std::size_t i = 0; i < rest.size(); ++i)
        if (length(rest[i] - Vec3d{0, 1, 0}) < 0.19) CHECK(erased[i] == doctest::Approx(0.5));
    CHECK(*std::ranges::max_element(erased) == doctest::Approx(0.9));
}

TEST_CASE("smoothing evens out a step and leaves a constant alone")
{
    const Domain domain = bar(10);
    Coat half = everywhere(1);
    half.select.kind = Plane{{0, 0, 0}, {1, 0, 0}};
    const auto roughness = [&](const std::vector<double>& values) {
        const double mean = std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
        double sum = 0;
        for (const double v : values) sum += (v - mean) * (v - mean);
        return sum;
    };
    const std::vector<double> step = values_of(domain, {half}, 0);
    const std::vector<double> smooth = values_of(domain, {half, everywhere(0, Coat::Operation::smooth)}, 0);
    CHECK(roughness(smooth) < 0.95 * roughness(step));
    CHECK(*std::ranges::min_element(smooth) >= 0);
    CHECK(*std::ranges::max_element(smooth) <= 1);
    for (const double v : values_of(domain, {everywhere(0, Coat::Operation::smooth)})) CHECK(v == doctest::Approx(0.5));
}

TEST_CASE("a gradient is straight between its ends and held beyond")
{
    const Domain domain = bar(10);
    Coat gradient = everywhere(0.2);
    gradient.brush = Coat::Brush::gradient;
    gradient.end_value = 0.8;
    gradient.path = {{-0.5, 0.3, 0}, {0.5, 0.3, 0}};
    const std::vector<Vec3d> rest = rest_positions(domain);
    const std::vector<double> values = values_of(domain, {gradient});
    for (std::size_t i = 0; i < rest.size(); ++i)
        CHECK(values[i] == doctest::Approx(0.2 + 0.6 * std::clamp(rest[i].x + 0.5, 0.0, 1.0)));
}

TEST_CASE("a mirrored coat is as strong on the other side of the middle")
{
    const Domain domain = bar(10);
    const std::vector<Vec3d> rest = rest_positions(domain);
    Coat one = stroke({{0.6, 1, 0.2}}, 0.3, 1), ball = everywhere(0);
    one.mirror = ball.mirror = 0;
    ball.select.kind = Sphere{{-0.8, 0.2, 0}, 0.25};
    const std::vector<double> values = values_of(domain, {one, ball});
    int changed = 0;
    for (std::size_t i = 0; i < rest.size(); ++i)
        for (std::size_t j = 0; j < rest.size(); ++j)
            if (length(rest[i] - Vec3d{-rest[j].x, rest[j].y, rest[j].z}) < 1e-9) {
                CHECK(values[i] == doctest::Approx(values[j]));
                changed += values[i] != 0.5;
            }
    CHECK(changed > 20);
}

TEST_CASE("paint within a range of values leaves the others alone, and pressure is strength")
{
    const Domain domain = bar(10);
    const std::vector<Vec3d> rest = rest_positions(domain);
    Coat half = everywhere(1), limited = everywhere(0.3);
    half.select.kind = Plane{{0, 0, 0}, {1, 0, 0}};
    limited.high = 0.6;
    const std::vector<double> values = values_of(domain, {half, limited});
    for (std::size_t i = 0; i < rest.size(); ++i) CHECK(values[i] == (rest[i].x > -1e-6 ? 1 : 0.3));
    Coat pen = stroke({{-0.5, 1, 0}, {0.5, 1, 0}}, 0.3, 1);
    pen.pressures = {0.2, 1};
    const std::vector<double> drawn = values_of(domain, {pen}, 0);
    for (std::size_t i = 0; i < rest.size(); ++i)
        if (std::abs(rest[i].x) < 0.51 && std::abs(rest[i].y - 1) < 1e-9 && std::abs(rest[i].z) < 1e-9)
            CHECK(drawn[i] == doctest::Approx(0.2 + 0.8 * (rest[i].x + 0.5)));
}

TEST_CASE("a flat side is painted up to its edges, as deep as asked")
{
    const Domain domain = bar(5);
    const std::vector<Vec3d> rest = rest_positions(domain);
    Coat side = stroke({{0.1, 1, 0}}, 0, 1);
    side.brush = Coat::Brush::flat;
    for (const double depth : {0.0, 0.25}) {
        side.radius = depth;
        const std::vector<double> values = values_of(domain, {side});
        for (std::size_t i = 0; i < rest.size(); ++i) CHECK(values[i] == (rest[i].y > 1 - depth - 1e-6 ? 1 : 0.5));
    }
}

TEST_CASE("labels are painted whole, and what makes no sense is refused with its place")
{
    const Domain domain = bar(10);
    const FieldPlaces places = particle_places(domain);
    Coat coat = stroke({{0, 1, 0}}, 0.3, 7);
    const auto labels = sample(painted(Painting<std::int32_t>{2, {coat}}), places).value();
    CHECK(std::ranges::count(labels, 7) > 5);
    CHECK(std::ranges::count(labels, 7) + std::ranges::count(labels, 2) == std::ssize(labels));

    const auto complaint = [&](Coat wrong) {
        wrong.where = "here";
        const auto values = sample(painted(Painting<double>{0.5, {wrong}}), places);
        REQUIRE_FALSE(values);
        return values.error().message();
    };
    Coat no_radius = stroke({{0, 1, 0}}, 0, 1), nowhere = everywhere(1), short_pressures = coat;
    nowhere.select.kind = Sphere{{9, 9, 9}, 0.1};
    short_pressures.pressures = {0.5, 0.5};
    CHECK(complaint(no_radius).find("here: a stroke needs a \"radius\"") == 0);
    CHECK(complaint(nowhere).find("selects no particle") != std::string::npos);
    CHECK(complaint(short_pressures).find("one for each place") != std::string::npos);
    coat.operation = Coat::Operation::smooth;
    CHECK_FALSE(sample(painted(Painting<std::int32_t>{2, {coat}}), places));
}

TEST_CASE("an outline on a picture takes what lies behind it, however deep")
{
    const Domain domain = bar(10);
    const std::vector<Vec3d> rest = rest_positions(domain);
    // Seen along z from 4 m before the middle: x and y shrink with the distance.
    Coat half = everywhere(1);
    half.outline = Outline{{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, -1, 0, 0, 0, 4}, {{0.01, -2, 2, -2, 2, 0.1, 0.01, 0.1}}};
    const std::vector<double> values = values_of(domain, {half});
    for (std::size_t i = 0; i < rest.size(); ++i) {
        const double w = 4 - rest[i].z;
        CHECK(values[i] == (rest[i].x / w > 0.01 && rest[i].y / w < 0.1 ? 1 : 0.5));
    }
    half.mirror = 0;
    const std::vector<double> both = values_of(domain, {half});
    for (std::size_t i = 0; i < rest.size(); ++i)
        CHECK(both[i] == (std::abs(rest[i].x) / (4 - rest[i].z) > 0.01 && rest[i].y / (4 - rest[i].z) < 0.1 ? 1 : 0.5));
}

TEST_CASE("finite elements are painted at the centres of their tetrahedra, and not through the air")
{
    const Domain solid = solid_of(two_fingers());
    const TetMesh& mesh = std::get<TetMesh>(solid);
    FieldPlaces places{solid, {}, {}};
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        Vec3d middle;
        for (const std::int32_t v : mesh.tets[t]) middle += mesh.vertices[std::size_t(v)] * 0.25;
        places.points.push_back(middle);
        places.tets.push_back(std::int32_t(t));
    }
    const Vec3d at{0.05, 0.9, 0.05};
    const auto values_of = [&](const Coat& coat) {
        return sample(painted(Painting<double>{1, {coat}}), places).value();
    };
    const std::vector<double> values = values_of(stroke({at}, 0.4, 5));
    int full = 0;
    for (std::size_t t = 0; t < values.size(); ++t) {
        const double far = length(places.points[t] - at);
        if (far >= 0.4 || places.points[t].x > 0.15) CHECK(values[t] == 1);
        if (far <= 0.2 && places.points[t].x < 0.1) {
            CHECK(values[t] == doctest::Approx(5));
            ++full;
        }
    }
    CHECK(full > 10);
    Coat smooth = everywhere(0, Coat::Operation::smooth);
    for (const double v : values_of(smooth)) CHECK(v == doctest::Approx(1));
}

TEST_CASE("filled paint is the straight line between two painted ends, and paint of one value is that value everywhere")
{
    const Domain domain = bar(8);
    const std::vector<Vec3d> rest = rest_positions(domain);
    const auto side = [](double x, double value) {
        Coat coat;
        coat.brush = Coat::Brush::flat;
        coat.path = {{x, 0.5, 0}};
        coat.value = value;
        return coat;
    };
    const auto filled = [&](std::vector<Coat> coats) {
        Painting<double> painting{0.3, std::move(coats)};
        painting.filled = true;
        return sample(painted(painting), particle_places(domain)).value();
    };
    const std::vector<double> values = filled({side(-1, -1), side(1, 1)});
    for (std::size_t i = 0; i < rest.size(); ++i) CHECK(values[i] == doctest::Approx(rest[i].x).epsilon(1e-6));
    for (const double value : filled({side(1, 0.8)})) CHECK(value == doctest::Approx(0.8).epsilon(1e-6));

    // All erased: the base again.
    for (const double value : filled({side(1, 0.8), everywhere(0, Coat::Operation::erase)}))
        CHECK(value == doctest::Approx(0.3));
}

TEST_CASE("the polygon brush paints the three corners of the triangle under it")
{
    const Domain domain = bar(4);
    Coat coat;
    coat.brush = Coat::Brush::polygon;
    coat.path = {{0.1, 1, 0.05}};
    coat.value = 2;
    const std::vector<double> values = values_of(domain, {coat}, 0);
    const std::vector<Vec3d> rest = rest_positions(domain);
    int count = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
        if (values[i] == 0) continue;
        ++count;
        CHECK(values[i] == 2);
        CHECK(rest[i].y == doctest::Approx(1));
        CHECK(length(rest[i] - coat.path[0]) < 0.5);
    }
    CHECK(count == 3);
}

TEST_CASE("a gradient along the mesh is the straight one in a straight body, and goes around in a folded one")
{
    Coat coat;
    coat.brush = Coat::Brush::gradient;
    coat.along_mesh = true;
    coat.value = 0;
    coat.end_value = 1;
    {
        const Domain domain = bar(10);
        coat.path = {{-1, 0.5, 0}, {1, 0.5, 0}};
        const std::vector<double> values = values_of(domain, {coat});
        const std::vector<Vec3d> rest = rest_positions(domain);
        for (std::size_t i = 0; i < rest.size(); ++i) CHECK(std::abs(values[i] - (rest[i].x + 1) / 2) < 0.06);
    }
    // A strip that is folded into a U: up one arm, across, down the other.
    std::vector<Int3> cells;
    for (int y = 0; y < 30; ++y)
        for (int x = 0; x < 2; ++x)
            for (int z = 0; z < 2; ++z) cells.insert(cells.end(), {{x, y, z}, {x + 3, y, z}});
    for (int y = 28; y < 30; ++y)
        for (int z = 0; z < 2; ++z) cells.push_back({2, y, z});
    const Domain domain = make_lattice({0, 0, 0}, 0.1, cells);
    coat.path = {{0.1, 0, 0.1}, {0.4, 0, 0.1}};
    const std::vector<double> values = values_of(domain, {coat});
    const std::vector<Vec3d> rest = rest_positions(domain);
    const double whole = 2.85 + 2.85 + 0.3;  // along the middle
    for (std::size_t i = 0; i < rest.size(); ++i) {
        if (rest[i].y > 2.5) continue;
        const double gone = rest[i].x < 0.25 ? rest[i].y : whole - rest[i].y;
        CHECK(std::abs(values[i] - gone / whole) < 0.05);
    }
}

TEST_CASE("the distance from the walls is 1 outside and 0 at the deepest place or on the inner wall")
{
    const Domain cube = make_bar({2, 2, 2}, {12, 12, 12}, {-1, -1, -1});
    const std::vector<Vec3d> corners = rest_positions(cube);
    const std::vector<double> outside = sample(wall_distance(Walls::outside), particle_places(cube)).value();
    for (std::size_t i = 0; i < outside.size(); ++i) {
        const Vec3d p = corners[i];
        const double wall = 1 - std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)});
        CHECK(outside[i] == doctest::Approx(1 - wall).epsilon(1e-6));
    }
    const Result<std::vector<double>> solid = sample(wall_distance(Walls::both), particle_places(cube));
    REQUIRE_FALSE(solid);
    CHECK(solid.error().what.find("hollow") != std::string::npos);

    // A box with a hole inside, closed or open at the top: walls two cells thick.
    for (const bool open : {false, true}) {
        CAPTURE(open);
        std::vector<Int3> cells;
        for (int x = 0; x < 12; ++x)
            for (int y = 0; y < 12; ++y)
                for (int z = 0; z < 12; ++z) {
                    const bool hole = x > 1 && x < 10 && z > 1 && z < 10 && y > 1 && (y < 10 || open);
                    if (!hole) cells.push_back({x, y, z});
                }
        const Domain box = make_lattice({0, 0, 0}, 0.1, cells);
        const std::vector<Vec3d> rest = rest_positions(box);
        const std::vector<double> depth = sample(wall_distance(Walls::both), particle_places(box)).value();
        for (std::size_t i = 0; i < rest.size(); ++i) {
            const Vec3d p = rest[i];
            if (p.y < 0.35 || p.y > 0.85) continue;  // beside the floor and the rim
            const double to_outer = std::min({p.x, 1.2 - p.x, p.z, 1.2 - p.z});
            if (to_outer < 1e-6) CHECK(depth[i] == doctest::Approx(1));
            if (std::abs(to_outer - 0.2) < 1e-6) CHECK(std::abs(depth[i]) < 1e-6);
            if (std::abs(to_outer - 0.1) < 1e-6) CHECK(std::abs(depth[i] - 0.5) < 0.1);
        }
    }
}

TEST_CASE("a coat that reaches no place it may paint is told, others are not")
{
    const Domain bar = make_bar({1, 0.2, 0.2}, {10, 2, 2});
    const auto warnings = [&](const std::vector<Coat>& coats) {
        std::vector<std::string> told;
        REQUIRE(sample(painted(Painting<double>{.base = 0.0, .coats = coats}), particle_places(bar),
                       {.name = "stiffness", .warnings = &told}));
        return told;
    };
    Coat near;
    near.brush = Coat::Brush::stroke;
    near.path = {{0, 0, 0}};
    near.radius = 0.2;
    near.value = 1;
    CHECK(warnings({near}).empty());
    Coat narrow = near;  // only where there is paint of 5 already
    narrow.low = 5;
    narrow.where = "bodies[0].coats[1]";
    const std::vector<std::string> told = warnings({near, narrow});
    REQUIRE(told.size() == 1);
    CHECK(told[0].starts_with("bodies[0].coats[1]: reaches no place"));
    Coat beside = near;  // through the air, past the body
    beside.path = {{0, 3, 0}};
    beside.reach = Coat::Reach::through;
    beside.along = {1, 0, 0};
    CHECK(warnings({beside}).size() == 1);
}
