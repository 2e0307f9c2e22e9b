// Stages of one document after another share what belongs to models that did not change.
#include "stream/stage.h"

#include <algorithm>

#include "scene_file/live_edit.h"

namespace yawara::stream {

namespace {

constexpr std::size_t kMostEdges = 400'000;

}  // namespace

Edges edges_of(const Domain& domain)
{
    Edges edges;
    const auto add = [&](std::int32_t a, std::int32_t b) {
        edges.push_back({static_cast<std::uint32_t>(std::min(a, b)), static_cast<std::uint32_t>(std::max(a, b))});
    };
    if (const auto* lattice = std::get_if<Lattice>(&domain)) {
        for (const Int8& cell : lattice->cells)
            for (std::size_t k = 0; k < 8; ++k)
                for (const std::size_t bit : {1u, 2u, 4u})
                    if (!(k & bit)) add(cell[k], cell[k | bit]);
    } else {
        const auto& mesh = std::get<TetMesh>(domain);
        if (mesh.tets.size() > kMostEdges) {
            std::vector<std::int32_t> vertex_of;
            for (const Int3& t : boundary_surface(mesh, &vertex_of).triangles)
                for (std::size_t k = 0; k < 3; ++k)
                    add(vertex_of[std::size_t(t[k])], vertex_of[std::size_t(t[(k + 1) % 3])]);
        } else {
            for (const Int4& tet : mesh.tets)
                for (std::size_t a = 0; a < 4; ++a)
                    for (std::size_t b = a + 1; b < 4; ++b) add(tet[a], tet[b]);
        }
    }
    std::ranges::sort(edges);
    const auto repeated = std::ranges::unique(edges);
    edges.erase(repeated.begin(), repeated.end());
    return edges;
}

Stage::Stage(LoadedScene scene_loaded, Stage* earlier) : loaded(std::move(scene_loaded)), gauge(loaded.scene())
{
    std::vector<std::uint64_t> revisions;
    for (const BodyId id : scene().bodies()) {
        const BodyModel& model = scene().model(id);
        Body body;
        const auto take = [&](const Body& other) {
            body.surface = other.surface;
            body.solid = other.solid;
            body.edges = other.edges;
        };
        const auto twin = std::ranges::find(revisions, model.revision());
        if (twin != revisions.end()) {
            take(bodies[std::size_t(twin - revisions.begin())]);
        } else if (earlier) {
            Scene& other = earlier->scene();
            for (std::size_t j = 0; j < earlier->bodies.size(); ++j)
                if (other.model(other.bodies()[j]).revision() == model.revision()) take(earlier->bodies[j]);
        }
        if (!body.surface) {
            TriMesh plain = model.surface();
            const std::shared_ptr<const Skin>& skin = loaded.looks()[bodies.size()].skin;
            if (!skin || !skin->has_textures()) plain.corner_uvs.clear();  // seams without textures split nothing
            body.surface = std::make_shared<const DrawnSurface>(plain);
        }
        revisions.push_back(model.revision());
        bodies.push_back(std::move(body));
    }
}

std::shared_ptr<const Edges> Stage::edges(std::size_t body)
{
    std::shared_ptr<const Edges>& made = bodies[body].edges;
    if (!made) made = std::make_shared<const Edges>(edges_of(scene().model(scene().bodies()[body]).domain()));
    return made;
}

void Stage::prepare()
{
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        const BodyModel& model = scene().model(scene().bodies()[k]);
        if (model.is_fem() || bodies[k].edges) continue;
        const auto twin = std::ranges::find(bodies, bodies[k].surface, &Body::surface);  // itself, or one before it
        if (!twin->edges) twin->edges = std::make_shared<const Edges>(edges_of(model.domain()));
        bodies[k].edges = twin->edges;
    }
}

void Stage::share(Stage& earlier)
{
    Scene& before = earlier.scene();
    for (std::size_t k = 0; k < bodies.size(); ++k)
        for (std::size_t j = 0; j < earlier.bodies.size(); ++j) {
            if (before.model(before.bodies()[j]).revision() != scene().model(scene().bodies()[k]).revision()) continue;
            bodies[k].surface = earlier.bodies[j].surface;
            bodies[k].solid = earlier.bodies[j].solid;
            if (earlier.bodies[j].edges) bodies[k].edges = earlier.bodies[j].edges;
        }
}

bool fit_together(Stage& one, Stage& other)
{
    return std::ranges::equal(one.scene().bodies(), other.scene().bodies(), [&](BodyId a, BodyId b) {
        return one.scene().model(a).revision() == other.scene().model(b).revision() &&
               one.loaded.identity(a) == other.loaded.identity(b);
    });
}

void carry_motion(Stage& from, Stage& to)
{
    for (const BodyId id : to.scene().bodies()) {
        const auto old = from.loaded.find(to.loaded.identity(id));
        if (!old) continue;
        const BodyModel &before = from.scene().model(*old), &after = to.scene().model(id);
        const BodyState& state = from.scene().state(*old);
        to.scene().state(id) = before.revision() == after.revision()
                                   ? state
                                   : carry_state(before, state, after, compare_topology(before, after));
    }
    scene_file::carry_pins(from.loaded, to.loaded);
    scene_file::carry_beat(from.loaded, to.loaded);
}

}  // namespace yawara::stream
