// Evaluation of a large volume model, an edit of one small part of it as a fraction of that, and what a person waits for who
// drags a part of a model: the coarse surface, and the fine one.
#include <fmt/format.h>

#include <cstdlib>
#include <functional>
#include <random>

#include "cvg/draft.h"
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

/// A ball of flesh with a stone, a dimple and a bite with a rounded edge: what a person models by hand.
Tree peach(Vec3d stone_at)
{
    const auto leaf = [](auto shape, Vec3d at, float stiffness) {
        Leaf made;
        made.shape = shape;
        made.inside = {1, 0.9f, 0.6f, 0.3f, stiffness};
        made.transform.translate = at;
        return made;
    };
    Tree tree;
    const int stone = tree.add(leaf(Ball{0.2}, stone_at, 1)), flesh = tree.add(leaf(Ball{0.5}, {}, 0.3f));
    const int dimple = tree.add(leaf(Cone{0.3, 0.4}, {0, 0.5, 0}, 0)), bite = tree.add(leaf(Ball{0.3}, {0.55, 0.2, 0}, 0));
    const int open = tree.add(Operator::subtract, {flesh, dimple, bite}, 0.04);
    tree.add(Operator::unite, {stone, open});
    tree.check().value();
    return tree;
}

/// ms from a moved part to the surface, as the studio asks for it, and the share of the voxels that are evaluated.
nlohmann::json drag(const std::function<Tree(Vec3d)>& made, int across, double seconds)
{
    Draft draft(across);
    draft.show(made({})).value();
    int turn = 0;
    double share = 0;
    std::vector<Rival> rivals{{"drag", [&] {
                                   draft.show(made({0.01 * (++turn % 5), 0.05, 0})).value();
                                   share = draft.evaluated();
                                   if (draft.surface().triangles.empty()) std::abort();
                               }},
                              {"anew", [&] {
                                   Draft fresh(across);
                                   fresh.show(made({0.01, 0.05, 0})).value();
                                   if (fresh.surface().triangles.empty()) std::abort();
                               }}};
    race(rivals, seconds);
    return {{"ms", rivals[0].seconds * 1e3}, {"anew_ms", rivals[1].seconds * 1e3}, {"share", share}};
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
            {"edit_ms", rivals[1].seconds * 1e3},
            {"peach_coarse", drag(peach, 44, options.seconds)},
            {"peach_fine", drag(peach, 128, options.seconds)},
            {"crowd_coarse", drag([](Vec3d at) { return porous_block(1000, at); }, 44, options.seconds)},
            {"crowd_fine", drag([](Vec3d at) { return porous_block(1000, at); }, 128, options.seconds)}};
}

void print(const nlohmann::json& m)
{
    const double all = m["evaluate_ms"], edit = m["edit_ms"];
    fmt::print(
        "Volume model of {} leaves, {} voxels across, {} filled: evaluated in {:.0f} ms; one leaf moved: {:.1f} ms, "
        "1/{:.0f}\n",
        m["leaves"].get<int>(), m["voxels_across"].get<int>(), m["filled_voxels"].get<std::size_t>(), all, edit,
        all / edit);
    for (const auto& [key, words] : {std::pair{"peach_coarse", "a peach, coarse"}, {"peach_fine", "a peach, fine"},
                                     {"crowd_coarse", "1,000 parts, coarse"}, {"crowd_fine", "1,000 parts, fine"}})
        fmt::print("  a part dragged, {}: {:.1f} ms to its surface, {:.1f} % evaluated; anew {:.1f} ms\n", words,
                   m[key]["ms"].get<double>(), 100 * m[key]["share"].get<double>(), m[key]["anew_ms"].get<double>());
}

}  // namespace

const Section kCvgSection{"cvg", check, measure, print};

}  // namespace yawara::bench
