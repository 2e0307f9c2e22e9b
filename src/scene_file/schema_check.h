// Checks a document against a JSON Schema (the part of draft 2020-12 that our schemas use) and says what is wrong
// where.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "scene_file/json.h"

namespace yawara::scene_file {

/// A text of `"format": "file"`.
struct FileReference {
    std::string where;
    std::string name;
};

struct SchemaFindings {
    std::vector<Error> errors;  ///< all of them, in the order of the document; at most kMostErrors
    std::vector<FileReference> files;
};
inline constexpr std::size_t kMostErrors = 200;

/// Adds to `document` what is missing and has a default, so that a reader finds everything in place.
/// Ends with the error "cancelled" if `progress`, asked now and then, says so.
SchemaFindings check_schema(const Json& schema, Json& document, const Progress& progress = {});

/// The same for a part of a schema and of a document; `path` is where the latter stands.
SchemaFindings check_schema(const Json& schema, const Json& part, Json& value, const std::string& path);

/// The keywords that are understood; a schema with others would say more than is checked.
std::span<const std::string_view> schema_keywords();

/// What a `"$ref"` of the schema points to, or the part itself.
const Json& resolved(const Json& schema, const Json& part);

}  // namespace yawara::scene_file
