// Which side of a triangle is the outside. Patches (triangles joined by edges that two of them share) are turned alike;
// closed patches then by their volume, open ones by which side sees more of the open space around the surface
// (after Takayama et al. 2014, "A simple method for correcting facet orientations ... based on ray casting").
#include <algorithm>
#include <numbers>
#include <numeric>

#include "meshing/surface.h"
#include "meshing/triangle_tree.h"

namespace yawara::meshing {
namespace {

struct Patch {
    std::vector<std::int32_t> triangles;
    double area = 0, volume = 0;  ///< volume by the divergence theorem, as turned now
    bool closed = true;
};

class Orienter {
public:
    Orienter(Surface& surface, const std::vector<EdgeUse>& edges) : surface_(surface), edges_(edges) {}

    void run(bool balanced)
    {
        find_patches();
        measure_patches();
        turn_closed_patches();
        if (!balanced) turn_open_patches();
    }

private:
    std::array<Vec3d, 3> corners(std::int32_t t) const
    {
        const Int3& v = surface_.triangles[static_cast<std::size_t>(t)];
        return {surface_.vertices[static_cast<std::size_t>(v[0])], surface_.vertices[static_cast<std::size_t>(v[1])],
                surface_.vertices[static_cast<std::size_t>(v[2])]};
    }
    Vec3d area_normal(std::int32_t t) const
    {
        const auto [a, b, c] = corners(t);
        return cross(b - a, c - a) * 0.5;
    }
    void turn(std::int32_t t)
    {
        Int3& v = surface_.triangles[static_cast<std::size_t>(t)];
        std::swap(v[1], v[2]);
    }
    void turn(Patch& patch)
    {
        for (const std::int32_t t : patch.triangles) turn(t);
        patch.volume = -patch.volume;
        ++surface_.turned_patches;
    }

    /// Walks from triangle to triangle and turns each like the one it came from; the larger area keeps its side.
    void find_patches()
    {
        const std::size_t count = surface_.triangles.size();
        struct Neighbour {
            std::int32_t triangle = -1;
            bool disagrees = false;
        };
        std::vector<std::array<Neighbour, 3>> neighbours(count);
        std::vector<int> filled(count, 0);
        for_each_edge(edges_, [&](std::size_t begin, std::size_t end) {
            if (end - begin != 2) return;
            const EdgeUse &a = edges_[begin], &b = edges_[begin + 1];
            const bool disagrees = a.forward == b.forward;
            const auto ta = static_cast<std::size_t>(a.triangle), tb = static_cast<std::size_t>(b.triangle);
            neighbours[ta][static_cast<std::size_t>(filled[ta]++)] = {b.triangle, disagrees};
            neighbours[tb][static_cast<std::size_t>(filled[tb]++)] = {a.triangle, disagrees};
        });

        patch_of_.assign(count, -1);
        std::vector<char> turned(count, 0);
        double area = 0, one_sided_area = 0;
        for (std::size_t seed = 0; seed < count; ++seed) {
            if (patch_of_[seed] >= 0) continue;
            const auto id = static_cast<std::int32_t>(patches_.size());
            Patch patch;
            patch.triangles.push_back(static_cast<std::int32_t>(seed));
            patch_of_[seed] = id;
            double turned_area = 0;
            bool one_sided = false;
            for (std::size_t head = 0; head < patch.triangles.size(); ++head) {
                const auto t = static_cast<std::size_t>(patch.triangles[head]);
                const double own = length(area_normal(static_cast<std::int32_t>(t)));
                patch.area += own;
                if (turned[t]) turned_area += own;
                for (int k = 0; k < filled[t]; ++k) {
                    const Neighbour n = neighbours[t][static_cast<std::size_t>(k)];
                    const auto u = static_cast<std::size_t>(n.triangle);
                    const char wanted = static_cast<char>(turned[t] ^ static_cast<char>(n.disagrees));
                    if (patch_of_[u] < 0) {
                        patch_of_[u] = id;
                        turned[u] = wanted;
                        patch.triangles.push_back(n.triangle);
                    } else if (turned[u] != wanted) {
                        one_sided = true;
                    }
                }
            }
            const bool other_way = turned_area > 0.5 * patch.area;
            for (const std::int32_t t : patch.triangles) {
                if (static_cast<bool>(turned[static_cast<std::size_t>(t)]) != other_way) turn(t);
            }
            area += patch.area;
            if (one_sided) one_sided_area += patch.area;
            patches_.push_back(std::move(patch));
        }
        surface_.one_sided = area > 0 ? one_sided_area / area : 0.0;
    }

    /// A patch is closed if it passes each of its edges as often one way as the other.
    void measure_patches()
    {
        const Vec3d middle = surface_.box.center();
        for (std::size_t t = 0; t < surface_.triangles.size(); ++t) {
            const auto [a, b, c] = corners(static_cast<std::int32_t>(t));
            patches_[static_cast<std::size_t>(patch_of_[t])].volume +=
                dot(a - middle, cross(b - middle, c - middle)) / 6;
        }
        std::vector<std::pair<std::int32_t, int>> uses;  // patch, +1 or -1
        for_each_edge(edges_, [&](std::size_t begin, std::size_t end) {
            uses.clear();
            for (std::size_t i = begin; i < end; ++i) {
                const EdgeUse& use = edges_[i];
                const Int3& v = surface_.triangles[static_cast<std::size_t>(use.triangle)];
                const bool forward = (v[0] == use.low && v[1] == use.high) || (v[1] == use.low && v[2] == use.high) ||
                                     (v[2] == use.low && v[0] == use.high);
                uses.emplace_back(patch_of_[static_cast<std::size_t>(use.triangle)], forward ? 1 : -1);
            }
            std::sort(uses.begin(), uses.end());
            for (std::size_t i = 0, j = 0; i < uses.size(); i = j) {
                int sum = 0;
                for (; j < uses.size() && uses[j].first == uses[i].first; ++j) sum += uses[j].second;
                if (sum != 0) patches_[static_cast<std::size_t>(uses[i].first)].closed = false;
            }
        });
    }

    /// Closed patches enclose a positive volume, unless they are the wall of a hollow inside another one.
    void turn_closed_patches()
    {
        double total = 0;
        std::vector<Int3> closed_triangles;
        std::vector<Patch*> negative;
        for (const Patch& patch : patches_) total += patch.closed ? patch.volume : 0.0;
        for (Patch& patch : patches_) {
            if (!patch.closed) continue;
            if (total < 0) turn(patch);  // all inside out
            for (const std::int32_t t : patch.triangles) {
                closed_triangles.push_back(surface_.triangles[static_cast<std::size_t>(t)]);
            }
            if (patch.volume < 0) negative.push_back(&patch);
        }
        if (negative.empty()) return;
        const TriangleTree tree(surface_.vertices, closed_triangles);
        for (Patch* patch : negative) {
            const std::int32_t largest = *std::max_element(
                patch->triangles.begin(), patch->triangles.end(),
                [&](std::int32_t s, std::int32_t t) { return length(area_normal(s)) < length(area_normal(t)); });
            const auto [a, b, c] = corners(largest);
            // The front of an inward patch faces what it encloses, so its surroundings lie behind.
            const Vec3d behind =
                (a + b + c) / 3.0 - normalized(area_normal(largest)) * (1e-5 * surface_.box.diagonal());
            if (tree.winding(behind) < 0.5) turn(*patch);
        }
    }

    /// How much more of the sky the front of a triangle sees than its back, -1..1.
    double sky_in_front(const TriangleTree& tree, std::int32_t t, int sample) const
    {
        constexpr int kRays = 8;
        const Vec3d n = normalized(area_normal(t));
        const Vec3d u = normalized(cross(n, std::abs(n.x) < 0.6 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0})), v = cross(n, u);
        const auto [a, b, c] = corners(t);
        const double reach = 2 * surface_.box.diagonal(), gap = 1e-5 * surface_.box.diagonal();
        int seen = 0;
        for (int k = 0; k < kRays; ++k) {
            // Even in the solid angle weighted by cosine: a golden-angle spiral on the disk, lifted to the half ball.
            const double r = std::sqrt((k + 0.5) / kRays), angle = 2.399963229728653 * (k + kRays * sample);
            const Vec3d across = u * (r * std::cos(angle)) + v * (r * std::sin(angle));
            const Vec3d up = n * std::sqrt(1 - r * r), middle = (a + b + c) / 3.0;
            seen += tree.meets(middle + n * gap, (across + up) * reach) ? 0 : 1;
            seen -= tree.meets(middle - n * gap, (across - up) * reach) ? 0 : 1;
        }
        return static_cast<double>(seen) / kRays;
    }

    void turn_open_patches()
    {
        constexpr int kSamples = 64, kFewest = 2;
        constexpr double kTotalSamples = 20000, kDecisive = 0.05;
        double open_area = 0;
        for (const Patch& patch : patches_) open_area += patch.closed ? 0.0 : patch.area;
        if (open_area == 0) return;
        const TriangleTree tree(surface_.vertices, surface_.triangles);
        for (Patch& patch : patches_) {
            if (patch.closed || patch.area == 0) continue;
            const int samples =
                static_cast<int>(std::clamp(kTotalSamples * patch.area / open_area, double(kFewest), double(kSamples)));
            double sum = 0, passed = 0;
            int taken = 0;
            for (const std::int32_t t : patch.triangles) {  // triangles at equal steps of area
                passed += length(area_normal(t));
                if (passed < patch.area * (taken + 0.5) / samples) continue;
                sum += sky_in_front(tree, t, taken);
                taken = static_cast<int>(std::floor(passed / patch.area * samples + 0.5));
            }
            if (sum < -kDecisive * samples) turn(patch);
        }
    }

    Surface& surface_;
    const std::vector<EdgeUse>& edges_;
    std::vector<Patch> patches_;
    std::vector<std::int32_t> patch_of_;
};

}  // namespace

void orient(Surface& surface, const std::vector<EdgeUse>& edges, bool balanced)
{
    Orienter(surface, edges).run(balanced);
}

}  // namespace yawara::meshing
