// Words and numbers of a text file in memory; see text_reader.h.
#include "io/text_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace yawara::io {

namespace {

// from_chars reports numbers too small for a double like those too large; the small ones are zero.
bool is_tiny(std::string_view number)
{
    const std::size_t exponent = number.find_first_of("eE");
    if (exponent != std::string_view::npos) return number.substr(exponent + 1).starts_with('-');
    return number.find_first_not_of("+-0") == number.find('.');
}

}  // namespace

std::string Place::at(std::size_t offset) const
{
    if (binary) return name + ": byte " + std::to_string(offset);
    std::size_t line = 1;
    for (std::size_t i = 0; i < std::min(offset, text.size()); ++i) {
        const bool lone_return = text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n');
        if (text[i] == '\n' || lone_return) ++line;
    }
    return name + ":" + std::to_string(line);
}

TextReader::TextReader(std::string_view text, std::string name, Syntax syntax)
    : place_{std::move(name), text}, comment_(syntax.comment), extra_blank_(syntax.extra_blank)
{
    if (text.starts_with("\xEF\xBB\xBF")) at_ = 3;  // UTF-8 byte order mark
    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
        io::fail(place_.name, "is UTF-16 text; expected UTF-8: save it that way in the program that wrote it");
}

bool TextReader::more_on_line()
{
    const std::string_view t = text();
    while (at_ < t.size()) {
        const char c = t[at_];
        if (is_blank(c)) {
            ++at_;
        } else if (c == '\\' && at_ + 1 < t.size() && is_line_end(t[at_ + 1])) {
            at_ += t.substr(at_ + 1).starts_with("\r\n") ? 3 : 2;
        } else if (is_line_end(c) || (comment_ != '\0' && c == comment_)) {
            break;
        } else {
            word_ = at_;
            return true;
        }
    }
    word_ = at_;
    return false;
}

void TextReader::next_line()
{
    const std::string_view t = text();
    while (at_ < t.size() && !is_line_end(t[at_])) ++at_;
    if (at_ < t.size()) at_ += t.substr(at_).starts_with("\r\n") ? 2 : 1;
}

bool TextReader::more()
{
    while (!more_on_line()) {
        if (at_ >= text().size()) return false;
        next_line();
    }
    return true;
}

bool TextReader::ends_word(std::size_t at) const
{
    return at >= text().size() || is_blank(text()[at]) || is_line_end(text()[at]);
}

std::string_view TextReader::word_at(std::size_t at) const
{
    std::size_t end = at;
    while (!ends_word(end)) ++end;
    return text().substr(std::min(at, text().size()), end - at);
}

std::string_view TextReader::word()
{
    if (!more()) return {};
    const std::string_view found = word_at(at_);
    at_ += found.size();
    return found;
}

std::string_view TextReader::rest_of_line()
{
    if (!more_on_line()) {
        next_line();
        return {};
    }
    std::size_t end = at_;
    while (end < text().size() && !is_line_end(text()[end]) && !(comment_ != '\0' && text()[end] == comment_)) ++end;
    const std::size_t start = at_;
    next_line();
    while (end > start && is_blank(text()[end - 1])) --end;
    return text().substr(start, end - start);
}

double TextReader::real(std::string_view expected)
{
    if (!more()) fail_expected(expected);
    const char* first = text().data() + at_;
    const char* last = text().data() + text().size();
    if (*first == '+' && last - first > 1 && first[1] != '-') ++first;
    double value = 0.0;
    auto [end, error] = std::from_chars(first, last, value);
    const auto stop = static_cast<std::size_t>(end - text().data());
    if (error == std::errc::invalid_argument || !ends_word(stop)) fail_expected(expected);
    if (error == std::errc::result_out_of_range) {
        if (!is_tiny(word_at(at_))) fail_expected(expected);
        value = 0.0;
    }
    if (!std::isfinite(value)) fail_expected(std::string(expected) + ", a finite number");
    at_ = stop;
    return value;
}

std::int64_t TextReader::integer(std::string_view expected)
{
    if (!more()) fail_expected(expected);
    const char* first = text().data() + at_;
    const char* last = text().data() + text().size();
    if (*first == '+' && last - first > 1 && first[1] != '-') ++first;
    std::int64_t value = 0;
    auto [end, error] = std::from_chars(first, last, value);
    const auto stop = static_cast<std::size_t>(end - text().data());
    if (error != std::errc{} || !ends_word(stop)) fail_expected(expected);
    at_ = stop;
    return value;
}

double TextReader::real_on_line(std::string_view expected)
{
    if (!more_on_line()) fail("the line ends; expected " + std::string(expected));
    return real(expected);
}

std::int64_t TextReader::integer_on_line(std::string_view expected)
{
    if (!more_on_line()) fail("the line ends; expected " + std::string(expected));
    return integer(expected);
}

std::size_t TextReader::count(std::string_view expected, std::size_t bytes_each)
{
    const std::int64_t n = integer(expected);
    if (n < 0) fail_expected(expected);
    check_room(static_cast<std::size_t>(n), bytes_each, expected);
    return static_cast<std::size_t>(n);
}

void TextReader::check_room(std::size_t count, std::size_t bytes_each, std::string_view things) const
{
    if (bytes_each == 0 || count <= remaining() / bytes_each) return;
    fail("found " + std::to_string(count) + " as " + std::string(things) + ", but only " + std::to_string(remaining()) +
         " bytes follow");
}

void TextReader::fail(const std::string& what) const
{
    io::fail(place_.at(word_), what);
}

void TextReader::fail_expected(std::string_view expected) const
{
    const std::string_view found = word_at(word_);
    fail((found.empty() ? "the file ends" : "found " + in_quotes(found)) + "; expected " + std::string(expected));
}

}  // namespace yawara::io
