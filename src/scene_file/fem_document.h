// "fem" of a scene document as plain values: what read_fem makes and build_fem uses.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "scene_file/file_name.h"
#include "scene_file/selection.h"
#include "yawara/fem.h"

namespace yawara::scene_file {

struct FibreDocument {
    Fibres fibres;
    std::filesystem::path directions;         ///< per vertex; empty: see strokes
    std::vector<std::vector<Vec3d>> strokes;  ///< lines to follow; none: one direction for all
    std::string where;
};
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
    std::string where;
    Selection select;
    std::vector<std::int32_t> regions;  ///< empty: all
    std::variant<Elasticity, FibreDocument, ElasticityFile> elasticity;
    std::filesystem::path factor;  ///< per vertex; empty: 1
    std::optional<FemVolumeDocument> volume;
    double viscous_time = 0;  ///< s: viscosity is this times the elasticity
    std::optional<Elasticity> viscosity;
    double density = 0;  ///< 0: that of the body
    Plasticity plasticity;
};
struct FemDocument {
    std::string where;
    int levels = 0;
    std::vector<FemMaterialDocument> materials;
    Coarsening coarsening = Coarsening::bounded;
    double fit_tolerance = 0.01;
    std::vector<ForcedFront> fronts;
    bool cache = true;
};

}  // namespace yawara::scene_file
