// A run's number says its place in the grid, its sample and its repeat; draws are hashes of these, so that no run needs
// the ones before it.
#include "sweep/plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "io/file.h"
#include "scene_file/live_edit.h"
#include "scene_file/schema_check.h"

namespace yawara {

namespace fs = std::filesystem;
using namespace sweep;
using scene_file::join;

namespace {

constexpr std::size_t kMostChecked = 1000;  // values of one axis that are tried in the scene before anything runs

/// SplitMix64: every input its own, well-mixed number.
std::uint64_t mixed(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

std::uint64_t mixed(std::initializer_list<std::uint64_t> numbers)
{
    std::uint64_t x = 0;
    for (const std::uint64_t number : numbers) x = mixed(x ^ mixed(number));
    return x;
}

/// 0 <= u < 1
double unit(std::uint64_t bits)
{
    return static_cast<double>(bits >> 11) * 0x1p-53;
}

/// A whole number as one, so that it may stand where the schema wants one.
Json json_number(double value)
{
    if (value == std::floor(value) && std::abs(value) < 9e15) return static_cast<std::int64_t>(value);
    return value;
}

}  // namespace

double Range::at(double share) const
{
    if (share <= 0) return from;
    if (share >= 1) return to;
    const double value =
        log ? std::exp(std::log(from) + share * (std::log(to) - std::log(from))) : from + share * (to - from);
    return std::stod(fmt::format("{:.12g}", value));
}

Json Axis::value(std::size_t index) const
{
    if (!values.empty()) return values[index];
    return json_number(range.at(count > 1 ? static_cast<double>(index) / static_cast<double>(count - 1) : 0.0));
}

Json Draw::value(std::uint64_t seed, std::size_t number, std::size_t samples, std::size_t sample,
                 std::size_t repeat) const
{
    const double u = unit(mixed({seed, number, sample, repeat}));
    const double share = strata.empty() ? u : (strata[repeat * samples + sample] + u) / static_cast<double>(samples);
    if (!whole) return json_number(range.at(share));
    return static_cast<std::int64_t>(std::min(range.to, std::floor(range.from + share * (range.to - range.from + 1))));
}

namespace {

/// Which part of its range each sample of a Latin hypercube is drawn from: a shuffle for every repeat.
std::vector<std::uint32_t> shuffled_strata(std::uint64_t seed, std::size_t number, std::size_t samples,
                                           std::size_t repeats)
{
    std::vector<std::uint32_t> strata(samples * repeats);
    for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
        const auto begin = strata.begin() + static_cast<std::ptrdiff_t>(repeat * samples);
        std::iota(begin, begin + static_cast<std::ptrdiff_t>(samples), 0u);
        for (std::size_t k = samples; k > 1; --k)
            std::swap(begin[static_cast<std::ptrdiff_t>(k - 1)],
                      begin[static_cast<std::ptrdiff_t>(mixed({~seed, number, k, repeat}) % k)]);
    }
    return strata;
}

/// Reads a checked sweep file.
class PlanReader {
public:
    PlanReader(Json sweep, fs::path folder, std::string name)
        : sweep_(std::move(sweep)), folder_(std::move(folder)), name_(std::move(name))
    {
    }

    Result<std::shared_ptr<const SweepPlan::Data>> read()
    {
        using Step = Status (PlanReader::*)();
        for (const Step step : {&PlanReader::read_scene, &PlanReader::read_axes, &PlanReader::read_draws,
                                &PlanReader::count, &PlanReader::check_values, &PlanReader::read_conditions})
            if (Status done = (this->*step)(); !done) return done.error();
        name_measures();
        plan_->keep = sweep_["keep"].get<std::vector<std::string>>();
        plan_->text = sweep_.dump(1, ' ', false, Json::error_handler_t::replace);
        return std::shared_ptr<const SweepPlan::Data>(plan_);
    }

private:
    Error wrong(std::string where, std::string what) const { return {name_ + ": " + where, std::move(what)}; }

    Status read_scene()
    {
        const fs::path file = (folder_ / sweep_["scene"].get<std::string>()).lexically_normal();
        const auto text = io::read_file(file);
        if (!text) return text.error();
        auto parsed = scene_file::parse_json(*text, file.string());
        if (!parsed) return parsed.error();
        std::error_code failed;
        plan_->scene_file = fs::absolute(file, failed).lexically_normal();
        sweep_["scene"] = plan_->scene_file.string();
        plan_->document = *std::move(parsed);
        Json& document = plan_->document;
        if (!document.is_object()) return Error{file.string(), "is not a scene: expected an object"};
        if (sweep_.contains("frames")) document["frames"] = sweep_["frames"];
        for (const Json& measure : sweep_["measures"]) document["measures"].push_back(measure);
        plan_->whole = document;
        const Json schema = Json::parse(scene_schema());
        const auto found = scene_file::check_schema(schema, plan_->whole);
        if (!found.errors.empty()) return Error{file.string() + ": " + found.errors[0].where, found.errors[0].what};
        return Done{};
    }

    /// Its column, which no other may have.
    Status take_name(const Json& entry, const std::string& where)
    {
        const std::string name = entry.value("name", entry["path"].get<std::string>());
        static constexpr std::array<std::string_view, 7> kTaken{"run",  "status",  "frames_done", "fingerprint",
                                                                "note", "seconds", "repeat"};
        if (std::ranges::find(kTaken, name) != kTaken.end())
            return wrong(where, fmt::format("\"{}\" is a column of every table; choose another name", name));
        if (std::ranges::find(plan_->names, name) != plan_->names.end())
            return wrong(where, fmt::format("there are two columns \"{}\"; give one a name of its own", name));
        plan_->names.push_back(name);
        return Done{};
    }

    Result<Range> read_range(const Json& entry, const std::string& where) const
    {
        const Range range{entry["from"], entry["to"], entry["scale"] == "log"};
        if (range.log && !(range.from > 0 && range.to > 0))
            return wrong(where, fmt::format("equal factors from {} to {} are impossible: both have to be more than 0",
                                            range.from, range.to));
        return range;
    }

    Status read_axis(const Json& entry, const std::string& where)
    {
        if (Status named = take_name(entry, where); !named) return named;
        auto path = ScenePath::parse(entry["path"].get<std::string>());
        if (!path) return path.error();
        Axis axis{*std::move(path)};
        if (entry.contains("values")) {
            axis.values = entry["values"].get<std::vector<Json>>();
            axis.count = axis.values.size();
        } else {
            auto range = read_range(entry, where);
            if (!range) return range.error();
            axis.range = *range;
            axis.count = entry["count"];
        }
        plan_->axes.push_back(std::move(axis));
        return Done{};
    }

    Status read_axes()
    {
        for (std::size_t k = 0; k < sweep_["grid"].size(); ++k) {
            if (Status done = read_axis(sweep_["grid"][k], join("grid", k)); !done) return done;
            plan_->groups.push_back({k, 1, plan_->axes.back().count});
        }
        const std::size_t first = plan_->axes.size(), zipped = sweep_["zip"].size();
        for (std::size_t k = 0; k < zipped; ++k) {
            if (Status done = read_axis(sweep_["zip"][k], join("zip", k)); !done) return done;
            const std::size_t count = plan_->axes.back().count, wanted = plan_->axes[first].count;
            if (count != wanted)
                return wrong(join("zip", k),
                             fmt::format("has {} values, the first has {}; they go together", count, wanted));
        }
        if (zipped > 0) plan_->groups.push_back({first, zipped, plan_->axes[first].count});
        return Done{};
    }

    Status read_draws()
    {
        plan_->samples = sweep_["samples"];
        plan_->repeats = sweep_["repeats"];
        plan_->seed = sweep_["seed"];
        if (plan_->samples > SweepPlan::kMostRuns / plan_->repeats)
            return too_many(double(plan_->samples) * double(plan_->repeats));
        for (const char* kind : {"random", "latin"}) {
            for (std::size_t k = 0; k < sweep_[kind].size(); ++k) {
                const Json& entry = sweep_[kind][k];
                const std::string where = join(kind, k);
                if (Status named = take_name(entry, where); !named) return named;
                auto path = ScenePath::parse(entry["path"].get<std::string>());
                if (!path) return path.error();
                auto range = read_range(entry, where);
                if (!range) return range.error();
                if (range->from > range->to) return wrong(where, "the range ends before it begins");
                Draw draw{*std::move(path), *range, entry["whole"]};
                if (draw.whole && (draw.range.log || draw.range.from != std::floor(draw.range.from) ||
                                   draw.range.to != std::floor(draw.range.to)))
                    return wrong(where, "whole numbers need a linear range between whole numbers");
                if (std::string_view(kind) == "latin")
                    draw.strata = shuffled_strata(plan_->seed, plan_->draws.size(), plan_->samples, plan_->repeats);
                plan_->draws.push_back(std::move(draw));
            }
        }
        if (plan_->draws.empty() && (plan_->samples > 1 || plan_->repeats > 1))
            return wrong("samples", "nothing is drawn: the runs would all be the same");
        if (plan_->axes.empty() && plan_->draws.empty())
            return Error{name_, "changes nothing: give at least one axis or range"};
        if (plan_->repeats > 1) plan_->names.push_back("repeat");
        return Done{};
    }

    Error too_many(double runs) const
    {
        return {name_, fmt::format("{:.4g} runs; at most {} are possible", runs, SweepPlan::kMostRuns)};
    }

    Status count()
    {
        double runs = static_cast<double>(plan_->samples) * static_cast<double>(plan_->repeats);
        for (const AxisGroup& group : plan_->groups) runs *= static_cast<double>(group.count);
        if (runs > static_cast<double>(SweepPlan::kMostRuns)) return too_many(runs);
        return Done{};
    }

    /// Every value that an axis takes, and the ends of every range, with the first values of the others.
    Status check_values()
    {
        std::vector<Json> first = plan_->values(0);
        for (std::size_t d = 0; d < plan_->draws.size(); ++d)
            first[plan_->axes.size() + d] = json_number(plan_->draws[d].range.from);
        if (Status fits = check(first); !fits) return fits;
        for (const AxisGroup& group : plan_->groups) {
            const std::size_t checked = std::min(group.count, kMostChecked);
            for (std::size_t k = 1; k < checked; ++k) {
                std::vector<Json> values = first;
                for (std::size_t a = group.first; a < group.first + group.axes; ++a)
                    values[a] = plan_->axes[a].value(k * (group.count - 1) / (checked - 1));
                if (Status fits = check(values); !fits) return fits;
            }
        }
        for (std::size_t d = 0; d < plan_->draws.size(); ++d) {
            std::vector<Json> values = first;
            values[plan_->axes.size() + d] = json_number(plan_->draws[d].range.to);
            if (Status fits = check(values); !fits) return fits;
        }
        return Done{};
    }

    Status check(std::span<const Json> values) const
    {
        const auto scene = plan_->scene(values);
        if (!scene) return scene.error();
        const auto errors =
            scene_file::check_document(*scene, plan_->scene_file.parent_path(), plan_->scene_file.string());
        if (!errors.empty()) return errors[0];
        return Done{};
    }

    Status read_conditions()
    {
        std::vector<Condition> conditions;
        for (const Json& text : sweep_["where"]) {
            auto condition = Condition::parse(text, plan_->names);
            if (!condition) return Error{name_ + ": " + condition.error().where, condition.error().what};
            conditions.push_back(*std::move(condition));
        }
        plan_->has_conditions = !conditions.empty();
        if (conditions.empty()) return Done{};
        std::vector<double> numbers(plan_->names.size());
        for (std::size_t k = 0; k < plan_->combinations(); ++k) {
            const std::vector<Json> values = plan_->values(k);
            for (const Condition& condition : conditions)
                for (const std::size_t p : condition.parameters()) {
                    if (!values[p].is_number())
                        return wrong("where", fmt::format("\"{}\" is not a number in every run", plan_->names[p]));
                    numbers[p] = values[p];
                }
            if (std::ranges::all_of(conditions, [&](const Condition& c) { return c(numbers); }))
                plan_->accepted.push_back(static_cast<std::uint32_t>(k));
        }
        if (plan_->accepted.empty()) return wrong("where", "no combination meets the conditions");
        return Done{};
    }

    void name_measures()
    {
        std::set<std::string> taken;
        const auto add = [&](const std::string& wanted) {
            std::string name = wanted;
            for (int k = 2; !taken.insert(name).second; ++k) name = fmt::format("{}_{}", wanted, k);
            plan_->measures.push_back(name);
        };
        for (const Json& measure : plan_->whole["measures"]) add(measure["name"]);
        add("height");
    }

    Json sweep_;
    fs::path folder_;
    std::string name_;
    std::shared_ptr<SweepPlan::Data> plan_ = std::make_shared<SweepPlan::Data>();
};

}  // namespace

std::size_t SweepPlan::Data::combinations() const
{
    std::size_t count = samples * repeats;
    for (const AxisGroup& group : groups) count *= group.count;
    return count;
}

std::vector<Json> SweepPlan::Data::values(std::size_t combination) const
{
    const std::size_t repeat = combination % repeats, sample = combination / repeats % samples;
    std::size_t rest = combination / repeats / samples;
    std::vector<Json> values(axes.size());
    for (std::size_t g = groups.size(); g-- > 0;) {
        const AxisGroup& group = groups[g];
        for (std::size_t a = group.first; a < group.first + group.axes; ++a)
            values[a] = axes[a].value(rest % group.count);
        rest /= group.count;
    }
    for (std::size_t d = 0; d < draws.size(); ++d) values.push_back(draws[d].value(seed, d, samples, sample, repeat));
    if (repeats > 1) values.push_back(repeat);
    return values;
}

Result<Json> SweepPlan::Data::scene(std::span<const Json> values) const
{
    Json scene = document;
    for (std::size_t a = 0; a < axes.size(); ++a)
        if (Status set = axes[a].path.set(scene, whole, values[a]); !set) return set.error();
    for (std::size_t d = 0; d < draws.size(); ++d)
        if (Status set = draws[d].path.set(scene, whole, values[axes.size() + d]); !set) return set.error();
    return scene;
}

bool is_sweep_file(const fs::path& path)
{
    const auto text = io::read_file(path);
    if (!text) return false;
    const Json parsed = Json::parse(*text, nullptr, false);
    return parsed.is_object() && parsed.contains("yawara_sweep");
}

Result<SweepPlan> SweepPlan::from_file(const fs::path& path)
{
    const auto text = io::read_file(path);
    if (!text) return text.error();
    return from_text(*text, path.parent_path(), path.string());
}

Result<SweepPlan> SweepPlan::from_text(std::string_view json, const fs::path& folder, const std::string& name)
{
    auto parsed = scene_file::parse_json(json, name);
    if (!parsed) return parsed.error();
    const Json schema = Json::parse(sweep_schema());
    const auto found = scene_file::check_schema(schema, *parsed);
    if (!found.errors.empty()) return Error{name + ": " + found.errors[0].where, found.errors[0].what};
    auto data = PlanReader(*std::move(parsed), folder, name).read();
    if (!data) return data.error();
    return SweepPlan(*data);
}

std::size_t SweepPlan::size() const
{
    return data_->has_conditions ? data_->accepted.size() : data_->combinations();
}
std::span<const std::string> SweepPlan::parameters() const
{
    return data_->names;
}
std::vector<std::string> SweepPlan::values(std::size_t run) const
{
    std::vector<std::string> texts;
    for (const Json& value : data_->values(data_->combination(run))) texts.push_back(value.dump());
    return texts;
}
std::string SweepPlan::scene_text(std::size_t run) const
{
    return data_->scene(data_->values(data_->combination(run))).value().dump();
}
const fs::path& SweepPlan::scene_file() const
{
    return data_->scene_file;
}
fs::path SweepPlan::scene_folder() const
{
    return data_->scene_file.parent_path();
}
std::span<const std::string> SweepPlan::measures() const
{
    return data_->measures;
}
bool SweepPlan::keeps(std::string_view what) const
{
    return std::ranges::find(data_->keep, what) != data_->keep.end();
}
const std::string& SweepPlan::text() const
{
    return data_->text;
}

}  // namespace yawara
