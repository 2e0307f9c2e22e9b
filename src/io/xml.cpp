// The tags of an XML file; see xml.h.
#include "io/xml.h"

namespace yawara::io {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

}  // namespace

void XmlScanner::skip_blanks()
{
    at_ = std::min(place_.text.find_first_not_of(kBlanks, at_), place_.text.size());
}

void XmlScanner::read_attributes(XmlTag& tag)
{
    const std::string_view text = place_.text;
    for (;;) {
        skip_blanks();
        if (at_ >= text.size()) fail("the file ends within a tag; expected >");
        if (text[at_] == '>') {
            tag.content = ++at_;
            return;
        }
        if (text.substr(at_).starts_with("/>")) {
            at_ += 2;
            tag.closed = true;
            tag.content = at_;
            return;
        }
        const std::size_t name_end = text.find_first_of("= \t\r\n/><", at_);
        if (name_end == std::string_view::npos || name_end == at_)
            fail("found " + in_quotes(text.substr(at_, 1)) + "; expected an attribute");
        const std::string key(text.substr(at_, name_end - at_));
        at_ = name_end;
        skip_blanks();
        if (at_ >= text.size() || text[at_] != '=') fail("expected = after the attribute " + in_quotes(key));
        ++at_;
        skip_blanks();
        const char quote = at_ < text.size() ? text[at_] : '\0';
        if (quote != '"' && quote != '\'') fail("expected a quoted value of the attribute " + in_quotes(key));
        const std::size_t value_end = text.find(quote, at_ + 1);
        if (value_end == std::string_view::npos) fail("the value of the attribute " + in_quotes(key) + " does not end");
        tag.attributes[key] = text.substr(at_ + 1, value_end - at_ - 1);
        at_ = value_end + 1;
    }
}

bool XmlScanner::next(XmlTag& tag)
{
    const std::string_view text = place_.text;
    for (;;) {
        at_ = text.find('<', at_);
        if (at_ == std::string_view::npos) {
            at_ = text.size();
            return false;
        }
        const bool comment = text.substr(at_).starts_with("<!--");
        if (!comment && !text.substr(at_).starts_with("<?") && !text.substr(at_).starts_with("<!")) break;
        const std::size_t end = text.find(comment ? "-->" : ">", at_);
        if (end == std::string_view::npos) fail("a comment or declaration does not end");
        at_ = end + 1;
    }
    tag = XmlTag{};
    tag.offset = at_++;
    const std::size_t name_end = text.find_first_of(" \t\r\n>", at_);
    if (name_end == std::string_view::npos) fail("the file ends within a tag; expected >");
    std::size_t end = name_end;
    if (end > at_ + 1 && text[end - 1] == '/') --end;  // <name/>
    tag.name = text.substr(at_, end - at_);
    at_ = end;
    read_attributes(tag);
    return true;
}

std::string_view XmlScanner::text_after(const XmlTag& tag) const
{
    if (tag.closed) return {};
    const std::size_t end = std::min(place_.text.find('<', tag.content), place_.text.size());
    return place_.text.substr(tag.content, end - tag.content);
}

}  // namespace yawara::io
