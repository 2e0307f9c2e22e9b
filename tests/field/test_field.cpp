// Every source of a field, sampled at particles of tets and of lattices and inside tets, against plain loops.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "yawara/field.h"

using namespace yawara;

namespace {

Domain bar()
{
    return make_bar({3, 1, 1}, {9, 3, 3}, {-1.5, -0.5, -0.5});
}

Domain block()
{
    std::vector<Int3> cells;
    for (int z = 0; z < 3; ++z)
        for (int y = 0; y < 3; ++y)
            for (int x = 0; x < 9; ++x) cells.push_back({x, y, z});
    return make_lattice({-1.5, -0.5, -0.5}, 1.0 / 3, cells);
}

/// A place in every tet, not its centre.
FieldPlaces inside_tets(const Domain& domain)
{
    const TetMesh& mesh = std::get<TetMesh>(domain);
    FieldPlaces places{domain, {}, {}};
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        Vec3d p;
        const double shares[] = {0.1, 0.2, 0.3, 0.4};
        for (std::size_t k = 0; k < 4; ++k) p += mesh.vertices[std::size_t(mesh.tets[t][k])] * shares[k];
        places.points.push_back(p);
        places.tets.push_back(std::int32_t(t));
    }
    return places;
}

double linear(Vec3d p)
{
    return 0.5 + 0.1 * p.x - 0.2 * p.y + 0.05 * p.z;
}

template <class T>
Field<T> parts(Field<T> base, std::vector<typename Parts<T>::Part> list)
{
    return Parts<T>{std::make_shared<const Field<T>>(std::move(base)), std::move(list)};
}

Selection right_of(double x)
{
    return {"", Plane{{x, 0, 0}, {1, 0, 0}}};
}

template <class T>
std::string refusal(const Field<T>& field, const FieldPlaces& places, FieldUse use = {})
{
    use.name = "alpha";
    const auto values = sample(field, places, use);
    return values ? "" : values.error().message();
}

}  // namespace

TEST_CASE("numbers, functions, formulas and arrays say the same at particles and inside tets")
{
    for (const Domain& domain : {bar(), block()}) {
        std::vector<double> array;
        for (const Vec3d& p : rest_positions(domain)) array.push_back(linear(p));
        const Field<double> fields[] = {linear, Formula::parse("0.5 + 0.1*x - 0.2*y + 0.05*z").value(), array,
                                        Deferred<double>{[&](const FieldPlaces&, const FieldUse&) { return array; }}};
        std::vector<FieldPlaces> where{particle_places(domain)};
        if (std::holds_alternative<TetMesh>(domain)) where.push_back(inside_tets(domain));
        for (const FieldPlaces& places : where) {
            for (const Field<double>& field : fields) {
                const std::vector<double> values = sample(field, places).value();
                REQUIRE(values.size() == places.points.size());
                for (std::size_t i = 0; i < values.size(); ++i)
                    CHECK(values[i] == doctest::Approx(linear(places.points[i])).epsilon(1e-12));
            }
            CHECK(sample(Field<double>(7), places).value() == std::vector<double>(places.points.size(), 7.0));
        }
    }
    // As many values as tets are those of the tets.
    const Domain domain = bar();
    const FieldPlaces places = inside_tets(domain);
    std::vector<double> numbers(places.points.size());
    for (std::size_t t = 0; t < numbers.size(); ++t) numbers[t] = double(t);
    CHECK(sample(Field<double>(numbers), places).value() == numbers);
}

TEST_CASE(
    "paint of a linear field is filled linearly by radial functions, anywhere, and along the mesh between its ends")
{
    const Domain domain = bar();
    std::mt19937 random(1);
    std::uniform_real_distribution<double> x(-1.5, 1.5), y(-0.5, 0.5);
    Paint paint, ends{{}, Filling::harmonic, {}};
    for (int k = 0; k < 40; ++k) {
        const Vec3d p{x(random), y(random), y(random)};
        paint.samples.push_back({p, linear(p)});
    }
    for (const Vec3d& p : rest_positions(domain))
        if (std::abs(p.x) > 1.49) ends.samples.push_back({p, p.x});
    for (const FieldPlaces& places : {particle_places(domain), inside_tets(domain)}) {
        const std::vector<double> radial = sample(Field<double>(paint), places).value();
        const std::vector<double> along = sample(Field<double>(ends), places).value();
        for (std::size_t i = 0; i < places.points.size(); ++i) {
            CHECK(radial[i] == doctest::Approx(linear(places.points[i])).epsilon(1e-8));
            CHECK(along[i] == doctest::Approx(places.points[i].x).epsilon(1e-6));
        }
    }
}

TEST_CASE("paint filled with the nearest has at every place the value of the sample nearest to it")
{
    const Domain domain = block();
    std::mt19937 random(2);
    std::uniform_real_distribution<double> uniform(-1.5, 1.5);
    Paint paint{{}, Filling::nearest, {}};
    for (int k = 0; k < 12; ++k)
        paint.samples.push_back({{uniform(random), uniform(random), uniform(random)}, double(k % 4)});
    const FieldPlaces places = particle_places(domain);
    const std::vector<double> values = sample(Field<double>(paint), places).value();
    const std::vector<std::int32_t> labels = sample(Field<std::int32_t>(paint), places).value();
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto nearest =
            std::min_element(paint.samples.begin(), paint.samples.end(), [&](const auto& a, const auto& b) {
                return length(a.point - places.points[i]) < length(b.point - places.points[i]);
            });
        CHECK(values[i] == nearest->value);
        CHECK(labels[i] == std::int32_t(nearest->value));
    }
    paint.filling = Filling::rbf;
    CHECK(refusal(Field<std::int32_t>(paint), places) == "alpha: labels cannot be blended: fill them with the nearest");
}

TEST_CASE("brushes paint the outer particles they touch, later ones over earlier ones")
{
    using Brush = PaintTouch::Brush;
    for (const Domain& domain : {bar(), block()}) {
        const FieldPlaces places = particle_places(domain);
        Paint paint{{}, Filling::nearest, {}};
        paint.touches.push_back({.brush = Brush::flat, .value = 1, .path = {{-1.5, 0.1, 0.1}}});
        paint.touches.push_back({.brush = Brush::flat, .value = 2, .path = {{1.5, 0.1, 0.1}}});
        paint.touches.push_back({.brush = Brush::vertex, .value = 3, .vertex = 0});
        paint.touches.push_back({.brush = Brush::stroke, .value = 4, .path = {{1.5, 0.5, 0.5}}, .radius = 0.01});
        const std::vector<double> values = sample(Field<double>(paint), places).value();
        for (std::size_t i = 0; i < values.size(); ++i) {
            const Vec3d p = places.points[i];
            if (i == 0)
                CHECK(values[i] == 3);
            else if (length(p - Vec3d{1.5, 0.5, 0.5}) < 1e-9)
                CHECK(values[i] == 4);
            else if (std::abs(p.x) > 1.49)
                CHECK(values[i] == (p.x < 0 ? 1 : 2));
        }
        paint.touches = {{.brush = Brush::stroke, .value = 1, .path = {{0, 9, 0}}, .radius = 0.1}};
        CHECK(refusal(Field<double>(paint), places).find("alpha, touch 0: the brush touches no vertex") == 0);
        paint.touches = {{.brush = Brush::vertex, .value = 1, .vertex = 4000}};
        CHECK(refusal(Field<double>(paint), places).find("vertex 4000 of 160") != std::string::npos);
    }
}

TEST_CASE("what radial functions carry beyond the range is held to it; paint beyond the range is refused")
{
    const Domain domain = bar();
    const FieldPlaces places = particle_places(domain);
    const Field<double> paint = Paint{{{{-0.5, 0, 0}, 0.1}, {{0.5, 0, 0}, 0.9}}};  // 0.5 + 0.8 x: -0.7 to 1.7
    const std::vector<double> held = sample(paint, places, {.low = 0, .high = 1}).value();
    const std::vector<double> above = sample(paint, places, positive("alpha")).value();
    for (std::size_t i = 0; i < held.size(); ++i) {
        const double value = 0.5 + 0.8 * places.points[i].x;
        CHECK(held[i] == doctest::Approx(std::clamp(value, 0.0, 1.0)).epsilon(1e-9));
        CHECK(above[i] == doctest::Approx(std::max(value, 0.1)).epsilon(1e-9));
    }
    CHECK(refusal(Field<double>(Paint{{{{0, 0, 0}, 1.5}}}), places, {.low = 0, .high = 1}) ==
          "alpha: paint is 1.5; expected 0 to 1");
}

TEST_CASE(
    "a channel is remapped along straight lines and held beyond the ends; an unknown one is refused with a suggestion")
{
    const Domain domain = block();
    FieldPlaces places = particle_places(domain);
    CHECK(refusal(Field<double>(Channel{"stiffness", {}}), places) ==
          "alpha: channel \"stiffness\": only a body made of a volume model has channels");
    places.channels = {{"opacity", "stiffness"}, [](std::string_view name, const FieldPlaces& asked) {
                           std::vector<double> values;
                           for (const Vec3d& p : asked.points)
                               values.push_back(name == "opacity" ? 1.0 : (p.x + 1.5) / 3);
                           return values;
                       }};
    const std::vector<double> plain = sample(Field<double>(Channel{"stiffness", {}}), places).value();
    const Channel bent{"stiffness", {{0.25, 1}, {0.5, 5}, {0.75, 3}}};
    const std::vector<double> mapped = sample(Field<double>(bent), places).value();
    const std::vector<Int3> whole = sample(Field<Int3>(bent), places).value();
    for (std::size_t i = 0; i < plain.size(); ++i) {
        const double s = (places.points[i].x + 1.5) / 3;
        const double expected = s < 0.25 ? 1 : s < 0.5 ? 1 + 16 * (s - 0.25) : s < 0.75 ? 5 - 8 * (s - 0.5) : 3;
        CHECK(plain[i] == s);
        CHECK(mapped[i] == doctest::Approx(expected).epsilon(1e-12));
        const auto w = std::int32_t(std::lround(mapped[i]));
        CHECK(whole[i] == Int3{w, w, w});
    }
    CHECK(refusal(Field<double>(Channel{"stifness", {}}), places) ==
          "alpha: there is no channel \"stifness\", did you mean \"stiffness\"? (they are opacity, stiffness)");
    CHECK(refusal(Field<double>(Channel{"opacity", {{1, 0}, {1, 1}}}), places).find("have to increase") !=
          std::string::npos);
}

TEST_CASE("parts lie over their base, later ones over earlier ones, at particles and inside tets")
{
    const Domain domain = bar();
    for (const FieldPlaces& places : {particle_places(domain), inside_tets(domain)}) {
        const std::vector<double> values =
            sample(parts<double>(linear, {{right_of(-0.5), 2}, {right_of(0.5), 3}}), places).value();
        const std::vector<std::int32_t> labels = sample(parts<std::int32_t>(4, {{right_of(0.5), 1}}), places).value();
        const std::vector<Vec3d> directions =
            sample(parts<Vec3d>(Vec3d{0, 1, 0}, {{right_of(0.5), {1, 0, 0}}}), places).value();
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double x = places.points[i].x;
            CHECK(values[i] == (x >= 0.5 - 1e-6 ? 3 : x >= -0.5 - 1e-6 ? 2 : linear(places.points[i])));
            CHECK(labels[i] == (x >= 0.5 - 1e-6 ? 1 : 4));
            CHECK(directions[i] == (x >= 0.5 - 1e-6 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0}));
        }
    }
    CHECK(refusal(parts<double>(1.0, {{right_of(9), 2}}), particle_places(domain)).find("alpha: selects no particle") ==
          0);
}

TEST_CASE("strokes around an axis give directions around it, in tets up to their sign")
{
    const Domain domain = make_bar({2, 2, 0.5}, {8, 8, 2}, {-1, -1, -0.25});
    Strokes strokes;
    for (const double radius : {0.4, 0.7, 1.0, 1.3}) {
        Stroke& circle = strokes.lines.emplace_back();
        for (int k = 0; k <= 48; ++k) {
            const double angle = k * 2 * 3.14159265358979 / 48;
            circle.points.push_back({radius * std::cos(angle), radius * std::sin(angle), 0});
        }
    }
    for (const FieldPlaces& places : {particle_places(domain), inside_tets(domain)}) {
        const std::vector<Vec3d> directions = sample(Field<Vec3d>(strokes), places).value();
        for (std::size_t i = 0; i < directions.size(); ++i) {
            const Vec3d p{places.points[i].x, places.points[i].y, 0};
            if (length(p) < 0.45 || std::abs(p.x) > 0.95 || std::abs(p.y) > 0.95) continue;
            CHECK(std::abs(dot(normalized(directions[i]), normalized(cross(Vec3d{0, 0, 1}, p)))) > 0.95);
        }
    }
    // Where nothing is known the neighbours' direction goes on, and signs agree all over.
    const Domain long_bar = bar();
    const Strokes one{{{{{-1.5, 0, 0}, {-1, 0, 0}}}}};
    for (const Vec3d& d : sample(Field<Vec3d>(one), particle_places(long_bar)).value())
        CHECK(length(d - Vec3d{1, 0, 0}) < 1e-9);
    for (const Vec3d& d : sample(Field<Vec3d>(Strokes{}), particle_places(long_bar)).value()) CHECK(length(d) == 1);
}

TEST_CASE("fields of an enlarged solid speak of it as it was before")
{
    const Domain small = bar();
    TetMesh larger = std::get<TetMesh>(small);
    for (Vec3d& p : larger.vertices) p *= 2.5;
    const Domain large = larger;
    const auto both = [&]<class T>(const Field<T>& field, const auto& same) {
        for (const auto& make : {particle_places, inside_tets}) {
            FieldPlaces before = make(small), after = make(large);
            after.scale = 2.5;
            const std::vector<T> a = sample(field, before).value(), b = sample(field, after).value();
            for (std::size_t i = 0; i < a.size(); ++i) CHECK(same(a[i], b[i]));
        }
    };
    const auto near = [](double a, double b) { return std::abs(a - b) < 1e-9; };
    using Brush = PaintTouch::Brush;
    const Paint samples{{{{-1, 0.2, 0}, 1}, {{0.5, -0.3, 0.2}, 2}, {{1.4, 0, 0}, 0.3}}};
    Paint brushed{{},
                  Filling::harmonic,
                  {{.brush = Brush::flat, .value = 1, .path = {{-1.5, 0.1, 0}}},
                   {.brush = Brush::stroke, .value = 3, .path = {{1.4, 0.5, 0}}, .radius = 0.4}}};
    both(Field<double>(linear), near);
    both(Field<double>(samples), near);
    both(Field<double>(brushed), near);
    both(parts<double>(1.0, {{right_of(0.2), 2}}), near);
    both(Field<Vec3d>(Strokes{{{{{-1, 0, 0}, {0, 0.4, 0}}}, {{{1, 0, 0}, {1.5, 0, 0.3}}}}}),
         [](Vec3d a, Vec3d b) { return length(a - b) < 1e-9; });
}

TEST_CASE("slopes of linear fields are exact from every source, in and beside the paint")
{
    const Domain domain = bar();
    FieldPlaces places = particle_places(domain);
    std::vector<double> array;
    for (const Vec3d& p : places.points) array.push_back(linear(p));
    Paint paint{{}, Filling::rbf, {}}, harmonic{{}, Filling::harmonic, {}};
    for (const Vec3d& p : {Vec3d{-1, 0, 0}, {1, 0.2, 0}, {0, -0.4, 0.3}, {0.3, 0.4, 0.4}, {0.9, 0, -0.5}})
        paint.samples.push_back({p, linear(p)});
    for (const Vec3d& p : places.points)
        if (std::abs(p.x) > 1.49 || std::abs(p.y) > 0.49 || std::abs(p.z) > 0.49)
            harmonic.samples.push_back({p, linear(p)});
    places.channels = {{"own"}, [&](std::string_view, const FieldPlaces&) { return array; }};
    for (const Field<double>& field : {Field<double>(linear), Field<double>(array), Field<double>(paint),
                                       Field<double>(harmonic), Field<double>(Channel{"own", {}})}) {
        const SampledGradient sampled = sample_gradient(field, places).value();
        for (std::size_t i = 0; i < array.size(); ++i) {
            CHECK(sampled.values[i] == doctest::Approx(array[i]).epsilon(1e-6));
            CHECK(length(sampled.gradients[i] - Vec3d{0.1, -0.2, 0.05}) < 1e-6);
        }
    }
    CHECK(sample_gradient(0.3, places).value().gradients.empty());
}

TEST_CASE("whole numbers are rounded from what is not, and taken from the nearest corner inside a tet")
{
    const Domain domain = bar();
    const FieldPlaces places = particle_places(domain), inside = inside_tets(domain);
    const std::vector<std::int32_t> labels =
        sample(Field<std::int32_t>([](Vec3d p) { return p.x + 2; }), places).value();
    for (std::size_t i = 0; i < labels.size(); ++i) CHECK(labels[i] == std::lround(places.points[i].x + 2));
    const std::vector<std::int32_t> carried = sample(Field<std::int32_t>(labels), inside).value();
    const TetMesh& mesh = std::get<TetMesh>(domain);
    for (std::size_t t = 0; t < carried.size(); ++t) CHECK(carried[t] == labels[std::size_t(mesh.tets[t][3])]);
}

TEST_CASE("what cannot be sampled is refused with the name of the field, the place, and what was expected")
{
    const Domain domain = bar();
    const FieldPlaces places = particle_places(domain), inside = inside_tets(domain);
    const FieldUse share{.low = 0, .high = 1}, above{.low = 0, .high = 1, .above_low = true};
    CHECK(refusal(Field<double>(std::vector<double>{1, 2}), places) == "alpha: 2 values for 160 particles");
    CHECK(refusal(Field<double>(std::vector<double>{1, 2}), inside) ==
          "alpha: 2 values for 160 particles or 405 finest tets");
    CHECK(refusal(Field<double>(1.5), places, share) == "alpha: is 1.5; expected 0 to 1");
    CHECK(refusal(Field<double>(0), places, above) == "alpha: is 0; expected a number above 0, at most 1");
    CHECK(refusal(Field<double>(-2), places, positive("")) == "alpha: is -2; expected more than 0");
    CHECK(refusal(Field<Int3>(Int3{1, 31, 1}), places, {.low = 0, .high = 30}) == "alpha: is 31; expected 0 to 30");
    CHECK(refusal(Field<double>(std::nan("")), places) == "alpha: is not finite");
    CHECK(refusal(Field<double>([](Vec3d p) { return p.x; }), places, share) ==
          "alpha: is -1.5 at particle 0, rest position (-1.5, -0.5, -0.5); expected 0 to 1");
    CHECK(refusal(Field<double>([](Vec3d p) { return 1 / (p.x * 0); }), inside)
              .find("alpha: is not finite at finest tet 0") == 0);
    CHECK(refusal(Field<double>(Field<double>::Function{}), places) == "alpha: is an empty function");
    CHECK(refusal(Field<double>(Paint{}), places).find("alpha: nothing is painted") == 0);
    CHECK(refusal(Field<double>(Paint{{{{0, 0, 0}, std::nan("")}}}), places) == "alpha: sample 0 is not finite");
    CHECK(refusal(Field<Vec3d>(Strokes{{{{{0, 0, 0}, {std::nan(""), 0, 0}}}}}), places).find("alpha: stroke 0") == 0);
    CHECK(refusal(Field<double>(Deferred<double>{[](const FieldPlaces&, const FieldUse&) {
                      return Error{"", "no such file"};
                  }}),
                  places) == "alpha: no such file");
    // A direction that a formula cannot tell is unknown, not wrong.
    const Field<Vec3d> around = [](Vec3d p) { return Vec3d{-p.z, 0, p.x} / std::hypot(p.x, p.z); };
    CHECK(sample(around, {domain, {{0, 1, 0}}, {}}).value().front() == Vec3d{});
}
