// The directions of fibres carried from the particles to surfaces: to what is drawn, and to sections of the solid.
#include "yawara/quantities.h"
#include "yawara/streamlines.h"

namespace yawara {
namespace {

constexpr double LineTensor::*kParts[] = {&LineTensor::xx, &LineTensor::yy, &LineTensor::zz,
                                          &LineTensor::yz, &LineTensor::xz, &LineTensor::xy};

std::vector<LineTensor> particle_directions(const ActiveFields& fields)
{
    std::vector<LineTensor> out;
    for (std::size_t i = 0; i < fields.frames.size(); ++i)
        out.push_back(line_tensor(fields.frames[i].c0, fields.stroke_confidence[i]));
    return out;
}

}  // namespace

FibreSurface fibres_on_surface(const BodyModel& model, const ActiveFields& fields)
{
    const std::vector<LineTensor> particles = particle_directions(fields);
    FibreSurface surface{model.surface(), std::vector<LineTensor>(model.surface().vertices.size())};
    std::vector<float> part(particles.size()), carried(surface.rest.vertices.size());
    for (const auto member : kParts) {
        for (std::size_t i = 0; i < particles.size(); ++i) part[i] = float(particles[i].*member);
        carry_to_surface(model.embedding(), part, carried);
        for (std::size_t v = 0; v < carried.size(); ++v) surface.directions[v].*member = carried[v];
    }
    return surface;
}

FibreSurface fibres_on_section(const BodyModel& model, const ActiveFields& fields, const Section& section)
{
    const std::vector<LineTensor> particles = particle_directions(fields);
    FibreSurface surface{{section.values<Vec3d>(model.rest_positions()), section.triangles, {}, {}}, {}};
    for (const Section::Vertex& v : section.vertices) {
        LineTensor mixed;
        for (const auto member : kParts) {
            const double a = particles[std::size_t(v.a)].*member, b = particles[std::size_t(v.b)].*member;
            mixed.*member = a + (b - a) * double(v.share);
        }
        surface.directions.push_back(mixed);
    }
    return surface;
}

}  // namespace yawara
