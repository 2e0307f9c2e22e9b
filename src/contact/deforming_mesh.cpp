#include "contact/deforming_mesh.h"

#include <algorithm>
#include <cmath>

#include "contact/mesh_data.h"

namespace yawara {

void MeshAnimation::at(double time, std::span<Vec3d> vertices) const
{
    const auto count = double(frames.size());
    double frame = (time - start) * rate;
    if (repeat && count > 1) frame -= std::floor(frame / count) * count;  // from the last frame on to the first
    frame = std::clamp(frame, 0.0, repeat ? count : count - 1);
    const std::size_t first = std::min(std::size_t(frame), frames.size() - 1);
    const std::size_t second = first + 1 < frames.size() ? first + 1 : repeat ? 0 : first;
    const double share = frame - double(first);
    for (std::size_t v = 0; v < vertices.size(); ++v) {
        const Vec3d a = frames[first][v].as<double>(), b = frames[second][v].as<double>();
        vertices[v] = a + (b - a) * share;
    }
}

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
