// What the machine at hand can do at most, on one thread: measured, since no data sheet knows of the neighbours.
#pragma once

#include <cstddef>

namespace yawara::bench {

/// Fused multiply-adds in single precision, two operations each, eight lanes, with nothing to load; per second.
double peak_flops();

/// Bytes read per second from an array of so many bytes, again and again: of 16 kB from the first cache, of what is
/// larger than all caches from memory.
double read_bandwidth(std::size_t bytes);

}  // namespace yawara::bench
