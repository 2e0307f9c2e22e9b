// A volume model inside a scene document.
#pragma once

#include <map>

#include "scene_file/json.h"
#include "yawara/cvg.h"
#include "yawara/scene_file.h"

namespace yawara::scene_file {

/// Shapes that were read from files and prepared, for trees that are read again and again.
class LeafFiles {
public:
    using Shape = decltype(cvg::Leaf::shape);
    /// Null: not there, or the file is another by now.
    const Shape* find(const std::filesystem::path& file, double voxel) const;
    void keep(const std::filesystem::path& file, double voxel, const Shape& shape);

private:
    static std::string key(const std::filesystem::path& file, double voxel);
    std::map<std::string, Shape> shapes_;
};

/// From a document that the schema has accepted; `where` is its path, file names are relative to `folder`.
Result<cvg::Tree> tree_from(const Json& document, const std::string& where, const std::filesystem::path& folder,
                            LeafFiles* files = nullptr);

}  // namespace yawara::scene_file
