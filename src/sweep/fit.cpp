// Runs with trial numbers are compared with the target at its times; least squares finds the numbers.
#include "yawara/fit.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <oneapi/tbb/task_arena.h>

#include "io/file.h"
#include "sweep/least_squares.h"
#include "sweep/plan.h"
#include "sweep/row.h"
#include "sweep/run.h"
#include "yawara/spelling.h"

namespace yawara {

namespace fs = std::filesystem;
using namespace sweep;

namespace {

constexpr double kNoRun = 100;  // residual of a run that cannot be done

/// The target's measures among those of the scene, and how far apart numbers of them are.
struct Compared {
    std::size_t measure = 0;  ///< of the plan
    double scale = 1;
};

class Fit {
public:
    Fit(const SweepPlan& plan, const FitTarget& target, const FitOptions& options)
        : plan_(plan), target_(target), options_(options)
    {
    }

    Status match_names()
    {
        const std::vector<std::string> known(plan_.measures().begin(), plan_.measures().end());
        for (std::size_t c = 0; c < target_.names.size(); ++c) {
            const auto found = std::ranges::find(known, target_.names[c]);
            if (found == known.end())
                return Error{"target",
                             fmt::format("the scene does not measure \"{}\"{}; it measures {}", target_.names[c],
                                         did_you_mean(target_.names[c], known), fmt::join(known, ", "))};
            const auto [least, most] = std::ranges::minmax(target_.values[c]);
            const double range = most > least ? most - least : std::abs(most) > 0 ? std::abs(most) : 1.0;
            compared_.push_back({static_cast<std::size_t>(found - known.begin()), range});
        }
        return Done{};
    }

    Result<FitResult> run()
    {
        std::vector<Point> starts;
        for (std::size_t k = 0; k < plan_.size(); ++k) starts.push_back(point_of(plan_.data().values(k)));
        const LeastSquares found = minimise([this](const auto& points) { return residuals(points); }, starts,
                                            options_.most_rounds, [this](const LeastSquares& at) { tell(at); });
        if (found.best.empty()) return Error{"fit", "stopped before the first runs were done"};
        if (first_error_ && done_ == failed_) return *first_error_;

        FitResult result;
        result.names.assign(plan_.parameters().begin(), plan_.parameters().end());
        result.values = values_of(found.best);
        for (const double u : found.best) result.at_end.push_back(u <= 1e-4 || u >= 1 - 1e-4);
        result.residual = rms(found.residuals, 0, found.residuals.size());
        const std::size_t times = target_.times.size();
        for (std::size_t c = 0; c < compared_.size(); ++c)
            result.residuals.push_back(rms(found.residuals, c * times, times));
        for (const double slope : found.slopes)
            result.slopes.push_back(slope /
                                    std::sqrt(static_cast<double>(std::max<std::size_t>(1, found.residuals.size()))));
        result.runs = done_;
        result.rounds = found.rounds;
        result.converged = found.converged;
        result.cancelled = found.ended;
        std::vector<Json> numbers(result.values.begin(), result.values.end());
        result.scene = plan_.data().scene(numbers).value().dump(2);
        return result;
    }

private:
    static double rms(const std::vector<double>& residuals, std::size_t first, std::size_t count)
    {
        double sum = 0;
        for (std::size_t k = first; k < first + count; ++k) sum += residuals[k] * residuals[k];
        return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(1, count)));
    }

    Point point_of(const std::vector<Json>& values) const
    {
        Point point;
        for (std::size_t k = 0; k < values.size(); ++k) {
            const Range& range = plan_.data().draws[k].range;
            const double v = values[k], share = range.log ? std::log(v / range.from) / std::log(range.to / range.from)
                                                          : (v - range.from) / (range.to - range.from);
            point.push_back(std::clamp(share, 0.0, 1.0));
        }
        return point;
    }

    std::vector<double> values_of(const Point& point) const
    {
        std::vector<double> values;
        for (std::size_t k = 0; k < point.size(); ++k) values.push_back(plan_.data().draws[k].range.at(point[k]));
        return values;
    }

    void tell(const LeastSquares& at) const
    {
        if (options_.progress)
            options_.progress({at.rounds, done_, rms(at.residuals, 0, at.residuals.size()), values_of(at.best)});
    }

    bool is_cancelled() const { return options_.cancelled && options_.cancelled(); }

    std::vector<std::vector<double>> residuals(const std::vector<Point>& points)
    {
        std::vector<std::vector<double>> found(points.size());
        std::atomic<std::size_t> next = 0;
        const auto work = [&] {
            tbb::task_arena(1).execute([&] {
                for (std::size_t k; (k = next++) < points.size() && !is_cancelled();)
                    found[k] = residuals_of(points[k]);
            });
        };
        const std::size_t cores = options_.threads > 0 ? static_cast<std::size_t>(options_.threads)
                                                       : std::max(1u, std::thread::hardware_concurrency());
        std::vector<std::thread> others;
        for (std::size_t k = 1; k < std::min(cores, points.size()); ++k) others.emplace_back(work);
        work();
        for (std::thread& thread : others) thread.join();
        if (is_cancelled()) return {};
        done_ += points.size();
        return found;
    }

    std::vector<double> residuals_of(const Point& point)
    {
        const std::vector<double> numbers = values_of(point);
        const std::vector<Json> values(numbers.begin(), numbers.end());
        std::vector<double> residuals(compared_.size() * target_.times.size(), kNoRun);
        const auto document = plan_.data().scene(values);
        auto loaded = LoadedScene::from_text(document.value().dump(), plan_.scene_folder(), plan_.scene_file().string(),
                                             {}, cache_);
        if (!loaded) {
            keep_error(loaded.error());
            return residuals;
        }
        loaded->scene().settings().threads = 1;
        RecordOptions record_options;
        const double dt = loaded->scene().settings().dt;
        record_options.frames = static_cast<std::size_t>(std::max(1.0, std::ceil(target_.times.back() / dt - 1e-6)));
        record_options.measures = &loaded->measures();
        record_options.visit = [this](const PlayedFrame&) { return !is_cancelled(); };
        const std::vector<double> start = loaded->measures().values(loaded->scene());
        const Series series = series_of(record(loaded->scene(), record_options), plan_.measures().size());
        for (std::size_t c = 0; c < compared_.size(); ++c) {
            const auto& measured = series.values[compared_[c].measure];
            const double first = compared_[c].measure < start.size() ? start[compared_[c].measure]
                                 : measured.empty()                  ? 0.0
                                                                     : measured[0];
            for (std::size_t t = 0; t < target_.times.size(); ++t) {
                const double off = at_time(series.times, measured, first, target_.times[t]) - target_.values[c][t];
                const double share = off / compared_[c].scale;
                residuals[c * target_.times.size() + t] =
                    std::isfinite(share) ? std::clamp(share, -kNoRun, kNoRun) : kNoRun;
            }
        }
        return residuals;
    }

    /// On straight lines between frames; `first` at the start.
    static double at_time(const std::vector<double>& times, const std::vector<double>& values, double first,
                          double time)
    {
        const auto after = std::ranges::lower_bound(times, time);
        if (after == times.end()) return values.empty() ? first : values.back();
        const auto k = static_cast<std::size_t>(after - times.begin());
        const double t0 = k > 0 ? times[k - 1] : 0, v0 = k > 0 ? values[k - 1] : first;
        return v0 + (values[k] - v0) * (time - t0) / (times[k] - t0);
    }

    void keep_error(const Error& error)
    {
        const std::lock_guard lock(mutex_);
        ++failed_;
        if (!first_error_) first_error_ = error;
    }

    const SweepPlan& plan_;
    const FitTarget& target_;
    const FitOptions& options_;
    std::vector<Compared> compared_;
    BuildCache cache_;
    std::size_t done_ = 0;
    std::mutex mutex_;  ///< of what follows
    std::size_t failed_ = 0;
    std::optional<Error> first_error_;
};

}  // namespace

Result<FitTarget> load_fit_target(const fs::path& csv)
{
    const auto text = io::read_file(csv);
    if (!text) return text.error();
    FitTarget target;
    std::string_view rest = *text;
    for (std::size_t line = 1; !rest.empty(); ++line) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        std::string_view record = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (record.ends_with('\r')) record.remove_suffix(1);
        if (record.empty()) continue;
        std::vector<std::string> fields = csv_fields(record);
        const std::string where = fmt::format("{}:{}", csv.string(), line);
        if (line == 1) {
            if (fields[0] != "time" || fields.size() < 2)
                return Error{where, "expected the heading time, then the names of measures"};
            for (std::size_t k = 1; k < fields.size(); ++k) {
                const std::size_t colon = fields[k].rfind(": ");  // `run` writes "label: name"
                target.names.push_back(colon == std::string::npos ? fields[k] : fields[k].substr(colon + 2));
            }
            target.values.resize(target.names.size());
            continue;
        }
        if (fields.size() != target.names.size() + 1)
            return Error{where,
                         fmt::format("has {} fields, the heading has {}", fields.size(), target.names.size() + 1)};
        for (std::size_t k = 0; k < fields.size(); ++k) {
            char* stop = nullptr;
            const double value = std::strtod(fields[k].c_str(), &stop);
            if (fields[k].empty() || *stop != '\0' || !std::isfinite(value))
                return Error{where, fmt::format("\"{}\" is not a number", fields[k])};
            if (k == 0 && !target.times.empty() && value <= target.times.back())
                return Error{where, "the times have to increase"};
            (k == 0 ? target.times : target.values[k - 1]).push_back(value);
        }
    }
    if (target.times.empty()) return Error{csv.string(), "has no rows"};
    if (!(target.times.back() > 0)) return Error{csv.string(), "ends before the first frame"};
    return target;
}

Result<FitResult> fit(const fs::path& scene, const FitTarget& target, const std::vector<std::string>& vary,
                      const FitOptions& options)
{
    SweepWords words;
    words.scene = scene;
    words.latin = vary;
    words.samples = std::max<std::size_t>(8, 6 * vary.size());
    words.seed = options.seed;
    const auto text = sweep_text(words);
    if (!text) return text.error();
    std::error_code none;
    const auto plan = SweepPlan::from_text(*text, fs::current_path(none), "fit");
    if (!plan) return plan.error();
    Fit fit(*plan, target, options);
    if (Status matched = fit.match_names(); !matched) return matched.error();
    return fit.run();
}

}  // namespace yawara
