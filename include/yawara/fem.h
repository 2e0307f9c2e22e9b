// Elastic solids by finite elements on a forest of tetrahedra, with a front of active ones that follows the motion.
// The sibling of Matching behind the same BodySpec, build and step; see docs/methods/fem.md.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "yawara/chart.h"
#include "yawara/field.h"

namespace yawara {

// ---- materials -----------------------------------------------------------------------------------------------------

/// A symmetric tensor of fourth order as a 6x6 matrix, order xx yy zz xy xz yz: elasticity in Pa, or viscosity in Pa s.
/// stress_I = sum_J C(I, J) e_J, where the three shear entries of the strain e are doubled.
struct Elasticity {
    std::array<double, 36> c{};
    double& operator()(int row, int column) { return c[std::size_t(6 * row + column)]; }
    double operator()(int row, int column) const { return c[std::size_t(6 * row + column)]; }
    friend bool operator==(const Elasticity&, const Elasticity&) = default;
};
Elasticity operator*(const Elasticity& tensor, double factor);

/// Lame's constants, Pa.
Elasticity isotropic_lame(double lambda, double mu);
/// Refused: young <= 0, poisson outside (-1, 0.5).
Result<Elasticity> isotropic(double young, double poisson);

/// Moduli along x, y, z; Poisson's ratios and shear moduli in the planes xy, xz, yz. poisson[0] is the share of a
/// stretch along x that appears as thinning along y.
struct Orthotropic {
    Vec3d young{1, 1, 1}, poisson{}, shear{1, 1, 1};
};
Result<Elasticity> orthotropic(const Orthotropic& material);

/// Fibres along one direction, all directions across alike.
struct Fibres {
    double young_along = 1, young_across = 1;
    double poisson_along = 0;   ///< thinning across for a stretch along the fibres
    double poisson_across = 0;  ///< thinning across for a stretch across
    double shear_along = 1;     ///< of fibres sliding along each other
    Vec3d direction{1, 0, 0};
};
Result<Elasticity> transversely_isotropic(const Fibres& material);

/// The upper triangle of the matrix, row by row: 11 12 13 14 15 16 22 23 ... 66.
Elasticity from_21_constants(std::span<const double, 21> upper);
/// The same material turned in space.
Elasticity turned(const Elasticity& tensor, const Mat3d& turn);

/// Eigenvalues of the tensor (of its Kelvin form, which does not depend on the axes), ascending.
std::array<double, 6> eigenvalues(const Elasticity& tensor);
/// Symmetric to 1e-9 and positive definite, else the reason.
Status check_elasticity(const Elasticity& tensor);
/// Symmetric and without negative eigenvalues.
Status check_viscosity(const Elasticity& tensor);

/// Yield and flow: what a strain exceeds the yield strain by becomes the new rest shape, at a rate. The volume stays.
/// Strains are sizes (Frobenius norms) of that part of the Green strain which changes the shape and not the volume.
struct Plasticity {
    double yield = 0;    ///< elastic strain that leaves no trace; 0: nothing ever does
    double creep = 100;  ///< 1/s, rate at which the excess becomes plastic
    double limit = 1;    ///< plastic strain at which it stops to flow
    friend bool operator==(const Plasticity&, const Plasticity&) = default;
};
/// A positive rate and limit, and a yield strain that is not negative.
Status check_plasticity(const Plasticity& plasticity);

struct FemMaterial {
    Elasticity elasticity;
    Elasticity viscosity{};
    double density = 0;  ///< kg/m^3; 0: that of the body
    Plasticity plasticity{};
};

/// Where a material is asked for: one of the finest tets.
struct MaterialPlace {
    Vec3d position;             ///< centre at rest
    std::int32_t base_tet = 0;  ///< tet of level 0 that holds it
    std::int32_t tet = 0;       ///< number among the finest
    std::int32_t region = 0;    ///< label of the base tet in its file
};

/// Young's modulus and Poisson's ratio.
struct IsotropicFields {
    Field<double> young = 1e5, poisson = 0.3;
};
/// Fibres whose direction differs from place to place: along them and against them is the same.
struct FibreFields {
    Fibres fibres;  ///< its direction holds where the field is unknown
    Field<Vec3d> direction;
};
/// What some of a body is made of, in numbers that may differ from place to place.
struct FemPart {
    std::string where;                 ///< its path in a document, for messages
    Selection select;                  ///< by the centres of the finest tets
    std::vector<std::int32_t> labels;  ///< only in tets with these labels in their file; empty: all
    /// The last: a tensor for each given, or for each finest tet.
    std::variant<Elasticity, IsotropicFields, FibreFields, std::vector<Elasticity>> elasticity;
    std::vector<Field<double>> factors;  ///< of elasticity and viscosity, all multiplied, all positive
    double viscous_time = 0;             ///< s: viscosity is this times the elasticity, unless it is given
    std::optional<Elasticity> viscosity;
    Field<double> density = 0.0;  ///< kg/m^3; 0: that of the body
    Plasticity plasticity;
};
/// The centres of the finest tets of a tet mesh, for fields. Refuses what no body may have: too many levels or tets.
Result<FieldPlaces> finest_places(const Domain& domain, int levels);
/// For Fem::material: the last part that has a tet says what it is made of.
Result<std::function<FemMaterial(const MaterialPlace&)>> material_of(std::vector<FemPart> parts,
                                                                     const FieldPlaces& finest);

// ---- the body ------------------------------------------------------------------------------------------------------

/// How the elasticity of coarse tets follows from that of the finest.
enum class Coarsening {
    bounded,   ///< harmonic, kept between the uniform-traction and the affine bound
    harmonic,  ///< six fields of the whole body under unit tractions (Kharevych et al. 2009)
    average,   ///< uniform traction on each tet: the lower bound
    voigt,     ///< mean of the tensors: the upper bound
    paper,     ///< virtual deformation with midpoints free, level by level: for comparison, much too soft
};

/// From `time` on the front is this one and no other.
struct ForcedFront {
    double time = 0;                 ///< s
    std::vector<std::int32_t> tets;  ///< forest tets that are to be active; the rest follows as coarse as possible
    struct Region {
        Box3 box;       ///< at rest
        int level = 0;  ///< tets that touch the box are refined down to here
    };
    std::vector<Region> boxes;
};

/// Fibres in addition to the material. They pull along their direction a with stiffness (|F a| - c)
/// while they are longer than c, the value of the chart now, and never push: a chart below 1 contracts them.
struct FemMuscle {
    std::string where = "muscle";   ///< its path in a document, for messages
    Field<Vec3d> direction;         ///< at rest, of any length; zero: no fibres there
    Field<double> stiffness = 0.0;  ///< Pa of the rest cross-section, for a stretch by 1; 0: no fibres there
    Chart chart;                    ///< of stretch; no keys: 1, fibres that are not active
    double period = 1;              ///< s, of the chart
    Field<double> phase = 0.0;      ///< how late a place is, in units of the wave speed
    double speed = 1;               ///< phase units per second, not 0
};

/// Where strains are taken.
enum class Elements {
    linear,  ///< in each tet: simple, fast, too stiff in bending, and locked when nearly incompressible
    nodal,   ///< volume, and four fifths of the shape, as means around each node: for any Poisson's ratio below 0.5
};

class ElasticLaw;  // yawara/law.h

/// A solid of linear tetrahedra, refined where the motion needs it.
struct Fem {
    TetMesh mesh;                                               ///< level 0; vertices in no tet are left out
    int levels = 0;                                             ///< 1-to-8 subdivisions below it
    std::function<FemMaterial(const MaterialPlace&)> material;  ///< asked once for every finest tet
    std::shared_ptr<const ElasticLaw> law;  ///< none: St. Venant-Kirchhoff, which is the fastest. Others are not plastic
    std::vector<FemMuscle> muscles;         ///< not plastic either
    Elements elements = Elements::linear;   ///< nodal ones neither flow nor adapt: all tets are at the finest level
    Coarsening coarsening = Coarsening::bounded;
    double fit_tolerance = 0.01;      ///< tau and Delta of the paper's fit: where the strain rule refines
    bool strain_tolerances = false;   ///< find the tolerances that Refinement::strain needs
    std::vector<ForcedFront> fronts;  ///< in the order of their times; empty: the motion decides
    std::filesystem::path cache;      ///< folder that keeps coarse tensors between runs; empty: none
};

/// The forest of a finite-element body as arrays, for a look inside.
struct ForestView {
    std::vector<Vec3d> nodes;                       ///< at rest; parents first
    std::vector<std::array<std::int32_t, 6>> tets;  ///< level by level: four nodes, level, parent (-1: none)
    std::vector<Elasticity> elasticity, viscosity;  ///< per tet
    int levels = 0;
    double coarsening_seconds = 0;  ///< time the coarse tensors took
    bool from_cache = false;        ///< they were read, not computed
    double stable_step = 0;         ///< s, at rest and at the finest level
    std::string law;                ///< its name in scenes
    Elements elements = Elements::linear;
    std::size_t muscle_tets = 0;    ///< finest tets with fibres of muscles
};

/// Centres at rest of the finest tets, in the order of their numbers.
std::vector<Vec3d> finest_centers(const TetMesh& mesh, int levels);

enum class Refinement {
    full,      ///< all tets at the finest level
    residual,  ///< where a midpoint would leave its edge by more than the tolerance
    strain,    ///< where the strain leaves the range of the fit, the rule of the paper
};
enum class Integration {
    automatic,       ///< explicit where its sub-steps take less time, else implicit: see integration_of()
    explicit_steps,  ///< as many sub-steps as stability asks for
    implicit_step,   ///< one minimisation: stable for any stiffness and step, at the price of damping
};

struct FemSettings;
class BodyModel;
/// How steps of a finite-element body are taken, and why.
struct IntegrationChoice {
    bool implicit = false;
    double substeps = 1;  ///< explicit ones that a step would take at the finest level, at rest
};
/// Decides for steps of length dt, s. A body of other kind is neither.
IntegrationChoice integration_of(const BodyModel& model, const FemSettings& settings, double dt);

/// Numbers of a finite-element body that may change while it runs.
struct FemSettings {
    Refinement refinement = Refinement::residual;
    double tolerance = 2e-3;   ///< of the residual rule, as a share of the body's size (its largest extent at rest)
    int most_active = 0;       ///< budget of active tets; the tolerance rises to meet it. 0: none
    double hysteresis = 0.3;   ///< eight tets are merged below this share of the tolerance
    int quiet_checks = 10;     ///< and only after this many checks in a row
    bool lumped_mass = false;  ///< mass at the nodes of the front instead of that of the finest level: wrong spin
    bool flow = true;          ///< off: plastic strain stays as it is
    bool barrier = true;       ///< push back what is squeezed below a fifth of its volume; off: the bare law
    Integration integration = Integration::automatic;
    double safety = 0.8;  ///< share of the stable step that is used
};

/// What the front did in one step.
struct FemReport {
    int substeps = 0;                      ///< the step was cut into this many
    int active_tets = 0;                   ///< at the end
    std::array<int, 8> active_by_level{};  ///< likewise
    int splits = 0, merges = 0;            ///< tets
    double tolerance = 0;                  ///< in force, m; above the wanted one if the budget is full
    double largest_residual = 0;           ///< how far a midpoint would leave its edge, m
    double energy_jumps = 0;               ///< sum of what level changes added to the energy, J; at most rounding
    double plastic_loss = 0;               ///< J, taken by plastic flow
    double smallest_volume = 1;            ///< of an active tet, as a share of its rest volume
    double contact_energy = 0;             ///< J, in the springs that hold off obstacles; with BodySettings::measure
    int implicit_substeps = 0;             ///< of the sub-steps, those that were implicit
    int newton_rounds = 0;                 ///< of their minimisations
    int solver_rounds = 0;                 ///< of conjugate gradients, in all of these
    int cut_short = 0;                     ///< implicit sub-steps that ended before they were accurate enough
    double unsolved = 0;                   ///< m/s, about: error of the velocities that an implicit sub-step left
    double energy_taken = 0;               ///< J, taken from the motion since an implicit sub-step would have added it

    void add(const FemReport& later);  ///< of a following sub-step
};

}  // namespace yawara
