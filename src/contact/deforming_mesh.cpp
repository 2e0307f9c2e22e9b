#include "contact/deforming_mesh.h"

#include <algorithm>

#include "contact/mesh_data.h"

namespace yawara {

namespace contact {

DeformingMesh::DeformingMesh(const MeshDistance& rest)
    : start_(std::make_shared<MeshDistance::Data>(*rest.data())),
      end_(std::make_shared<MeshDistance::Data>(*rest.data()))
{
    start_->let_deform();
    end_->let_deform();
}

void DeformingMesh::advance(std::span<const Vec3d> vertices)
{
    std::swap(start_, end_);
    end_->pose(vertices);
    end_->travel = 0;
    for (std::size_t v = 0; v < vertices.size(); ++v)
        end_->travel = std::max(end_->travel, length(vertices[v] - start_->mesh.vertices[v]));
    moves_ = end_->travel > 0;
}

void DeformingMesh::place(std::span<const Vec3d> vertices)
{
    end_->pose(vertices);
    moves_ = false;
}

std::span<const Vec3d> DeformingMesh::vertices() const
{
    return end_->mesh.vertices;
}

MeshDistance DeformingMesh::shape() const
{
    return {end_, moves_ ? start_ : nullptr};
}

}  // namespace contact
}  // namespace yawara
