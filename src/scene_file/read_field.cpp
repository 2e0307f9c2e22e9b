#include "scene_file/read_field.h"

#include <fmt/format.h>

#include <cmath>

#include "yawara/io.h"
#include "yawara/paint.h"

namespace yawara::scene_file {
namespace {

bool names_array(const Node& node)
{
    return node.json.is_string() && node.as<std::string>().ends_with(".npy");
}

Formula read_formula(const Node& node, Findings& findings)
{
    Result<Formula> formula =
        Formula::parse(node.json.is_number() ? fmt::format("({})", node.as<double>()) : node.as<std::string>());
    if (formula) return *std::move(formula);
    findings.error(node.path, formula.error().what);
    return {};
}

/// A number of the document as T; a label that is not whole is an error.
template <class T>
T read_number(const Node& node, Findings& findings)
{
    const double value = node.as<double>();
    if constexpr (std::is_same_v<T, double>) {
        return value;
    } else {
        if (value != std::floor(value) || std::abs(value) > 1e9) {
            findings.error(node.path, fmt::format("expected a whole number, found {}", brief(node.json)));
            return {};
        }
        const auto whole = std::int32_t(value);
        if constexpr (std::is_same_v<T, Int3>)
            return {whole, whole, whole};
        else
            return whole;
    }
}

PaintTouch read_touch(const Node& node, Findings& findings)
{
    using Brush = PaintTouch::Brush;
    PaintTouch touch;
    touch.where = node.path;
    touch.value = node["value"].as<double>();
    const auto brush = node["brush"].as<std::string>();
    touch.brush = brush == "polygon"  ? Brush::polygon
                  : brush == "flat"   ? Brush::flat
                  : brush == "stroke" ? Brush::stroke
                                      : Brush::vertex;
    if (node.has("at")) touch.path = {read_vector(node["at"])};
    if (node.has("path")) touch.path = read_points(node["path"]);
    if (node.has("vertex")) touch.vertex = node["vertex"].as<std::int32_t>();
    touch.angle = node["angle"].as<double>();
    if (node.has("radius")) touch.radius = node["radius"].as<double>();
    if (touch.brush == Brush::stroke && !node.has("radius")) findings.error(node.path, "a stroke needs a \"radius\"");
    if (node.has("vertex") && touch.brush != Brush::vertex)
        findings.error(node.path, "only the brush \"point\" paints a \"vertex\"");
    return touch;
}

Paint read_paint(const Node& node, Filling omitted, Findings& findings)
{
    Paint paint;
    paint.filling = omitted;
    if (node.has("filling")) {
        const auto filling = node["filling"].as<std::string>();
        paint.filling = filling == "harmonic"  ? Filling::harmonic
                        : filling == "nearest" ? Filling::nearest
                                               : Filling::rbf;
    }
    const Node touches = node["paint"];
    for (std::size_t k = 0; k < touches.size(); ++k) {
        PaintTouch touch = read_touch(touches[k], findings);
        if (touch.brush == PaintTouch::Brush::vertex && !touches[k].has("vertex"))  // points are samples
            for (const Vec3d& p : touch.path) paint.samples.push_back({p, touch.value});
        else
            paint.touches.push_back(std::move(touch));
    }
    return paint;
}

Coat read_coat(const Node& node, Findings& findings)
{
    using Brush = Coat::Brush;
    using Operation = Coat::Operation;
    using Reach = Coat::Reach;
    Coat coat;
    coat.where = node.path;
    const auto brush = node["brush"].as<std::string>(), op = node["op"].as<std::string>(),
               reach = node["reach"].as<std::string>();
    coat.brush = brush == "flat"       ? Brush::flat
                 : brush == "polygon"  ? Brush::polygon
                 : brush == "select"   ? Brush::select
                 : brush == "gradient" ? Brush::gradient
                                       : Brush::stroke;
    coat.operation = op == "add"        ? Operation::add
                     : op == "subtract" ? Operation::subtract
                     : op == "multiply" ? Operation::multiply
                     : op == "smooth"   ? Operation::smooth
                     : op == "erase"    ? Operation::erase
                                        : Operation::set;
    coat.reach = reach == "skin" ? Reach::skin : reach == "through" ? Reach::through : Reach::body;
    const bool needs_value = coat.operation != Operation::smooth && coat.operation != Operation::erase;
    if (node.has("value"))
        coat.value = node["value"].as<double>();
    else if (needs_value)
        findings.error(node.path, "\"" + op + "\" needs a \"value\"");
    coat.along_mesh = node["follow"].as<std::string>() == "mesh";
    if (node.has("to")) coat.end_value = node["to"].as<double>();
    coat.strength = node["strength"].as<double>();
    if (node.has("path")) coat.path = read_points(node["path"]);
    if (node.has("pressures")) coat.pressures = node["pressures"].as<std::vector<double>>();
    if (node.has("radius")) coat.radius = node["radius"].as<double>();
    coat.angle = node["angle"].as<double>();
    if (node.has("along")) coat.along = read_vector(node["along"]);
    coat.select = read_selection(node["select"], findings);
    if (node.has("outline")) {
        const Node outline = node["outline"];
        coat.outline = Outline{outline["view"].as<std::array<double, 16>>(),
                               outline["areas"].as<std::vector<std::vector<double>>>()};
    }
    if (node.has("mirror")) coat.mirror = node["mirror"].as<std::string>()[0] - 'x';
    if (node.has("within")) {
        coat.low = node["within"].json[0].get<double>();
        coat.high = node["within"].json[1].get<double>();
    }
    if (coat.brush != Brush::select && coat.path.empty())
        findings.error(node.path, "\"" + brush + "\" needs a \"path\"");
    if (coat.brush == Brush::stroke && !(coat.radius > 0)) findings.error(node.path, "a stroke needs a \"radius\"");
    if (coat.reach == Reach::through && coat.along == Vec3d{})
        findings.error(node.path, "\"through\" needs a direction: \"along\"");
    return coat;
}

template <class T>
Field<T> read_painting(const Node& node, const Field<T>& omitted, Findings& findings)
{
    if constexpr (std::is_same_v<T, Int3>) {
        findings.error(node.path, "coats are for numbers and labels");
        return omitted;
    } else {
        Painting<T> painting{read_field<T>(node["base"], findings, omitted), {}};
        const Node coats = node["coats"];
        for (std::size_t k = 0; k < coats.size(); ++k) painting.coats.push_back(read_coat(coats[k], findings));
        painting.filled = node["filling"].as<std::string>() == "harmonic";
        if (painting.filled && std::is_same_v<T, std::int32_t>)
            findings.error(node.path + ".filling", "labels cannot be filled smoothly");
        if (node.has("range")) {
            painting.low = node["range"].json[0].get<double>();
            painting.high = node["range"].json[1].get<double>();
            if (!(painting.low <= painting.high))
                findings.error(node.path + ".range", "the first has to be the smaller");
        }
        return painted(std::move(painting));
    }
}

Channel read_channel(const Node& node, Findings& findings)
{
    Channel channel{node["channel"].as<std::string>(), {}};
    if (!node.has("remap")) return channel;
    const Node remap = node["remap"];
    for (std::size_t k = 0; k < remap.size(); ++k) {
        channel.remap.emplace_back(remap[k].json[0].get<double>(), remap[k].json[1].get<double>());
        if (k > 0 && !(channel.remap[k - 1].first < channel.remap[k].first))
            findings.error(remap[k].path, "the channel's values have to increase from pair to pair");
    }
    return channel;
}

template <class T>
Parts<T> read_parts(const Node& list, const Field<T>& base, Findings& findings)
{
    Parts<T> parts{std::make_shared<const Field<T>>(base), {}};
    for (std::size_t k = 0; k < list.size(); ++k) {
        const Node value = list[k]["value"];
        Selection select = read_selection(list[k]["select"], findings);
        if constexpr (Field<T>::kDirections)
            parts.parts.push_back({std::move(select), read_vector(value)});
        else
            parts.parts.push_back({std::move(select), read_number<T>(value, findings)});
    }
    return parts;
}

template <class T>
Deferred<T> read_array(const Node& node, const Findings& findings)
{
    return {[file = read_file(node, findings)](const FieldPlaces&, const FieldUse&) { return load_rows<T>(file); }};
}

template <class T>
Field<T> read_values(const Node& node, Findings& findings)
{
    if (node.json.is_string()) return read_array<T>(node, findings);
    std::vector<T> values;
    for (std::size_t k = 0; k < node.size(); ++k) values.push_back(read_number<T>(node[k], findings));
    return values;
}

}  // namespace

std::vector<Vec3d> read_points(const Node& node)
{
    std::vector<Vec3d> points;
    for (std::size_t k = 0; k < node.size(); ++k) points.push_back(read_vector(node[k]));
    return points;
}

template <class T>
Result<std::vector<T>> load_rows(const FileName& file)
{
    Result<Array> array = load_npy(file.path);
    if (!array) return Error{file.where, array.error().message()};
    const auto& shape = array->shape;
    const bool three =
        !std::is_same_v<T, double> && !std::is_same_v<T, std::int32_t> && shape.size() == 2 && shape[1] == 3;
    if (!three && (std::is_same_v<T, Vec3d> || shape.size() != 1))
        return Error{file.where,
                     fmt::format("{} has shape ({}), expected {}", file.path.string(), fmt::join(shape, ", "),
                                 std::is_same_v<T, Vec3d>  ? "(n, 3)"
                                 : std::is_same_v<T, Int3> ? "(n) or (n, 3)"
                                                           : "(n)")};
    const std::vector<double>& v = array->values;
    if constexpr (std::is_same_v<T, double>) {
        return std::move(array->values);
    } else {
        for (std::size_t i = 0; !std::is_same_v<T, Vec3d> && i < v.size(); ++i)
            if (!(std::abs(v[i]) <= 1e9) || v[i] != std::floor(v[i]))
                return Error{file.where, fmt::format("value {} of {} is {:g}; expected a whole number", i,
                                                     file.path.string(), v[i])};
        std::vector<T> rows(shape[0]);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::size_t at = three ? 3 * i : i, step = three ? 1 : 0;
            if constexpr (std::is_same_v<T, Vec3d>)
                rows[i] = {v[at], v[at + step], v[at + 2 * step]};
            else if constexpr (std::is_same_v<T, Int3>)
                rows[i] = {std::int32_t(v[at]), std::int32_t(v[at + step]), std::int32_t(v[at + 2 * step])};
            else
                rows[i] = T(v[at]);
        }
        return rows;
    }
}
template Result<std::vector<double>> load_rows(const FileName&);

template <class T>
Field<T> read_field(const Node& node, Findings& findings, const Field<T>& omitted)
{
    if (node.json.is_number()) return read_number<T>(node, findings);
    if (names_array(node)) return read_array<T>(node, findings);
    if (node.json.is_string()) return read_formula(node, findings);
    if (node.json.is_array() && node.json[0].is_number()) {
        if constexpr (std::is_same_v<T, Int3>) return read_counts(node);
        return read_values<T>(node, findings);
    }
    if (node.json.is_array()) return read_parts<T>(node, omitted, findings);
    if (node.has("distance")) {
        if constexpr (std::is_same_v<T, double>)
            return wall_distance(node["distance"].as<std::string>() == "walls" ? Walls::both : Walls::outside);
        findings.error(node.path, "a distance is not a whole number");
        return omitted;
    }
    if (node.has("values")) return read_values<T>(node["values"], findings);
    if (node.has("channel")) return read_channel(node, findings);
    if (node.has("coats")) return read_painting<T>(node, omitted, findings);
    if (node.has("parts"))
        return read_parts<T>(node["parts"], node.has("base") ? read_field<T>(node["base"], findings, omitted) : omitted,
                             findings);
    return read_paint(node, std::is_same_v<T, std::int32_t> ? Filling::nearest : Filling::rbf, findings);
}
template Field<double> read_field(const Node&, Findings&, const Field<double>&);
template Field<std::int32_t> read_field(const Node&, Findings&, const Field<std::int32_t>&);
template Field<Int3> read_field(const Node&, Findings&, const Field<Int3>&);

template <>
Field<Vec3d> read_field(const Node& node, Findings& findings, const Field<Vec3d>& omitted)
{
    if (names_array(node)) return read_array<Vec3d>(node, findings);
    if (node.json.is_array()) {
        const auto is_number = [](const Json& j) { return j.is_number(); };
        if (std::all_of(node.json.begin(), node.json.end(), is_number)) return read_direction(node, findings);
        const std::array<Formula, 3> f{read_formula(node[std::size_t{0}], findings), read_formula(node[1], findings),
                                       read_formula(node[2], findings)};
        return [f](Vec3d p) { return Vec3d{f[0](p), f[1](p), f[2](p)}; };
    }
    if (node.has("parts"))
        return read_parts<Vec3d>(
            node["parts"], node.has("base") ? read_field<Vec3d>(node["base"], findings, omitted) : omitted, findings);
    Strokes strokes;
    strokes.oriented = node["oriented"].as<bool>();
    const Node lines = node["strokes"];
    for (std::size_t k = 0; k < lines.size(); ++k) strokes.lines.push_back({read_points(lines[k]["points"])});
    return strokes;
}

}  // namespace yawara::scene_file
