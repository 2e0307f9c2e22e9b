// What the program says: words for people, a progress bar or lines in a log, and one JSON object for machines.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json_fwd.hpp>

#include "yawara/core.h"

namespace yawara::cli {

constexpr int kGood = 0, kFailure = 1, kUsage = 2, kInterrupted = 130;

/// Where words go. Results of a verb are on stdout, or on stderr beside --json; everything else is on stderr.
class Terminal {
public:
    bool quiet = false;
    bool json = false;

    /// A line of the result, for a person.
    template <class... Args>
    void say(fmt::format_string<Args...> format, Args&&... args) const
    {
        print_line(fmt::format(format, std::forward<Args>(args)...));
    }
    void warn(std::string_view sentence) const;
    /// Prints the errors, also as JSON if asked to, and returns the exit code.
    int fail(std::span<const Error> errors) const;
    int fail(const Error& error) const { return fail(std::span(&error, 1)); }
    /// The verb was stopped before it had a result; returns the exit code.
    int stopped(std::string_view sentence) const;
    /// The one object on stdout; does nothing without --json.
    void object(const nlohmann::ordered_json& value) const;

private:
    void print_line(std::string_view line) const;
};

/// Long work made visible: a bar redrawn in place on a terminal, a line every ten seconds in a log, nothing if quiet.
class ProgressBar {
public:
    ProgressBar(const Terminal& terminal, std::string label);
    ~ProgressBar() { clear(); }
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    /// `done` of `total` pieces of work, called `unit`; shows the rate and the time left.
    void update(std::size_t done, std::size_t total, std::string_view unit);
    /// For the library's long work; cancels it after Ctrl-C.
    Progress callback();
    /// Takes the bar off the screen.
    void clear();

private:
    void show(double fraction, const std::string& detail);

    using Clock = std::chrono::steady_clock;
    std::string label_;
    bool visible_, on_terminal_, drawn_ = false;
    Clock::time_point start_ = Clock::now(), next_;
};

/// Aligned columns; the first row is the heading, numbers are right-aligned.
std::string table(const std::vector<std::vector<std::string>>& rows);

/// 12345678 -> "12,345,678"
std::string with_commas(std::size_t number);
/// A number of a person's length: 3 significant digits, no trailing zeros.
std::string brief(double number);

}  // namespace yawara::cli
