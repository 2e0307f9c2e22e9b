// "fem" of a scene document as plain values: what read_fem makes and build_fem uses.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "scene_file/file_name.h"
#include "yawara/fem.h"

namespace yawara::scene_file {

struct ElasticityFile {
    std::filesystem::path path;
    std::string where;
};
/// A volume model whose stiffness channel scales the material; see the schema.
struct FemVolumeDocument {
    std::string where;
    std::optional<FileName> file;
    std::string tree;              ///< the model's document, if there is no file
    std::filesystem::path folder;  ///< of the files it names
    double softest = 1, stiffest = 1;
};
struct FemMaterialDocument {
    FemPart part;
    std::optional<ElasticityFile> file;  ///< tensors that are still to be read
    std::optional<FemVolumeDocument> volume;
};
struct FemDocument {
    std::string where;
    int levels = 0;
    std::vector<FemMaterialDocument> materials;
    std::string law;
    Elements elements = Elements::linear;
    std::vector<FemMuscle> muscles;
    Coarsening coarsening = Coarsening::bounded;
    double fit_tolerance = 0.01;
    std::vector<ForcedFront> fronts;
    bool cache = true;
};

}  // namespace yawara::scene_file
