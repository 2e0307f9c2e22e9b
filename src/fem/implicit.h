// What an implicit step works with: the unknowns of its minimisation, and the springs and obstacles that take part.
#pragma once

#include "fem/contact_spring.h"
#include "fem/implicit_tets.h"
#include "fem/rest_factor.h"

namespace yawara::fem {

/// The rigid motion of a body: about its centre of mass.
struct RigidMotion {
    Vec3d center, velocity, spin;

    Vec3d at(Vec3d x) const { return velocity + cross(spin, x - center); }
};

/// About an axis by its length, rad.
inline Mat3d turned_by(Vec3d angles)
{
    const double angle = length(angles);
    return angle > 0 ? rotation(angles, angle) : Mat3d{};
}

struct ImplicitWork {
    /// Room for any front of a body that is not too large, so that steps allocate nothing; done by the first one.
    void reserve(const FemModel& model);

    BlockMatrix matrix;
    RestFactor rest;             ///< of `matrix` at rest, with steps of kRestStep; of bodies that stay at one front
    std::vector<Vec3d> at_rest;  ///< m, of used nodes: positions it is of, from their middle
    double rest_shrink = 0;      ///< of its rounds, see measure_rest
    ImplicitTets tets;
    /// Of used nodes, m, in the frame: at the start of the step, moved rigidly, where inertia alone would carry them,
    /// now, and tried.
    std::vector<Vec3d> start, rigid, inertial, x, tried;
    /// By rows of the matrix, N: forces that do not depend on positions; the derivative of the potential; what
    /// drives a Newton step, which is minus the derivative and the force of contacts that are foreseen. And that step,
    /// m.
    std::vector<Vec3d> loads, gradient, drive, direction;
    std::vector<Vec3d> off, mass_off;    ///< by rows: x - inertial, and the mass matrix times that
    std::vector<Vec3d> inner_direction;  ///< by rows: the step without its rigid part

    /// A soft grip.
    struct Spring {
        Support at;
        Vec3d target;  ///< in the frame
        double stiffness;
    };
    std::vector<Spring> springs;

    /// An obstacle as one candidate for contact meets it in this step: a plane.
    struct Obstacle {
        std::int32_t candidate;
        Support at;
        Vec3d normal, point;  ///< of the plane, in the frame
        Vec3d start;          ///< of the node
        ContactSpring spring;
        double friction;
        double lift;       ///< m, above the plane, where a node that bounces has to be at the end of the step
        double pressed;    ///< N, the normal force that friction goes by
        Vec3d rubs_at{};   ///< m, along the plane from `start`: where a Newton step takes friction's derivatives
        int foreseen = 0;  ///< how far into its spring a Newton step counts with it
        double depth(Vec3d node) const { return dot(normal, point - node); }
        int reach(double depth) const { return spring.reach(depth, lift); }
        double force(double depth, int reach) const { return spring.force(depth, reach, lift); }
    };
    std::vector<Obstacle> obstacles;
};

}  // namespace yawara::fem
