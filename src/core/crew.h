// Threads that stay awake for a moment after every loop, so that even loops of a few microseconds gain from them: a
// loop is handed over by writing one number. for_each_chunk (core/parallel.h) comes here.
#pragma once

#include <cstddef>

namespace yawara {

/// While one of these lives, loops of this thread run on oneTBB's workers instead of the crew: for tasks that run side
/// by side and have parallel loops of their own.
class SideBySide {
public:
    SideBySide();
    ~SideBySide();

private:
    SideBySide(const SideBySide&) = delete;
    SideBySide& operator=(const SideBySide&) = delete;
    bool before_;
};

/// call(body, k) for every k in [0, count), by this thread and as many others as the machine has processors and the
/// current arena allows; by the host's threads instead, if it lends any. False, and nothing done, if the threads are
/// busy with the loop of another thread or too few. What a call throws is thrown here.
bool run_with_crew(std::size_t count, void (*call)(const void* body, std::size_t k), const void* body);

}  // namespace yawara
