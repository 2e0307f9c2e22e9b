// Jobs beside time: which of them come to their end.
#include <doctest/doctest.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "stream/beside_time.h"
#include "stream/inbox.h"

using namespace yawara;
using namespace yawara::stream;

namespace {

/// Stands for the simulation's thread: does what was handed over.
struct Here {
    Inbox inbox;
    std::vector<std::string> finished;

    void until(const std::string& name)
    {
        while (finished.empty() || finished.back() != name) {
            inbox.wait_for(std::chrono::milliseconds(100));
            while (const auto task = inbox.take_task()) (*task)();
        }
    }
};

/// A gate that a job waits at.
struct Gate {
    std::mutex mutex;
    std::condition_variable changed;
    bool reached = false, open = false;

    void pass()
    {
        std::unique_lock lock(mutex);
        reached = true;
        changed.notify_all();
        changed.wait(lock, [&] { return open; });
    }
    void wait_until_reached()
    {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return reached; });
    }
    void let_through()
    {
        const std::lock_guard lock(mutex);
        open = true;
        changed.notify_all();
    }
};

}  // namespace

TEST_CASE("of several jobs the newest wins, one that runs hears that it is not wanted, and one that waits never starts")
{
    Here here;
    Gate gate;
    bool first_was_wanted = true, second_ran = false;
    BesideTime jobs([&](BesideTime::Finish finish) { here.inbox.put(std::move(finish)); });
    const auto quiet = [](const std::string&, double) {};
    const auto job = [&](const std::string& name, auto work) {
        jobs.begin(
            [&here, name, work](const Progress& progress) -> BesideTime::Finish {
                work(progress);
                return [&here, name] { here.finished.push_back(name); };
            },
            quiet);
    };
    job("first", [&](const Progress& progress) {
        gate.pass();
        first_was_wanted = progress("building", 0.5);
    });
    gate.wait_until_reached();
    job("second", [&](const Progress&) { second_ran = true; });
    job("third", [](const Progress&) {});
    gate.let_through();
    here.until("third");
    CHECK(here.finished == std::vector<std::string>{"third"});
    CHECK_FALSE(first_was_wanted);
    CHECK_FALSE(second_ran);
    CHECK_FALSE(jobs.is_busy());
}

TEST_CASE("a job that was cancelled after it was done does not finish either")
{
    Here here;
    BesideTime jobs([&](BesideTime::Finish finish) { here.inbox.put(std::move(finish)); });
    const auto begin = [&](const std::string& name) {
        jobs.begin(
            [&here, name](const Progress&) -> BesideTime::Finish {
                return [&here, name] { here.finished.push_back(name); };
            },
            [](const std::string&, double) {});
    };
    begin("cancelled");
    here.inbox.wait_for(std::chrono::milliseconds(60'000));  // it is done, and waits to be finished here
    CHECK(jobs.cancel());
    CHECK_FALSE(jobs.cancel());
    begin("other");
    here.until("other");
    CHECK(here.finished == std::vector<std::string>{"other"});
}

TEST_CASE("a page that sends very much does not keep the messages of another waiting")
{
    Inbox inbox;
    for (int k = 0; k < 1000; ++k) inbox.put({1, Incoming::message, k});
    inbox.put({2, Incoming::message, "quiet"});
    CHECK(inbox.take()->content == 0);
    CHECK(inbox.take()->content == "quiet");
    for (int k = 1; k < 1000; ++k) REQUIRE(inbox.take()->content == k);
    CHECK_FALSE(inbox.take());
}
