// Evaluation of a large volume model, and an edit of one small part of it as a fraction of that.
#include <fmt/format.h>

#include <random>

#include "section.h"
#include "stopwatch.h"
#include "yawara/cvg.h"

namespace yawara::bench {
namespace {

using namespace cvg;

/// A block with many small balls cut out of it or laid into it, and one ball more, the last leaf but one.
Tree porous_block(int balls, Vec3d last_at)
{
    std::mt19937 random(1);
    std::uniform_real_distribution<double> place(-1, 1), size(0.02, 0.08);
    const auto ball = [](double radius, Vec3d at, float stiffness) {
        Leaf leaf;
        leaf.shape = Ball{radius};
        leaf.inside = {1, 0.9f, 0.5f, 0.2f, stiffness};
        leaf.transform.translate = at;
        return leaf;
    };
    Tree tree;
    Leaf block;
    block.shape = Block{{2, 2, 2}};
    block.inside.stiffness = 0.3f;
    int node = tree.add(block);
    for (int k = 0; k < balls; ++k) {
        const int part = tree.add(ball(size(random), {place(random), place(random), place(random)}, 0.8f));
        node = tree.add(k % 2 ? Operator::unite : Operator::subtract, {node, part});
    }
    const int last = tree.add(ball(0.05, last_at, 0.6f));
    tree.add(Operator::unite, {node, last});
    tree.check().value();
    return tree;
}

struct Edit {
    Tree tree;
    int leaf;
    Volume volume;

    Edit(int balls, double voxel)
        : tree(porous_block(balls, {})),
          leaf(int(tree.nodes().size()) - 2),
          volume(Volume::evaluate(tree, voxel).value())
    {
    }
    void move(Vec3d to)
    {
        const Box3 before = tree.bounds(leaf);
        Leaf moved = *tree.nodes()[std::size_t(leaf)].leaf;
        moved.transform.translate = to;
        tree.set(leaf, moved);
        volume.update(tree, before);
        volume.update(tree, tree.bounds(leaf));
    }
};

bool check()
{
    Edit edit(200, 0.04);
    edit.move({0.3, -0.4, 0.2});
    const bool same = edit.volume.same_as(Volume::evaluate(porous_block(200, {0.3, -0.4, 0.2}), 0.04).value());
    fmt::print("cvg: an edited volume and a new one are {}\n", same ? "the same" : "different");
    return same;
}

nlohmann::json measure(const BenchOptions& options)
{
    const int balls = 2000, across = options.quick ? 128 : 256;
    Edit edit(balls, 2.0 / across);
    int turn = 0;
    std::vector<Rival> rivals{{"evaluate", [&] { Volume::evaluate(edit.tree, 2.0 / across).value(); }},
                              {"edit", [&] {
                                   edit.move({0.3 * (++turn % 2), -0.4, 0.2});
                               }}};
    race(rivals, options.seconds);
    return {{"leaves", balls + 2},
            {"voxels_across", across},
            {"filled_voxels", edit.volume.voxel_count()},
            {"evaluate_ms", rivals[0].seconds * 1e3},
            {"edit_ms", rivals[1].seconds * 1e3}};
}

void print(const nlohmann::json& m)
{
    const double all = m["evaluate_ms"], edit = m["edit_ms"];
    fmt::print(
        "Volume model of {} leaves, {} voxels across, {} filled: evaluated in {:.0f} ms; one leaf moved: {:.1f} ms, "
        "1/{:.0f}\n",
        m["leaves"].get<int>(), m["voxels_across"].get<int>(), m["filled_voxels"].get<std::size_t>(), all, edit,
        all / edit);
}

}  // namespace

const Section kCvgSection{"cvg", check, measure, print};

}  // namespace yawara::bench
