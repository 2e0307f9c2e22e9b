// Numbers per particle worth seeing, by name: recorded with a run, drawn as colours, shown in the studio.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yawara/scene.h"

namespace yawara {

/// Largest deviation of a principal stretch of the deformation gradient F from 1, with its sign.
double principal_stretch(const Mat3d& F);

/// Measures stretch against a rest shape: at every particle the principal stretch farthest from 1, minus 1, as the
/// mean over the tets around it by volume. Negative: pressed; positive: pulled.
class StretchGauge {
public:
    explicit StretchGauge(const TetMesh& rest);
    void measure(std::span<const Vec3> positions, std::span<float> out) const;
    /// Along a direction of the rest shape at every particle instead, minus 1.
    void measure_along(std::span<const Vec3> directions, std::span<const Vec3> positions, std::span<float> out) const;

private:
    std::vector<Int4> tets_;
    std::vector<Mat3> inverse_edges_;  ///< per tet: of the matrix of rest edges from vertex 0
    std::vector<float> shares_;        ///< per tet: its volume
    std::vector<float> totals_;        ///< per particle: volume of its tets, or 1
};

struct Quantity {
    std::string name;        ///< as in scene files and on the command line
    std::string label;       ///< with its unit: what a legend says
    bool is_signed = false;  ///< zero is the middle of its colours
    std::string about;       ///< a sentence for people
    bool counts = false;     ///< whole numbers only
};

/// All that runs can record. Any of them can be measured on any body: zeros where it says nothing about it.
std::span<const Quantity> common_quantities();
/// Values of the particles on the drawn surface: none beyond the least and the largest of them.
void carry_to_surface(const Embedding& embedding, std::span<const float> particles, std::span<float> surface);
/// If nothing is known of it, its label is the name.
Quantity quantity_named(std::string_view name);

/// Measures the quantities of the bodies of a scene. A new quantity is one entry in src/sim/quantities.cpp.
class QuantityGauge {
public:
    /// Displacement is measured from where the bodies are now, of bodies added later from where they are first asked.
    explicit QuantityGauge(const Scene& scene);
    ~QuantityGauge();
    QuantityGauge(QuantityGauge&&) noexcept;
    QuantityGauge& operator=(QuantityGauge&&) noexcept;

    /// Those that say something about a body.
    std::span<const Quantity> quantities(const Scene& scene, BodyId body);
    /// One value per particle; false, and nothing written, for an unknown name. `scene`: the same, at any time.
    bool measure(std::string_view name, Scene& scene, BodyId body, std::span<float> out);

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace yawara
