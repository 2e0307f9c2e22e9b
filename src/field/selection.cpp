// A selection is evaluated to one flag per particle, so that any, all and not are plain logic.
#include "yawara/selection.h"

#include <limits>
#include <optional>

#include "core/words.h"
#include "yawara/mesh.h"

namespace yawara {
namespace {

/// Borders count as inside with this share of the body's size to spare, since 3 * 0.1 is not 0.3.
constexpr double kBorder = 1e-6;

using Flags = std::vector<std::uint8_t>;

class Evaluation {
public:
    explicit Evaluation(std::span<const Vec3d> rest)
        : rest_(rest), box_(bounds(rest)), border_(kBorder * box_.diagonal())
    {
    }

    std::optional<Error> problem;
    const Box3& box() const { return box_; }

    Flags of(const Selection& selection)
    {
        return std::visit([&](const auto& kind) { return flags(kind, selection.where); }, selection.kind);
    }

private:
    template <class Test>
    Flags where(const Test& test) const
    {
        Flags result(rest_.size());
        for (std::size_t i = 0; i < rest_.size(); ++i) result[i] = test(rest_[i]);
        return result;
    }

    Flags flags(const SelectEverything&, const std::string&) { return Flags(rest_.size(), 1); }
    Flags flags(const SelectVertices& select, const std::string& path)
    {
        Flags result(rest_.size());
        for (std::size_t k = 0; k < select.particles.size(); ++k) {
            const auto i = static_cast<std::size_t>(select.particles[k]);
            if (i < rest_.size()) {
                result[i] = 1;
            } else if (!problem) {
                problem = Error{path + ".vertices[" + std::to_string(k) + "]",
                                std::to_string(i) + " is not a particle of the body, which has 0 to " +
                                    std::to_string(rest_.size() - 1)};
            }
        }
        return result;
    }
    Flags flags(const SelectBox& select, const std::string&)
    {
        const Vec3d spare{border_, border_, border_};
        const Vec3d low = select.box.low - spare, high = select.box.high + spare;
        return where([&](Vec3d p) {
            return p.x >= low.x && p.y >= low.y && p.z >= low.z && p.x <= high.x && p.y <= high.y && p.z <= high.z;
        });
    }
    Flags flags(const Sphere& sphere, const std::string&)
    {
        return where([&](Vec3d p) { return length(p - sphere.center) <= sphere.radius + border_; });
    }
    Flags flags(const Plane& plane, const std::string&)
    {
        const Vec3d normal = normalized(plane.normal);
        return where([&](Vec3d p) { return dot(p - plane.point, normal) >= -border_; });
    }
    Flags flags(const SelectNearest& select, const std::string&)
    {
        Flags result(rest_.size());
        std::size_t nearest = 0;
        double best = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < rest_.size(); ++i) {
            const double distance = length(rest_[i] - select.point);
            if (distance < best) {
                best = distance;
                nearest = i;
            }
        }
        result[nearest] = 1;
        return result;
    }
    Flags flags(const SelectAnyOf& select, const std::string&)
    {
        Flags result(rest_.size());
        for (const Selection& part : select.parts) {
            const Flags more = of(part);
            for (std::size_t i = 0; i < result.size(); ++i) result[i] |= more[i];
        }
        return result;
    }
    Flags flags(const SelectAllOf& select, const std::string&)
    {
        Flags result(rest_.size(), 1);
        for (const Selection& part : select.parts) {
            const Flags more = of(part);
            for (std::size_t i = 0; i < result.size(); ++i) result[i] &= more[i];
        }
        return result;
    }
    Flags flags(const SelectNotIn& select, const std::string&)
    {
        Flags result = of(select.part.front());
        for (std::uint8_t& flag : result) flag = !flag;
        return result;
    }

    std::span<const Vec3d> rest_;
    Box3 box_;
    double border_;
};

}  // namespace

Result<std::vector<std::int32_t>> select_particles(const Selection& selection, std::span<const Vec3d> rest)
{
    Evaluation evaluation(rest);
    const Flags flags = evaluation.of(selection);
    if (evaluation.problem) return *evaluation.problem;
    std::vector<std::int32_t> particles;
    for (std::size_t i = 0; i < flags.size(); ++i) {
        if (flags[i]) particles.push_back(static_cast<std::int32_t>(i));
    }
    if (particles.empty()) {
        const auto [low, high] = evaluation.box();
        return Error{selection.where, "selects no particle; the body at rest, before \"place\", spans [" +
                                          short_text(low) + "] to [" + short_text(high) + "]"};
    }
    return particles;
}

}  // namespace yawara
