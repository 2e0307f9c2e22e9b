// A bar in free fall, stepped by an outside program: it must follow the equation of the fall and keep its shape.
#include <yawara/yawara.h>

#include <cmath>
#include <cstdio>

int main()
{
    namespace yw = yawara;
    yw::BodySpec spec;
    spec.solid = yw::Matching{yw::make_bar({1.0, 0.25, 0.25}, {8, 2, 2})};
    yw::Scene scene({.dt = 1.0 / 60.0, .substeps = 5, .gravity = {0, -9.8f, 0}, .threads = 1});
    const yw::BodyId bar = scene.add(yw::build(std::move(spec)).value());
    const std::vector<yw::Vec3> start = scene.state(bar).positions;

    const int frames = 60;
    for (int frame = 0; frame < frames; ++frame) scene.step();

    // Semi-implicit Euler falls g h^2 n (n + 1) / 2 in n steps of h.
    const double h = 1.0 / 300.0, n = frames * 5, fall = 9.8 * h * h * n * (n + 1) / 2;
    double worst = 0;
    for (std::size_t i = 0; i < start.size(); ++i) {
        const yw::Vec3 moved = scene.state(bar).positions[i] - start[i];
        worst = std::max(worst, std::hypot(double(moved.x), double(moved.y) + fall, double(moved.z)));
    }
    std::printf("yawara %s: fell %.4f m, worst particle is off by %.2g m\n", yw::version().data(), fall, worst);
    return !start.empty() && worst < 2e-4 ? 0 : 1;
}
