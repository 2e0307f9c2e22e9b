#include <doctest/doctest.h>

#include <Eigen/Eigenvalues>
#include <numbers>
#include <random>

#include "yawara/active.h"
#include "yawara/streamlines.h"

using namespace yawara;

namespace {

TetMesh small_bar() { return make_bar({3, 1, 1}, {9, 3, 3}, {-1.5, -0.5, -0.5}); }

/// Random samples of a function on the outer vertices of the small bar.
template <class Function>
Paint painted(int count, const Function& f, unsigned seed = 1)
{
    const TetMesh mesh = small_bar();
    std::mt19937 random(seed);
    Paint paint;
    for (int k = 0; k < count; ++k) {
        const Vec3d p = mesh.vertices[random() % mesh.vertices.size()];
        paint.samples.push_back({p, f(p)});
    }
    return paint;
}

double frame_error(const Mat3d& D)
{
    double worst = std::abs(determinant(D) - 1);
    const Mat3d P = transpose(D) * D - Mat3d{};
    for (const Vec3d& c : {P.c0, P.c1, P.c2}) worst = std::max({worst, std::abs(c.x), std::abs(c.y), std::abs(c.z)});
    return worst;
}

Stroke line(Vec3d from, Vec3d to) { return {{from, from + (to - from) * 0.5, to}}; }

}  // namespace

TEST_CASE("painted constant and linear fields are reproduced exactly, also from samples in a plane or on a line")
{
    const TetMesh mesh = small_bar();
    const auto linear = [](Vec3d p) { return 0.5 + 0.1 * p.x; };
    Paint in_plane = painted(40, linear), on_line, repeated = painted(40, linear);
    for (PaintSample& s : in_plane.samples) s.point.y = 0.25;
    for (int k = 0; k < 5; ++k) on_line.samples.push_back({{k * 0.3, 0, 0}, linear({k * 0.3, 0, 0})});
    repeated.samples.insert(repeated.samples.end(), repeated.samples.begin(), repeated.samples.end());
    for (const Paint& paint : {painted(40, linear), in_plane, on_line, repeated}) {
        FieldsSpec spec;
        spec.depth = paint;
        spec.phase = paint;
        const ActiveFields fields = make_fields(spec, mesh).value();
        for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
            CHECK(fields.phase[i] == doctest::Approx(linear(mesh.vertices[i])).epsilon(1e-8));
            CHECK(length(fields.frames[i].c1 - Vec3d{1, 0, 0}) < 1e-6);
        }
    }
    FieldsSpec spec;
    spec.phase = Paint{{{{0, 0, 0}, 0.3}}};
    for (const double value : make_fields(spec, mesh).value().phase) CHECK(value == 0.3);
}

TEST_CASE("samples at one place are averaged, painted values beyond the range are held to it")
{
    FieldsSpec spec;
    spec.amplitude = Paint{{{{-1.5, 0, 0}, 0.2}, {{-1.5, 0, 0}, 0.4}, {{1.5, 0, 0}, 5.0}}};
    const ActiveFields fields = make_fields(spec, small_bar()).value();
    const TetMesh mesh = small_bar();
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
        const double expected = 0.3 + 4.7 * (mesh.vertices[i].x + 1.5) / 3;
        CHECK(fields.amplitude[i] == doctest::Approx(std::min(1.0, expected)).epsilon(1e-9));
    }
}

TEST_CASE("harmonic filling follows a folded body where radial functions leak across")
{
    // A U of lattice cells: two legs and a bridge.
    std::vector<Int3> cells;
    for (int y = 0; y < 16; ++y)
        for (const int x : {0, 1, 5, 6})
            for (const int z : {0, 1}) cells.push_back({x, y, z});
    for (const int x : {2, 3, 4})
        for (const int y : {0, 1})
            for (const int z : {0, 1}) cells.push_back({x, y, z});
    const Lattice lattice = make_lattice({}, 1, cells);
    Paint paint;
    for (std::size_t i = 0; i < lattice.nodes.size(); ++i)
        if (lattice.nodes[i][1] == 16) paint.samples.push_back({lattice.position(int(i)), lattice.nodes[i][0] < 4 ? 0.0 : 1.0});
    FieldsSpec spec;
    paint.filling = Filling::harmonic;
    spec.phase = paint;
    const ActiveFields harmonic = make_fields(spec, lattice).value();
    paint.filling = Filling::rbf;
    spec.phase = paint;
    const ActiveFields radial = make_fields(spec, lattice).value();
    double worst_harmonic = 0, worst_radial = 0;  // half way down the first leg, against the share of the way
    for (std::size_t i = 0; i < lattice.nodes.size(); ++i) {
        if (lattice.nodes[i][0] > 2 || lattice.nodes[i][1] < 4) continue;
        const double share = (16 - lattice.nodes[i][1]) / 35.0;
        worst_harmonic = std::max(worst_harmonic, std::abs(harmonic.phase[i] - share));
        worst_radial = std::max(worst_radial, std::abs(radial.phase[i] - share));
    }
    CHECK(worst_harmonic < 0.03);
    CHECK(worst_radial > 3 * worst_harmonic);
    // On tets, linear data between painted ends are exact.
    const TetMesh mesh = small_bar();
    Paint ends;
    for (const Vec3d& p : mesh.vertices)
        if (std::abs(p.x) > 1.49) ends.samples.push_back({p, p.x > 0 ? 1.0 : 0.0});
    ends.filling = Filling::harmonic;
    spec.phase = ends;
    const ActiveFields straight = make_fields(spec, mesh).value();
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
        CHECK(straight.phase[i] == doctest::Approx((mesh.vertices[i].x + 1.5) / 3).epsilon(1e-6));
}

TEST_CASE("frames are orthonormal and right-handed everywhere, whatever is missing")
{
    const TetMesh mesh = small_bar();
    const auto radius = [](Vec3d p) { return std::hypot(p.y, p.z); };
    const std::vector<Stroke> along{line({-1.5, 0.5, 0}, {1.5, 0.5, 0})};
    for (const bool with_depth : {false, true})
        for (const bool with_strokes : {false, true}) {
            FieldsSpec spec;
            if (with_depth) spec.depth = radius;
            if (with_strokes) spec.direction = Strokes{along};
            const ActiveFields fields = make_fields(spec, mesh).value();
            for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
                CHECK(frame_error(fields.frames[i]) < 1e-9);
                CHECK(fields.stroke_confidence[i] == (with_strokes ? 1.0 : 0.0));
                if (!with_depth) CHECK(fields.gradient_confidence[i] == 0);
                if (with_strokes) CHECK(std::abs(fields.frames[i].c0.x) == doctest::Approx(1).epsilon(1e-6));
                if (with_depth && radius(mesh.vertices[i]) > 0.1) {
                    const Vec3d out = normalized(Vec3d{0, mesh.vertices[i].y, mesh.vertices[i].z});
                    CHECK(dot(fields.frames[i].c1, out) == doctest::Approx(1).epsilon(1e-6));
                    CHECK(fields.gradient_confidence[i] == 1);
                }
            }
        }
}

TEST_CASE("strokes drawn backwards mean the same, unless asked to be oriented")
{
    const TetMesh mesh = make_bar({2, 2, 0.5}, {8, 8, 2}, {-1, -1, -0.25});
    const std::vector<Stroke> strokes{line({-1, -1, 0}, {1, -1, 0}), line({1, 1, 0}, {-1, 1, 0})};
    FieldsSpec spec;
    spec.direction = Strokes{strokes};
    const ActiveFields lines = make_fields(spec, mesh).value();
    spec.direction = Strokes{strokes, true};
    const ActiveFields arrows = make_fields(spec, mesh).value();
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
        CHECK(lines.stroke_confidence[i] == 1);
        CHECK(std::abs(lines.frames[i].c0.x) > 0.999);
        if (mesh.vertices[i].y == 0) CHECK(arrows.stroke_confidence[i] == 0);  // the two cancel half way
    }
}

TEST_CASE("strokes of thousands of points say what the same strokes say with few")
{
    const TetMesh mesh = make_bar({2, 2, 0.5}, {8, 8, 2}, {-1, -1, -0.25});
    const auto rings = [](int points) {  // around the middle, at four distances
        std::vector<Stroke> strokes;
        for (const double radius : {0.3, 0.6, 0.9, 1.2}) {
            Stroke& stroke = strokes.emplace_back();
            for (int k = 0; k <= points; ++k) {
                const double angle = 2 * std::numbers::pi * k / points;
                stroke.points.push_back({radius * std::cos(angle), radius * std::sin(angle), 0});
            }
        }
        return Strokes{strokes};
    };
    FieldsSpec spec;
    spec.direction = rings(24);
    const ActiveFields few = make_fields(spec, mesh).value();
    spec.direction = rings(1000);
    const ActiveFields many = make_fields(spec, mesh).value();
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
        const Vec3d p = mesh.vertices[i];
        if (std::hypot(p.x, p.y) < 0.3) continue;
        const Vec3d around = normalized(Vec3d{-p.y, p.x, 0});
        CHECK(std::abs(dot(few.frames[i].c0, around)) > 0.99);
        CHECK(std::abs(dot(many.frames[i].c0, around)) > 0.99);
        CHECK(many.stroke_confidence[i] == 1);
    }
}

TEST_CASE("a stroke along the gradient, of one point or of no length tells nothing; bad paint is refused by name")
{
    const TetMesh mesh = small_bar();
    FieldsSpec spec;
    spec.depth = [](Vec3d p) { return p.x; };
    for (const Stroke& stroke : {line({-1, 0, 0}, {1, 0, 0}), Stroke{{{0, 0, 0}}}, Stroke{{{0, 0, 0}, {0, 0, 0}}}}) {
        spec.direction = Strokes{{stroke}};
        for (const double sure : make_fields(spec, mesh).value().stroke_confidence) CHECK(sure == 0);
    }
    spec.phase = Paint{};
    CHECK(make_fields(spec, mesh).error().where == "phase");
    spec.phase = std::vector<double>{1, 2};
    CHECK(make_fields(spec, mesh).error().message().find("2 values for") != std::string::npos);
    spec.phase = [](Vec3d p) { return 1 / (p.x * 0); };
    CHECK(make_fields(spec, mesh).error().message().find("not finite at particle 0") != std::string::npos);
}

TEST_CASE("charts pass through their keys, wrap without a jump, and mirror in the logarithm")
{
    for (const bool smooth : {false, true}) {
        Charts charts;
        charts.period = 2;
        charts.directions[0] = {{{0.5, 0.7}, {1.0, 1.3}, {-0.3, 1.1}}, smooth};
        CHECK(check(charts));
        CHECK(chart_value(charts, 0, 0.5) == doctest::Approx(0.7));
        CHECK(chart_value(charts, 0, 1.0 - 4) == doctest::Approx(1.3));
        CHECK(chart_value(charts, 0, 1.7) == doctest::Approx(1.1));
        CHECK(chart_value(charts, 0, 2 - 1e-9) == doctest::Approx(chart_value(charts, 0, 0)).epsilon(1e-6));
        if (!smooth) CHECK(chart_value(charts, 0, 0.75) == doctest::Approx(std::sqrt(0.7 * 1.3)));
        for (double t = 0; t < 2; t += 0.01) {
            CHECK(chart_value(charts, 0, t) > 0.7 - 1e-12);
            CHECK(chart_value(charts, 0, t) < 1.3 + 1e-12);
            CHECK(chart_value(charts, 1, t) == 1);
        }
    }
}

TEST_CASE("a chart of one key is constant, beyond the limit it is held, and impossible charts are refused")
{
    Charts charts;
    charts.directions[2].keys = {{0.3, 0.6}};
    CHECK(chart_value(charts, 2, 17.9) == doctest::Approx(0.6));
    charts.limit = 1.25;
    CHECK(chart_value(charts, 2, 17.9) == doctest::Approx(0.8));
    charts.directions[2].keys = {{0.3, 0.6}, {1.3, 0.7}};
    CHECK(check(charts).error().message().find("values 0.6 and 0.7") != std::string::npos);
    charts.directions[2].keys = {{0.3, 0}};
    CHECK(check(charts).error().message().find("not a positive") != std::string::npos);
    charts = {};
    charts.period = 0;
    CHECK(check(charts).error().where == "period");
    Charts quick;
    quick.directions[0].keys = {{0, 0.64}, {0.5, 1}};
    CHECK(chart_value(quick.preserving_volume(), 1, 0) == doctest::Approx(1.25));
}

TEST_CASE("a key at the end of the period is the key at its start, and may not contradict it")
{
    for (const bool smooth : {false, true}) {
        Charts closed, open;
        closed.period = open.period = 0.3;
        closed.directions[0] = {{{0, 0.8}, {0.1, 1.2}, {0.3, 0.8}}, smooth};
        open.directions[0] = {{{0, 0.8}, {0.1, 1.2}}, smooth};
        REQUIRE(check(closed));
        for (double t = -0.3; t < 0.6; t += 0.007) CHECK(chart_value(closed, 0, t) == chart_value(open, 0, t));
        closed.directions[0].keys[2].time = 0.3 * (1 - 1e-9);  // as a file with few digits may have it
        REQUIRE(check(closed));
        for (double t = -0.3; t < 0.6; t += 0.007) CHECK(chart_value(closed, 0, t) == chart_value(open, 0, t));
        closed.directions[0].keys[2].value = 0.9;
        const Error error = check(closed).error();
        CHECK(error.where == "chart 1");
        CHECK(error.what ==
              "key 0 at 0 s and key 2 at 0.3 s are at one time of the period but have the values 0.8 and 0.9");
    }
}

TEST_CASE("a limit of 1 holds a chart at 1, and one below is refused")
{
    Charts charts;
    charts.directions[0].keys = {{0, 0.5}, {0.5, 2}};
    charts.limit = 1;
    REQUIRE(check(charts));
    for (double t = 0; t < 1; t += 0.1) CHECK(chart_value(charts, 0, t) == 1);
    charts.limit = 0.999;
    CHECK(check(charts).error().message() == "limit: is not a number of at least 1");
}

TEST_CASE("brushes paint a triangle, a flat side up to its edges, and what is near a path")
{
    std::vector<std::int32_t> vertex_of;
    const TriMesh surface = boundary_surface(small_bar(), &vertex_of);
    const std::int32_t top = nearest_triangle(surface, {0.1, 0.6, 0.1});
    CHECK(brush_polygon(surface, top).size() == 3);
    const auto flat = brush_flat(surface, top, 30);
    CHECK(flat.size() == 10 * 4);
    for (const std::int32_t v : flat) CHECK(surface.vertices[std::size_t(v)].y == doctest::Approx(0.5));
    CHECK(brush_flat(surface, top, 95).size() == surface.vertices.size());
    const std::vector<Vec3d> path{{-1, 0.5, 0}, {1, 0.5, 0}};
    const auto near = brush_stroke(surface, path, 0.2);
    for (std::size_t v = 0; v < surface.vertices.size(); ++v) {
        const Vec3d p = surface.vertices[v];
        const double away = length(p - Vec3d{std::clamp(p.x, -1.0, 1.0), 0.5, 0});
        CHECK((std::find(near.begin(), near.end(), std::int32_t(v)) != near.end()) == (away <= 0.2));
    }
    CHECK(brush_polygon(surface, -1).empty());
}

TEST_CASE("an iso-surface of depth is closed where the level does not meet the outside, and lies on the level")
{
    const TetMesh mesh = make_bar({2, 2, 2}, {16, 16, 16}, {-1, -1, -1});
    std::vector<double> depth;
    for (const Vec3d& p : mesh.vertices) depth.push_back(length(p));
    const TriMesh ball = iso_surface(mesh, depth, 0.7);
    CHECK(signed_volume(ball) == doctest::Approx(4.0 / 3 * 3.14159265 * 0.343).epsilon(0.03));
    for (const Vec3d& p : ball.vertices) CHECK(length(p) == doctest::Approx(0.7).epsilon(0.05));
    CHECK(iso_surface(mesh, depth, 5).triangles.empty());
}

TEST_CASE("streamlines around an axis stay at their height and radius, apart from each other, and end where nothing is known")
{
    // A tube's surface: circles around z; the direction is known in its lower half alone.
    const int around = 48, up = 24;
    TriMesh tube;
    std::vector<LineTensor> directions;
    for (int j = 0; j <= up; ++j)
        for (int i = 0; i < around; ++i) {
            const double a = 2 * 3.14159265358979 * i / around, z = 2.0 * j / up;
            tube.vertices.push_back({std::cos(a), std::sin(a), z});
            // Every second one is drawn the other way round, which means the same.
            const Vec3d along = Vec3d{-std::sin(a), std::cos(a), 0} * (i % 2 ? 1.0 : -1.0);
            directions.push_back(line_tensor(along, z <= 1 ? 1 : 0));
        }
    for (std::int32_t j = 0; j < up; ++j)
        for (std::int32_t i = 0; i < around; ++i) {
            const std::int32_t a = j * around + i, b = j * around + (i + 1) % around;
            tube.triangles.push_back({a, b, a + around});
            tube.triangles.push_back({b, b + around, a + around});
        }
    const double spacing = 0.1;
    const std::vector<Streamline> lines = streamlines(tube, directions, spacing);
    REQUIRE(lines.size() > 5);
    std::vector<std::vector<Vec3d>> places;
    double longest = 0, highest = 0;
    for (const Streamline& line : lines) {
        auto& points = places.emplace_back();
        for (const StreamPoint& point : line) {
            Vec3d p;
            for (std::size_t k = 0; k < 3; ++k)
                p += tube.vertices[std::size_t(tube.triangles[std::size_t(point.triangle)][k])] * point.weights[k];
            points.push_back(p);
        }
        double way = 0;
        for (std::size_t k = 1; k < points.size(); ++k) {
            CHECK(std::abs(points[k].z - points[0].z) < 0.02);
            way += length(points[k] - points[k - 1]);
        }
        longest = std::max(longest, way);
        highest = std::max(highest, points[0].z);
    }
    CHECK(longest > 5.5);  // all around, once
    CHECK(longest < 6.4);
    CHECK(highest > 0.85);
    CHECK(highest < 1.1);
    double nearest = 1;
    for (std::size_t a = 0; a < places.size(); ++a)
        for (std::size_t b = a + 1; b < places.size(); ++b)
            for (const Vec3d& p : places[a])
                for (const Vec3d& q : places[b]) nearest = std::min(nearest, length(p - q));
    CHECK(nearest > 0.45 * spacing);
    CHECK(streamlines(tube, std::vector<LineTensor>(directions.size()), spacing).empty());
}
