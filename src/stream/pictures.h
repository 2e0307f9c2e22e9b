// Pictures of scenes: drawn on threads of their own, as they are wanted, and kept for the next start.
#pragma once

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "yawara/core.h"

namespace yawara::stream {

/// Safe on any thread.
class Pictures {
public:
    using Draw = std::function<Result<std::string>(const std::filesystem::path& scene)>;
    using Bytes = std::shared_ptr<const std::string>;

    /// `draw` none: there are no pictures but those that were kept. `ready` is told the name, on any thread.
    Pictures(Draw draw, std::function<void(const std::string& name)> ready);
    ~Pictures();
    Pictures(const Pictures&) = delete;
    Pictures& operator=(const Pictures&) = delete;

    /// A scene that may be asked for by name, and where its picture is kept.
    void add(const std::string& name, std::filesystem::path scene, std::filesystem::path file);
    void remove(const std::string& name);

    bool has(const std::string& name) const;
    /// Null if there is none yet; then it is drawn, the latest wish first.
    Bytes get(const std::string& name);
    /// False: there will never be one.
    bool may_come(const std::string& name) const;
    /// Draws it when nothing else is wanted.
    void draw_later(const std::string& name);

private:
    struct Entry {
        std::filesystem::path scene, file;
        Bytes bytes;
        bool begun = false;
    };
    void run(bool also_later);

    const Draw draw_;
    const std::function<void(const std::string&)> ready_;
    mutable std::mutex mutex_;
    std::condition_variable wanted_;
    std::map<std::string, Entry> entries_;
    std::deque<std::string> wishes_;  ///< the latest first
    std::deque<std::string> later_;
    bool stop_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace yawara::stream
