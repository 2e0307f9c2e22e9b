// What a volume model would become: its lattice before it is built, and the model that a file holds.
#include <algorithm>

#include "io/file.h"
#include "scene_file/acts.h"
#include "scene_file/schema_check.h"
#include "stream/queries/models.h"
#include "yawara/scene_file.h"

namespace yawara::stream {

namespace {

/// Files are named from where the model stood; from now on it stands elsewhere.
void name_from(const std::filesystem::path& folder, Json& node)
{
    if (node.contains("file")) node["file"] = (folder / node["file"].get<std::string>()).generic_string();
    if (node.contains("of")) name_from(folder, node["of"]);
    if (node.contains("args"))
        for (Json& argument : node["args"]) name_from(folder, argument);
}

}  // namespace

Result<Answer> answer_model_lattice(const Json& query, const Snapshot& snapshot, Mirror& mirror)
{
    const auto asked = query.get<messages::QueryModelLattice>();
    const auto body = body_named(asked.body, snapshot);
    if (!body) return body.error();
    Json solid = asked.solid;
    const Json& schema = scene_file::parsed_scene_schema();
    const scene_file::SchemaFindings wrong =
        scene_file::check_schema(schema, schema["$defs"]["solid_volume"], solid, "solid");
    if (!wrong.errors.empty()) return wrong.errors.front();
    if (!solid["volume"].is_object()) return Error{"solid.volume", "is a file: copy it into the document first"};
    const Result<cvg::Tree> tree = model_tree(solid["volume"], **body, mirror);
    if (!tree) return tree.error();
    const double cell = solid["cell"];
    const Result<cvg::Volume> volume = cvg::Volume::evaluate(*tree, cell / solid["voxels"].get<int>());
    if (!volume) return volume.error();
    cvg::LatticeOptions options;
    options.cell = cell;
    options.fill = solid["fill"];
    options.hardness = solid["hardness"];
    Result<cvg::VolumeLattice> made = volume->lattice(options);
    if (!made) return made.error();

    const Lattice& lattice = made->lattice;
    std::vector<float> positions;
    for (std::size_t i = 0; i < lattice.nodes.size(); ++i) {
        const Vec3 p = lattice.position(int(i)).as<float>();
        positions.insert(positions.end(), {p.x, p.y, p.z});
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (const auto& corners : lattice.cells)
        for (std::size_t c = 0; c < 8; ++c)
            for (const std::size_t axis : {1u, 2u, 4u})
                if (!(c & axis)) edges.emplace_back(std::uint32_t(corners[c]), std::uint32_t(corners[c | axis]));
    std::ranges::sort(edges);
    edges.erase(std::ranges::unique(edges).begin(), edges.end());
    std::vector<std::uint32_t> ends;
    for (const auto& [a, b] : edges) ends.insert(ends.end(), {a, b});
    return Answer(BinaryAnswer{{std::move(positions), std::move(made->stiffness), std::move(ends),
                                std::vector<float>{float(lattice.cells.size()), float(lattice.nodes.size())}}});
}

Result<Answer> answer_model_file(const Json& query, const Snapshot& snapshot, Mirror&)
{
    const auto asked = query.get<messages::QueryModelFile>();
    const auto body = body_named(asked.body, snapshot);
    if (!body) return body.error();
    const std::filesystem::path path =
        (*body)->fields.folder / std::filesystem::path(std::u8string(asked.file.begin(), asked.file.end()));
    if (path.extension() != ".json") {  // one leaf: the file itself
        if (const auto volume = cvg::Volume::load(path); !volume) return Error{asked.file, volume.error().what};
        return Answer(Json(messages::AnswerModelFile{
            .model = {{"format", "yawara-cvg"}, {"version", 1}, {"root", {{"prim", "volume"}, {"file", asked.file}}}}}));
    }
    const Result<std::string> text = io::read_file(path);
    if (!text) return Error{asked.file, text.error().what};
    if (const auto tree = cvg::parse_tree(*text, path.parent_path(), asked.file); !tree) return tree.error();
    messages::AnswerModelFile answer;
    answer.model = Json::parse(*text);
    if (const auto folder = std::filesystem::path(asked.file).parent_path(); !folder.empty())
        name_from(folder, answer.model["root"]);
    return Answer(Json(answer));
}

}  // namespace yawara::stream
