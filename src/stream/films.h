// Films that a page draws picture by picture and cannot encode itself: MP4 by the engine's movie writer.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "stream/server.h"

namespace yawara::stream {

/// One film at a time; another one takes its place. Pictures come faster than they are encoded: they wait in a short
/// queue, and the page asks how long it is before it sends more.
class Films {
public:
    /// `offer`: hands a finished file out, and gives its address. Called on any thread.
    explicit Films(std::function<std::string(const std::string& name, std::string bytes)> offer);
    ~Films();
    Films(const Films&) = delete;
    Films& operator=(const Films&) = delete;

    /// POST /film, on the server's thread:
    ///   ?width=W&height=H&rate=R&name=NAME   begins one: {"film": NUMBER}
    ///   ?to=NUMBER, with a body              the next picture: 4 W H bytes, red, green, blue, opacity, from the top
    ///   ?to=NUMBER                           asks: {"waiting": pictures, "url": address once it is done}
    ///   ?to=NUMBER&end=1, ?to=NUMBER&end=0   no picture follows: write it; throw it away
    Response take(Request request);

private:
    /// A film, shared with the thread that encodes it.
    struct Film {
        std::string number, name;
        int width = 0, height = 0;
        double rate = 0;  ///< pictures a second
        std::mutex mutex;
        std::condition_variable changed;
        std::deque<std::string> waiting;  ///< pictures
        bool ended = false, unwanted = false;
        std::string url;
        std::optional<Error> error;
    };
    Response begin(const Request& request);
    void throw_away();
    void make(Film& film) const;

    const std::function<std::string(const std::string&, std::string)> offer_;
    std::shared_ptr<Film> film_;
    std::vector<std::thread> threads_;  ///< of all films; those before the last have ended or will soon
};

}  // namespace yawara::stream
