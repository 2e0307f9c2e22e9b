#include "io/gltf_motion.h"

#include <algorithm>
#include <cmath>

namespace yawara::io {
namespace {

void normalize(std::vector<double>& q)
{
    double sum = 0;
    for (const double x : q) sum += x * x;
    if (!(sum > 0)) return;
    for (double& x : q) x /= std::sqrt(sum);
}

/// Along the shorter arc, at an even speed.
std::vector<double> slerp(const double* a, const double* b, double share)
{
    double cosine = 0;
    for (int k = 0; k < 4; ++k) cosine += a[k] * b[k];
    const double sign = cosine < 0 ? -1 : 1, angle = std::acos(std::min(std::abs(cosine), 1.0));
    double of_a = 1 - share, of_b = share;
    if (angle > 1e-6) {
        of_a = std::sin((1 - share) * angle) / std::sin(angle);
        of_b = std::sin(share * angle) / std::sin(angle);
    }
    std::vector<double> q(4);
    for (std::size_t k = 0; k < 4; ++k) q[k] = of_a * a[k] + sign * of_b * b[k];
    normalize(q);
    return q;
}

}  // namespace

/// `part` of a cubic key: tangent in, value, tangent out.
const double* GltfTrack::key(std::size_t k, std::size_t part) const
{
    return interpolation == Interpolation::cubic ? &values[(3 * k + part) * width] : &values[k * width];
}

std::vector<double> GltfTrack::at(double time) const
{
    constexpr std::size_t kIn = 0, kValue = 1, kOut = 2;
    const auto next = std::size_t(std::upper_bound(times.begin(), times.end(), time) - times.begin());
    const auto value_of = [&](std::size_t k) {
        const double* first = key(k, kValue);
        return std::vector<double>(first, first + width);
    };
    if (next == 0) return value_of(0);
    const std::size_t last = next - 1;
    if (next == times.size() || interpolation == Interpolation::step) return value_of(last);
    const double length = times[next] - times[last], share = (time - times[last]) / length;
    const double *a = key(last, kValue), *b = key(next, kValue);
    if (interpolation == Interpolation::linear && turns) return slerp(a, b, share);
    std::vector<double> value(width);
    if (interpolation == Interpolation::linear) {
        for (std::size_t k = 0; k < width; ++k) value[k] = a[k] + (b[k] - a[k]) * share;
        return value;
    }
    const double s = share, s2 = s * s, s3 = s2 * s;
    const double *out = key(last, kOut), *in = key(next, kIn);
    for (std::size_t k = 0; k < width; ++k)
        value[k] = (2 * s3 - 3 * s2 + 1) * a[k] + (s3 - 2 * s2 + s) * length * out[k] + (3 * s2 - 2 * s3) * b[k] +
                   (s3 - s2) * length * in[k];
    if (turns) normalize(value);
    return value;
}

}  // namespace yawara::io
