// The operators of constructive volume geometry at a point: the appendix of [CVG], misprint corrected.
#include <algorithm>

#include "yawara/cvg.h"

namespace yawara::cvg {
namespace {

float select(float s1, float t1, float s2, float t2)
{
    return s1 >= s2 ? t1 : t2;
}
float mix01(float s1, float t1, float s2, float t2)
{
    return s1 + s2 != 0 ? (t1 * s1 + t2 * s2) / (s1 + s2) : (t1 + t2) / 2;
}
float cap01(float s1, float s2)
{
    return s1 <= s2 ? s1 : 0;
}
float trim01(float s1, float s2)
{
    return s1 >= s2 ? s1 : 0;
}

template <class Function>
Sample channelwise(const Sample& a, const Sample& b, const Function& f)
{
    return {f(a.opacity, b.opacity), f(a.r, b.r), f(a.g, b.g), f(a.b, b.b), f(a.stiffness, b.stiffness)};
}

}  // namespace

Sample combine(Operator op, const Sample& a, const Sample& b)
{
    const auto selected = [&](float opacity, float stiffness) {
        return Sample{opacity, select(a.opacity, a.r, b.opacity, b.r), select(a.opacity, a.g, b.opacity, b.g),
                      select(a.opacity, a.b, b.opacity, b.b), stiffness};
    };
    switch (op) {
        case Operator::unite:
            return selected(std::max(a.opacity, b.opacity), std::max(a.stiffness, b.stiffness));
        case Operator::intersect:
            return selected(std::min(a.opacity, b.opacity), std::min(a.stiffness, b.stiffness));
        case Operator::subtract:
            return {std::max(0.0f, a.opacity - b.opacity), a.r, a.g, a.b, a.stiffness};
        case Operator::blend:
            return {std::min(1.0f, a.opacity + b.opacity), mix01(a.opacity, a.r, b.opacity, b.r),
                    mix01(a.opacity, a.g, b.opacity, b.g), mix01(a.opacity, a.b, b.opacity, b.b),
                    std::min(1.0f, a.stiffness + b.stiffness)};
        case Operator::cap:
            return channelwise(a, b, cap01);
        case Operator::trim:
            return channelwise(a, b, trim01);
    }
    return {};
}

}  // namespace yawara::cvg
