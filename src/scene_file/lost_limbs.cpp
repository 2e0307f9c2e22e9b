#include "scene_file/lost_limbs.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "yawara/surface.h"

namespace yawara::scene_file {
namespace {

/// A place of the surface is left out if no particle is within this many cells: beside a solid there always is one.
constexpr double kNear = 1.5;
/// Shares of the surface and of the volume that are worth a word.
constexpr double kWorthTelling = 0.005, kVolumeWorthTelling = 0.1;

std::vector<Vec3d> particles_of(const Domain& domain)
{
    if (const auto* mesh = std::get_if<TetMesh>(&domain)) return mesh->vertices;
    const Lattice& lattice = std::get<Lattice>(domain);
    std::vector<Vec3d> particles;
    for (std::size_t i = 0; i < lattice.nodes.size(); ++i) particles.push_back(lattice.position(int(i)));
    return particles;
}

int parts_of(const Domain& domain)
{
    if (const auto* mesh = std::get_if<TetMesh>(&domain)) return connected_parts(mesh->tets, mesh->vertices.size());
    const Lattice& lattice = std::get<Lattice>(domain);
    std::vector<Int4> links;  // chains through the corners of each cell
    for (const Int8& c : lattice.cells)
        for (const Int4& link :
             {Int4{c[0], c[1], c[2], c[3]}, Int4{c[3], c[4], c[5], c[6]}, Int4{c[6], c[7], c[7], c[7]}})
            links.push_back(link);
    return connected_parts(links, lattice.nodes.size());
}

double volume_of(const Domain& domain)
{
    if (const auto* mesh = std::get_if<TetMesh>(&domain)) return volume(*mesh);
    const Lattice& lattice = std::get<Lattice>(domain);
    return double(lattice.cells.size()) * std::pow(lattice.cell, 3);
}

/// Finds out whether a particle is near.
class Neighbourhood {
public:
    Neighbourhood(std::vector<Vec3d> particles, double reach) : particles_(std::move(particles)), reach_(reach)
    {
        for (std::size_t i = 0; i < particles_.size(); ++i) boxes_[box_of(particles_[i])].push_back(i);
    }
    bool has(Vec3d point) const
    {
        const Int3 middle = box_of(point);
        for (int k = 0; k < 27; ++k) {
            const auto found = boxes_.find({middle[0] + k % 3 - 1, middle[1] + k / 3 % 3 - 1, middle[2] + k / 9 - 1});
            if (found == boxes_.end()) continue;
            for (const std::size_t i : found->second)
                if (length(particles_[i] - point) <= reach_) return true;
        }
        return false;
    }

private:
    Int3 box_of(Vec3d p) const
    {
        return {int(std::floor(p.x / reach_)), int(std::floor(p.y / reach_)), int(std::floor(p.z / reach_))};
    }
    std::vector<Vec3d> particles_;
    double reach_;
    std::map<Int3, std::vector<std::size_t>> boxes_;
};

/// Share of the surface that is not near a particle, by corners and centres of its triangles.
double share_left_out(const Domain& domain, const TriMesh& surface, double cell)
{
    const Neighbourhood particles(particles_of(domain), kNear * cell);
    double area = 0, left_out = 0;
    for (const Int3& t : surface.triangles) {
        const auto corner = [&](std::size_t k) { return surface.vertices[std::size_t(t[k])]; };
        const double quarter = length(cross(corner(1) - corner(0), corner(2) - corner(0))) / 8;
        area += 4 * quarter;
        for (const Vec3d& p : {corner(0), corner(1), corner(2), (corner(0) + corner(1) + corner(2)) / 3.0})
            if (!particles.has(p)) left_out += quarter;
    }
    return area > 0 ? left_out / area : 0;
}

}  // namespace

std::vector<std::string> lost_limbs(const Domain& domain, const TriMesh& surface, double cell)
{
    std::vector<std::string> warnings;
    const Result<Surface> checked = check_surface(surface);
    if (!checked) return warnings;
    if (const double share = share_left_out(domain, surface, cell); share > kWorthTelling)
        warnings.push_back(
            fmt::format("{:.2g} % of the surface is more than {:g} cells from the solid: what is thinner than its "
                        "cells of {:g} m is lost; use smaller ones",
                        100 * share, kNear, cell));
    if (const int parts = parts_of(domain); parts > checked->parts)
        warnings.push_back(
            fmt::format("a shape in {} {} fell into {} parts where it is thinner than a cell; use smaller ones",
                        checked->parts, checked->parts == 1 ? "piece" : "pieces", parts));
    const double wanted = std::abs(signed_volume(surface)), found = volume_of(domain);
    if (checked->watertight && found < (1 - kVolumeWorthTelling) * wanted)
        warnings.push_back(
            fmt::format("the solid has {:.0f} % of the volume that its surface encloses", 100 * found / wanted));
    return warnings;
}

}  // namespace yawara::scene_file
