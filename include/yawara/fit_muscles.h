// Finds muscles that reproduce a motion: charts, amplitudes and delays along given directions, from shapes alone.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "yawara/active.h"
#include "yawara/scene.h"

namespace yawara {

/// Shapes of a body over time; the last period counts. A single shape is a pose: the body goes there from rest and back in
/// every period, and is there in the middle of it.
struct MotionTarget {
    std::vector<double> times;                 ///< s, growing
    std::vector<std::vector<Vec3>> positions;  ///< by frame: of all its particles
};

/// A polynomial of the place at rest, a sum of coefficients times X^i Y^j Z^k with X = (x - middle.x) / half.x and so
/// on.
struct PlacePolynomial {
    Vec3d middle, half{1, 1, 1};
    struct Term {
        std::array<int, 3> powers{};
        double coefficient = 0;
    };
    std::vector<Term> terms;
    double operator()(Vec3d place) const;
    /// As fields of scene files write it.
    std::string formula() const;
};

struct MuscleFitProgress {
    int round = 0;        ///< from 1: each runs the scene once
    double residual = 0;  ///< of the best: root mean square of the logarithms of stretch, as a share of the target's
};
struct MuscleFitOptions {
    double period = 0;  ///< s; 0: that of the layer's charts
    int degree = 2;     ///< of amplitude and delay over the body
    int keys = 16;      ///< of each chart
    int rounds = 12;
    std::function<bool()> cancelled;
    std::function<void(const MuscleFitProgress&)> progress;
};
struct MuscleFit {
    ChartedLayer layer;  ///< charts and speed
    PlacePolynomial amplitude, phase;
    double residual = 0;
    int rounds = 0;
    bool cancelled = false;
};

/// For the first active layer of a body. `scene`: at its start, with directions, floor and forces as they were for the
/// target; it is run from there again and again, and left with what was found, at its start. What the body achieves is
/// not what its muscles ask for, since neighbours compromise: each round runs what was found, and asks for more where
/// less came of it.
Result<MuscleFit> fit_muscles(Scene& scene, BodyId body, const MotionTarget& target, const MuscleFitOptions& options);

}  // namespace yawara
