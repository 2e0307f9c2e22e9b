// Walks over documents and the schema together. A part of the schema without "x-acts" inside is looked at as a whole.
#include "scene_file/acts.h"

#include <algorithm>
#include <map>
#include <optional>

#include "scene_file/identity.h"
#include "scene_file/schema_check.h"

namespace yawara::scene_file {
namespace {

Acts acts_of(const Json& property, Acts inherited)
{
    if (!property.contains("x-acts")) return inherited;
    const std::string& word = property["x-acts"].get_ref<const std::string&>();
    return word == "view" ? Acts::view : word == "live" ? Acts::live : word == "start" ? Acts::start : Acts::model;
}

/// Whether keys somewhere inside a part of the schema say what they act on.
bool is_mixed(const Json& schema, const Json& part, std::map<const Json*, bool>& known)
{
    const Json& target = resolved(schema, part);
    if (const auto found = known.find(&target); found != known.end()) return found->second;
    known[&target] = false;  // while it is looked at: parts may hold themselves
    bool mixed = false;
    if (target.contains("properties"))
        for (const Json& property : target["properties"]) {
            const bool inside = is_mixed(schema, property, known);
            mixed = mixed || inside || property.contains("x-acts");
        }
    if (target.contains("items") && is_mixed(schema, target["items"], known)) mixed = true;
    return known[&target] = mixed;
}

/// The scene schema with what is asked again and again about it.
struct Parts {
    Json schema = Json::parse(scene_schema());
    std::map<const Json*, bool> mixed;

    Parts() { is_mixed(schema, schema, mixed); }
    bool has_acts(const Json& part) const
    {
        const auto found = mixed.find(&resolved(schema, part));
        return found != mixed.end() && found->second;
    }
};

const Parts& parts()
{
    static const Parts all;
    return all;
}

/// What of a value acts on models, or else the rest; none if nothing is left.
std::optional<Json> filtered(const Json& part, const Json& value, Acts acts, bool models)
{
    const Json& target = resolved(parts().schema, part);
    if (!parts().has_acts(part)) return (acts == Acts::model) == models ? std::optional(value) : std::nullopt;
    if (value.is_array()) {
        Json list = Json::array();
        for (const Json& item : value)
            list.push_back(filtered(target["items"], item, acts, models).value_or(Json::object()));
        return list;
    }
    if (!value.is_object()) return value;
    Json object = Json::object();
    for (const auto& [key, member] : value.items()) {
        if (!target["properties"].contains(key)) {
            if (!models) object[key] = member;  // a mistake, to be found by the check
            continue;
        }
        const Json& property = target["properties"][key];
        if (auto kept = filtered(property, member, acts_of(property, acts), models)) object[key] = *std::move(kept);
    }
    if (models && object.empty()) return std::nullopt;
    return object;
}

const Json& body_schema()
{
    return parts().schema["$defs"]["body"];
}

/// Entries that have identities are the same ones in the same order.
bool same_entries(const Json& before, const Json& after)
{
    if (before.size() != after.size()) return false;
    for (std::size_t k = 0; k < after.size(); ++k)
        if (identity_of(before[k], k) != identity_of(after[k], k)) return false;
    return true;
}

class Comparison {
public:
    std::vector<Difference> found;

    void compare(const Json& part, const Json& before, const Json& after, const std::string& pointer, Acts acts)
    {
        if (before == after) return;
        const Json& target = resolved(parts().schema, part);
        const bool inside = parts().has_acts(part);
        if (inside && before.is_object() && after.is_object())
            return compare_keys(target, before, after, pointer, acts);
        if (inside && before.is_array() && after.is_array() && same_entries(before, after)) {
            for (std::size_t k = 0; k < after.size(); ++k)
                compare(target["items"], before[k], after[k], pointer + "/" + std::to_string(k), acts);
            return;
        }
        found.push_back({pointer.empty() ? "/" : pointer, acts});
    }

private:
    void compare_keys(const Json& target, const Json& before, const Json& after, const std::string& pointer, Acts acts)
    {
        const Json& properties = target["properties"];
        for (const auto& [key, property] : properties.items()) {
            const Json *old = member(before, key, property), *now = member(after, key, property);
            const std::string below = pointer + "/" + key;
            const Acts own = acts_of(property, acts);
            if (old && now)
                compare(property, *old, *now, below, own);
            else if (old || now)
                found.push_back({below, own});
        }
        for (const auto& [key, value] : after.items())
            if (!properties.contains(key)) found.push_back({pointer + "/" + key, Acts::model});  // refused when built
    }

    static const Json* member(const Json& object, const std::string& key, const Json& property)
    {
        if (object.contains(key)) return &object[key];
        return property.contains("default") ? &property["default"] : nullptr;
    }
};

/// Whether a matching body has a Young's modulus, its own or the default, see read_body.
bool has_modulus(const Json& body)
{
    const Json matching = body.value("matching", Json::object());
    const auto says = [&](const char* key) { return matching.contains(key); };
    return says("young") || !(says("alpha") || says("passes") || matching.value("accelerate", false));
}

/// A lattice whose modulus comes or goes spreads its masses otherwise.
void take_account_of_masses(const Json& before, const Json& after, std::vector<Difference>& found)
{
    for (Difference& difference : found) {
        Json::json_pointer body(difference.pointer);
        while (!body.empty() && body.back() != "matching") body.pop_back();
        if (body.empty() || difference.acts == Acts::model) continue;
        body.pop_back();
        const Json::json_pointer solid = body / "solid";
        const bool may_be_lattice = after.contains(solid / "lattice") || after.contains(solid / "volume");
        const bool masses_given = after.contains(body / "masses");
        if (may_be_lattice && !masses_given && has_modulus(before[body]) != has_modulus(after[body]))
            difference.acts = Acts::model;
    }
}

Json without_models(const Json& schema)
{
    Json live = schema;
    const auto filter = [&](const Json& from, Json& to) {
        if (!from.contains("properties")) return;
        bool all = true;
        for (const auto& [key, property] : from["properties"].items()) {
            if (acts_of(property, Acts::live) != Acts::model || parts().has_acts(property)) continue;
            to["properties"].erase(key);
            all = false;
        }
        if (all) return;
        for (const char* rule : {"not", "oneOf", "anyOf"}) to.erase(rule);  // about keys that may be gone
        Json required = Json::array();
        for (const Json& key : from.value("required", Json::array()))
            if (to["properties"].contains(key.get_ref<const std::string&>())) required.push_back(key);
        to["required"] = std::move(required);
    };
    for (const auto& [name, part] : schema["$defs"].items()) filter(part, live["$defs"][name]);
    return live;
}

}  // namespace

const Json& parsed_scene_schema()
{
    return parts().schema;
}

Json model_part(const Json& body)
{
    return filtered(body_schema(), body, Acts::model, true).value_or(Json::object());
}

Json live_part(const Json& body)
{
    return filtered(body_schema(), body, Acts::model, false).value_or(Json::object());
}

const Json& live_schema()
{
    static const Json live = without_models(parts().schema);
    return live;
}

std::vector<Difference> differences(const Json& before, const Json& after)
{
    Comparison comparison;
    comparison.compare(parts().schema, before, after, "", Acts::model);
    take_account_of_masses(before, after, comparison.found);
    return std::move(comparison.found);
}

}  // namespace yawara::scene_file
