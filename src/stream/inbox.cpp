// One line a page; the page that was served goes to the end.
#include "stream/inbox.h"

#include <algorithm>
#include <utility>

namespace yawara::stream {

void Inbox::put(Incoming incoming)
{
    {
        const std::lock_guard lock(mutex_);
        auto line = std::ranges::find(lines_, incoming.client, &Line::client);
        if (line == lines_.end()) line = lines_.insert(lines_.end(), Line{incoming.client, {}});
        line->waiting.push_back(std::move(incoming));
    }
    filled_.notify_all();
}

void Inbox::put(Task task)
{
    {
        const std::lock_guard lock(mutex_);
        tasks_.push_back(std::move(task));
    }
    filled_.notify_all();
}

std::optional<Inbox::Task> Inbox::take_task()
{
    const std::lock_guard lock(mutex_);
    if (tasks_.empty()) return std::nullopt;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    return task;
}

std::optional<Incoming> Inbox::take()
{
    const std::lock_guard lock(mutex_);
    if (lines_.empty()) return std::nullopt;
    Line line = std::move(lines_.front());
    lines_.pop_front();
    Incoming next = std::move(line.waiting.front());
    line.waiting.pop_front();
    if (!line.waiting.empty()) lines_.push_back(std::move(line));
    return next;
}

void Inbox::wait_for(std::chrono::milliseconds most)
{
    std::unique_lock lock(mutex_);
    filled_.wait_for(lock, most, [&] { return !tasks_.empty() || !lines_.empty(); });
}

}  // namespace yawara::stream
