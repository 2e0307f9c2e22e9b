// Each thread draws on one worker and gives way to everything else, so that what plays meanwhile is hardly slowed; what
// nobody waits for is drawn by one of them.
#include "stream/pictures.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include <oneapi/tbb/task_arena.h>

#include "io/file.h"

namespace yawara::stream {

namespace fs = std::filesystem;

namespace {

constexpr unsigned kMostPainters = 4;

}  // namespace

Pictures::Pictures(Draw draw, std::function<void(const std::string&)> ready)
    : draw_(std::move(draw)), ready_(std::move(ready))
{
    if (!draw_) return;
    for (unsigned k = 0; k < std::clamp(std::thread::hardware_concurrency(), 1u, kMostPainters); ++k)
        threads_.emplace_back([this, k] { run(k == 0); });
}

Pictures::~Pictures()
{
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    wanted_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

void Pictures::add(const std::string& name, fs::path scene, fs::path file)
{
    Bytes kept;
    std::error_code error;
    if (fs::exists(file, error))
        if (auto bytes = io::read_file(file)) kept = std::make_shared<const std::string>(*std::move(bytes));
    const std::lock_guard lock(mutex_);
    entries_[name] = {std::move(scene), std::move(file), std::move(kept), false};
}

void Pictures::remove(const std::string& name)
{
    const std::lock_guard lock(mutex_);
    entries_.erase(name);
}

bool Pictures::has(const std::string& name) const
{
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(name);
    return found != entries_.end() && found->second.bytes;
}

bool Pictures::may_come(const std::string& name) const
{
    const std::lock_guard lock(mutex_);
    return draw_ && entries_.contains(name);
}

Pictures::Bytes Pictures::get(const std::string& name)
{
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(name);
    if (found == entries_.end()) return nullptr;
    if (!found->second.bytes && !found->second.begun) {
        std::erase(wishes_, name);
        wishes_.push_front(name);
        wanted_.notify_all();
    }
    return found->second.bytes;
}

void Pictures::draw_later(const std::string& name)
{
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(name);
    if (found == entries_.end() || found->second.bytes) return;
    later_.push_back(name);
    wanted_.notify_all();
}

void Pictures::run(bool also_later)
{
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), 19);
    oneapi::tbb::task_arena one(1);
    for (;;) {
        std::string name;
        fs::path scene, file;
        {
            std::unique_lock lock(mutex_);
            wanted_.wait(lock, [&] { return stop_ || !wishes_.empty() || (also_later && !later_.empty()); });
            if (stop_) return;
            std::deque<std::string>& from = wishes_.empty() ? later_ : wishes_;
            name = from.front();
            from.pop_front();
            const auto found = entries_.find(name);
            if (found == entries_.end() || std::exchange(found->second.begun, true)) continue;
            scene = found->second.scene;
            file = found->second.file;
        }
        Result<std::string> png = Error{};
        one.execute([&] { png = draw_(scene); });
        if (!png) continue;
        std::error_code error;
        fs::create_directories(file.parent_path(), error);
        (void)io::write_file(file, *png);  // for the next start; no loss if it fails
        {
            const std::lock_guard lock(mutex_);
            const auto found = entries_.find(name);
            if (found == entries_.end()) continue;
            found->second.bytes = std::make_shared<const std::string>(*std::move(png));
        }
        ready_(name);
    }
}

}  // namespace yawara::stream
