// Journals under attack: killed while they are rewritten, and on a disk that takes no more.
#include <doctest/doctest.h>

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>
#include <string>

#include "scratch.h"
#include "stream/journal.h"

using namespace yawara;
using namespace yawara::stream;
using scene_file::Json;

namespace {

constexpr std::uint64_t kRewriteAt = 20'000;  // bytes

/// A document of some size in which one number counts the edits.
Json document(int edit)
{
    return {{"edit", edit}, {"text", std::string(4000, char('a' + edit % 26))}};
}

/// A child that records edit after edit and tells the number of each when it is safe. Ends when it is killed.
struct Recorder {
    pid_t child = -1;
    int told = -1;  ///< end of a pipe

    explicit Recorder(const std::filesystem::path& folder)
    {
        int ends[2];
        REQUIRE(::pipe(ends) == 0);
        child = ::fork();
        if (child == 0) {
            ::close(ends[0]);
            Journal journal = Journal::open(folder, kRewriteAt).value();
            bool good = bool(journal.begin("/x/scene.json", "/x", false, document(0)));
            for (int edit = 1; good; ++edit) {
                good = bool(journal.record(document(edit)));
                good = good && ::write(ends[1], &edit, sizeof edit) == sizeof edit;
            }
            ::_exit(1);
        }
        ::close(ends[1]);
        told = ends[0];
    }
    /// The number of the next edit that is safe.
    int next() const
    {
        int edit = 0;
        return ::read(told, &edit, sizeof edit) == sizeof edit ? edit : -1;
    }
    /// Kills it; the last edit it told of.
    int kill(int last) const
    {
        ::kill(child, SIGKILL);
        int status = 0;
        ::waitpid(child, &status, 0);
        CHECK(WIFSIGNALED(status));
        for (int edit; (edit = next()) > 0;) last = edit;
        ::close(told);
        return last;
    }
};

bool is_rewriting(const std::filesystem::path& folder)
{
    std::error_code gone;
    for (const auto& entry : std::filesystem::directory_iterator(folder, gone))
        if (entry.path().filename().string().starts_with("new-")) return true;
    return false;
}

void check_lost(const std::filesystem::path& folder, int last)
{
    const auto lost = Journal::find_lost(folder);
    REQUIRE(lost);
    CHECK(lost->start == document(0));
    const int found = lost->content["edit"];
    CHECK(found >= last);  // one more may have been written and not told
    CHECK(found <= last + 1);
    CHECK(lost->content == document(found));
}

}  // namespace

TEST_CASE("no edit that was told is lost by kill -9, at any moment and while the journal is rewritten")
{
    std::mt19937 random(7);
    for (int round = 0; round < 24; ++round) {
        const Scratch scratch;
        const Recorder recorder(scratch.path);
        int last = 0;
        const int least = 5 + int(random() % 40);
        while (last < least) last = recorder.next();
        if (round % 2 == 0)
            for (int k = 0; k < 100'000 && !is_rewriting(scratch.path); ++k) {
            }
        last = recorder.kill(last);
        check_lost(scratch.path, last);
        CHECK_MESSAGE(!is_rewriting(scratch.path), "what was left half written is cleared away");
    }
}

TEST_CASE("an edit that the disk does not take does not spoil those before and behind it")
{
    const Scratch scratch;
    const pid_t child = ::fork();
    if (child == 0) {
        ::signal(SIGXFSZ, SIG_IGN);
        Journal journal = Journal::open(scratch.path, kRewriteAt).value();
        bool good = bool(journal.begin("/x/scene.json", "/x", false, document(0)));
        good = good && journal.record(document(1));
        // No file may grow beyond this: the next line fits in part only.
        const rlimit small{10'000, RLIM_INFINITY}, large{RLIM_INFINITY, RLIM_INFINITY};
        ::setrlimit(RLIMIT_FSIZE, &small);
        good = good && !journal.record(document(2)) && !journal.record(document(3));
        ::setrlimit(RLIMIT_FSIZE, &large);
        good = good && journal.record(document(4));
        // The same while it is rewritten.
        for (int edit = 5; edit < 9; ++edit) good = good && journal.record(document(edit));
        const rlimit tiny{3'000, RLIM_INFINITY};
        ::setrlimit(RLIMIT_FSIZE, &tiny);
        good = good && !journal.record(document(9));
        ::setrlimit(RLIMIT_FSIZE, &large);
        good = good && journal.record(document(10)) && journal.record(document(11));
        ::kill(::getpid(), good ? SIGKILL : SIGTERM);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(WTERMSIG(status) == SIGKILL);
    const auto lost = Journal::find_lost(scratch.path);
    REQUIRE(lost);
    CHECK(lost->content == document(11));
    CHECK(lost->start == document(0));
}

TEST_CASE("what was recorded before a failure is found after it")
{
    const Scratch scratch;
    const pid_t child = ::fork();
    if (child == 0) {
        ::signal(SIGXFSZ, SIG_IGN);
        Journal journal = Journal::open(scratch.path, kRewriteAt).value();
        bool good = bool(journal.begin("/x/scene.json", "/x", false, document(0)));
        int edit = 1;
        for (; edit < 5; ++edit)
            good = good && journal.record(document(edit));  // longer than it may be: rewritten next
        const rlimit tiny{3'000, RLIM_INFINITY};
        ::setrlimit(RLIMIT_FSIZE, &tiny);
        good = good && !journal.record(document(edit));
        ::kill(::getpid(), good ? SIGKILL : SIGTERM);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(WTERMSIG(status) == SIGKILL);
    CHECK(Journal::find_lost(scratch.path)->content == document(4));
}
