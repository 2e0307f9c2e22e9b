// The thread gives way to the simulation: it runs at a lower priority and on half of the cores.
#include "stream/beside_time.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include <oneapi/tbb/task_arena.h>

namespace yawara::stream {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kToldAfter = std::chrono::milliseconds(200), kToldEvery = std::chrono::milliseconds(100);
constexpr int kNiceness = 5;

}  // namespace

BesideTime::BesideTime(std::function<void(Finish)> hand_over)
    : hand_over_(std::move(hand_over)), thread_([this] { run(); })
{
}

BesideTime::~BesideTime()
{
    wanted_ = 0;
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void BesideTime::begin(Work work, Tell tell)
{
    busy_ = true;
    wanted_ = ++last_number_;
    {
        const std::lock_guard lock(mutex_);
        waiting_ = Job{last_number_, std::move(work), std::move(tell)};
    }
    changed_.notify_all();
}

bool BesideTime::cancel()
{
    wanted_ = 0;
    return std::exchange(busy_, false);
}

void BesideTime::run()
{
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), kNiceness);
    oneapi::tbb::task_arena arena(static_cast<int>(std::max(1u, std::thread::hardware_concurrency() / 2)));
    for (;;) {
        Job job;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return stop_ || waiting_; });
            if (stop_) return;
            job = *std::move(waiting_);
            waiting_.reset();
        }
        arena.execute([&] { do_job(std::move(job)); });
    }
}

void BesideTime::do_job(Job job)
{
    const auto is_wanted = [this, number = job.number] { return wanted_ == number; };
    if (!is_wanted()) return;
    const Progress progress = [&, next = Clock::now() + kToldAfter](std::string_view what, double fraction) mutable {
        if (is_wanted() && Clock::now() >= next) {
            next = Clock::now() + kToldEvery;
            hand_over_([is_wanted, tell = job.tell, what = std::string(what), fraction] {
                if (is_wanted()) tell(what, std::clamp(fraction, 0.0, 0.999));
            });
        }
        return is_wanted();
    };
    Finish finish = job.work(progress);
    hand_over_([this, is_wanted, finish = std::move(finish)] {
        if (!is_wanted()) return;
        busy_ = false;
        wanted_ = 0;
        finish();
    });
}

}  // namespace yawara::stream
