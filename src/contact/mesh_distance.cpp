// Mesh obstacles: what is asked of them in a step, in whatever pose they are.
#include <limits>

#include "contact/mesh_data.h"

namespace yawara {

Result<MeshDistance> MeshDistance::build(const TriMesh& mesh, bool inside_out)
{
    Result<contact::ClosedSurface> surface = contact::close_surface(mesh);
    if (!surface) return surface.error();
    return MeshDistance(std::make_shared<const Data>(mesh, inside_out, std::move(*surface)), nullptr);
}

MeshDistance::Sample MeshDistance::at(Vec3 point) const
{
    const Data& data = *data_;
    if (!is_finite(point)) return {std::numeric_limits<float>::max(), {0, 1, 0}};  // nowhere, so clear of everything
    const Vec3d p = shift(point.as<double>());
    const float side = data.inside_out ? -1.0f : 1.0f;
    std::int32_t hint = -1;
    if (data.grid) {
        const Vec3d outside = data.grid->outside(p);
        if (outside == Vec3d{}) {
            const contact::DistanceGrid::Value rough = data.grid->at(p);
            if (side * rough.distance > 2 * data.grid->cell()) {
                return {static_cast<float>(side * rough.distance), normalized(rough.gradient).as<float>() * side};
            }
            hint = rough.triangle;
        } else if (!data.inside_out) {
            // The grid reaches beyond the mesh by its margin, so this is no more than the distance.
            const double distance = length(outside) + contact::DistanceGrid::kMargin * data.grid->cell();
            return {static_cast<float>(distance), normalized(outside).as<float>()};
        }
    } else if (!data.inside_out) {
        const Vec3d outside = p - min(max(p, data.box.low), data.box.high);
        const double distance = length(outside);
        if (distance > 2 * data.small) return {static_cast<float>(distance), (outside / distance).as<float>()};
    }
    const auto [distance, normal] = data.exact(p, hint);
    return {static_cast<float>(distance) * side, normal.as<float>() * side};
}

double MeshDistance::clearance(Vec3 point, double enough) const
{
    constexpr double kRough = 0.5;  // at() is never more than twice the distance
    const Data& data = *data_;
    if (!data.grid || !is_finite(point)) return kRough * double(at(point).distance);
    const contact::DistanceGrid& grid = *data.grid;
    const double side = data.inside_out ? -1 : 1;
    const Vec3d p = point.as<double>(), outside = grid.outside(p);
    std::int32_t hint = -1;
    double least = 0;
    if (outside == Vec3d{}) {
        const contact::DistanceGrid::Value rough = grid.at(p);
        least = grid.least(side * rough.distance);
        hint = rough.triangle;
    } else {
        least = side * (length(outside) + contact::DistanceGrid::kMargin * grid.cell());
    }
    return least > enough ? least : side * data.exact(p, hint).first;
}

std::optional<MeshDistance::Entry> MeshDistance::first_entry(Vec3d from, Vec3d to) const
{
    const Data& data = *data_;
    const Vec3d segment = to - from;
    from += shift(to) - to;
    std::optional<Entry> entry;
    data.tree.along(from, segment, [&](std::int32_t k, double& reach) {
        const std::int32_t t = data.skin[static_cast<std::size_t>(k)];
        const Vec3d a = data.surface.corner(t, 0), ab = data.surface.corner(t, 1) - a,
                    ac = data.surface.corner(t, 2) - a;
        const Vec3d normal = cross(ab, ac);
        const double slope = dot(segment, normal);
        if (std::abs(slope) <= 1e-12 * length(segment) * length(normal)) return;  // along the triangle, not through it
        const double share = dot(a - from, normal) / slope;
        if (!(share >= 0 && share <= reach)) return;
        // The hit in units of the edges; a little tolerance so that nothing slips through between two triangles.
        const Vec3d hit = from + segment * share - a;
        const double scale = 1 / dot(normal, normal);
        const double v = dot(cross(hit, ac), normal) * scale, w = dot(cross(ab, hit), normal) * scale;
        if (v < -1e-9 || w < -1e-9 || v + w > 1 + 1e-9) return;

        Vec3d outwards = data.normals.of_face(t);
        if (!data.sound && data.is_solid_beside(t, a + hit, 1)) outwards = -outwards;
        if (data.inside_out) outwards = -outwards;
        if (dot(segment, outwards) >= 0) return;  // comes out here
        reach = share;
        entry = Entry{share, outwards};
    });
    return entry;
}

Box3 MeshDistance::bounds() const
{
    constexpr double kEverywhere = std::numeric_limits<double>::max();
    const Vec3d corner{kEverywhere, kEverywhere, kEverywhere};
    if (data_->inside_out) return {-corner, corner};
    Box3 box = data_->box;
    if (deforms()) box = {min(box.low, start_->box.low), max(box.high, start_->box.high)};
    return box;
}

const TriMesh& MeshDistance::mesh() const
{
    return data_->mesh;
}

double MeshDistance::travel() const
{
    return deforms() ? data_->travel * (to_ - from_) : 0;
}

// The surface in the middle of a step is that at its end, moved back near a point by as much as the nearest piece of it
// has yet to go. What is farther from the box than it goes at all has nothing to do with it.

Vec3d MeshDistance::shift(Vec3d point) const
{
    if (!deforms() || to_ == 1) return point;
    return point - data_->difference(*start_, point, data_->travel) * (1 - to_);
}

Vec3d MeshDistance::carry(Vec3d at_start) const
{
    if (!deforms()) return at_start;
    Vec3d way = start_->difference(*data_, at_start, data_->travel);
    if (from_ > 0) way = start_->difference(*data_, at_start - way * from_, data_->travel);
    return at_start + way * (to_ - from_);
}

Vec3d MeshDistance::carry_back(Vec3d at_end) const
{
    if (!deforms()) return at_end;
    return at_end + data_->difference(*start_, shift(at_end), data_->travel) * (to_ - from_);
}

MeshDistance MeshDistance::part(double from, double to) const
{
    MeshDistance part = *this;
    part.from_ = from_ + from * (to_ - from_);
    part.to_ = from_ + to * (to_ - from_);
    return part;
}

}  // namespace yawara
