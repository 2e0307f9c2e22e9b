// Work beside time: building, opening and reading happen on a thread of their own while the simulation goes on.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "yawara/core.h"

namespace yawara::stream {

/// One job at a time, of which the newest wins: a job that runs or waits is cancelled when another begins.
class BesideTime {
public:
    /// What is left to do on the simulation's thread when a job is done.
    using Finish = std::function<void()>;
    /// On the thread of its own. When its progress says false, nobody wants the result any more.
    using Work = std::function<Finish(const Progress& progress)>;
    using Tell = std::function<void(const std::string& what, double fraction)>;

    /// `hand_over` brings a function to the simulation's thread; it is called on the other one.
    explicit BesideTime(std::function<void(Finish)> hand_over);
    ~BesideTime();
    BesideTime(const BesideTime&) = delete;
    BesideTime& operator=(const BesideTime&) = delete;

    // ---- on the simulation's thread

    /// `tell` is called there, too, if the work takes longer than a blink: ten times a second at most.
    void begin(Work work, Tell tell);
    /// The job's Finish will not be called any more. False if there was none.
    bool cancel();
    bool is_busy() const { return busy_; }

private:
    struct Job {
        std::uint64_t number = 0;
        Work work;
        Tell tell;
    };
    void run();
    void do_job(Job job);

    const std::function<void(Finish)> hand_over_;
    std::atomic<std::uint64_t> wanted_ = 0;  ///< number of the job whose result is wanted; 0: of none
    std::uint64_t last_number_ = 0;
    bool busy_ = false;  ///< a result is awaited
    std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<Job> waiting_;
    bool stop_ = false;
    std::thread thread_;
};

}  // namespace yawara::stream
