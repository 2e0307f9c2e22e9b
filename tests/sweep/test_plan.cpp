// Which runs a sweep has, and what is wrong with one that has none.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include <nlohmann/json.hpp>

#include "sweep_scene.h"

using namespace yawara;

namespace {

double number(const SweepPlan& plan, std::size_t run, std::size_t parameter)
{
    return std::stod(plan.values(run)[parameter]);
}

std::string mistake(const SweepWords& words)
{
    const auto plan = SweepScratch::plan(words);
    return plan ? "none" : plan.error().message();
}

bool contains(const std::string& text, const std::string& part)
{
    INFO(text);
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a grid has every combination, the first axis slowest, and the ends of a range are exact")
{
    const SweepScratch scratch;
    SweepWords words = scratch.words();
    words.grid = {"E=bodies[0].matching.young=1e3:1e6:log:4", "bodies[0].density=[500,700]"};
    const SweepPlan plan = SweepScratch::plan(words).value();
    REQUIRE(plan.size() == 8);
    CHECK(std::vector(plan.parameters().begin(), plan.parameters().end()) ==
          std::vector<std::string>{"E", "bodies[0].density"});
    for (std::size_t run = 0; run < 8; ++run) {
        CHECK(number(plan, run, 0) == doctest::Approx(1e3 * std::pow(10.0, double(run / 2))));
        CHECK(number(plan, run, 1) == (run % 2 ? 700 : 500));
    }
    CHECK(plan.values(0)[0] == "1000");
    CHECK(plan.values(7)[0] == "1000000");
    const auto scene = nlohmann::json::parse(plan.scene_text(7));
    CHECK(scene["bodies"][0]["matching"]["young"] == 1e6);
    CHECK(scene["bodies"][0]["density"] == 700);
}

TEST_CASE("values in a zip go together")
{
    const SweepScratch scratch;
    SweepWords words = scratch.words();
    words.grid = {"bodies[0].matching.alpha=[0.2,0.4]"};
    words.zip = {"bodies[0].density=[1,2,3]", "frames=[10,20,30]"};
    const SweepPlan plan = SweepScratch::plan(words).value();
    REQUIRE(plan.size() == 6);
    for (std::size_t run = 0; run < 6; ++run) CHECK(number(plan, run, 2) == 10 * number(plan, run, 1));
    words.zip[1] = "frames=[10,20]";
    CHECK(contains(mistake(words), "has 2 values, the first has 3"));
}

TEST_CASE("a Latin hypercube draws once from every part of every range, for every repeat anew")
{
    const SweepScratch scratch;
    SweepWords words = scratch.words();
    words.latin = {"bodies[0].spin[0]=0:1", "bodies[0].density=1:1000:log"};
    words.samples = 50;
    words.repeats = 2;
    const SweepPlan plan = SweepScratch::plan(words).value();
    REQUIRE(plan.size() == 100);
    std::set<int> parts[2][2];
    for (std::size_t run = 0; run < plan.size(); ++run) {
        const auto repeat = static_cast<std::size_t>(number(plan, run, 2));
        parts[repeat][0].insert(static_cast<int>(50 * number(plan, run, 0)));
        parts[repeat][1].insert(static_cast<int>(50 * std::log(number(plan, run, 1)) / std::log(1000.0)));
    }
    for (const auto& repeat : parts)
        for (const auto& range : repeat) CHECK(range.size() == 50);
    CHECK(plan.values(0)[0] != plan.values(1)[0]);
}

TEST_CASE("draws depend on the seed alone and stay in their range")
{
    const SweepScratch scratch;
    SweepWords words = scratch.words();
    words.random = {"bodies[0].spin[2]=-3:3", "frames=2:5:whole"};
    words.samples = 400;
    const SweepPlan plan = SweepScratch::plan(words).value(), again = SweepScratch::plan(words).value();
    words.seed = 2;
    const SweepPlan other = SweepScratch::plan(words).value();
    std::set<std::string> frames;
    double sum = 0;
    for (std::size_t run = 0; run < 400; ++run) {
        CHECK(plan.values(run) == again.values(run));
        CHECK(plan.values(run)[0] != other.values(run)[0]);
        CHECK(std::abs(number(plan, run, 0)) <= 3);
        sum += number(plan, run, 0);
        frames.insert(plan.values(run)[1]);
    }
    CHECK(std::abs(sum / 400) < 0.35);  // four standard errors
    CHECK(frames == std::set<std::string>{"2", "3", "4", "5"});
}

TEST_CASE("conditions leave out what does not meet them")
{
    const SweepScratch scratch;
    SweepWords words = scratch.words();
    words.grid = {"a=bodies[0].spin[0]=0:1:11", "bodies[0].density=100:1000:10"};
    words.where = {"1000 * a >= bodies[0].density", "a < 0.75"};
    const SweepPlan plan = SweepScratch::plan(words).value();
    std::size_t expected = 0;
    for (int a = 0; a <= 10; ++a)
        for (int d = 1; d <= 10; ++d) expected += a >= d && a <= 7;
    CHECK(plan.size() == expected);
    for (std::size_t run = 0; run < plan.size(); ++run) CHECK(1000 * number(plan, run, 0) >= number(plan, run, 1));
    words.where = {"a > 2"};
    CHECK(contains(mistake(words), "no combination meets the conditions"));
    words.where = {"b > 2"};
    CHECK(contains(mistake(words), "mentions no parameter"));
    words.where = {"a + 2"};
    CHECK(contains(mistake(words), "compares nothing"));
}

TEST_CASE("one path may reach every body, or what the scene leaves to its default")
{
    const SweepScratch scratch;
    SweepWords words = scratch.words();
    words.grid = {"bodies[*].density=[700]", "step.gravity[1]=[-1]", "bodies[bar].velocity[0]=[2]"};
    const auto scene = nlohmann::json::parse(SweepScratch::plan(words).value().scene_text(0));
    CHECK(scene["bodies"][0]["density"] == 700);
    CHECK(scene["step"]["gravity"] == nlohmann::json{0, -1, 0});
    CHECK(scene["bodies"][0]["velocity"] == nlohmann::json{2, 0, 0});
}

TEST_CASE("what cannot be swept is said before anything runs")
{
    const SweepScratch scratch;
    const auto wrong = [&](const std::string& axis) {
        SweepWords words = scratch.words();
        words.grid = {axis};
        return mistake(words);
    };
    CHECK(contains(wrong("bodies[0].matching.alhpa=[1]"), "did you mean \"alpha\"?"));
    CHECK(contains(wrong("bodies[0].matchin.alpha=[1]"), "did you mean \"matching\"?"));
    CHECK(contains(wrong("bodies[3].density=[1]"), "there is no [3]: the list has 1 entry"));
    CHECK(contains(wrong("bodies[bra].density=[1]"), "did you mean \"bar\"?"));
    CHECK(contains(wrong("bodies[0].density=-5:5:3"), "bodies[0].density: -5 is outside"));
    CHECK(contains(wrong("bodies[0].matching.alpha=0.5:2:4"), "1.5 is outside (0, 1]"));
    CHECK(contains(wrong("bodies[0].density=[]"), "expected at least 1, found 0"));
    CHECK(contains(wrong("bodies[0].density=0:5:log:3"), "both have to be more than 0"));
    CHECK(contains(wrong("bodies[0].density=1:2:0"), "count: 0 is outside"));
    CHECK(contains(wrong("bodies[0].density"), "expected PATH=VALUES"));
    CHECK(contains(wrong("bodies[0]..density=1"), "is not a path"));
    CHECK(contains(wrong("run=bodies[0].density=1:2:3"), "is a column of every table"));
    SweepWords words = scratch.words();
    CHECK(contains(mistake(words), "changes nothing"));
    words.samples = 3;
    CHECK(contains(mistake(words), "nothing is drawn"));
    words.random = {"bodies[0].matching.alpha=0.1:1.5"};
    CHECK(contains(mistake(words), "1.5 is outside (0, 1]"));
    words.random = {"bodies[0].matching.alpha=0.1:1"};
    words.grid = {"bodies[0].density=1:1000:10000"};
    words.samples = 2000;
    CHECK(contains(mistake(words), "2e+07 runs; at most 10000000 are possible"));
    words.samples = 1000;
    CHECK(mistake(words) == "none");
    words.measures = {"long=lenght:bar:x"};
    CHECK(contains(mistake(words), "\"lenght\""));
}

TEST_CASE("a sweep file says the same as words do")
{
    const SweepScratch scratch;
    scratch.write("sweep.json", R"({ "yawara_sweep": 1, "scene": "scene.json",
      "grid": [ { "path": "bodies[0].matching.alpha", "values": [0.3, 0.6], "name": "alpha" },
                { "path": "bodies[bar].density", "from": 500, "to": 2000, "count": 3, "scale": "log" } ] })");
    CHECK(is_sweep_file(scratch.path / "sweep.json"));
    CHECK_FALSE(is_sweep_file(scratch.path / "scene.json"));
    const SweepPlan plan = SweepPlan::from_file(scratch.path / "sweep.json").value(), words = scratch.six_runs();
    REQUIRE(plan.size() == words.size());
    for (std::size_t run = 0; run < plan.size(); ++run) CHECK(plan.scene_text(run) == words.scene_text(run));
    CHECK_MESSAGE(nlohmann::json::parse(SweepPlan::from_text(plan.text(), "/").value().text()) ==
                      nlohmann::json::parse(plan.text()),
                  "written out, it reads as itself");
    scratch.write("sweep.json", R"({ "yawara_sweep": 1, "scene": "scene.json", "gird": [] })");
    CHECK(contains(SweepPlan::from_file(scratch.path / "sweep.json").error().message(), "did you mean \"grid\"?"));
}
