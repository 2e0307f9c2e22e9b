// Disks that are full and programs that are killed, for the tests of everything that writes files.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

namespace interrupted_writes {

/// Files may not grow beyond `bytes` while this lives: a disk that is full, for this process and those it starts.
class SmallDisk {
public:
    explicit SmallDisk(rlim_t bytes)
    {
        getrlimit(RLIMIT_FSIZE, &saved_);
        handler_ = std::signal(SIGXFSZ, SIG_IGN);
        rlimit small = saved_;
        small.rlim_cur = bytes;
        setrlimit(RLIMIT_FSIZE, &small);
    }
    ~SmallDisk()
    {
        setrlimit(RLIMIT_FSIZE, &saved_);
        std::signal(SIGXFSZ, handler_);
    }

private:
    rlimit saved_{};
    void (*handler_)(int) = nullptr;
};

/// Names and bytes of the files of a folder; what is unfinished, and says so by its name, does not count.
inline std::map<std::string, std::string> finished_files(const std::filesystem::path& folder)
{
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        const std::string name = entry.path().lexically_relative(folder).string();
        if (!entry.is_regular_file() || name.find("unfinished") != std::string::npos || name.ends_with(".part"))
            continue;
        std::ifstream file(entry.path(), std::ios::binary);
        files[name] = {std::istreambuf_iterator<char>(file), {}};
    }
    return files;
}

/// Does `work` in another process, which is killed as by kill -9: when `work` is done, or after some milliseconds of
/// doing it again and again.
template <class Work>
void do_and_kill(Work&& work, int milliseconds = 0)
{
    const pid_t child = fork();
    if (child == 0) {
        do work();
        while (milliseconds > 0);
        ::kill(::getpid(), SIGKILL);
    }
    if (milliseconds > 0) {
        ::usleep(static_cast<useconds_t>(1000 * milliseconds));
        ::kill(child, SIGKILL);
    }
    ::waitpid(child, nullptr, 0);
}

}  // namespace interrupted_writes
