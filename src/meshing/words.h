// Numbers in messages to people.
#pragma once

#include <cstdio>
#include <string>

namespace yawara::meshing {

/// Four digits are enough to read, and small or large values stay readable: 0.01234, 1.2e-07.
inline std::string number(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

inline std::string percent(double part)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %%", 100 * part);
    return text;
}

/// "1 border edge", "3 border edges".
inline std::string counted(long long count, const std::string& one, const std::string& many)
{
    return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace yawara::meshing
