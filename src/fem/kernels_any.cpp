// The loops for any processor.
#include "fem/kernels.h"

namespace yawara::fem {
namespace any_processor {
#include "fem/kernels.inl"
}

extern const Kernels kKernelsAny;
const Kernels kKernelsAny = any_processor::table("any");

}  // namespace yawara::fem
