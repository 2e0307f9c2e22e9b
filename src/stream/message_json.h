// How the values in messages are read from JSON and written to it; messages.h, made from the schema, is built on this.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scene_file/json.h"
#include "yawara/math.h"

namespace yawara::stream::messages {

using scene_file::Json;
using Vector = Vec3;

// Messages are read after the schema has been checked: what is required is there, with the right type.

template <class T>
void read(const Json& json, T& value)
{
    json.get_to(value);
}
inline void read(const Json& json, Json& value)
{
    value = json;
}
inline void read(const Json& json, Vec3& value)
{
    value = {json.at(0).get<float>(), json.at(1).get<float>(), json.at(2).get<float>()};
}
template <class T>
void read(const Json& json, std::optional<T>& value)
{
    if (json.is_null())
        value.reset();
    else
        read(json, value.emplace());
}
template <class T>
void read(const Json& json, std::vector<T>& values)
{
    values.resize(json.size());
    for (std::size_t k = 0; k < values.size(); ++k) read(json[k], values[k]);
}

template <class T>
void write(Json& json, const T& value)
{
    json = value;
}
inline void write(Json& json, const Vec3& value)
{
    json = Json::array({value.x, value.y, value.z});
}
template <class T>
void write(Json& json, const std::optional<T>& value)
{
    if (value)
        write(json, *value);
    else
        json = nullptr;
}
template <class T>
void write(Json& json, const std::vector<T>& values)
{
    json = Json::array();
    for (const T& value : values) write(json.emplace_back(), value);
}

/// Of a key that has to be there.
template <class T>
void read_value(const Json& json, const char* key, T& value)
{
    read(json.at(key), value);
}
template <class T>
void write_value(Json& json, const char* key, const T& value)
{
    write(json[key], value);
}
/// Of a key that may be left out.
template <class T>
void read_possible(const Json& json, const char* key, std::optional<T>& value)
{
    if (json.contains(key)) read(json.at(key), value.emplace());
}
template <class T>
void write_possible(Json& json, const char* key, const std::optional<T>& value)
{
    if (value) write(json[key], *value);
}

}  // namespace yawara::stream::messages
