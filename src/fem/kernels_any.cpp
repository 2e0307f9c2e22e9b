// The loops for any processor.
#include "fem/kernels.h"

namespace yawara::fem {
namespace any_processor {
#include "fem/kernels.inl"
}

extern const Kernels kKernelsAny;
const Kernels kKernelsAny{"any",
                          {{any_processor::forces<false, false>, any_processor::forces<false, true>},
                           {any_processor::forces<true, false>, any_processor::forces<true, true>}},
                          any_processor::substitute};

}  // namespace yawara::fem
