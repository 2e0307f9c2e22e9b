// Threads of the host: an engine or application that has workers of its own lends them to the loops of Yawara.
#pragma once

#include <cstddef>

namespace yawara {

/// What a host implements. The result of a simulation is the same for any number of threads and any order of the calls.
class Jobs {
public:
    virtual ~Jobs() = default;
    /// Calls call(context, k) for every k in [0, count), on any threads, and returns when all calls have returned. A
    /// call may itself come here again.
    virtual void run(std::size_t count, void (*call)(const void* context, std::size_t k), const void* context) = 0;
};

/// While one of these lives, all loops that this thread starts in the library run on the host's threads; no thread of
/// the library's own is woken. SceneSettings::jobs does this for the steps of a scene.
class JobsScope {
public:
    explicit JobsScope(Jobs* jobs);  ///< null: nothing changes
    ~JobsScope();
    JobsScope(const JobsScope&) = delete;
    JobsScope& operator=(const JobsScope&) = delete;

private:
    Jobs* before_;
};

}  // namespace yawara
