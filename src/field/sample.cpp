// sample(): one value at every place, whatever the source of the field.
#include <algorithm>
#include <cmath>

#include "core/words.h"
#include "field/harmonic.h"
#include "field/paint.h"
#include "field/strokes.h"
#include "math/pseudo_inverse.h"
#include "yawara/spelling.h"

namespace yawara {
namespace {

using namespace field;

std::size_t particle_count(const Domain& domain)
{
    if (const auto* mesh = std::get_if<TetMesh>(&domain)) return mesh->vertices.size();
    return std::get<Lattice>(domain).nodes.size();
}

/// What paint, channels and functions give, as T. What no whole number holds becomes one beyond any range.
template <class T>
T from_number(double value)
{
    if constexpr (std::is_same_v<T, double>) {
        return value;
    } else {
        const auto whole = std::int32_t(std::isfinite(value) ? std::clamp(std::round(value), -1e9, 1e9) : 1e9);
        if constexpr (std::is_same_v<T, Int3>)
            return {whole, whole, whole};
        else
            return whole;
    }
}

template <class T>
std::vector<T> from_numbers(std::vector<double> values)
{
    if constexpr (std::is_same_v<T, double>) {
        return values;
    } else {
        std::vector<T> out;
        for (const double v : values) out.push_back(from_number<T>(v));
        return out;
    }
}

/// Shares of the corners of a tet at a place inside it.
std::array<double, 4> corner_shares(const TetMesh& mesh, const Int4& v, Vec3d p)
{
    const auto at = [&](std::size_t a) { return mesh.vertices[std::size_t(v[a])]; };
    const Vec3d a = at(1) - at(0), b = at(2) - at(0), c = at(3) - at(0), q = p - at(0);
    const double det = dot(cross(a, b), c);
    const double u1 = dot(cross(q, b), c) / det, u2 = dot(cross(a, q), c) / det, u3 = dot(cross(a, b), q) / det;
    return {1 - u1 - u2 - u3, u1, u2, u3};
}

double mixed(const std::array<double, 4>& u, const std::array<double, 4>& v)
{
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2] + u[3] * v[3];
}
/// Directions have no sense: each is counted the way the ones before it point, and all alike.
Vec3d mixed(const std::array<double, 4>&, const std::array<Vec3d, 4>& corners)
{
    Vec3d mean;
    for (const Vec3d& d : corners) mean += dot(d, mean) < 0 ? -d : d;
    return mean;
}
/// Whole numbers cannot be mixed: that of the nearest corner.
template <class T>
T mixed(const std::array<double, 4>& u, const std::array<T, 4>& corners)
{
    return corners[std::size_t(std::max_element(u.begin(), u.end()) - u.begin())];
}

/// From the particles to places inside tets.
template <class T>
std::vector<T> carried_to_tets(const std::vector<T>& values, const FieldPlaces& places)
{
    const TetMesh& mesh = std::get<TetMesh>(places.domain);
    std::vector<T> out;
    for (std::size_t i = 0; i < places.points.size(); ++i) {
        const Int4& tet = mesh.tets[std::size_t(places.tets[i])];
        std::array<T, 4> corners;
        for (std::size_t k = 0; k < 4; ++k) corners[k] = values[std::size_t(tet[k])];
        out.push_back(mixed(corner_shares(mesh, tet, places.points[i]), corners));
    }
    return out;
}

/// Slopes of values by least squares over the links of each particle.
std::vector<Vec3d> slopes(const FieldPlaces& places, std::span<const double> values)
{
    const Links links(places.domain);
    std::vector<Vec3d> gradients(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        Mat3d A = Mat3d::zero();
        Vec3d b;
        for (const std::int32_t j : links.lists[i]) {
            const Vec3d d = places.points[std::size_t(j)] - places.points[i];
            A = A + outer(d, d) * (1 / dot(d, d));
            b += d * ((values[std::size_t(j)] - values[i]) / dot(d, d));
        }
        gradients[i] = pseudo_inverse(A) * b;
    }
    return gradients;
}

double remapped(const std::vector<std::pair<double, double>>& table, double x)
{
    if (table.empty()) return x;
    const auto next =
        std::upper_bound(table.begin(), table.end(), x, [](double v, const auto& key) { return v < key.first; });
    if (next == table.begin()) return table.front().second;
    if (next == table.end()) return table.back().second;
    const auto& [x0, y0] = *(next - 1);
    return y0 + (next->second - y0) * ((x - x0) / (next->first - x0));
}

/// Values of any source at all places.
template <class T>
class Sampler {
public:
    Sampler(const FieldPlaces& places, const FieldUse& use) : places_(places), use_(use) {}

    using Values = Result<std::vector<T>>;
    using Function = typename Field<T>::Function;

    Values operator()(const T& constant) const { return std::vector<T>(places_.points.size(), constant); }

    Values operator()(const Function& function) const
    {
        if (!function) return Error{use_.name, "is an empty function"};
        std::vector<T> out;
        for (const Vec3d& p : places_.points) {
            const auto value = function(p / places_.scale);
            if constexpr (Field<T>::kDirections)
                out.push_back(is_finite(value) ? value : Vec3d{});
            else if (!std::isfinite(value))
                return Error{use_.name, "is not finite at " + place(out.size())};
            else
                out.push_back(from_number<T>(value));
        }
        return out;
    }

    Values operator()(const std::vector<T>& values) const
    {
        const std::size_t particles = particle_count(places_.domain);
        if (values.size() == particles && !places_.tets.empty()) return carried_to_tets(values, places_);
        if (values.size() == places_.points.size()) return values;
        return Error{use_.name,
                     std::to_string(values.size()) + " values for " + std::to_string(particles) + " particles" +
                         (places_.tets.empty() ? "" : " or " + std::to_string(places_.points.size()) + " finest tets")};
    }

    Values operator()(const Paint& paint) const
    {
        if (std::is_same_v<T, std::int32_t> && paint.filling != Filling::nearest)
            return Error{use_.name, "labels cannot be blended: fill them with the nearest"};
        const Result<PaintSamples> samples = samples_of(paint, places_, use_);
        if (!samples) return samples.error();
        for (const double painted : {samples->low, samples->high})
            if (const std::string wrong = complaint(painted); !wrong.empty()) return Error{use_.name, "paint " + wrong};
        // One value, however often: the same everywhere.
        if (samples->low == samples->high) return (*this)(from_number<T>(samples->low));
        switch (paint.filling) {
            case Filling::rbf:
                return from_numbers<T>(held(fill_rbf(*samples, places_.points, false, use_).values, *samples));
            case Filling::nearest:
                return from_numbers<T>(fill_nearest(*samples, places_.points));
            case Filling::harmonic:
                break;
        }
        return (*this)(from_numbers<T>(harmonic_field(places_.domain, samples->points, samples->values)));
    }

    Values operator()(const Channel& channel) const
    {
        const Channels& channels = places_.channels;
        if (channels.names.empty())
            return Error{use_.name,
                         "channel \"" + channel.name + "\": only a body made of a volume model has channels"};
        if (std::find(channels.names.begin(), channels.names.end(), channel.name) == channels.names.end())
            return Error{use_.name, "there is no channel \"" + channel.name + "\"" +
                                        did_you_mean(channel.name, channels.names) + " (they are " +
                                        listed(channels.names) + ")"};
        for (std::size_t k = 1; k < channel.remap.size(); ++k)
            if (!(channel.remap[k - 1].first < channel.remap[k].first))
                return Error{use_.name, "the values to remap have to increase"};
        std::vector<double> values = channels.values(channel.name, places_);
        for (double& v : values) v = remapped(channel.remap, v);
        return from_numbers<T>(std::move(values));
    }

    Values operator()(const Strokes& strokes) const
    {
        const Links links(places_.domain);
        const auto directions = sample_directions(Field<Vec3d>(strokes), places_, links, use_);
        if (!directions) return directions.error();
        return (*this)(completed(*directions, links.lists));
    }

    Values operator()(const Parts<T>& parts) const
    {
        Values values = parts.base ? sample(*parts.base, places_, use_) : (*this)(T{});
        if (!values) return values;
        const std::vector<Vec3d> points = places_.unscaled();
        for (const auto& part : parts.parts) {
            const Result<std::vector<std::int32_t>> chosen = select_particles(part.select, points);
            if (!chosen) return chosen.error().where.empty() ? Error{use_.name, chosen.error().what} : chosen.error();
            for (const std::int32_t i : *chosen) (*values)[std::size_t(i)] = part.value;
        }
        return values;
    }

    Values operator()(const Deferred<T>& deferred) const
    {
        if (!deferred.make) return Error{use_.name, "is an empty function"};
        const Values made = deferred.make(places_, use_);
        if (!made) return made.error().where.empty() ? Error{use_.name, made.error().what} : made.error();
        return (*this)(*made);
    }

    Status check(const std::vector<T>& values, bool constant) const
    {
        for (std::size_t i = 0; i < values.size(); ++i)
            if (const std::string wrong = complaint(values[i]); !wrong.empty())
                return Error{use_.name, constant ? wrong : wrong_at(wrong, i)};
        return Done{};
    }

private:
    /// Radial functions go on beyond the paint: where they leave the range they are held to it, or to the lowest paint
    /// if the range has no lowest number.
    std::vector<double> held(std::vector<double> values, const PaintSamples& samples) const
    {
        const double low = use_.above_low ? samples.low : use_.low;
        for (double& v : values) v = std::min(std::max(v, low), use_.high);
        return values;
    }
    static std::string listed(const std::vector<std::string>& names)
    {
        std::string text;
        for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
        return text;
    }
    std::string place(std::size_t i) const
    {
        return (places_.tets.empty() ? "particle " : "finest tet ") + std::to_string(i) + ", rest position (" +
               short_text(places_.points[i]) + ")";
    }
    /// "is not finite" becomes "is not finite at ..."; "is 3; expected ..." likewise.
    std::string wrong_at(const std::string& wrong, std::size_t i) const
    {
        const std::size_t end = std::min(wrong.find(';'), wrong.size());
        return wrong.substr(0, end) + " at " + place(i) + wrong.substr(end);
    }
    std::string expected() const
    {
        const std::string low = short_text(use_.low), high = short_text(use_.high);
        if (!std::isfinite(use_.high)) return use_.above_low ? "more than " + low : "at least " + low;
        if (!std::isfinite(use_.low)) return "at most " + high;
        return use_.above_low ? "a number above " + low + ", at most " + high : low + " to " + high;
    }
    std::string complaint(double value) const
    {
        if (!std::isfinite(value)) return "is not finite";
        const bool low = use_.above_low ? !(value > use_.low) : value < use_.low;
        return low || value > use_.high ? "is " + short_text(value) + "; expected " + expected() : "";
    }
    std::string complaint(Vec3d value) const { return is_finite(value) ? "" : "is not finite"; }
    std::string complaint(Int3 value) const
    {
        for (const std::int32_t v : value)
            if (const std::string wrong = complaint(double(v)); !wrong.empty()) return wrong;
        return "";
    }
    std::string complaint(std::int32_t value) const { return complaint(double(value)); }

    const FieldPlaces& places_;
    const FieldUse& use_;
};

/// Central differences, over a hundred-thousandth of the solid's size.
std::vector<Vec3d> differences(const Field<double>::Function& function, const FieldPlaces& places)
{
    const double h = 1e-5 * bounds(places.points).diagonal();
    const auto at = [&](Vec3d p) { return function(p / places.scale); };
    std::vector<Vec3d> gradients;
    for (const Vec3d& p : places.points) {
        const Vec3d slope{at(p + Vec3d{h, 0, 0}) - at(p - Vec3d{h, 0, 0}),
                          at(p + Vec3d{0, h, 0}) - at(p - Vec3d{0, h, 0}),
                          at(p + Vec3d{0, 0, h}) - at(p - Vec3d{0, 0, h})};
        gradients.push_back(is_finite(slope) ? slope / (2 * h) : Vec3d{});
    }
    return gradients;
}

}  // namespace

std::vector<Vec3d> FieldPlaces::unscaled() const
{
    std::vector<Vec3d> out = points;
    for (Vec3d& p : out) p = p / scale;
    return out;
}

FieldPlaces particle_places(const Domain& domain)
{
    return {domain, rest_positions(domain), {}};
}

FieldUse positive(std::string name)
{
    return {.name = std::move(name), .low = 0, .above_low = true};
}

template <class T>
Result<std::vector<T>> sample(const Field<T>& field, const FieldPlaces& places, const FieldUse& use)
{
    const Sampler<T> sampler(places, use);
    Result<std::vector<T>> values = std::visit(sampler, field.source());
    if (!values) return values;
    if (const Status ok = sampler.check(*values, field.constant()); !ok) return ok.error();
    return values;
}
template Result<std::vector<double>> sample(const Field<double>&, const FieldPlaces&, const FieldUse&);
template Result<std::vector<Vec3d>> sample(const Field<Vec3d>&, const FieldPlaces&, const FieldUse&);
template Result<std::vector<std::int32_t>> sample(const Field<std::int32_t>&, const FieldPlaces&, const FieldUse&);
template Result<std::vector<Int3>> sample(const Field<Int3>&, const FieldPlaces&, const FieldUse&);

Result<SampledGradient> sample_gradient(const Field<double>& field, const FieldPlaces& places, const FieldUse& use)
{
    if (const auto* paint = std::get_if<Paint>(&field.source()); paint && paint->filling == Filling::rbf) {
        const Result<PaintSamples> samples = samples_of(*paint, places, use);
        if (!samples) return samples.error();
        if (samples->low == samples->high) return sample_gradient(samples->low, places, use);
        SampledGradient out = fill_rbf(*samples, places.points, true, use);
        if (const Status ok = Sampler<double>(places, use).check(out.values, false); !ok) return ok.error();
        return out;
    }
    Result<std::vector<double>> values = sample(field, places, use);
    if (!values) return values.error();
    SampledGradient out{std::move(*values), {}};
    if (const auto* function = std::get_if<Field<double>::Function>(&field.source()))
        out.gradients = differences(*function, places);
    else if (!field.constant())
        out.gradients = slopes(places, out.values);
    return out;
}

}  // namespace yawara
