// The tags of an XML file, one after the other: enough for .vtu, whose raw data no real XML parser would survive.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "io/text_reader.h"

namespace yawara::io {

struct XmlTag {
    std::string name;  ///< "/Piece" for the end of a Piece
    std::map<std::string, std::string, std::less<>> attributes;
    bool closed = false;      ///< <name/>
    std::size_t offset = 0;   ///< of its '<'
    std::size_t content = 0;  ///< behind its '>'

    /// The value of an attribute, or `otherwise`.
    std::string get(std::string_view key, std::string_view otherwise = "") const
    {
        const auto found = attributes.find(key);
        return found == attributes.end() ? std::string(otherwise) : found->second;
    }
};

class XmlScanner {
public:
    XmlScanner(std::string_view text, const std::string& name) : place_{name, text} {}

    /// The next tag; false at the end of the file. Comments and declarations are passed over.
    bool next(XmlTag& tag);
    /// Text between the last tag and the next '<'.
    std::string_view text_after(const XmlTag& tag) const;
    const Place& place() const { return place_; }

private:
    [[noreturn]] void fail(const std::string& what) const { io::fail(place_.at(at_), what); }
    void skip_blanks();
    void read_attributes(XmlTag& tag);

    Place place_;
    std::size_t at_ = 0;
};

}  // namespace yawara::io
