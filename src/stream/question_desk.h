// Answers questions on a thread of its own, from snapshots: a question waits for no build and holds up no step.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "stream/queries/query.h"
#include "stream/server.h"

namespace yawara::stream {

class QuestionDesk {
public:
    using SendText = std::function<void(ClientId, const Json&)>;
    using SendBinary = std::function<void(ClientId, std::string)>;
    /// Both are called on any thread.
    QuestionDesk(SendText send_text, SendBinary send_binary);
    ~QuestionDesk();
    QuestionDesk(const QuestionDesk&) = delete;
    QuestionDesk& operator=(const QuestionDesk&) = delete;

    /// Answered at once if there is no such question; else later. A question that waits in the same slot of the same
    /// page is answered as cancelled.
    void ask(ClientId client, const messages::ClientAsk& question, Playback& run);

private:
    struct Waiting {
        ClientId client = 0;
        messages::ClientAsk question;
        const Query* query = nullptr;
        Snapshot snapshot;
    };
    void run();
    void answer(const Waiting& waiting, Mirror& mirror);

    const SendText send_text_;
    const SendBinary send_binary_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Waiting> waiting_;
    bool stop_ = false;
    std::thread thread_;
};

}  // namespace yawara::stream
