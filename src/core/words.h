// Numbers in messages to people, where there is no library for it.
#pragma once

#include <cstdio>
#include <string>

#include "yawara/math.h"

namespace yawara {

/// At most six digits: 0.3, 1.2e-07.
inline std::string short_text(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
}
/// "0, 1.4, 0.5"
inline std::string short_text(Vec3d v)
{
    return short_text(v.x) + ", " + short_text(v.y) + ", " + short_text(v.z);
}

}  // namespace yawara
