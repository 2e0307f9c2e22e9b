// Words, bars and tables on stdout and stderr; see terminal.h for what goes where.
#include "terminal.h"

#include <unistd.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <nlohmann/json.hpp>

#include "interrupt.h"

namespace yawara::cli {

namespace {

/// "error:" in red (31) or "warning:" in yellow (33) where colours are seen.
std::string heading(std::string_view word, int color)
{
    const bool in_color = isatty(STDERR_FILENO) && std::getenv("NO_COLOR") == nullptr;
    return in_color ? fmt::format("\033[{}m{}\033[0m", color, word) : std::string(word);
}

bool speaks_utf8()
{
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const char* value = std::getenv(name);
        if (value && *value) return std::strstr(value, "UTF-8") || std::strstr(value, "utf8");
    }
    return false;
}

std::string minutes(double seconds)
{
    const int s = static_cast<int>(std::lround(seconds));
    return s < 60 ? fmt::format("{} s", s) : fmt::format("{} min {:02} s", s / 60, s % 60);
}

bool looks_like_number(std::string_view text)
{
    return !text.empty() && (std::isdigit(static_cast<unsigned char>(text[0])) || text[0] == '-' || text[0] == '+');
}

/// Characters on the screen: UTF-8 continuation bytes do not count.
std::size_t width_of(std::string_view text)
{
    std::size_t n = 0;
    for (const char c : text) n += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    return n;
}

}  // namespace

void Terminal::print_line(std::string_view line) const
{
    if (quiet) return;
    fmt::print(json ? stderr : stdout, "{}\n", line);
    std::fflush(json ? stderr : stdout);
}

void Terminal::warn(std::string_view sentence) const
{
    if (quiet) return;
    fmt::print(stderr, "{} {}\n", heading("warning:", 33), sentence);
}

int Terminal::fail(std::span<const Error> errors) const
{
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Error& error : errors) {
        fmt::print(stderr, "{} {}\n", heading("error:", 31), error.message());
        list.push_back({{"where", error.where}, {"what", error.what}});
    }
    object({{"ok", false}, {"errors", list}});
    return kFailure;
}

int Terminal::stopped(std::string_view sentence) const
{
    if (!quiet) fmt::print(stderr, "{}\n", sentence);
    object({{"ok", false}, {"interrupted", true}});
    return kInterrupted;
}

void Terminal::object(const nlohmann::ordered_json& value) const
{
    if (json) fmt::print("{}\n", value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

ProgressBar::ProgressBar(const Terminal& terminal, std::string label)
    : label_(std::move(label)), visible_(!terminal.quiet), on_terminal_(isatty(STDERR_FILENO) != 0)
{
    // A log hears of work only if it takes long enough to wonder about.
    next_ = start_ + (on_terminal_ ? std::chrono::milliseconds(150) : std::chrono::milliseconds(2000));
}

void ProgressBar::update(std::size_t done, std::size_t total, std::string_view unit)
{
    if (!visible_ || Clock::now() < next_) return;
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    const double rate = static_cast<double>(done) / seconds;
    std::string detail = fmt::format("{}/{} {}  {} {}/s", done, total, unit, brief(rate), unit);
    if (rate > 0) detail += fmt::format("  {} left", minutes(static_cast<double>(total - done) / rate));
    show(total ? static_cast<double>(done) / static_cast<double>(total) : 1.0, detail);
}

Progress ProgressBar::callback()
{
    return [this](std::string_view phase, double fraction) {
        if (visible_ && Clock::now() >= next_) show(fraction, std::string(phase));
        return !interrupted();
    };
}

void ProgressBar::show(double fraction, const std::string& detail)
{
    fraction = std::isfinite(fraction) ? std::min(1.0, std::max(0.0, fraction)) : 0.0;
    if (!on_terminal_) {
        fmt::print(stderr, "{}: {:.0f} %  {}\n", label_, 100 * fraction, detail);
        next_ = Clock::now() + std::chrono::seconds(10);
        return;
    }
    constexpr int kWidth = 28;
    const int filled = static_cast<int>(std::lround(fraction * kWidth));
    std::string bar;
    for (int k = 0; k < kWidth; ++k) bar += speaks_utf8() ? (k < filled ? "━" : "┄") : (k < filled ? "#" : "-");
    fmt::print(stderr, "\r\033[K{}  {} {:3.0f} %  {}", label_, bar, 100 * fraction, detail);
    std::fflush(stderr);
    drawn_ = true;
    next_ = Clock::now() + std::chrono::milliseconds(80);
}

void ProgressBar::clear()
{
    if (drawn_) fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
    drawn_ = false;
}

std::string table(const std::vector<std::vector<std::string>>& rows)
{
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], width_of(row[k]));
    }
    std::string text;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        std::string line;
        for (std::size_t k = 0; k < rows[r].size(); ++k) {
            const std::string& cell = rows[r][k];
            const std::string space(widths[k] - width_of(cell), ' ');
            const std::string& judged = r == 0 && rows.size() > 1 && k < rows[1].size() ? rows[1][k] : cell;
            line += looks_like_number(judged) ? space + cell : cell + space;
            line += "  ";
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += (r ? "\n" : "") + line;
    }
    return text;
}

std::string with_commas(std::size_t number)
{
    std::string digits = std::to_string(number);
    for (std::ptrdiff_t k = static_cast<std::ptrdiff_t>(digits.size()) - 3; k > 0; k -= 3)
        digits.insert(static_cast<std::size_t>(k), ",");
    return digits;
}

std::string brief(double number)
{
    if (std::abs(number) >= 999.5 && std::abs(number) < 1e7) return fmt::format("{:.0f}", number);
    return fmt::format("{:.3g}", number);
}

}  // namespace yawara::cli
