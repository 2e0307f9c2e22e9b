// A rabbit from a formula: ellipsoids that flow into each other, a level set of them, and its surface as a mesh file.
// Usage: implicit_rabbit [FILE]
#include "../blobs.h"

using shapes::Ellipsoid;
using yawara::Vec3d;

namespace {

std::vector<Ellipsoid> make_rabbit()
{
    std::vector<Ellipsoid> parts{
        {{0, 0.27, -0.06}, {0.215, 0.27, 0.25}, 0, 0},         // body
        {{0, 0.34, 0.08}, {0.15, 0.20, 0.13}, 0, 0.10},        // chest
        {{0, 0.60, 0.10}, {0.155, 0.145, 0.165}, 0, 0.07},     // head
        {{0, 0.560, 0.225}, {0.075, 0.058, 0.062}, 0, 0.06},   // muzzle
        {{0, 0.588, 0.287}, {0.026, 0.018, 0.020}, 0, 0.008},  // nose
        {{0, 0.15, -0.315}, {0.085, 0.085, 0.080}, 0, 0.02},   // tail
    };
    for (const double side : {-1.0, 1.0}) {
        parts.push_back({{side * 0.165, 0.170, -0.06}, {0.095, 0.165, 0.175}, 0, 0.03});           // haunch
        parts.push_back({{side * 0.165, 0.050, 0.10}, {0.072, 0.062, 0.135}, 0, 0.025});           // hind foot
        parts.push_back({{side * 0.075, 0.200, 0.185}, {0.050, 0.170, 0.055}, 0, 0.03});           // foreleg
        parts.push_back({{side * 0.075, 0.045, 0.225}, {0.058, 0.055, 0.068}, 0, 0.025});          // paw
        parts.push_back({{side * 0.070, 0.545, 0.190}, {0.070, 0.055, 0.065}, 0, 0.04});           // cheek
        parts.push_back({{side * 0.108, 0.640, 0.182}, {0.034, 0.040, 0.036}, 0, 0.010});          // eye
        parts.push_back({{side * 0.072, 0.745, 0.065}, {0.048, 0.080, 0.042}, side * 0.2, 0.05});  // ear: root,
        parts.push_back({{side * 0.095, 0.840, 0.055}, {0.062, 0.090, 0.044}, side * 0.2, 0.05});  // middle
        parts.push_back({{side * 0.115, 0.925, 0.050}, {0.052, 0.075, 0.042}, side * 0.2, 0.05});  // and tip
    }
    return parts;
}

}  // namespace

int main(int argc, char** argv)
{
    const std::vector<Ellipsoid> parts = make_rabbit();
    const auto rabbit = [&](Vec3d p) { return std::max(shapes::blend_all(parts, p), -p.y); };  // flat soles: it stands
    return shapes::save_surface(rabbit, {{-0.5, -0.1, -0.6}, {0.5, 1.2, 0.6}}, 0.0275,
                                argc > 1 ? argv[1] : "rabbit.obj");
}
