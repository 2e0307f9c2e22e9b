// yawara-bench: prints tables, or JSON; --check compares results only and never looks at the clock.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "save.h"
#include "section.h"
#include "stopwatch.h"

namespace {

using namespace yawara::bench;

const std::vector<const Section*> kSections{&kStepSection,     &kMatchingSection, &kExamplesSection, &kActiveSection,  &kContactSection,
                                            &kFemSection,      &kImplicitSection, &kLatticeSection, &kCvgSection,
                                            &kEditSection,     &kPaintSection,    &kStreamSection,  &kSweepSection,
                                            &kWorldSection,    &kPoseSection,     &kLimitsSection,
                                            &kPictureSection};

int check(const std::vector<const Section*>& sections)
{
    bool good = true;
    for (const Section* section : sections) good = section->check() && good;
    fmt::print("{}\n", good ? "ok" : "FAILED");
    return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv)
{
    CLI::App app(
        "Speed of the solver as ratios taken in one run: against plain Eigen twins and against Bullet.\n"
        "Examples:\n"
        "  yawara bench --only contact --quick\n"
        "  yawara bench --save benchmarks/results/my-cpu    tables that the documentation is made from",
        "yawara bench");
    bool only_check = false, json = false;
    BenchOptions options;
    std::string only, folder;
    std::vector<std::string> names;
    for (const Section* section : kSections) names.emplace_back(section->name);
    app.add_flag("--check", only_check, "compare results with the plain twins; no timing");
    app.add_flag("--json", json, "print JSON");
    app.add_flag("--quick", options.quick, "leave out the largest bodies and measure for one second a size");
    app.add_option("--seconds", options.seconds, "time spent on each size")->check(CLI::PositiveNumber);
    app.add_option("--only", only, "one part alone")->check(CLI::IsMember(names));
    app.add_option("--save", folder, "also write the numbers as tables (csv), in this folder")->type_name("FOLDER");
    CLI11_PARSE(app, argc, argv);
    if (options.quick) options.seconds = 1;

    std::vector<const Section*> sections;
    for (const Section* section : kSections)
        if (only.empty() || only == section->name) sections.push_back(section);
    if (only_check) return check(sections);
    nlohmann::json all{{"cpu", cpu_name()}};
    if (!json) fmt::print("{}\n", cpu_name());
    std::error_code problem;
    if (!folder.empty()) std::filesystem::create_directories(folder, problem);
    if (problem) {
        fmt::print(stderr, "{}: {}\n", folder, problem.message());
        return 1;
    }
    bool saved = true;
    for (const Section* section : sections) {
        all[section->name] = section->measure(options);
        if (!folder.empty()) saved = save_tables(folder, section->name, all[section->name]) && saved;
        if (json) continue;
        fmt::print("\n");
        section->print(all[section->name]);
    }
    if (json) fmt::print("{}\n", all.dump(2));
    return saved ? 0 : 1;
}
