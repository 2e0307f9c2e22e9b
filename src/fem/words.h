// Numbers in the messages of finite elements.
#pragma once

#include <cstdio>
#include <string>

namespace yawara::fem {

inline std::string number(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
}

}  // namespace yawara::fem
