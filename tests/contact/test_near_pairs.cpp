// Lists of what is near, against all particles and triangles of all bodies looked at one by one.
#include <doctest/doctest.h>

#include <set>

#include "contact_bodies.h"

using namespace yawara;
using namespace yawara::contact;
using namespace yawara::test;

namespace {

constexpr double kDt = 1.0 / 300;

/// A handful of bodies of many kinds that drift, turn, tremble and jump among each other.
class Crowd {
public:
    explicit Crowd(unsigned seed) : random_(seed)
    {
        const Lattice blob =
            make_lattice(Box3{{-0.2, -0.2, -0.2}, {0.2, 0.2, 0.2}}, 0.08, [](Vec3d p) { return length(p) < 0.2; });
        add(make_bar({0.3, 0.3, 0.3}, {3, 3, 3}, {-0.15, -0.15, -0.15}), {0, 0, 0});
        add(make_bar({0.7, 0.1, 0.1}, {7, 1, 1}, {-0.35, -0.05, -0.05}), {0.1, 0.23, 0});
        add(ball_of_tets(0.2, 4), {0.38, 0, 0});
        add(blob, {-0.4, 0.05, 0});
        add(make_bar({0.6, 0.02, 0.6}, {8, 1, 8}, {-0.3, -0.01, -0.3}), {0, -0.2, 0});
        add(ball_of_tets(0.1, 2), {3, 0, 0});
        bodies[0].settings.self = true;
        bodies[4].settings.friction = 0.9f;
    }

    void step()
    {
        std::uniform_real_distribution<double> any(-1, 1);
        for (std::size_t k = 0; k < bodies.size(); ++k) {
            // Most move little, so that lists are kept; now and then one jumps.
            const double pace = k == 5 ? 0.05 : any(random_) > 0.8 ? 0.04 : 0.001;
            const Vec3d home = homes_[k], drift = Vec3d{any(random_), any(random_), any(random_)} * pace;
            const Mat3 turn = rotation(Vec3d{any(random_), any(random_), 1}, 0.02 * any(random_)).as<float>();
            const Vec3 center = home.as<float>(), pull = ((homes_[k] - middle(bodies[k])) * 0.05 + drift).as<float>();
            bodies[k].go(kDt, [&](Vec3 p, std::size_t) {
                const Vec3d tremble{any(random_), any(random_), any(random_)};
                return center + turn * (p - center) + pull + (tremble * 2e-4).as<float>();
            });
        }
    }

    std::vector<ContactBody> views()
    {
        std::vector<ContactBody> out;
        for (SteppedBody& body : bodies) out.push_back(body.view());
        return out;
    }
    std::vector<SurfaceBoxes> boxes() const
    {
        std::vector<SurfaceBoxes> out;
        for (const SteppedBody& body : bodies) out.emplace_back(body.surface);
        return out;
    }

    std::vector<SteppedBody> bodies;

private:
    void add(const std::variant<TetMesh, Lattice>& domain, Vec3d home)
    {
        bodies.emplace_back(domain, Placement{.turn = {}, .move = home});
        homes_.push_back(home);
    }
    static Vec3d middle(const SteppedBody& body)
    {
        Vec3d sum;
        for (const Vec3& p : body.positions) sum += p.as<double>();
        return sum / double(body.positions.size());
    }

    std::mt19937 random_;
    std::vector<Vec3d> homes_;
};

/// Lists that are kept from step to step.
struct Lists {
    NearPairs near;
    std::vector<SurfaceBoxes> boxes;
    int fresh = 0, kept = 0;

    explicit Lists(const Crowd& crowd) : boxes(crowd.boxes()) {}
    void update(std::vector<ContactBody>& views)
    {
        near.update(views, boxes);
        for (std::size_t k = 0; k < views.size(); ++k) {
            views[k].references = boxes[k].references();
            views[k].moved = boxes[k].moved();
        }
        for (NearPair& pair : near.pairs()) {
            (pair.fresh ? fresh : kept) += 1;
            if (pair.fresh) find_candidates(views, boxes, pair);
            pair.fresh = false;
        }
    }
    const NearPair* find(int a, int b) const
    {
        for (const NearPair& pair : near.pairs())
            if (pair.a == a && pair.b == b) return &pair;
        return nullptr;
    }
};

/// Whether a step brings a particle to a triangle: within the thickness in front of it at some time, or it starts
/// behind it, over its inside and within reach.
bool meets(const ContactBody& one, std::int32_t vertex, const ContactBody& two, const Int3& triangle)
{
    const double thickness = double(one.thickness()) + double(two.thickness()),
                 reach = double(one.reach()) + double(two.reach());
    const auto at = [](const ContactBody& body, std::int32_t i, double share) {
        const Vec3d from = body.positions_before[std::size_t(i)].as<double>(),
                    to = body.positions[std::size_t(i)].as<double>();
        return from + (to - from) * share;
    };
    const auto corner = [&](std::size_t k, double share) { return at(two, triangle[k], share); };
    const Vec3d p = at(one, vertex, 0), a = corner(0, 0), b = corner(1, 0), c = corner(2, 0);
    const ClosestOnTriangle start = closest_on_triangle(a, b, c, p);
    if (dot(cross(b - a, c - a), p - a) < 0)
        return length(p - start.point)<reach&& * std::min_element(start.weights.begin(), start.weights.end())> 0;
    for (int k = 0; k <= 10; ++k) {
        const double share = k / 10.0;
        const Vec3d q = at(one, vertex, share);
        if (length(q - closest_on_triangle(corner(0, share), corner(1, share), corner(2, share), q).point) < thickness)
            return true;
    }
    return false;
}

int missing(const ContactBody& one, const ContactBody& two, std::span<const Candidate> listed, bool self, int& needed)
{
    const std::set<std::pair<int, int>> have = [&] {
        std::set<std::pair<int, int>> out;
        for (const Candidate& candidate : listed) out.emplace(candidate.vertex, candidate.triangle);
        return out;
    }();
    int count = 0;
    for (const std::int32_t vertex : one.surface->vertices)
        for (std::size_t t = 0; t < two.surface->triangles.size(); ++t) {
            const Int3& triangle = two.surface->triangles[t];
            if (self && two.surface->are_neighbours(vertex, triangle)) continue;
            if (!meets(one, vertex, two, triangle)) continue;
            ++needed;
            count += !have.contains({vertex, int(t)});
        }
    return count;
}

}  // namespace

TEST_CASE("whatever a step brings together is listed, though lists are kept for many steps")
{
    for (const unsigned seed : {1u, 2u}) {
        Crowd crowd(seed);
        Lists lists(crowd);
        int needed = 0;
        for (int step = 0; step < 40; ++step) {
            crowd.step();
            std::vector<ContactBody> views = crowd.views();
            lists.update(views);
            for (int a = 0; a < int(views.size()); ++a)
                for (int b = a; b < int(views.size()); ++b) {
                    if (a == b && !views[std::size_t(a)].settings.self) continue;
                    const ContactBody &one = views[std::size_t(a)], &two = views[std::size_t(b)];
                    const NearPair* pair = lists.find(a, b);
                    const NearPair none;
                    CAPTURE(step);
                    CAPTURE(a);
                    CAPTURE(b);
                    CHECK(missing(one, two, (pair ? *pair : none).a_on_b, a == b, needed) == 0);
                    if (a != b) CHECK(missing(two, one, (pair ? *pair : none).b_on_a, false, needed) == 0);
                }
        }
        CHECK(needed > 1000);
        CHECK(lists.fresh > 10);
        CHECK(lists.kept > 10);
    }
}

TEST_CASE("touches found in lists that were kept are those of lists made anew, to the bit")
{
    Crowd crowd(3);
    Lists kept(crowd);
    std::size_t touches = 0;
    for (int step = 0; step < 60; ++step) {
        crowd.step();
        Lists anew(crowd);
        std::vector<ContactBody> views = crowd.views(), views_anew = views;
        kept.update(views);
        anew.update(views_anew);
        for (int a = 0; a < int(views.size()); ++a)
            for (int b = a; b < int(views.size()); ++b) {
                const auto found = [&](const Lists& lists, const std::vector<ContactBody>& seen) {
                    std::vector<Touch> out;
                    const NearPair* pair = lists.find(a, b);
                    if (!pair) return out;
                    const ContactBody &one = seen[std::size_t(a)], &two = seen[std::size_t(b)];
                    const TouchLaw law = law_of(one, two, a == b, kDt);
                    find_touches(two, one, pair->b_on_a, law, out);
                    find_touches(one, two, pair->a_on_b, law, out);
                    find_edge_touches(one, two, pair->edges, law, out);
                    return out;
                };
                const std::vector<Touch> first = found(kept, views), second = found(anew, views_anew);
                REQUIRE(first.size() == second.size());
                touches += first.size();
                for (std::size_t k = 0; k < first.size(); ++k) {
                    CHECK(first[k].particles == second[k].particles);
                    CHECK(first[k].weights == second[k].weights);
                    CHECK(to_vec3(first[k].normal) == to_vec3(second[k].normal));
                    CHECK(first[k].goal == second[k].goal);
                }
            }
    }
    CHECK(touches > 500);
    CHECK(kept.kept > 10);
}

TEST_CASE("lists hold nothing that is farther than the step and the room for the next ones can bring")
{
    Crowd crowd(4);
    for (int step = 0; step < 10; ++step) {
        crowd.step();
        Lists lists(crowd);
        std::vector<ContactBody> views = crowd.views();
        lists.update(views);
        CHECK(lists.find(0, 5) == nullptr);  // which is ten sizes away
        CHECK(lists.find(1, 1) == nullptr);  // which does not mind its folds
        for (const NearPair& pair : lists.near.pairs()) {
            CHECK(pair.a <= pair.b);
            const ContactBody &a = views[std::size_t(pair.a)], &b = views[std::size_t(pair.b)];
            const auto most_of = [](const ContactBody& body) {
                return double(body.reach() + 2 * body.slack() +
                              2 * (length(body.motion.drift) + body.motion.deviation));
            };
            const auto check = [&](const ContactBody& one, const ContactBody& two, std::span<const Candidate> listed) {
                CHECK(std::is_sorted(listed.begin(), listed.end()));
                for (const Candidate& candidate : listed) {
                    const Int3& t = two.surface->triangles[std::size_t(candidate.triangle)];
                    const auto at = [&](std::int32_t i) { return two.positions_before[std::size_t(i)].as<double>(); };
                    const Vec3d p = one.positions_before[std::size_t(candidate.vertex)].as<double>();
                    const double distance = length(p - closest_on_triangle(at(t[0]), at(t[1]), at(t[2]), p).point);
                    // The quick distance may fall short of the true one beyond a sharp corner.
                    CHECK(distance < 3 * (most_of(one) + most_of(two)));
                    CHECK(double(candidate.gap) <= distance + 1e-6);
                }
            };
            check(a, b, pair.a_on_b);
            check(b, a, pair.b_on_a);
        }
    }
}

TEST_CASE("pairs come in order, and bodies that want no contact are in none")
{
    Crowd crowd(5);
    crowd.bodies[2].settings.bodies = false;
    crowd.step();
    Lists lists(crowd);
    std::vector<ContactBody> views = crowd.views();
    lists.update(views);
    std::vector<std::pair<int, int>> order;
    for (const NearPair& pair : lists.near.pairs()) {
        order.emplace_back(pair.a, pair.b);
        CHECK(pair.a != 2);
        CHECK(pair.b != 2);
    }
    CHECK(order.size() >= 3);
    CHECK(std::is_sorted(order.begin(), order.end()));
}
