// A stretch layer that may be asked together with others.
#pragma once

#include <memory>

#include "yawara/stretch.h"

namespace yawara::matching {

class JoiningLayer : public StretchLayer {
public:
    /// One layer for this and the next, which wants exp(log a + log b) of them and takes less than the two; null: there
    /// is none.
    virtual std::shared_ptr<const StretchLayer> joined_with(const StretchLayer& next) const = 0;
};

}  // namespace yawara::matching
