#include "yawara/core.h"

namespace yawara {

std::string_view version()
{
    return YAWARA_VERSION;
}

}  // namespace yawara
