// The surface of a volume model while a person shapes it, and of its cut.
#include <fmt/format.h>

#include <algorithm>

#include "scene_file/acts.h"
#include "scene_file/schema_check.h"
#include "scene_file/tree_json.h"
#include "stream/queries/models.h"
#include "yawara/scene_file.h"

namespace yawara::stream {

namespace {

constexpr int kCoarse = 44, kFine = 128;  // voxels across

/// What questions go on from; only the thread that answers them looks at it.
struct Ongoing {
    std::shared_ptr<cvg::Draft> draft;
};
struct Files {
    std::shared_ptr<scene_file::LeafFiles> files;
};

}  // namespace

void append(std::vector<float>& numbers, const std::vector<Vec3>& vectors)
{
    for (const Vec3& v : vectors) numbers.insert(numbers.end(), {v.x, v.y, v.z});
}

Result<cvg::Tree> model_tree(Json model, const Snapshot::Body& body, Mirror& mirror)
{
    const Json& schema = scene_file::parsed_scene_schema();
    const scene_file::SchemaFindings wrong = scene_file::check_schema(schema, schema["$defs"]["cvg"], model, "model");
    if (!wrong.errors.empty()) return wrong.errors.front();
    const auto kept = mirror.kept().get<Files>("files of models", []() -> Result<Files> {
        return Files{std::make_shared<scene_file::LeafFiles>()};
    });
    return scene_file::tree_from(model, "model", body.fields.folder, (*kept)->files.get());
}

Result<Answer> answer_model(const Json& query, const Snapshot& snapshot, Mirror& mirror)
{
    const auto asked = query.get<messages::QueryModel>();
    const auto body = body_named(asked.body, snapshot);
    if (!body) return body.error();
    Result<cvg::Tree> tree = model_tree(asked.model, **body, mirror);
    if (!tree) return tree.error();
    const auto ongoing = mirror.kept().get<Ongoing>(fmt::format("draft {} {}", asked.fine, asked.body),
                                                    [&]() -> Result<Ongoing> {
                                                        return Ongoing{std::make_shared<cvg::Draft>(asked.fine ? kFine : kCoarse)};
                                                    });
    cvg::Draft& draft = *(*ongoing)->draft;
    if (const Status shown = draft.show(*std::move(tree)); !shown) return shown.error();
    cvg::DraftSurface surface = draft.surface(asked.from);
    std::vector<float> positions, colors;
    append(positions, surface.points);
    append(colors, surface.colors);
    std::vector<std::uint32_t> triangles;
    for (const auto& t : surface.triangles) triangles.insert(triangles.end(), t.begin(), t.end());
    return Answer(BinaryAnswer{{std::move(positions), std::move(colors), std::move(surface.stiffness), std::move(triangles),
                                std::vector<float>{float(draft.voxel()), float(draft.evaluated())}}});
}

Result<Answer> answer_model_cut(const Json& query, const Snapshot& snapshot, Mirror& mirror)
{
    const auto asked = query.get<messages::QueryModelCut>();
    const auto body = body_named(asked.body, snapshot);
    if (!body) return body.error();
    if (length(asked.normal) == 0) return Error{"normal", "has no length"};
    const Result<cvg::Tree> tree = model_tree(asked.model, **body, mirror);
    if (!tree) return tree.error();
    cvg::DraftCut cut = cvg::cut_of(*tree, asked.point.as<double>(), asked.normal.as<double>(), int(asked.rows));
    std::vector<float> positions, colors;
    append(positions, cut.points);
    append(colors, cut.colors);
    return Answer(BinaryAnswer{{std::move(positions), std::move(colors), std::move(cut.stiffness)}});
}

}  // namespace yawara::stream
