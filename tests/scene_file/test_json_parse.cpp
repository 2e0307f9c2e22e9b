// Strict JSON: what is refused, and where the message points.
#include <doctest/doctest.h>

#include "scene_file/json.h"

using namespace yawara;
using namespace yawara::scene_file;

namespace {

std::string error_of(const std::string& text)
{
    const Result<Json> parsed = parse_json(text, "s.json");
    return parsed ? "" : parsed.error().message();
}

}  // namespace

TEST_CASE("a document is read with its keys in order, whatever its encoding mark")
{
    const std::string text = R"({"b": [1, -2, 2.5e3, true, null], "a": {"é": "\u00e9"}})";
    for (const std::string& start : {std::string(), std::string("\xEF\xBB\xBF")}) {
        const Result<Json> parsed = parse_json(start + text, "s.json");
        REQUIRE(parsed);
        CHECK(parsed->dump() == R"({"b":[1,-2,2500.0,true,null],"a":{"é":"é"}})");
    }
}

TEST_CASE("a syntax error is shown by line and column")
{
    CHECK(error_of("{\n  \"a\": 1,\n  b: 2\n}").starts_with("s.json:3:3: "));
    CHECK(error_of("{\n  \"a\": [1, 2\n").starts_with("s.json:2:13: "));
    CHECK(error_of("").starts_with("s.json:1:1: "));
    CHECK(error_of("{} {}").starts_with("s.json:1:4: "));
    CHECK(error_of("[1, // no\n 2]").starts_with("s.json:1:5: "));
    CHECK(error_of("[1, /* no */ 2]").starts_with("s.json:1:5: "));
    CHECK(error_of("[1,]").starts_with("s.json:1:4: "));
    CHECK(error_of("[\"\xff\xfe\"]").starts_with("s.json:1:3: "));
}

TEST_CASE("numbers that no double holds are refused")
{
    CHECK(error_of("[1e999]").find("1e999") != std::string::npos);
    CHECK(error_of("[NaN]") != "");
    CHECK(error_of("[Infinity]") != "");
    CHECK(error_of("[-1e400]") != "");
    CHECK(error_of("[123456789012345678901234567890]") == "");
}

TEST_CASE("a repeated key is refused, in its own object only")
{
    CHECK(error_of("{\"a\": 1,\n \"a\": 2}").starts_with("s.json:2:4: the key \"a\" occurs twice"));
    CHECK(error_of(R"({"a": {"a": 1}, "b": {"a": 2}})") == "");
}

TEST_CASE("nesting is limited to 200 levels and a million brackets do no harm")
{
    CHECK(error_of(std::string(200, '[') + std::string(200, ']')) == "");
    CHECK(error_of(std::string(201, '[') + std::string(201, ']')).find("nested deeper than 200") != std::string::npos);
    CHECK(error_of(std::string(1000000, '[')).find("nested deeper than 200") != std::string::npos);
    std::string objects;
    for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
    CHECK(error_of(objects).find("nested deeper than 200") != std::string::npos);
}

TEST_CASE("messages are short, plain text, even for noise")
{
    std::string noise = "{\"";
    for (int i = 0; i < 100000; ++i) noise += static_cast<char>(128 + i % 128);
    const std::string message = error_of(noise);
    CHECK(message != "");
    CHECK(message.size() < 400);
    for (const char c : message) CHECK(static_cast<unsigned char>(c) < 0x80);
}

TEST_CASE("many keys are read in time that grows with their number")
{
    std::string text = "{";
    for (int i = 0; i < 200000; ++i) text += "\"k" + std::to_string(i) + "\":0,";
    text.back() = '}';
    const Result<Json> parsed = parse_json(text, "s.json");
    REQUIRE(parsed);
    CHECK(parsed->size() == 200000);
}

TEST_CASE("paths name keys and places")
{
    CHECK(join("", "bodies") == "bodies");
    CHECK(join(join("bodies", 0), "name") == "bodies[0].name");
    CHECK(join("a", "odd key") == "a[\"odd key\"]");
}

TEST_CASE("reading a long text tells how far it is, can be ended, and knows repeated keys among many")
{
    std::string text = "[";
    for (int k = 0; k < 400'000; ++k) text += "1,";
    text += "1]";
    double last = 0;
    int asked = 0;
    const auto whole = parse_json(text, "x", [&](std::string_view, double fraction) {
        CHECK(fraction > last);
        last = fraction;
        ++asked;
        return true;
    });
    REQUIRE(whole);
    CHECK(whole->size() == 400'001);
    CHECK(asked >= 5);
    CHECK(last <= 1);
    const auto ended = parse_json(text, "x", [](std::string_view, double) { return false; });
    REQUIRE_FALSE(ended);
    CHECK(ended.error().what == "cancelled");

    std::string object = "{";
    for (int k = 0; k < 50; ++k) object += "\"key" + std::to_string(k) + "\": 1, ";
    CHECK(parse_json(object + "\"other\": 1}", "x"));
    for (const char* key : {"key0", "key15", "key16", "key49"})
        CHECK_FALSE(parse_json(object + "\"" + key + "\": 1}", "x"));
}
