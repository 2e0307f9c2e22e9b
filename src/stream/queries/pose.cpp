// A body in a pose that may be a draft, or between that and rest: at the vertices that are drawn.
#include <algorithm>

#include "scene_file/acts.h"
#include "scene_file/build.h"
#include "scene_file/read_field.h"
#include "stream/queries/fields.h"
#include "yawara/posing.h"

namespace yawara::stream {

namespace {

Result<scene_file::PoseDocument> read_pose(Json& pose, const Snapshot::Body& body)
{
    const Json& schema = scene_file::parsed_scene_schema();
    const scene_file::SchemaFindings wrong = scene_file::check_schema(schema, schema["$defs"]["pose"], pose, "pose");
    if (!wrong.errors.empty()) return wrong.errors.front();
    // Files are read for those alone that the document names: it was checked which may be.
    for (const char* key : {"surface", "vertices"})
        if (pose.contains(key) &&
            std::ranges::find(body.fields.pose_files, pose[key].get<std::string>()) == body.fields.pose_files.end())
            return Error{std::string("pose.") + key, "is not a pose file of the scene"};
    scene_file::Findings findings;
    findings.folder = body.fields.folder;
    scene_file::PoseDocument read = scene_file::read_pose(scene_file::Node{pose, "pose"}, findings);
    if (!findings.errors.empty()) return findings.errors.front();
    return read;
}

/// Handles at the same places of the same shape share what is costly about them: a drag changes only where they go.
Result<Poser> poser_for(const Snapshot::Body& body, const Json& pose, std::span<const Vec3d> points,
                        const std::vector<PoseHandle>& handles, bool draft, Mirror& mirror)
{
    Json places = pose;
    for (const char* key : {"name", "strength", "touches"}) places.erase(key);
    for (Json& handle : places["handles"])
        for (const char* key : {"move", "turn"}) handle.erase(key);
    const auto kept = mirror.kept().get<Poser>(key_of("poser", body, {&places}),
                                               [&] { return Poser::make(body.model.domain(), points, handles); });
    if (!kept || !draft) return kept ? Result<Poser>(**kept) : kept.error();
    return **mirror.kept().get<Poser>(key_of("dragged poser", body, {&places}), [&]() -> Result<Poser> { return (*kept)->dragged(); });
}

Result<std::vector<Vec3d>> posed(Json pose, const Snapshot::Body& body, bool draft, Mirror& mirror)
{
    const Json asked = pose;
    const Result<scene_file::PoseDocument> read = read_pose(pose, body);
    if (!read) return read.error();
    scene_file::PosedSolid solid{body.model.domain(), body.model.rest_positions(), {}, {}, body.fields.scale, {}};
    if (body.fields.file) {
        solid.surface = body.model.surface().vertices;
        solid.file = *body.fields.file;
    }
    solid.poser = [&](std::span<const Vec3d> points, const std::vector<PoseHandle>& handles) {
        return poser_for(body, asked, points, handles, draft, mirror);
    };
    return scene_file::pose_of(*read, solid);
}

Result<std::shared_ptr<const std::vector<Vec3d>>> in_hand(Result<std::vector<Vec3d>> pose)
{
    if (!pose) return pose.error();
    return std::make_shared<const std::vector<Vec3d>>(*std::move(pose));
}

/// See query_pose of the protocol.
std::vector<float> facts_of(const Snapshot::Body& body, std::span<const Vec3d> pose)
{
    const std::span<const Vec3d> rest = body.model.rest_positions();
    const std::vector<Vec3d> laid = laid_on(rest, {pose.begin(), pose.end()});
    double moved = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) moved = std::max(moved, length(laid[i] - rest[i]));
    const scene_file::InvertedTets inverted = scene_file::inverted_tets(body.model.domain(), rest, pose);
    const Vec3 place = (inverted.worst / body.fields.scale).as<float>();
    return {float(moved / length(bounds(rest).size())), float(inverted.count), place.x, place.y, place.z};
}

}  // namespace

Result<Answer> answer_pose(const Json& query, const Snapshot& snapshot, Mirror& mirror)
{
    const auto asked = query.get<messages::QueryPose>();
    const auto found = body_named(asked.body, snapshot);
    if (!found) return found.error();
    const Snapshot::Body& body = **found;
    Json shape_of = asked.pose;
    if (shape_of.is_object())
        for (const char* key : {"name", "strength"}) shape_of.erase(key);
    const bool draft = asked.draft.value_or(false);  // that is only near it is not kept
    const auto pose = draft ? in_hand(posed(asked.pose, body, true, mirror))
                            : mirror.kept().get<std::vector<Vec3d>>(key_of("pose", body, {&shape_of}), [&] {
                                  return posed(asked.pose, body, false, mirror);
                              });
    if (!pose) return pose.error();
    const std::vector<Vec3d> shape =
        asked.blend == 1 ? **pose : blended_pose(body.model.domain(), **pose, double(asked.blend));
    std::vector<Vec3> particles, vertices(body.model.surface().vertices.size());
    for (const Vec3d& p : shape) particles.push_back(p.as<float>());
    body.model.embedding().apply(particles, vertices);
    std::vector<float> positions;
    for (const std::int32_t v : body.surface->source()) {
        const Vec3 p = vertices[std::size_t(v)];
        positions.insert(positions.end(), {p.x, p.y, p.z});
    }
    return Answer(BinaryAnswer{{std::move(positions), facts_of(body, **pose)}});
}

}  // namespace yawara::stream
