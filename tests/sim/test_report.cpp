// What the report of a frame says of its sub-steps.
#include <doctest/doctest.h>

#include "yawara/scene.h"

using namespace yawara;

namespace {

/// visit(name, rule, field) for every field of a report. Structured bindings name all of them: one more does not
/// compile until it is listed here.
enum class Rule { sum, largest, smallest, last };
template <class Visit>
void for_each_field(StepReport& report, const Visit& visit)
{
    auto& [seconds, inverted, repaired, numbers, shape, contact, kinetic, elastic, momentum, angular, center, matching,
           fem] = report;
    for (double& s : seconds) visit("seconds", Rule::sum, s);
    visit("inverted", Rule::largest, inverted);
    visit("repaired_particles", Rule::largest, repaired);
    visit("repaired_numbers", Rule::largest, numbers);
    visit("size", Rule::last, shape.size);
    visit("volume", Rule::last, shape.volume);
    visit("collapsed", Rule::last, shape.collapsed);
    visit("kinetic_energy", Rule::last, kinetic);
    visit("elastic_energy", Rule::last, elastic);
    for (Vec3d* v : {&momentum, &angular, &center})
        for (double* const x : {&v->x, &v->y, &v->z}) visit("momenta, centre", Rule::last, *x);

    auto& [contacts, deepest, wedged, touches, overlap] = contact;
    visit("contacts", Rule::largest, contacts);
    visit("deepest", Rule::largest, deepest);
    visit("wedged", Rule::largest, wedged);
    visit("touches", Rule::largest, touches);
    visit("overlap", Rule::largest, overlap);

    auto& [passes, restarts, robust, implicit_passes] = matching;
    visit("implicit", Rule::largest, implicit_passes);
    visit("passes", Rule::largest, passes);
    visit("restarts", Rule::largest, restarts);
    visit("robust_rotations", Rule::largest, robust);

    auto& [substeps, tets, by_level, splits, merges, tolerance, residual, jumps, plastic, volume, springs, implicit,
           newton, solver, cut_short, unsolved, taken] = fem;
    visit("substeps", Rule::sum, substeps);
    visit("active_tets", Rule::last, tets);
    for (int& count : by_level) visit("active_by_level", Rule::last, count);
    visit("splits", Rule::sum, splits);
    visit("merges", Rule::sum, merges);
    visit("tolerance", Rule::largest, tolerance);
    visit("largest_residual", Rule::largest, residual);
    visit("energy_jumps", Rule::sum, jumps);
    visit("plastic_loss", Rule::sum, plastic);
    visit("smallest_volume", Rule::smallest, volume);
    visit("contact_energy", Rule::last, springs);
    visit("implicit_substeps", Rule::sum, implicit);
    visit("newton_rounds", Rule::sum, newton);
    visit("solver_rounds", Rule::sum, solver);
    visit("cut_short", Rule::sum, cut_short);
    visit("unsolved", Rule::largest, unsolved);
    visit("energy_taken", Rule::sum, taken);
}

StepReport filled(int value)
{
    StepReport report;
    for_each_field(report,
                   [&](const char*, Rule, auto& field) { field = std::remove_reference_t<decltype(field)>(value); });
    return report;
}

}  // namespace

TEST_CASE("the report of a frame leaves out no field of its sub-steps")
{
    for (const auto [first, second] : {std::pair{3, 5}, std::pair{5, 3}}) {
        StepReport sum = filled(first);
        sum.add(filled(second));
        for_each_field(sum, [&](const char* name, Rule rule, auto& field) {
            const int wanted = rule == Rule::sum        ? first + second
                               : rule == Rule::largest  ? std::max(first, second)
                               : rule == Rule::smallest ? std::min(first, second)
                                                        : second;
            CAPTURE(name);
            CHECK(double(field) == wanted);
        });
    }
}
