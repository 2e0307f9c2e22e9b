// Light that comes to the eye through bodies of jelly and glass: bent where it leaves and enters, dimmed on its way.
#pragma once

#include "render/gather.h"

namespace yawara::drawing {

/// Where eye rays meet clear surfaces, for some of a batch.
struct ClearEntry {
    bool any = false;
    Vec3 point, normal, facet;  ///< normals towards the eye
    Vec3 direction;             ///< of the eye ray
    std::int32_t surface = -1;
    Vec3 color;   ///< linear
    Vec3 behind;  ///< the backdrop there, linear
    float time = 0;
};

struct Transmission {
    Vec3 light;     ///< from behind, after what the body takes and mirrors of it
    float own = 1;  ///< share of the light that the body scatters itself
};

/// What is seen through the entries; at most kBatch.
void transmit(const Set& set, std::span<const ClearEntry> entries, std::span<Transmission> transmissions);

}  // namespace yawara::drawing
