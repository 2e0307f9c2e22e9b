// Streamlines of the directions of muscles: on the surface or a layer of a body, and on the cut. They are traced at
// rest and shown where the body is.
#include "yawara/streamlines.h"
#include "stream/queries/fields.h"

namespace yawara::stream {

namespace {

struct Traced {
    yawara::Section section;  ///< empty: the drawn surface
    std::vector<Int3> triangles;
    std::vector<Streamline> lines;
};

/// Lines as they are now, after those that are there.
struct Lines {
    std::vector<float> points, strengths;
    std::vector<std::uint32_t> starts;

    /// Without what the cut hides.
    void add(const Traced& traced, std::span<const Vec3> vertices, const std::optional<messages::Cut>& cut)
    {
        for (const Streamline& line : traced.lines) {
            bool begins = true;
            for (const StreamPoint& point : line) {
                const Int3& corners = traced.triangles[std::size_t(point.triangle)];
                Vec3 place;
                for (std::size_t k = 0; k < 3; ++k)
                    place += vertices[std::size_t(corners[k])] * float(point.weights[k]);
                const bool hidden = cut && dot(cut->normal, place - cut->point) > 0;
                if (!hidden) {
                    if (begins) starts.push_back(static_cast<std::uint32_t>(strengths.size()));
                    points.insert(points.end(), {place.x, place.y, place.z});
                    strengths.push_back(float(point.strength));
                }
                begins = hidden;
            }
        }
    }
};

Traced traced_on(yawara::Section section, FibreSurface ground, double spacing)
{
    std::vector<Streamline> lines = streamlines(ground.rest, ground.directions, spacing);
    return {std::move(section), std::move(ground.rest.triangles), std::move(lines)};
}

}  // namespace

Result<Answer> answer_streamlines(const Json& query, const Snapshot& snapshot, Mirror& mirror)
{
    const auto asked = query.get<messages::QueryStreamlines>();
    const auto found = body_named(asked.body, snapshot);
    if (!found) return found.error();
    const Snapshot::Body& body = **found;
    const BodyModel& model = body.model;
    const auto fields = sampled_frames(asked.depth, asked.direction, body, mirror);
    if (!fields) return fields.error();
    const double spacing = asked.spacing * bounds(model.rest_positions()).diagonal();

    const auto traced = mirror.kept().get<Traced>(
        key_of("lines", body, {&asked.depth, &asked.direction, &query.at("level"), &query.at("spacing")}),
        [&]() -> Result<Traced> {
            if (!asked.level) return traced_on({}, fibres_on_surface(model, **fields), spacing);
            yawara::Section section = iso_section(solid_of(model.domain()), (*fields)->depth, *asked.level);
            FibreSurface ground = fibres_on_section(model, **fields, section);
            return traced_on(std::move(section), std::move(ground), spacing);
        });
    if (!traced) return traced.error();

    Lines lines;
    if (asked.level) {
        lines.add(**traced, (*traced)->section.values<Vec3>(body.state.positions), asked.cut);
    } else {
        std::vector<Vec3> vertices(model.surface().vertices.size());
        model.embedding().apply(body.state.positions, vertices);
        lines.add(**traced, vertices, asked.cut);
    }
    if (asked.cut) {
        const Plane plane{asked.cut->point.as<double>(), asked.cut->normal.as<double>()};
        yawara::Section section = yawara::cut_tets(solid_of(model.domain()).tets, body.state.positions, plane);
        FibreSurface ground = fibres_on_section(model, **fields, section);
        const Traced on_cut = traced_on(std::move(section), std::move(ground), spacing);
        lines.add(on_cut, on_cut.section.values<Vec3>(body.state.positions), {});
    }
    return Answer(BinaryAnswer{{std::move(lines.points), std::move(lines.strengths), std::move(lines.starts)}});
}

}  // namespace yawara::stream
