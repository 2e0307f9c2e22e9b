// A place in scene documents, as people write it: bodies[0].matching.young, bodies[cube].velocity[1],
// bodies[*].density.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "scene_file/json.h"

namespace yawara::sweep {

class ScenePath {
public:
    static Result<ScenePath> parse(std::string_view text);

    /// Puts a value there. What the document leaves out on the way is taken from `whole`, the same document with all
    /// its defaults.
    Status set(scene_file::Json& document, const scene_file::Json& whole, const scene_file::Json& value) const;
    const std::string& text() const { return text_; }

private:
    struct Key {
        std::string name;
    };
    struct Entry {
        std::string which;  ///< a number, an identity, or * for all
    };
    using Step = std::variant<Key, Entry>;

    Status set_from(std::size_t step, scene_file::Json& here, const scene_file::Json* whole,
                    const scene_file::Json& value) const;

    std::string text_;
    std::vector<Step> steps_;
};

}  // namespace yawara::sweep
