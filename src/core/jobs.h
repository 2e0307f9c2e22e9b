// Loops on threads of the host; core/parallel.h and core/crew.cpp ask here first.
#pragma once

#include <cstddef>

namespace yawara {

/// call(body, k) for every k in [0, count) on the host's threads. False, and nothing done, if it has lent none to this
/// thread.
bool run_on_host(std::size_t count, void (*call)(const void* body, std::size_t k), const void* body);

}  // namespace yawara
