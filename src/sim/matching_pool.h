// Scratch that bodies of one model share: they step one after the other, and what the last one left in the cache is
// there for the next.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "sim/body_model.h"
#include "sim/workspace.h"

namespace yawara {

/// Whether bodies of this model keep nothing in their scratch from one step to the next.
inline bool can_share_scratch(const BodyModel::Data& model)
{
    return !model.fem && !model.rigid && !model.widths && !model.examples && !model.layer_plan.looks();
}

/// As many as ever were in use at once.
class MatchingPool {
public:
    std::unique_ptr<MatchingWorkspace> take(const BodyModel::Data& model)
    {
        {
            const std::lock_guard lock(mutex_);
            if (!free_.empty()) {
                std::unique_ptr<MatchingWorkspace> last = std::move(free_.back());
                free_.pop_back();
                return last;
            }
        }
        return std::make_unique<MatchingWorkspace>(model);
    }
    void give(std::unique_ptr<MatchingWorkspace> back)
    {
        const std::lock_guard lock(mutex_);
        free_.push_back(std::move(back));
    }

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<MatchingWorkspace>> free_;
};

/// The scratch of a body during a step; of one without a pool: its own.
class ScratchLoan {
public:
    ScratchLoan(const BodyModel& model, MatchingPool* pool, Workspace& to) : pool_(pool), to_(to.data())
    {
        if (pool_) to_.matching = pool_->take(model.data());
    }
    ~ScratchLoan()
    {
        if (pool_) pool_->give(std::move(to_.matching));
    }
    ScratchLoan(const ScratchLoan&) = delete;
    ScratchLoan& operator=(const ScratchLoan&) = delete;

private:
    MatchingPool* pool_;
    Workspace::Data& to_;
};

}  // namespace yawara
