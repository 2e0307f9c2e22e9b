// Checks by the schema of the one message type that a text names.
#include "stream/protocol.h"

#include <map>

#include "scene_file/schema_check.h"
#include "yawara/spelling.h"

namespace yawara::stream {

namespace {

const Json& schema()
{
    static const Json parsed = Json::parse(protocol_schema());
    return parsed;
}

std::vector<std::string> types(const std::string& prefix)
{
    std::vector<std::string> names;
    for (const auto& [name, unused] : schema().at("$defs").items())
        if (name.starts_with(prefix)) names.push_back(name.substr(prefix.size()));
    return names;
}

/// Every definition as a schema of its own: made once, since a page may send a thousand messages a second.
const std::map<std::string, Json>& definitions()
{
    static const std::map<std::string, Json> all = [] {
        std::map<std::string, Json> made;
        const Json& every = schema().at("$defs");
        Json shared = Json::object();  // what messages refer to
        for (const auto& [name, definition] : every.items())
            if (!name.starts_with("client_") && !name.starts_with("server_")) shared[name] = definition;
        for (const auto& [name, definition] : every.items()) {
            Json one = definition;
            one["$defs"] = shared;
            made.emplace(name, std::move(one));
        }
        return made;
    }();
    return all;
}

Error mistake_in(const std::string& definition, Json& value)
{
    const auto found = scene_file::check_schema(definitions().at(definition), value);
    return found.errors.empty() ? Error{} : found.errors.front();
}

/// The first thing that is wrong with a message of one direction, or an error without words.
Error first_mistake(const std::string& prefix, Json& message)
{
    if (!message.is_object() || !message.contains("type") || !message["type"].is_string())
        return {"type", "a message is an object with a \"type\""};
    const auto& type = message["type"].get_ref<const std::string&>();
    if (!schema().at("$defs").contains(prefix + type))
        return {"type", "there is no message " + scene_file::brief(message["type"]) +
                            did_you_mean(type.substr(0, 40), types(prefix))};
    return mistake_in(prefix + type, message);
}

}  // namespace

ReadMessage read_client_message(std::string_view text)
{
    ReadMessage read;
    auto parsed = scene_file::parse_json(text, "message");
    if (!parsed) {
        read.where = parsed.error().where;
        read.what = parsed.error().what;
        return read;
    }
    read.message = *std::move(parsed);
    const Error mistake = first_mistake("client_", read.message);
    if (read.message.is_object() && read.message.contains("type") && read.message["type"].is_string())
        read.about = read.message["type"].get<std::string>().substr(0, 40);
    read.where = mistake.where;
    read.what = mistake.what;
    return read;
}

Status check_query(const std::string& about, const Json& query)
{
    if (!schema().at("$defs").contains("query_" + about))
        return Error{"about",
                     "there is no question " + scene_file::brief(about) + did_you_mean(about, types("query_"))};
    Json copy = query;
    const Error mistake = mistake_in("query_" + about, copy);
    if (mistake.what.empty()) return Done{};
    return mistake;
}

Status check_server_message(const Json& message)
{
    Json copy = message;
    const Error mistake = first_mistake("server_", copy);
    if (mistake.what.empty()) return Done{};
    return mistake;
}

Vec3 vector_of(const Json& list)
{
    return {list.at(0).get<float>(), list.at(1).get<float>(), list.at(2).get<float>()};
}

Json to_json(Vec3 v)
{
    return Json::array({v.x, v.y, v.z});
}

}  // namespace yawara::stream
