// The validator against hand-written schemas: what passes, what does not, and what is said.
#include <doctest/doctest.h>

#include <algorithm>

#include "scene_file/schema_check.h"
#include "yawara/spelling.h"

using namespace yawara;
using namespace yawara::scene_file;

namespace {

/// All messages, one a line.
std::string errors_of(const char* schema, const char* document)
{
    Json value = Json::parse(document);
    std::string text;
    for (const Error& error : check_schema(Json::parse(schema), value).errors) {
        if (!text.empty()) text += '\n';
        text += error.message();
    }
    return text;
}

}  // namespace

TEST_CASE("types are told apart, and 2.0 is a whole number")
{
    CHECK(errors_of(R"({"type": "integer"})", "2.0") == "");
    CHECK(errors_of(R"({"type": "integer"})", "2.5") == "expected a whole number, found the number 2.5");
    CHECK(errors_of(R"({"type": "number"})", "3") == "");
    CHECK(errors_of(R"({"type": "number"})", "\"3\"") == "expected a number, found the text \"3\"");
    CHECK(errors_of(R"({"type": "boolean"})", "0") == "expected true or false, found the number 0");
    CHECK(errors_of(R"({"type": "object"})", "[]") == "expected an object, found a list of 0");
    CHECK(errors_of(R"({"type": "null"})", "null") == "");
}

TEST_CASE("numbers outside their range are shown with it")
{
    const char* alpha = R"({"exclusiveMinimum": 0, "maximum": 1})";
    CHECK(errors_of(alpha, "1") == "");
    CHECK(errors_of(alpha, "1e-9") == "");
    CHECK(errors_of(alpha, "0") == "0 is outside (0, 1]");
    CHECK(errors_of(alpha, "1.7") == "1.7 is outside (0, 1]");
    CHECK(errors_of(R"({"minimum": 0, "exclusiveMaximum": 2})", "2") == "2 is outside [0, 2)");
    CHECK(errors_of(R"({"minimum": 0})", "-1") == "-1 has to be at least 0");
    CHECK(errors_of(R"({"exclusiveMinimum": 0})", "0") == "0 has to be more than 0");
    CHECK(errors_of(R"({"maximum": 3})", "4") == "4 has to be at most 3");
    CHECK(errors_of(R"({"exclusiveMaximum": 3})", "3") == "3 has to be less than 3");
    CHECK(errors_of(R"({"minimum": 1.0000001, "maximum": 2})", "1") == "1 is outside [1.0000001, 2]");
}

TEST_CASE("texts have a length, a pattern and choices")
{
    CHECK(errors_of(R"({"minLength": 1})", "\"\"") == "the text is empty or too short");
    CHECK(errors_of(R"({"maxLength": 2})", "\"éé\"") == "");
    CHECK(errors_of(R"({"maxLength": 2})", "\"abc\"") == "a text of 3 characters; at most 2 are allowed");
    CHECK(errors_of(R"({"title": "a digit", "pattern": "^[0-9]$"})", "\"x\"") == "expected a digit, found \"x\"");
    CHECK(errors_of(R"({"enum": ["lumped", "uniform"]})", "\"lumpd\"") ==
          "expected \"lumped\" or \"uniform\", found \"lumpd\", did you mean \"lumped\"?");
    CHECK(errors_of(R"({"const": 1})", "2") == "expected 1, found 2");
    CHECK(errors_of(R"({"const": 1})", "1.0") == "");
}

TEST_CASE("a pattern is not tried on a text long enough to exhaust the stack")
{
    Json value = std::string(1000000, 'a');
    CHECK(check_schema(Json::parse(R"({"pattern": "^(a|b)+$"})"), value).errors.size() == 1);
}

TEST_CASE("lists have a length and checked items, the first ones by place")
{
    const char* vector = R"({"type": "array", "minItems": 3, "maxItems": 3, "items": {"type": "number"}})";
    CHECK(errors_of(vector, "[1, 2, 3]") == "");
    CHECK(errors_of(vector, "[1, 2]") == "expected 3 values, found 2");
    CHECK(errors_of(vector, "[1, true, \"z\"]") ==
          "[1]: expected a number, found true\n[2]: expected a number, found the text \"z\"");
    CHECK(errors_of(R"({"maxItems": 0})", "[1]") == "expected an empty list, found 1");
    CHECK(errors_of(R"({"minItems": 2})", "[1]") == "expected at least 2, found 1");
    const char* pair = R"({"prefixItems": [{"type": "string"}, {"type": "number"}], "items": {"type": "boolean"}})";
    CHECK(errors_of(pair, R"(["a", 1, true])") == "");
    CHECK(errors_of(pair, R"([1, 1, 0])") ==
          "[0]: expected a text, found the number 1\n[2]: expected true or false, found the number 0");
}

TEST_CASE("unknown keys get a suggestion, missing keys a name, and all errors are collected")
{
    const char* schema = R"({"type": "object", "required": ["name", "solid"], "additionalProperties": false,
        "properties": {"name": {"type": "string"}, "solid": {}, "alpha": {"maximum": 1}}})";
    CHECK(errors_of(schema, R"({"alfa": 1, "alpha": 2, "name": 3, "zebra": 0})") ==
          "alfa: unknown key, did you mean \"alpha\"?\n"
          "alpha: 2 has to be at most 1\n"
          "name: expected a text, found the number 3\n"
          "zebra: unknown key\n"
          "the key \"solid\" is missing");
}

TEST_CASE("of several kinds of object the one whose key is there is checked")
{
    const char* schema = R"({"oneOf": [{"$ref": "#/$defs/bar"}, {"$ref": "#/$defs/ball"}],
        "$defs": {
          "bar": {"type": "object", "required": ["bar"], "additionalProperties": false,
                  "properties": {"bar": {"type": "number"}}},
          "ball": {"type": "object", "required": ["ball", "radius"], "additionalProperties": false,
                   "properties": {"ball": {"type": "string"}, "radius": {"type": "number"}}}}})";
    CHECK(errors_of(schema, R"({"bar": 1})") == "");
    CHECK(errors_of(schema, R"({"bar": true})") == "bar: expected a number, found true");
    CHECK(errors_of(schema, R"({"bar": 1, "radius": 1})") == "radius: unknown key");
    CHECK(errors_of(schema, R"({"ball": "x"})") == "the key \"radius\" is missing");
    CHECK(errors_of(schema, R"({"bar": 1, "ball": "x"})") ==
          "has 2 keys where one is expected: give \"bar\" or \"ball\"");
    CHECK(errors_of(schema, R"({"balls": 1})") == "balls: unknown key, did you mean \"ball\"?");
    CHECK(errors_of(schema, R"({})") == "expected one of the keys \"bar\" or \"ball\", found none");
    CHECK(errors_of(schema, R"({"what": 1})") == "expected one of the keys \"bar\" or \"ball\", found \"what\"");
    CHECK(errors_of(schema, "3") == "expected an object with \"bar\" or an object with \"ball\", found the number 3");
}

TEST_CASE("exactly one, or at least one, of some keys")
{
    const char* one = R"({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]})";
    CHECK(errors_of(one, R"({"a": 1, "c": 2})") == "");
    CHECK(errors_of(one, R"({"c": 2})") == "expected one of the keys \"a\" or \"b\", found \"c\"");
    CHECK(errors_of(one, R"({"a": 1, "b": 2})") == "has 2 keys where one is expected: give \"a\" or \"b\"");
    const char* any = R"({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]})";
    CHECK(errors_of(any, R"({"a": 1, "b": 2})") == "");
    CHECK(errors_of(any, R"({})") == "expected one of the keys \"a\" or \"b\", found none");
    const char* not_both = R"({"not": {"anyOf": [{"required": ["a", "b"]}, {"required": ["c", "d"]}]}})";
    CHECK(errors_of(not_both, R"({"a": 1, "c": 1})") == "");
    CHECK(errors_of(not_both, R"({"c": 1, "d": 1})") == "give \"c\" or \"d\", not more than one of them");
    CHECK(errors_of(R"({"not": {"const": [0, 0]}})", "[0, 0.0]") == "must not be [0,0.0]");
}

TEST_CASE("of several kinds of value the fitting kind is checked, else all are named")
{
    const char* schema = R"({"anyOf": [{"enum": ["lumped", "uniform"]},
        {"title": "the name of a .npy file", "type": "string", "pattern": "\\.npy$", "format": "file"},
        {"title": "a list of masses", "type": "array", "items": {"exclusiveMinimum": 0}}]})";
    CHECK(errors_of(schema, "\"uniform\"") == "");
    CHECK(errors_of(schema, "\"m.npy\"") == "");
    CHECK(errors_of(schema, "[1, 0]") == "[1]: 0 has to be more than 0");
    CHECK(errors_of(schema, "\"lumpd\"") ==
          "expected \"lumped\" or \"uniform\", the name of a .npy file or a list of masses, found the text \"lumpd\", "
          "did "
          "you mean \"lumped\"?");
    CHECK(errors_of(schema, "true") ==
          "expected \"lumped\" or \"uniform\", the name of a .npy file or a list of masses, found true");
}

TEST_CASE("defaults are filled in at every depth and files are collected")
{
    const Json schema = Json::parse(R"({"type": "object", "properties": {
        "a": {"default": 1}, "b": {"$ref": "#/$defs/b", "default": {}}, "list": {"items": {"$ref": "#/$defs/b"}}},
        "$defs": {"b": {"type": "object", "properties": {"c": {"default": [1, 2]}, "file": {"type": "string", "format": "file"}}}}})");
    Json value = Json::parse(R"({"list": [{}, {"c": 0, "file": "x.obj"}]})");
    const SchemaFindings found = check_schema(schema, value);
    CHECK(found.errors.empty());
    CHECK(value == Json::parse(R"({"list": [{"c": [1, 2]}, {"c": 0, "file": "x.obj"}], "a": 1, "b": {"c": [1, 2]}})"));
    REQUIRE(found.files.size() == 1);
    CHECK(found.files[0].where == "list[1].file");
    CHECK(found.files[0].name == "x.obj");
}

TEST_CASE("a flood of errors ends with a word about the rest")
{
    Json value = Json::array();
    for (int i = 0; i < 100000; ++i) value.push_back("x");
    const SchemaFindings found = check_schema(Json::parse(R"({"items": {"type": "number"}})"), value);
    CHECK(found.errors.size() == kMostErrors);
    CHECK(found.errors.back().what == "and more errors that are not listed");
}

TEST_CASE("slips of the keyboard are understood, other words are not")
{
    const std::vector<std::string> words{"alpha", "passes", "hops", "damping", "region_damping", "drag", "align"};
    CHECK(closest_word("alhpa", words) == "alpha");
    CHECK(closest_word("Alpha", words) == "alpha");
    CHECK(closest_word("dampin", words) == "damping");
    CHECK(closest_word("hop", words) == "hops");
    CHECK(closest_word("friction", words) == "");
    CHECK(closest_word("", words) == "");
    CHECK(closest_word("x", words) == "");
    CHECK(closest_word(std::string(100000, 'a'), words) == "");
}
