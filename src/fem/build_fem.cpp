// build_fem(): checks mesh and materials, grows the forest, and precomputes all that the step needs, in double.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>

#include "core/parallel.h"
#include "fem/build_laws.h"
#include "fem/coarsen.h"
#include "fem/fem_model.h"
#include "fem/words.h"

namespace yawara::fem {
namespace {

constexpr double kFlat = 1e-9;           // volume over the cube of the longest edge
constexpr double kSliver = 0.02;         // altitude over the longest edge
constexpr double kLocking = 0.45;        // Poisson's ratio
constexpr double kBarrierStiffness = 2;  // of the barrier, in units of the largest elastic eigenvalue

double longest_edge(const std::array<Vec3d, 4>& p)
{
    double longest = 0;
    for (const auto& e : kEdges) longest = std::max(longest, length(p[std::size_t(e[0])] - p[std::size_t(e[1])]));
    return longest;
}

/// Vertices of no tet are left out: a node without elements has neither mass nor forces. The order of the others stays.
void drop_loose_vertices(TetMesh& mesh, const std::vector<std::uint8_t>& used, std::vector<std::string>& warnings)
{
    std::vector<std::int32_t> number(used.size(), -1);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < used.size(); ++i) {
        if (!used[i]) continue;
        number[i] = std::int32_t(kept);
        mesh.vertices[kept++] = mesh.vertices[i];
    }
    const std::size_t loose = used.size() - kept;
    if (loose == 0) return;
    warnings.push_back(std::to_string(loose) +
                       (loose == 1 ? " vertex in no tetrahedron was" : " vertices in no tetrahedron were") +
                       " left out");
    mesh.vertices.resize(kept);
    for (Int4& tet : mesh.tets)
        for (std::int32_t& v : tet) v = number[std::size_t(v)];
}

/// A mesh fit for finite elements: tets turned the right way, no two nodes in one place, faces shared by two at most.
Status check_mesh(TetMesh& mesh, std::vector<std::string>& warnings)
{
    if (mesh.tets.empty()) return Error{"solid", "has no tetrahedra"};
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
        if (!is_finite(mesh.vertices[i])) return Error{"solid", "vertex " + std::to_string(i) + " is not finite"};
    int inverted = 0, slivers = 0;
    double worst = 1;
    std::vector<std::uint8_t> used(mesh.vertices.size(), 0);
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        Int4& tet = mesh.tets[t];
        for (const std::int32_t v : tet) {
            if (v < 0 || std::size_t(v) >= mesh.vertices.size())
                return Error{"solid", "tet " + std::to_string(t) + " uses vertex " + std::to_string(v) + " of " +
                                          std::to_string(mesh.vertices.size())};
            used[std::size_t(v)] = 1;
        }
        double volume = signed_volume(mesh, tet);
        if (volume < 0) {
            std::swap(tet[2], tet[3]);
            volume = -volume;
            ++inverted;
        }
        std::array<Vec3d, 4> p;
        for (std::size_t a = 0; a < 4; ++a) p[a] = mesh.vertices[std::size_t(tet[a])];
        const double longest = longest_edge(p);
        if (!(volume >= kFlat * longest * longest * longest))
            return Error{"solid", "tet " + std::to_string(t) + " is flat: its volume is " + number(volume)};
        double steepest = 0;
        for (const Vec3d& g : shape_of(p).g) steepest = std::max(steepest, length(g));
        const double sharpness = 1 / (steepest * longest);
        slivers += sharpness < kSliver;
        worst = std::min(worst, sharpness);
    }
    drop_loose_vertices(mesh, used, warnings);
    if (inverted) warnings.push_back(std::to_string(inverted) + " inverted tets were turned");
    if (slivers)
        warnings.push_back(std::to_string(slivers) + " slivers, the worst " + number(worst) +
                           " as high as long: they shorten the time step");

    std::vector<std::int32_t> by_place(mesh.vertices.size());
    std::iota(by_place.begin(), by_place.end(), 0);
    const auto place = [&](std::int32_t i) {
        const Vec3d& p = mesh.vertices[std::size_t(i)];
        return std::array{p.x, p.y, p.z};
    };
    std::sort(by_place.begin(), by_place.end(), [&](auto i, auto j) { return place(i) < place(j); });
    for (std::size_t k = 1; k < by_place.size(); ++k)
        if (place(by_place[k]) == place(by_place[k - 1]))
            return Error{"solid", "vertices " + std::to_string(std::min(by_place[k], by_place[k - 1])) + " and " +
                                      std::to_string(std::max(by_place[k], by_place[k - 1])) + " are in one place"};

    struct Face {
        Int3 key;
        std::int32_t tet;
    };
    std::vector<Face> faces;
    faces.reserve(4 * mesh.tets.size());
    for (std::size_t t = 0; t < mesh.tets.size(); ++t)
        for (std::size_t a = 0; a < 4; ++a) {
            const Int4& v = mesh.tets[t];
            Int3 key{v[(a + 1) % 4], v[(a + 2) % 4], v[(a + 3) % 4]};
            std::sort(key.begin(), key.end());
            faces.push_back({key, std::int32_t(t)});
        }
    std::sort(faces.begin(), faces.end(),
              [](const Face& x, const Face& y) { return x.key != y.key ? x.key < y.key : x.tet < y.tet; });
    std::map<std::pair<std::int32_t, std::int32_t>, int> shared;
    for (std::size_t k = 1; k < faces.size(); ++k) {
        if (faces[k].key != faces[k - 1].key) continue;
        const auto pair = std::pair(faces[k - 1].tet, faces[k].tet);
        if (k + 1 < faces.size() && faces[k + 1].key == faces[k].key)
            return Error{"solid", "tets " + std::to_string(pair.first) + ", " + std::to_string(pair.second) + " and " +
                                      std::to_string(faces[k + 1].tet) + " share one face"};
        if (++shared[pair] > 1)
            return Error{"solid", "tets " + std::to_string(pair.first) + " and " + std::to_string(pair.second) +
                                      " share more than one face"};
    }
    return Done{};
}

/// The body's density at every finest tet, or one for all.
Result<std::vector<double>> sample_density(const Fem& spec, const Field<double>& density, const Channels& channels)
{
    if (density.constant()) return std::vector<double>{*density.constant()};
    const Domain domain = spec.mesh;
    Result<FieldPlaces> places = finest_places(domain, spec.levels);
    if (!places) return places.error();
    places->channels = channels;
    return sample(density, *places, positive("density"));
}

/// Asks for the material of every finest tet; equal ones get one number. `density`: of all, or one per finest tet.
Status ask_materials(const Fem& spec, std::span<const double> density, ForestMaterials& out, FemModel& model,
                     std::vector<std::string>& warnings)
{
    const TetForest& forest = model.forest;
    std::vector<double>& densities = model.densities;
    using Key = std::array<double, 72>;
    std::map<Key, std::int32_t> known;
    const std::int32_t first = forest.first_of(forest.levels());
    out.of_tet.assign(forest.tet_count(), -1);
    densities.resize(forest.count_of(forest.levels()));
    model.plasticity_of.assign(forest.tet_count(), -1);
    double largest_poisson = 0;
    Key last_key{};
    std::int32_t last = -1;
    for (std::int32_t t = first; t < std::int32_t(forest.tet_count()); ++t) {
        const auto p = forest.corners(t);
        const std::int32_t base = forest.base_of(t);
        const std::int32_t region = spec.mesh.materials.empty() ? 0 : spec.mesh.materials[std::size_t(base)];
        const FemMaterial m = spec.material({(p[0] + p[1] + p[2] + p[3]) * 0.25, base, t - first, region});
        const std::string at = "finest tet " + std::to_string(t - first) + ": ";
        if (m.elasticity == Elasticity{}) return Error{"materials", at + "no material is given there"};
        const double rho = m.density != 0 ? m.density : density[density.size() == 1 ? 0 : std::size_t(t - first)];
        if (!(rho > 0) || !std::isfinite(rho)) return Error{"density", at + number(rho) + " is not a positive number"};
        densities[std::size_t(t - first)] = rho;
        if (const Status ok = check_plasticity(m.plasticity); !ok)
            return Error{"plasticity", at + ok.error().where + ": " + ok.error().what};
        auto& plasticities = model.plasticities;
        const auto same = std::find(plasticities.begin(), plasticities.end(), m.plasticity);
        model.plasticity_of[std::size_t(t)] = std::int32_t(same - plasticities.begin());
        if (same == plasticities.end()) plasticities.push_back(m.plasticity);
        model.plastic |= m.plasticity.yield > 0;
        Key key;
        std::copy(m.elasticity.c.begin(), m.elasticity.c.end(), key.begin());
        std::copy(m.viscosity.c.begin(), m.viscosity.c.end(), key.begin() + 36);
        if (last < 0 || key != last_key) {
            // Before any comparison: what is not a number would count as equal to every other.
            if (!std::all_of(key.begin(), key.end(), [](double value) { return std::isfinite(value); }))
                return Error{"materials", at + "a constant is not a finite number"};
            const auto found = known.find(key);
            if (found != known.end()) {
                last = found->second;
            } else {
                if (const Status ok = check_elasticity(m.elasticity); !ok)
                    return Error{"elasticity", at + ok.error().what};
                if (const Status ok = check_viscosity(m.viscosity); !ok)
                    return Error{"viscosity", at + ok.error().what};
                if (Lame lame; is_isotropic(m.elasticity, lame))
                    largest_poisson = std::max(largest_poisson, lame.lambda / (2 * (lame.lambda + lame.mu)));
                last = std::int32_t(out.elasticities.size());
                out.elasticities.push_back(m.elasticity);
                out.viscosities.push_back(m.viscosity);
                known.emplace(key, last);
            }
            last_key = key;
        }
        out.of_tet[std::size_t(t)] = last;
    }
    if (largest_poisson >= kLocking && spec.elements == Elements::linear)
        warnings.push_back("a Poisson's ratio of " + number(largest_poisson) +
                           " makes linear tets too stiff (they lock): nodal elements do not");
    return Done{};
}

/// Square roots of the tensors in Kelvin form, one per material.
std::vector<Matrix6> roots_of(const std::vector<Elasticity>& tensors)
{
    std::vector<Matrix6> roots;
    for (const Elasticity& tensor : tensors) {
        const Eigen::SelfAdjointEigenSolver<Matrix6> solver(to_kelvin(to_eigen(tensor)));
        const Vector6 values = solver.eigenvalues().cwiseMax(0).cwiseSqrt();
        roots.push_back(solver.eigenvectors() * values.asDiagonal() * solver.eigenvectors().transpose());
    }
    return roots;
}

Eigen::Matrix4d mass_matrix(const std::array<double, 10>& lower)
{
    Eigen::Matrix4d m;
    std::size_t k = 0;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j <= i; ++j) m(i, j) = m(j, i) = lower[k++];
    return m;
}

/// Masses of all forest tets seen from their corners, children before parents.
std::vector<std::array<double, 10>> tet_masses(const TetForest& forest, const std::vector<double>& densities)
{
    std::vector<std::array<double, 10>> masses(forest.tet_count());
    const std::int32_t finest = forest.first_of(forest.levels());
    for (std::int32_t t = std::int32_t(forest.tet_count()) - 1; t >= 0; --t) {
        std::array<double, 10>& mass = masses[std::size_t(t)];
        mass = {};
        if (t >= finest) {
            const double quarter = densities[std::size_t(t - finest)] * shape_of(forest.corners(t)).volume / 4;
            mass[0] = mass[2] = mass[5] = mass[9] = quarter;
            continue;
        }
        const Int4& v = forest.tet(t);
        const auto& mid = forest.midpoints(t);
        Eigen::Matrix4d sum = Eigen::Matrix4d::Zero();
        for (std::int32_t c = forest.first_child(t); c < forest.first_child(t) + 8; ++c) {
            Eigen::Matrix4d weights = Eigen::Matrix4d::Zero();  // corners of the child from those of the parent
            for (int a = 0; a < 4; ++a) {
                const std::int32_t n = forest.tet(c)[std::size_t(a)];
                for (int b = 0; b < 4; ++b)
                    if (n == v[std::size_t(b)]) weights(a, b) = 1;
                for (int e = 0; e < 6; ++e)
                    if (n == mid[std::size_t(e)]) weights(a, kEdges[e][0]) = weights(a, kEdges[e][1]) = 0.5;
            }
            sum += weights.transpose() * mass_matrix(masses[std::size_t(c)]) * weights;
        }
        std::size_t k = 0;
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j <= i; ++j) mass[k++] = (sum(i, j) + sum(j, i)) / 2;
    }
    return masses;
}

void upper_triangle(const Elasticity& tensor, const Mat3d& axes, double factor, bool isotropic, float (&out)[21])
{
    if (isotropic) {
        out[0] = float(tensor(0, 1) * factor);
        out[1] = float(tensor(3, 3) * factor);
        return;
    }
    const Elasticity own = turned(tensor, axes);
    std::size_t k = 0;
    for (int i = 0; i < 6; ++i)
        for (int j = i; j < 6; ++j) out[k++] = float(own(i, j) * factor);
}

/// Constants of the kernels and stable steps of all tets.
void measure_tets(FemModel& model)
{
    const TetForest& forest = model.forest;
    const std::vector<std::array<double, 10>>& masses = model.tet_masses;
    const std::vector<Matrix6> roots = roots_of(model.elasticities), viscous_roots = roots_of(model.viscosities);
    std::vector<double> stiffest(model.elasticities.size());
    for (std::size_t m = 0; m < stiffest.size(); ++m) stiffest[m] = eigenvalues(model.elasticities[m])[5];
    model.constants.resize(forest.tet_count());
    model.frequencies.resize(forest.tet_count());
    Vector6 kelvin;
    kelvin << 1, 1, 1, std::sqrt(0.5), std::sqrt(0.5), std::sqrt(0.5);
    for_each_task(forest.tet_count(), [&](std::size_t t) {
        const TetShape shape = shape_of(forest.corners(std::int32_t(t)));
        const auto material = std::size_t(model.material_of[t]);
        TetConstants& c = model.constants[t];
        c = {};
        const Mat3d axes = own_axes(forest.corners(std::int32_t(t)));
        std::size_t entry = 0;
        for (int a = 0; a < 3; ++a)
            for (int j = a; j < 3; ++j) c.inverse_edges[entry++] = float((axes * shape.g[std::size_t(a) + 1])[j]);
        c.barrier = float(kBarrierStiffness * stiffest[material] * shape.volume);
        upper_triangle(model.elasticities[material], axes, shape.volume / 2, model.isotropic, c.elasticity);
        upper_triangle(model.viscosities[material], axes, shape.volume / 2, model.isotropic, c.viscosity);

        // Largest eigenvalue of M^-1 K by the 6x6 matrix C^1/2 (vol B M^-1 B^T) C^1/2, which has the same ones.
        const Eigen::Matrix4d inverse = mass_matrix(masses[t]).inverse();
        const StrainMatrix B = kelvin.asDiagonal() * strain_matrix(shape);
        StrainMatrix BM = StrainMatrix::Zero();
        for (int a = 0; a < 4; ++a)
            for (int b = 0; b < 4; ++b) BM.middleCols<3>(3 * b) += B.middleCols<3>(3 * a) * inverse(a, b);
        const Matrix6 A = shape.volume * BM * B.transpose();
        const auto largest = [&](const Matrix6& root) {
            const Eigen::SelfAdjointEigenSolver<Matrix6> solver(root * A * root, Eigen::EigenvaluesOnly);
            return std::max(solver.eigenvalues()[5], 0.0);
        };
        Eigen::Matrix<double, 3, 4> G;
        for (std::size_t a = 0; a < 4; ++a) G.col(Eigen::Index(a)) << shape.g[a].x, shape.g[a].y, shape.g[a].z;
        const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> tension(G * inverse * G.transpose());
        model.frequencies[t] = {float(largest(roots[material])),
                                float(model.viscous ? largest(viscous_roots[material]) / 2 : 0.0),
                                float(tension.eigenvalues()[2])};
    });
}

/// trace / 3 of the stiffness a corner of a tet feels when all others are held.
double corner_stiffness(const TetShape& shape, const Matrix6& C, int corner)
{
    const StrainMatrix B = strain_matrix(shape);
    const auto Bn = B.middleCols<3>(3 * corner);
    return shape.volume * (Bn.transpose() * C * Bn).trace() / 3;
}

void measure_nodes(FemModel& model, const std::vector<double>& masses)
{
    const TetForest& forest = model.forest;
    std::vector<double> hat = masses;  // finer nodes hand their mass down to both ends of their edge
    for (auto n = std::int32_t(forest.node_count()) - 1; n >= 0; --n)
        if (const ForestNode& node = forest.node(n); node.a >= 0) {
            hat[std::size_t(node.a)] += hat[std::size_t(n)] / 2;
            hat[std::size_t(node.b)] += hat[std::size_t(n)] / 2;
        }
    model.hat_masses.assign(hat.begin(), hat.end());

    std::vector<Matrix6> tensors;
    for (const Elasticity& e : model.elasticities) tensors.push_back(to_eigen(e));
    std::vector<std::array<double, 6>> of_midpoints(forest.inner_count());
    for_each_task(forest.inner_count(), [&](std::size_t t) {
        const auto& mid = forest.midpoints(std::int32_t(t));
        std::array<double, 6>& sum = of_midpoints[t];
        const std::int32_t first = forest.first_child(std::int32_t(t));
        for (std::int32_t c = first; c < first + 8; ++c) {
            const TetShape shape = shape_of(forest.corners(c));
            for (int a = 0; a < 4; ++a)
                for (std::size_t e = 0; e < 6; ++e)
                    if (forest.tet(c)[std::size_t(a)] == mid[e])
                        sum[e] += corner_stiffness(shape, tensors[std::size_t(model.material_of[std::size_t(c)])], a);
        }
    });
    model.midpoint_stiffness.assign(forest.node_count(), 0.0f);
    for (std::size_t t = 0; t < of_midpoints.size(); ++t)
        for (std::size_t e = 0; e < 6; ++e)
            model.midpoint_stiffness[std::size_t(forest.midpoints(std::int32_t(t))[e])] += float(of_midpoints[t][e]);

    const TetMesh finest = forest.finest();
    std::vector<std::int32_t> vertex_of;
    const TriMesh outside = boundary_surface(finest, &vertex_of);
    std::vector<double> area(outside.vertices.size(), 0.0);
    for (const Int3& t : outside.triangles) {
        const auto p = [&](std::size_t k) { return outside.vertices[std::size_t(t[k])]; };
        for (const std::int32_t v : t) area[std::size_t(v)] += length(cross(p(1) - p(0), p(2) - p(0))) / 6;
    }
    std::vector<double> stiffness(forest.node_count(), 0.0);
    for (std::int32_t t = forest.first_of(forest.levels()); t < std::int32_t(forest.tet_count()); ++t) {
        const TetShape shape = shape_of(forest.corners(t));
        for (int a = 0; a < 4; ++a)
            stiffness[std::size_t(forest.tet(t)[std::size_t(a)])] +=
                corner_stiffness(shape, tensors[std::size_t(model.material_of[std::size_t(t)])], a);
    }
    model.surface_nodes = vertex_of;
    std::vector<std::uint8_t> is_outside(forest.node_count(), 0);
    for (const std::int32_t n : vertex_of) is_outside[std::size_t(n)] = 1;
    for (std::int32_t n = 0; n < std::int32_t(is_outside.size()); ++n)
        if (!is_outside[std::size_t(n)]) {
            model.inner_nodes.push_back(n);
            model.inner_stiffness.push_back(float(stiffness[std::size_t(n)]));
        }
    for (std::size_t k = 0; k < vertex_of.size(); ++k) {
        model.surface_areas.push_back(float(area[k]));
        model.contact_stiffness.push_back(float(stiffness[std::size_t(vertex_of[k])]));
    }
}

/// Level-0 tets along a Morton curve, so that what is near in the body is near in memory. Few of them along the body's
/// longest axis instead: a cut across it goes through the fewest nodes.
std::vector<std::int32_t> curve_order(const TetForest& forest)
{
    constexpr std::size_t kFew = 1024;
    const Box3 box = bounds(forest.rest());
    const Vec3d size = box.size();
    const int longest = size.z >= std::max(size.x, size.y) ? 2 : size.y >= size.x ? 1 : 0;
    const double cell = size[longest] / 1023;
    std::vector<std::pair<std::uint64_t, std::int32_t>> keys;
    for (std::int32_t t = 0; t < std::int32_t(forest.base_count()); ++t) {
        const auto p = forest.corners(t);
        const Vec3d q = ((p[0] + p[1] + p[2] + p[3]) * 0.25 - box.low) / cell;
        std::uint64_t key = forest.base_count() <= kFew ? std::uint64_t(q[longest]) << 30 : 0;
        for (int bit = 0; bit < 10; ++bit)
            for (int k = 0; k < 3; ++k) key |= (std::uint64_t(q[k]) >> bit & 1u) << (3 * bit + k);
        keys.emplace_back(key, t);
    }
    std::sort(keys.begin(), keys.end());
    std::vector<std::int32_t> order;
    for (const auto& [key, t] : keys) order.push_back(t);
    return order;
}

Status check_fronts(const Fem& spec, const TetForest& forest)
{
    double last = -1;
    for (const ForcedFront& front : spec.fronts) {
        if (!(front.time > last)) return Error{"fronts", "times have to increase, from 0 on"};
        last = front.time;
        for (const std::int32_t t : front.tets)
            if (t < 0 || std::size_t(t) >= forest.tet_count())
                return Error{"fronts", "there is no tet " + std::to_string(t) + ": the forest has " +
                                           std::to_string(forest.tet_count())};
        for (const auto& region : front.boxes)
            if (region.level < 0 || region.level > forest.levels())
                return Error{"fronts", "there is no level " + std::to_string(region.level)};
    }
    return Done{};
}

/// What flow needs to know of every forest tet, parents after their children.
void measure_flow(FemModel& model)
{
    const TetForest& forest = model.forest;
    for (const Elasticity& elasticity : model.elasticities) model.flow_laws.push_back(flow_law(elasticity));
    std::vector<double> yields(forest.tet_count(), 1e30);  // the least of the finest ones in each
    model.bearable_stress.resize(forest.tet_count());
    for (auto t = std::int32_t(forest.tet_count()) - 1; t >= 0; --t) {
        double& yield = yields[std::size_t(t)];
        if (std::size_t(t) >= forest.inner_count()) {
            const double own = model.plasticities[std::size_t(model.plasticity_of[std::size_t(t)])].yield;
            if (own > 0) yield = own;
        } else {
            const std::int32_t first = forest.first_child(t);
            yield = *std::min_element(yields.begin() + first, yields.begin() + first + 8);
        }
        const double shear = model.flow_laws[std::size_t(model.material_of[std::size_t(t)])].shear;
        const double bearable = 4 * shear * yield * shape_of(forest.corners(t)).volume / 2;
        model.bearable_stress[std::size_t(t)] = float(std::min(bearable * (1 - 1e-5), 1e18));
    }
}

}  // namespace

Mat3d own_axes(const std::array<Vec3d, 4>& m)
{
    const Vec3d x = normalized(m[1] - m[0]), z = normalized(cross(x, m[2] - m[0]));
    return transpose(Mat3d{x, cross(z, x), z});
}

Result<BuiltFem> build_fem(const Fem& spec, const Field<double>& density, std::vector<std::string>& warnings,
                           const Channels& channels)
{
    TetMesh mesh = spec.mesh;
    if (const Status ok = check_mesh(mesh, warnings); !ok) return ok.error();
    if (const Status ok = check_size(mesh, spec.levels); !ok) return ok.error();
    if (!spec.material) return Error{"material", "is missing"};
    if (!(spec.fit_tolerance >= 1e-4 && spec.fit_tolerance <= 0.2))
        return Error{"fit_tolerance", number(spec.fit_tolerance) + " is outside [0.0001, 0.2]"};

    BuiltFem built;
    FemModel& model = built.model;
    model.forest = TetForest(mesh, spec.levels);
    const TetForest& forest = model.forest;
    if (const Status ok = check_fronts(spec, forest); !ok) return ok.error();
    model.fronts = spec.fronts;
    model.coarsening = spec.coarsening;

    ForestMaterials materials;
    const Result<std::vector<double>> densities = sample_density(spec, density, channels);
    if (!densities) return densities.error();
    if (const Status ok = ask_materials(spec, *densities, materials, model, warnings); !ok) return ok.error();
    if (const Status ok = choose_law(spec, materials.elasticities, model); !ok) return ok.error();
    const auto start = std::chrono::steady_clock::now();
    const bool mixed = materials.elasticities.size() > 1 && spec.levels > 0;
    const bool cached = mixed && !spec.cache.empty();
    const std::uint64_t key = cached ? material_key(forest, spec.coarsening, materials) : 0;
    model.from_cache = cached && load_materials(spec.cache, key, materials);
    if (!model.from_cache) {
        coarsen_materials(forest, spec.coarsening, materials);
        if (cached) save_materials(spec.cache, key, materials);
    }
    if (spec.strain_tolerances) {
        model.strain_ranges.resize(forest.inner_count());
        for_each_task(forest.inner_count(), [&](std::size_t t) {
            model.strain_ranges[t] =
                fit_virtual_deformations(forest, std::int32_t(t), materials, spec.fit_tolerance).range;
        });
    }
    model.coarsening_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

    if (model.law && !model.law->takes_any_tensor())
        for (Elasticity& tensor : materials.elasticities) tensor = nearest_isotropic(tensor);
    model.elasticities = std::move(materials.elasticities);
    model.viscosities = std::move(materials.viscosities);
    model.material_of = std::move(materials.of_tet);
    Lame lame;
    model.isotropic = std::all_of(model.elasticities.begin(), model.elasticities.end(),
                                  [&](const Elasticity& e) { return is_isotropic(e, lame); }) &&
                      std::all_of(model.viscosities.begin(), model.viscosities.end(),
                                  [&](const Elasticity& e) { return is_isotropic(e, lame); });
    model.viscous = std::any_of(model.viscosities.begin(), model.viscosities.end(),
                                [](const Elasticity& e) { return e != Elasticity{}; });
    model.softened.resize(forest.inner_count());
    for (std::size_t t = 0; t < forest.inner_count(); ++t) {
        const std::int32_t first = forest.first_child(std::int32_t(t));
        for (std::int32_t c = first; c < first + 8; ++c)
            model.softened[t] |= model.material_of[std::size_t(c)] != model.material_of[t];
    }

    if (const Status ok = sample_muscles(spec, channels, model, warnings); !ok) return ok.error();
    model.tet_masses = tet_masses(forest, model.densities);
    built.masses.assign(forest.node_count(), 0.0);
    for (std::int32_t t = forest.first_of(forest.levels()); t < std::int32_t(forest.tet_count()); ++t)
        for (const std::int32_t n : forest.tet(t)) built.masses[std::size_t(n)] += model.tet_masses[std::size_t(t)][0];
    model.total_mass = std::accumulate(built.masses.begin(), built.masses.end(), 0.0);
    for (std::int32_t t = 0; t < std::int32_t(forest.base_count()); ++t)
        model.volume += shape_of(forest.corners(t)).volume;
    const Vec3d extent = bounds(forest.rest()).size();
    model.size = std::max({extent.x, extent.y, extent.z});
    measure_tets(model);
    add_muscle_frequencies(model);
    model.finest_stable = 1e30;
    for (auto t = std::size_t(forest.first_of(forest.levels())); t < forest.tet_count(); ++t)
        model.finest_stable = std::min(model.finest_stable, double(model.frequencies[t].stable_step(1, 0)));
    if (model.plastic)
        measure_flow(model);
    else
        model.plasticities.clear(), model.plasticity_of.clear();
    measure_nodes(model, built.masses);
    model.base_order = curve_order(forest);
    return built;
}

}  // namespace yawara::fem
