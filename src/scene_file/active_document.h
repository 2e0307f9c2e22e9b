// "active": muscles of a body as a document says them, before there is a solid to fill.
#pragma once

#include <string>
#include <variant>

#include "scene_file/file_name.h"
#include "yawara/active.h"

namespace yawara::scene_file {

struct ActiveFieldsDocument {
    std::string where;
    FieldsSpec spec;  ///< coordinates are those of the solid before "place"
};

struct ActiveDocument {
    std::string where;
    std::variant<ActiveFieldsDocument, FileName> fields;  ///< here, or in a file of their own
    ChartedLayer layer;
};

}  // namespace yawara::scene_file
