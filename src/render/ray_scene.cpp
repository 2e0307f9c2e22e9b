// Embree: one triangle geometry per surface, rays traced in streams.
#include "render/ray_scene.h"

#include <embree3/rtcore.h>
#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <cassert>
#include <limits>

namespace yawara::drawing {

struct RayScene::Data {
    RTCDevice device = nullptr;
    RTCScene scene = nullptr;
    ~Data()
    {
        if (scene) rtcReleaseScene(scene);
        if (device) rtcReleaseDevice(device);
    }
};

namespace {

RTCRay to_embree(const Ray& ray)
{
    RTCRay result;
    result.org_x = ray.origin.x;
    result.org_y = ray.origin.y;
    result.org_z = ray.origin.z;
    result.tnear = ray.near;
    result.dir_x = ray.direction.x;
    result.dir_y = ray.direction.y;
    result.dir_z = ray.direction.z;
    result.time = ray.time;
    result.tfar = ray.far;
    result.mask = ~0u;
    result.id = 0;
    result.flags = 0;
    return result;
}

RTCIntersectContext make_context(bool coherent)
{
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = coherent ? RTC_INTERSECT_CONTEXT_FLAG_COHERENT : RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
    return context;
}

}  // namespace

Result<RayScene> RayScene::build(std::span<const Surface> surfaces, bool opaque_only)
{
    auto data = std::make_shared<Data>();
    data->device = rtcNewDevice(nullptr);
    if (!data->device)
        return Error{"render",
                     fmt::format("Embree does not start (error {})", static_cast<int>(rtcGetDeviceError(nullptr)))};
    data->scene = rtcNewScene(data->device);
    rtcSetSceneFlags(data->scene, RTC_SCENE_FLAG_ROBUST);
    for (std::size_t i = 0; i < surfaces.size(); ++i) {
        const Surface& surface = surfaces[i];
        if (surface.triangles.empty() || (opaque_only && surface.is_clear())) continue;
        RTCGeometry geometry = rtcNewGeometry(data->device, RTC_GEOMETRY_TYPE_TRIANGLE);
        rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, surface.positions.data(), 0,
                                   sizeof(Vec3), surface.positions.size() - 1);
        if (surface.moves()) {
            rtcSetGeometryTimeStepCount(geometry, 2);
            rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 1, RTC_FORMAT_FLOAT3, surface.later.data(), 0,
                                       sizeof(Vec3), surface.later.size() - 1);
        }
        rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, surface.triangles.data(), 0,
                                   sizeof(Int3), surface.triangles.size());
        rtcCommitGeometry(geometry);
        rtcAttachGeometryByID(data->scene, geometry, static_cast<unsigned>(i));
        rtcReleaseGeometry(geometry);
    }
    // One thread: the order of triangles in the tree, which decides between equally near ones, must not vary.
    tbb::task_arena(1).execute([&] { rtcCommitScene(data->scene); });
    if (const RTCError error = rtcGetDeviceError(data->device); error != RTC_ERROR_NONE)
        return Error{"render", fmt::format("Embree cannot build the scene (error {})", static_cast<int>(error))};
    RayScene result;
    result.data_ = std::move(data);
    return result;
}

void RayScene::nearest(std::span<const Ray> rays, std::span<Hit> hits, bool coherent) const
{
    assert(rays.size() <= kBatch && rays.size() == hits.size());
    RTCRayHit queries[kBatch];
    for (std::size_t i = 0; i < rays.size(); ++i) {
        queries[i].ray = to_embree(rays[i]);
        queries[i].hit.geomID = RTC_INVALID_GEOMETRY_ID;
        queries[i].hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    }
    RTCIntersectContext context = make_context(coherent);
    rtcIntersect1M(data_->scene, &context, queries, static_cast<unsigned>(rays.size()), sizeof(RTCRayHit));
    for (std::size_t i = 0; i < rays.size(); ++i) {
        const RTCRayHit& query = queries[i];
        hits[i].surface = static_cast<std::int32_t>(query.hit.geomID);  // the invalid id is -1
        hits[i].triangle = static_cast<std::int32_t>(query.hit.primID);
        hits[i].distance = query.ray.tfar;
        hits[i].u = query.hit.u;
        hits[i].v = query.hit.v;
    }
}

void RayScene::blocked(std::span<const Ray> rays, std::span<std::uint8_t> blocked) const
{
    assert(rays.size() <= kBatch && rays.size() == blocked.size());
    RTCRay queries[kBatch];
    for (std::size_t i = 0; i < rays.size(); ++i) queries[i] = to_embree(rays[i]);
    RTCIntersectContext context = make_context(true);
    rtcOccluded1M(data_->scene, &context, queries, static_cast<unsigned>(rays.size()), sizeof(RTCRay));
    for (std::size_t i = 0; i < rays.size(); ++i)  // Embree marks a blocked ray by far = -infinity
        blocked[i] = queries[i].tfar == -std::numeric_limits<float>::infinity();
}

}  // namespace yawara::drawing
