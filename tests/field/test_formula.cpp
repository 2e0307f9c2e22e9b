#include <doctest/doctest.h>

#include <cmath>

#include "yawara/formula.h"

using namespace yawara;

TEST_CASE("formulas follow the usual precedence")
{
    const Vec3d p{2, 3, -1};
    const auto value = [&](const char* text) { return Formula::parse(text).value()(p); };
    CHECK(value("1 + x*y - z/2") == 7.5);
    CHECK(value("-x^2") == -4);
    CHECK(value("2^-1*4") == 2);
    CHECK(value("2^3^2") == 512);
    CHECK(value("(x + y)*-z") == 5);
    CHECK(value("7 - 2 - 1") == 4);
    CHECK(value("1.5e1") == 15);
    CHECK(value("length(x, y, z)") == doctest::Approx(std::sqrt(14.0)));
    CHECK(value("clamp(y, 0, 1) + mix(0, 10, 0.3) + step(1, x) + mod(-1, 3)") == 7);
    CHECK(value("atan2(1, 0) - pi/2") == doctest::Approx(0));
    CHECK(value("smoothmin(1, 5, 0.5)") == 1);
    CHECK(value("smoothmax(1, 1, 0.6)") == doctest::Approx(1.1));
    CHECK(value("sqrt(-1)") == 0);
}

TEST_CASE("a wrong formula is refused with its place")
{
    const auto error = [](const std::string& text) { return Formula::parse(text).error().what; };
    CHECK(error("1 + ").find("ends where a value is expected at place 5") != std::string::npos);
    CHECK(error("1 + w").find("\"w\" is not known") != std::string::npos);
    CHECK(error("sin x").find("expected \"(\" after sin") != std::string::npos);
    CHECK(error("min(1)").find("min takes 2 values") != std::string::npos);
    CHECK(error("(1").find("expected \")\"") != std::string::npos);
    CHECK(error("1 2").find("unexpected \"2\"") != std::string::npos);
    CHECK(error("minus(1)").find("not known") != std::string::npos);
    CHECK(error(std::string(300, '(')).find("nested too deeply") != std::string::npos);
    CHECK(error(std::string(300, '-') + "1").find("nested too deeply") != std::string::npos);
    std::string deep = "1";
    for (int k = 0; k < 100; ++k) deep = "1+(" + deep + ")";
    CHECK(error(deep).find("nested too deeply") != std::string::npos);
}
