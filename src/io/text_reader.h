// Reads words and numbers of a text file in memory, by line or free of lines, and knows where it is when one is wrong.
// Lines end with \n, \r\n or \r; a backslash before the end of a line joins it with the next.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "io/file.h"

namespace yawara::io {

/// Turns an offset into a file into words: "path:line" for text, "path: byte N" for binary.
struct Place {
    std::string name;       ///< path of the file
    std::string_view text;  ///< its whole content
    bool binary = false;

    std::string at(std::size_t offset) const;
};

class TextReader {
public:
    struct Syntax {
        char comment = '\0';     ///< from here to the end of the line is no data
        char extra_blank = ' ';  ///< a further separator, such as a comma
    };
    TextReader(std::string_view text, std::string name) : TextReader(text, std::move(name), Syntax{}) {}
    TextReader(std::string_view text, std::string name, Syntax syntax);

    /// Goes to the next word, over line ends and comments; false at the end of the file.
    bool more();
    /// Goes to the next word of this line; false if there is none.
    bool more_on_line();
    /// To the start of the next line.
    void next_line();

    /// The next word, over line ends; empty at the end of the file.
    std::string_view word();
    /// The rest of this line without blanks around it; the line is consumed.
    std::string_view rest_of_line();

    // The next number, over line ends. `expected` completes "expected ...", e.g. "the number of vertices".
    double real(std::string_view expected);
    std::int64_t integer(std::string_view expected);
    /// As real(), but does not leave the line.
    double real_on_line(std::string_view expected);
    std::int64_t integer_on_line(std::string_view expected);
    /// A number of things of at least `bytes_each` bytes that must still follow in this file.
    std::size_t count(std::string_view expected, std::size_t bytes_each);
    /// Refuses `count` things of `bytes_each` bytes if the rest of the file is too short for them.
    void check_room(std::size_t count, std::size_t bytes_each, std::string_view things) const;

    std::size_t offset() const { return at_; }
    /// Where the last word started.
    std::size_t word_offset() const { return word_; }
    std::size_t remaining() const { return text().size() - at_; }
    std::string_view text() const { return place_.text; }
    void seek(std::size_t offset) { at_ = word_ = offset; }
    const Place& place() const { return place_; }
    /// The file has binary parts: errors are told with a byte, not a line.
    void set_binary() { place_.binary = true; }

    /// Throws: `what` is wrong with the last word.
    [[noreturn]] void fail(const std::string& what) const;
    /// Throws: found the last word, expected this.
    [[noreturn]] void fail_expected(std::string_view expected) const;

private:
    bool is_blank(char c) const { return c == ' ' || c == '\t' || c == extra_blank_ || c == '\v' || c == '\f'; }
    static bool is_line_end(char c) { return c == '\n' || c == '\r'; }
    bool ends_word(std::size_t at) const;
    std::string_view word_at(std::size_t at) const;

    Place place_;
    char comment_;
    char extra_blank_;
    std::size_t at_ = 0;
    std::size_t word_ = 0;
};

}  // namespace yawara::io
