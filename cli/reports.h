// Meshes and meshing in words and in JSON, for inspect, mesh and convert.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "yawara/firmness.h"
#include "yawara/scene.h"
#include "yawara/solid.h"

#include "terminal.h"

namespace yawara::cli {

/// "0.2 x 0.4 x 0.2 m"
std::string size_in_words(Vec3d size);
nlohmann::ordered_json to_json(Vec3d v);

nlohmann::ordered_json to_json(const SolidReport& report);
/// What was found in the surface and what came of it, a line each; warnings are not among them.
std::vector<std::string> in_words(const SolidReport& report);

/// With the settings, step and gravity of a scene.
Firmness firmness_of(Scene& scene, BodyId body);
nlohmann::ordered_json to_json(const Firmness& firmness);
std::string in_words(const Firmness& firmness);

nlohmann::ordered_json facts_of(const TetMesh& mesh);
nlohmann::ordered_json facts_of(const TriMesh& mesh);
/// A line for each fact: "vertices: 1,225".
void say_facts(const Terminal& terminal, const nlohmann::ordered_json& facts);

}  // namespace yawara::cli
