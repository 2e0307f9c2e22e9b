// What waits for the simulation's thread: messages of the pages, taken in turns, and work handed over by other threads.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>

#include "stream/protocol.h"
#include "stream/server.h"

namespace yawara::stream {

struct Incoming {
    ClientId client = 0;
    enum Kind { opened, closed, message } kind = message;
    Json content{};
};

/// Safe on any thread. A page that sends very much does not keep the others waiting: each gets its turn.
class Inbox {
public:
    using Task = std::function<void()>;

    void put(Incoming incoming);
    /// To be done on the simulation's thread, before messages.
    void put(Task task);

    std::optional<Task> take_task();
    std::optional<Incoming> take();
    /// Sleeps until something is there or the time has passed.
    void wait_for(std::chrono::milliseconds most);

private:
    struct Line {
        ClientId client = 0;
        std::deque<Incoming> waiting;
    };
    std::mutex mutex_;
    std::condition_variable filled_;
    std::deque<Task> tasks_;
    std::deque<Line> lines_;  ///< of pages from which something waits; the first is next
};

}  // namespace yawara::stream
