// How strong examples with member offsets may be for a body to find back from them: below full strength one that
// nothing loads returns to its rest shape. Called once by build(); the reason is in strength_limit.cpp.
#pragma once

#include <span>

#include "matching/regions.h"
#include "yawara/examples.h"

namespace yawara::matching {

class Examples;

/// The largest strength below 1 with which a body goes back to rest from each of its examples. 1 without offsets.
float strength_limit(const Regions& regions, const Examples& examples, std::span<const ExamplePose> poses);

}  // namespace yawara::matching
