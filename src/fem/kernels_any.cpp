// The loops for any processor.
#include "fem/implicit_kernels.h"
#include "fem/kernels.h"

namespace yawara::fem {
namespace any_processor {
#include "fem/kernels.inl"

#include "fem/implicit_kernels.inl"
}  // namespace any_processor

extern const Kernels kKernelsAny;
extern const ImplicitKernels kImplicitAny;
const Kernels kKernelsAny = any_processor::table("any");
const ImplicitKernels kImplicitAny = any_processor::implicit_table();

}  // namespace yawara::fem
