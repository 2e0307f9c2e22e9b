// Which particles lie in an area of the picture, only those on the seen side if wanted, and a selection that means the
// same place of any mesh: by where they are at rest.
#include <algorithm>
#include <array>
#include <cmath>

#include "geometry/bvh.h"
#include "stream/queries/query.h"

namespace yawara::stream {

namespace {

constexpr std::size_t kMostPlaces = 2000;
constexpr std::size_t kMostParts = 1000;  // of "any", as the schema of scenes has it
constexpr double kSeenDepth = 1.1;        // of the spacing: the outermost particles may lie a little inside
constexpr double kMargin = 0.25;          // of the spacing: a box holds particles that another mesh has just outside

struct Picture {
    std::vector<double> matrix;
    const std::vector<std::vector<double>>& areas;

    /// Even-odd rule.
    static bool inside(const std::vector<double>& polygon, double x, double y)
    {
        bool in = false;
        const std::size_t corners = polygon.size() / 2;
        for (std::size_t a = 0, b = corners - 1; a < corners; b = a++) {
            const double ax = polygon[2 * a], ay = polygon[2 * a + 1], bx = polygon[2 * b], by = polygon[2 * b + 1];
            if ((ay > y) != (by > y) && x < ax + (bx - ax) * (y - ay) / (by - ay)) in = !in;
        }
        return in;
    }

    bool shows(Vec3d p) const
    {
        const auto row = [&](std::size_t r) {
            return matrix[r] * p.x + matrix[4 + r] * p.y + matrix[8 + r] * p.z + matrix[12 + r];
        };
        const double w = row(3);
        if (!(w > 0)) return false;
        const double x = row(0) / w, y = row(1) / w;
        return std::ranges::any_of(areas, [&](const auto& polygon) { return inside(polygon, x, y); });
    }
};

/// All surfaces as they are drawn now, to look past.
class Curtain {
public:
    Curtain(Mirror& mirror, const Snapshot& snapshot)
    {
        std::vector<Box3> boxes;
        for (std::size_t k = 0; k < snapshot.bodies.size(); ++k) {
            const std::span<const Vec3> now = mirror.scene().surface(mirror.id(k));
            for (const Int3& t : snapshot.bodies[k].model.surface().triangles) {
                Box3 box;
                std::array<Vec3d, 3> corners;
                for (std::size_t c = 0; c < 3; ++c) {
                    corners[c] = now[std::size_t(t[c])].as<double>();
                    box.add(corners[c]);
                }
                triangles_.push_back(corners);
                boxes.push_back(box);
            }
        }
        tree_ = Bvh(boxes);
    }

    bool hides(Vec3d from, Vec3d eye) const
    {
        bool hidden = false;
        const Vec3d way = eye - from;
        tree_.along(from, way, [&](std::int32_t t, double& reach) {
            if (hidden || !crosses(triangles_[std::size_t(t)], from, way)) return;
            hidden = true;
            reach = 0;
        });
        return hidden;
    }

private:
    /// Moeller and Trumbore, for the segment from + t way with t in 0..1.
    static bool crosses(const std::array<Vec3d, 3>& corners, Vec3d from, Vec3d way)
    {
        const Vec3d ab = corners[1] - corners[0], ac = corners[2] - corners[0], n = cross(way, ac);
        const double determinant = dot(ab, n);
        if (determinant == 0) return false;
        const Vec3d to = from - corners[0], q = cross(to, ab);
        const double u = dot(to, n) / determinant, v = dot(way, q) / determinant, t = dot(ac, q) / determinant;
        return u >= 0 && v >= 0 && u + v <= 1 && t >= 0 && t <= 1;
    }

    std::vector<std::array<Vec3d, 3>> triangles_;
    Bvh tree_;
};

Json as_json(Vec3d v)
{
    return Json::array({v.x, v.y, v.z});
}

/// Balls around chosen particles that reach half-way to those that were not, the largest first.
Json balls(std::span<const Vec3d> rest, const std::vector<char>& chosen, double spacing)
{
    std::vector<Vec3d> others;
    std::vector<Box3> boxes;
    for (std::size_t i = 0; i < rest.size(); ++i)
        if (!chosen[i]) {
            others.push_back(rest[i]);
            boxes.emplace_back();
            boxes.back().add(rest[i]);
        }
    const Bvh tree(boxes);
    struct Ball {
        std::size_t particle;
        double radius;
    };
    std::vector<Ball> candidates;
    for (std::size_t i = 0; i < rest.size(); ++i) {
        if (!chosen[i]) continue;
        const auto distance2 = [&](std::int32_t k) {
            const Vec3d away = others[std::size_t(k)] - rest[i];
            return dot(away, away);
        };
        const double far = std::sqrt(tree.nearest(rest[i], 1e300, distance2).second);
        candidates.push_back({i, std::max(0.5 * far, far - 0.5 * spacing)});
    }
    std::ranges::stable_sort(candidates, std::greater<>{}, &Ball::radius);
    std::vector<char> covered(rest.size());
    Json parts = Json::array();
    for (const auto& [particle, radius] : candidates) {
        if (covered[particle]) continue;
        for (const Ball& other : candidates)
            if (length(rest[other.particle] - rest[particle]) <= radius) covered[other.particle] = 1;
        parts.push_back({{"sphere", {{"center", as_json(rest[particle])}, {"radius", radius}}}});
    }
    if (parts.size() == 1) return parts[0];
    if (parts.size() <= kMostParts) return {{"any", std::move(parts)}};
    Json several = Json::array();
    for (std::size_t k = 0; k < parts.size(); k += kMostParts)
        several.push_back({{"any", Json(parts.begin() + std::ptrdiff_t(k),
                                        parts.begin() + std::ptrdiff_t(std::min(k + kMostParts, parts.size())))}});
    return {{"any", std::move(several)}};
}

Json selection_of(std::span<const Vec3d> rest, const std::vector<char>& chosen, double spacing)
{
    if (std::ranges::count(chosen, 0) == 0) return "all";
    Box3 box;
    for (std::size_t i = 0; i < rest.size(); ++i)
        if (chosen[i]) box.add(rest[i]);
    for (Vec3d* corner : {&box.low, &box.high})
        *corner += Vec3d{1, 1, 1} * (corner == &box.low ? -kMargin * spacing : kMargin * spacing);
    const auto in_box = [&](Vec3d p) {
        return p.x >= box.low.x && p.y >= box.low.y && p.z >= box.low.z && p.x <= box.high.x && p.y <= box.high.y &&
               p.z <= box.high.z;
    };
    bool exact = true;
    for (std::size_t i = 0; exact && i < rest.size(); ++i) exact = chosen[i] || !in_box(rest[i]);
    if (exact) return {{"box", {{"low", as_json(box.low)}, {"high", as_json(box.high)}}}};
    return balls(rest, chosen, spacing);
}

}  // namespace

Result<Answer> answer_lasso(const Json& query, const Snapshot& snapshot, Mirror& mirror)
{
    const auto lasso = query.get<messages::QueryLasso>();
    const auto body = body_named(lasso.body, snapshot);
    if (!body) return body.error();
    const Picture picture{lasso.view, lasso.areas};
    const std::vector<Vec3>& positions = (*body)->state.positions;
    const double spacing = (*body)->model.spacing();
    const Vec3d eye = lasso.eye.as<double>();
    std::vector<char> chosen(positions.size());
    for (std::size_t i = 0; i < positions.size(); ++i) chosen[i] = picture.shows(positions[i].as<double>());
    if (!lasso.through && std::ranges::count(chosen, 1) > 0) {
        const Curtain curtain(mirror, snapshot);
        for (std::size_t i = 0; i < positions.size(); ++i) {
            if (!chosen[i]) continue;
            const Vec3d p = positions[i].as<double>(), towards = normalized(eye - p);
            chosen[i] = !curtain.hides(p + towards * (kSeenDepth * spacing), eye);
        }
    }
    messages::AnswerLasso answer;
    for (std::size_t i = 0; i < positions.size(); ++i) {
        if (!chosen[i]) continue;
        ++answer.particles;
        if (answer.places.size() < kMostPlaces) answer.places.push_back(positions[i]);
    }
    if (answer.particles > 0) answer.select = selection_of((*body)->model.rest_positions(), chosen, spacing);
    return Answer(Json(answer));
}

}  // namespace yawara::stream
