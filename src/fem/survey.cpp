// The stable sub-step of a front in its present shape, and the one that is taken.
#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "fem/advance.h"

namespace yawara::fem {
namespace {

constexpr float kChange = 0.5f;  // change of a squared stretch after which a tet has to be surveyed again

/// Bound of the largest eigenvalue of a symmetric matrix, by Gershgorin's discs.
float largest_eigenvalue(const float (&m)[6])
{
    const float xy = std::abs(m[3]), xz = std::abs(m[4]), yz = std::abs(m[5]);
    return std::max({m[0] + xy + xz, m[1] + xy + yz, m[2] + xz + yz});
}

/// Bound of the largest eigenvalue of a tet's stress times its volume, J, from its strain as TetConstants want it:
/// twice the Green strain, shear doubled once more.
float largest_stress(const TetConstants& tet, bool isotropic, const float (&strain)[6], float largest_strain)
{
    if (isotropic)
        return tet.elasticity[0] * (strain[0] + strain[1] + strain[2]) + 2 * tet.elasticity[1] * largest_strain;
    float stress[6] = {};
    const float* c = tet.elasticity;
    for (int I = 0; I < 6; ++I)
        for (int J = I; J < 6; ++J, ++c) {
            stress[I] += *c * strain[J];
            if (J != I) stress[J] += *c * strain[I];
        }
    return largest_eigenvalue(stress);
}

/// So many explicit sub-steps take as long as one implicit step: yawara-bench --only fem measures both.
constexpr double kWorthImplicit = 500;
/// The same of law elements, whose explicit loop is the plain one.
constexpr double kWorthImplicitLaws = 40;

}  // namespace

IntegrationChoice choose_integration(const FemModel& model, const FemSettings& settings, double dt)
{
    const double substep = std::clamp(settings.safety, 0.05, 1.0) * model.finest_stable;
    const double substeps = std::max(std::ceil(dt / substep), 1.0);
    switch (settings.integration) {
        case Integration::automatic:
            return {substeps > (model.law ? kWorthImplicitLaws : kWorthImplicit), substeps};
        case Integration::explicit_steps:
            return {substeps > kMostSubsteps, substeps};
        case Integration::implicit_step:
            break;
    }
    return {true, substeps};
}

Volumes volumes(const FemModel& model, const Workspace& work)
{
    const Front& front = work.front;
    Volumes all;
    for (std::size_t t = 0; t < front.active.size(); ++t) {
        const Int4& v = front.corners[t];
        const Vec3 origin = get(work.x, std::size_t(v[0]));
        Vec3 edge[3], F[3];
        for (std::size_t a = 0; a < 3; ++a) edge[a] = get(work.x, std::size_t(v[a + 1])) - origin;
        own_gradient(model.constants[std::size_t(front.active[t])], edge, F);
        const float volume = dot(F[0], cross(F[1], F[2]));
        all.smallest = std::min(all.smallest, double(volume));
        all.inverted += volume <= 0;
    }
    return all;
}

/// Each tet by its own largest frequency, [FEM] 4.2. The second derivative of its energy has two parts: that of the
/// strain, which grows with the square of the stretch, and that of the stress, as in a string under tension.
Survey survey(const FemModel& model, bool barrier, Workspace& work)
{
    const Front& front = work.front;
    const std::size_t chunks = chunk_count(front.active.size(), kTetsPerSurvey);
    work.chunk_values.resize(kSurveyed * chunks);
    for_each_chunk(front.active.size(), kTetsPerSurvey, [&](std::size_t c, std::size_t first, std::size_t last) {
        float stable = 1e30f, at_rest = 1e30f, smallest = 1e30f, good_for = 1e30f;
        int inverted = 0;
        for (std::size_t t = first; t < last; ++t) {
            const auto id = std::size_t(front.active[t]);
            const TetFrequency& frequency = model.frequencies[id];
            const Int4& v = front.corners[t];
            Vec3 F[3], rate[3];  // by columns
            for (const auto& [values, gradient] : {std::pair(&work.x, &F), std::pair(&work.v, &rate)}) {
                const Vec3 origin = get(*values, std::size_t(v[0]));
                Vec3 edge[3];
                for (std::size_t a = 0; a < 3; ++a) edge[a] = get(*values, std::size_t(v[a + 1])) - origin;
                own_gradient(model.constants[id], edge, *gradient);
            }
            const float volume = dot(F[0], cross(F[1], F[2]));
            float e[6] = {dot(F[0], F[0]) - 1, dot(F[1], F[1]) - 1, dot(F[2], F[2]) - 1,
                          dot(F[0], F[1]),     dot(F[0], F[2]),     dot(F[1], F[2])};
            const float stretch = 1 + largest_eigenvalue(e);
            if (!front.plastic.empty())  // only what has not flowed is under stress
                for (int I = 0; I < 6; ++I) e[I] -= front.plastic[t].own[std::size_t(I)] * (I < 3 ? 1.0f : 0.5f);
            const float largest = largest_eigenvalue(e);
            for (int I = 3; I < 6; ++I) e[I] *= 2;
            float stiffer = std::max(stretch, 1.0f);
            float stress = 0;
            if (model.law) {
                const Elasticity& material = model.elasticities[std::size_t(model.material_of[id])];
                const Mat3d gradient = front.laws.tet_gradient(t, work.x);
                stress = float(front.laws.tet_volume(t) * model.law->stiffening(material, gradient));
                stiffer = 1;
            } else {
                stress = std::max(largest_stress(model.constants[id], model.isotropic, e, largest), 0.0f);
            }
            if (barrier && volume < kBarrierVolume) {
                const Vec3 cofactor[3] = {cross(F[1], F[2]), cross(F[2], F[0]), cross(F[0], F[1])};
                float square = 0;
                for (const Vec3& column : cofactor) square += dot(column, column);
                stress += model.constants[id].barrier *
                          (square + 2 * (kBarrierVolume - volume) * std::sqrt(std::max(stretch, 0.0f)));
            }
            float fastest = 0;  // squared rate of F^T F
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j) {
                    const float change = dot(F[i], rate[j]) + dot(F[j], rate[i]);
                    fastest += change * change;
                }
            good_for = std::min(good_for, kChange * std::max(stretch, 1.0f) / std::sqrt(fastest));
            stable = std::min(stable, frequency.stable_step(std::max(stretch, 1.0f), stress, stiffer));
            at_rest = std::min(at_rest, frequency.stable_step(1, 0));
            smallest = std::min(smallest, volume);
            inverted += volume <= 0;
        }
        work.chunk_values[kSurveyed * c] = stable;
        work.chunk_values[kSurveyed * c + 1] = at_rest;
        work.chunk_values[kSurveyed * c + 2] = smallest;
        work.chunk_values[kSurveyed * c + 3] = good_for;
        work.chunk_values[kSurveyed * c + 4] = float(inverted);
    });
    Survey all{1e30, 1e30, 1e30, 1e30, 0};
    for (std::size_t c = 0; c < chunks; ++c) {
        all.stable = std::min(all.stable, double(work.chunk_values[kSurveyed * c]));
        all.at_rest = std::min(all.at_rest, double(work.chunk_values[kSurveyed * c + 1]));
        all.smallest = std::min(all.smallest, double(work.chunk_values[kSurveyed * c + 2]));
        all.good_for = std::min(all.good_for, double(work.chunk_values[kSurveyed * c + 3]));
        all.inverted += int(work.chunk_values[kSurveyed * c + 4]);
    }
    // Nor may the shape change much in one sub-step, however slow it could swing.
    all.stable = std::min(all.stable, all.good_for / 2);
    return all;
}

/// What symplectic steps conserve depends on their length, so sub-steps that followed every change of shape would heat
/// the body: they change by whole factors of kReduction, and grow only after they have been shorter than needed for a
/// while.
double steady_substep(const Survey& now, double safety, float& reduction)
{
    constexpr double kReduction = 1.15, kAtRest = 1.02;  // strains so small leave it what it is at rest
    constexpr float kMostReductions = 100;
    const double most = std::min(safety * kAtRest, 1.0) * now.stable;
    const double needed = std::ceil(std::log(safety * now.at_rest / most) / std::log(kReduction));
    if (!(reduction >= 0 && reduction <= kMostReductions) || needed >= std::ceil(reduction))
        reduction = std::clamp(float(needed), 0.0f, kMostReductions);
    return safety * now.at_rest / std::pow(kReduction, double(std::ceil(reduction)));
}

float relaxed_reduction(float reduction, double time)
{
    constexpr double kPatience = 0.5;  // s, for the last factor: longer than a body takes to swing to and fro
    return std::max(reduction - std::ceil(reduction) * float(time / kPatience), 0.0f);
}

}  // namespace yawara::fem
