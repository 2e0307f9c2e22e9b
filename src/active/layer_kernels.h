// The inner loops of an active layer, compiled for every processor, for AVX2 and for AVX-512; layer_kernels() picks.
// Called by layer.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "yawara/stretch.h"

namespace yawara::muscles {

/// Regions are done eight at a time: arrays that the loops read are filled up to a multiple of it.
constexpr std::size_t kEight = 8;
/// Floats of the logarithms of a region's three factors: these and a spare one.
constexpr std::size_t kLogSize = 4;

/// The logarithms of three factors between two keys, as polynomials of the time since the first: c[power][chart].
struct alignas(16) ChartPiece {
    float c[4][kLogSize];  ///< the spare ones of the first two: begin and end, s
};
struct CurveView {
    const ChartPiece* pieces;    ///< by time; the last one never ends
    const std::uint32_t* first;  ///< the first to look at for every bin of time
    float bins_per_second;
};

/// Directions of regions, and how much is known of them: of both, of the stroke alone, of the gradient alone.
struct FrameView {
    const float *d1[3], *d2[3];
    const float *both, *stroke, *gradient;
};

struct LayerKernels {
    /// logs[k] += weight exponents[k] times the logarithms of a curve at times[k], for k in [0, count).
    void (*add_charts)(const CurveView& curve, const float* times, const float* exponents, float weight,
                       std::size_t count, float* logs);
    /// Stretches of the regions [first, first + count): D diag(exp(logs)) D^T, [ProcDef] eq. (1), where the logarithms
    /// of factors that nothing tells apart are averaged, 5.3. `logs` and `out` begin with the first; a multiple of
    /// eight logs can be read.
    void (*stretches)(const FrameView& frames, const float* logs, std::size_t first, std::size_t count, Sym3* out);
};

const LayerKernels& layer_kernels();

}  // namespace yawara::muscles
