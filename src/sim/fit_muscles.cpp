// Stretches along the fibres are harmonics of the period; amplitude times chart, delayed, is fitted to them by
// alternating least squares, and a run tells how far what the body achieves is from that.
#include "yawara/fit_muscles.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <optional>

#include "matching/regions.h"
#include "math/pseudo_inverse.h"
#include "sim/body_model.h"

namespace yawara {
namespace {

constexpr std::size_t kHarmonics = 9;  // the mean and eight more
constexpr int kSamples = 48;           // of a period
constexpr int kSweeps = 30;            // of alternating least squares
constexpr double kGoodEnough = 2e-3;   // residual
constexpr double kStill = 1e-4;        // logarithm of a stretch: less is rounding
constexpr int kPatience = 4;           // rounds without a better residual

using Complex = std::complex<double>;
/// Of one region: for each direction the harmonics of the logarithm of its stretch.
using Spectrum = std::array<std::array<Complex, kHarmonics>, 3>;

Eigen::Matrix3d shortest_inverse(const Eigen::Matrix3d& A)
{
    Mat3d inverse;
    Eigen::Map<Eigen::Matrix3d> view(&inverse.c0.x);
    view = A;
    inverse = pseudo_inverse(inverse);
    return view;
}

/// The stretch of regions, each by its best affine map.
class RegionGauge {
public:
    RegionGauge(const BodyModel& model, const ActiveFields& fields)
        : rest_(model.rest_positions()),
          links_(std::visit([](const auto& domain) { return matching::links(domain); }, model.domain())),
          fields_(fields)
    {
        for (std::size_t r = 0; r < rest_.size(); ++r) {
            Eigen::Matrix3d A = Eigen::Matrix3d::Zero();
            for (const Eigen::Vector3d& q : offsets(r, [&](std::size_t i) { return rest_[i]; })) A += q * q.transpose();
            inverse_.push_back(shortest_inverse(A));
        }
    }

    /// Logarithms of stretch along the three directions of every region.
    std::vector<std::array<double, 3>> measure(std::span<const Vec3> positions) const
    {
        std::vector<std::array<double, 3>> out(rest_.size());
        for (std::size_t r = 0; r < rest_.size(); ++r) {
            const auto q = offsets(r, [&](std::size_t i) { return rest_[i]; });
            const auto x = offsets(r, [&](std::size_t i) { return positions[i].as<double>(); });
            Eigen::Matrix3d A = Eigen::Matrix3d::Zero();
            for (std::size_t k = 0; k < q.size(); ++k) A += x[k] * q[k].transpose();
            const Eigen::Matrix3d F = A * inverse_[r];
            const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(F.transpose() * F);
            for (int j = 0; j < 3; ++j) {
                const Mat3d& D = fields_.frames[r];
                const Vec3d d = j == 0 ? D.c0 : j == 1 ? D.c1 : D.c2;
                const Eigen::Vector3d u = solver.eigenvectors().transpose() * Eigen::Vector3d(d.x, d.y, d.z);
                for (int k = 0; k < 3; ++k)
                    out[r][std::size_t(j)] += 0.5 * std::log(std::max(solver.eigenvalues()[k], 1e-6)) * u[k] * u[k];
            }
        }
        return out;
    }

    const matching::Lists& links() const { return links_; }

private:
    template <class Place>
    std::vector<Eigen::Vector3d> offsets(std::size_t r, const Place& place) const
    {
        std::vector<Eigen::Vector3d> all;
        Eigen::Vector3d mean = Eigen::Vector3d::Zero();
        const auto add = [&](std::size_t i) {
            const Vec3d p = place(i);
            all.emplace_back(p.x, p.y, p.z);
            mean += all.back();
        };
        add(r);
        for (const std::int32_t j : links_[r]) add(std::size_t(j));
        mean /= double(all.size());
        for (Eigen::Vector3d& v : all) v -= mean;
        return all;
    }

    std::span<const Vec3d> rest_;
    matching::Lists links_;
    const ActiveFields& fields_;
    std::vector<Eigen::Matrix3d> inverse_;
};

/// Harmonics of the last period of what was measured frame by frame.
class Listener {
public:
    Listener(std::size_t regions, double period) : spectra_(regions), period_(period) {}

    void hear(double time, std::vector<std::array<double, 3>> logs) { frames_.push_back({time, std::move(logs)}); }

    std::vector<Spectrum> spectra()
    {
        const double end = frames_.back().time;
        std::size_t k = 0;
        for (int m = 0; m < kSamples; ++m) {
            const double time = end - period_ * (1 - (m + 1.0) / kSamples);
            while (k + 2 < frames_.size() && frames_[k + 1].time < time) ++k;
            const Frame &a = frames_[k], &b = frames_[k + 1];
            const double share = (time - a.time) / (b.time - a.time);
            for (std::size_t h = 0; h < kHarmonics; ++h) {
                const Complex turn = std::polar(1.0 / kSamples, -2 * std::numbers::pi * double(h) * time / period_);
                for (std::size_t r = 0; r < spectra_.size(); ++r)
                    for (std::size_t j = 0; j < 3; ++j)
                        spectra_[r][j][h] += (a.logs[r][j] + (b.logs[r][j] - a.logs[r][j]) * share) * turn;
            }
        }
        return spectra_;
    }

private:
    struct Frame {
        double time;
        std::vector<std::array<double, 3>> logs;
    };
    std::vector<Frame> frames_;
    std::vector<Spectrum> spectra_;
    double period_;
};

/// Real harmonics count once, the others twice: a mean of squares over the period.
double weight_of(std::size_t h)
{
    return h == 0 ? 1 : 2;
}

double size_of(const std::vector<Spectrum>& a, const std::vector<Spectrum>* less = nullptr)
{
    double sum = 0;
    for (std::size_t r = 0; r < a.size(); ++r)
        for (std::size_t j = 0; j < 3; ++j)
            for (std::size_t h = 0; h < kHarmonics; ++h)
                sum += weight_of(h) * std::norm(a[r][j][h] - (less ? (*less)[r][j][h] : Complex()));
    return std::sqrt(sum);
}

/// amplitude(r) chart_j(t - delay(r)), with amplitude and delay polynomials of the place.
class Muscle {
public:
    Muscle(const BodyModel& model, const ActiveFields& fields, double period, int degree)
        : fields_(fields), period_(period)
    {
        const auto rest = model.rest_positions();
        const Box3 box = bounds(rest);
        amplitude_.middle = box.center();
        amplitude_.half = box.size() / 2;
        for (int axis = 0; axis < 3; ++axis)
            if (!(amplitude_.half[axis] > 0)) amplitude_.half[axis] = 1;
        for (int i = 0; i <= degree; ++i)
            for (int j = 0; i + j <= degree; ++j)
                for (int k = 0; i + j + k <= degree; ++k) amplitude_.terms.push_back({{i, j, k}, 0});
        delay_ = amplitude_;
        const std::size_t terms = amplitude_.terms.size();
        basis_.resize(Eigen::Index(rest.size()), Eigen::Index(terms));
        PlacePolynomial one = amplitude_;
        for (std::size_t b = 0; b < terms; ++b) {
            one.terms[b].coefficient = 1;
            for (std::size_t r = 0; r < rest.size(); ++r) basis_(Eigen::Index(r), Eigen::Index(b)) = one(rest[r]);
            one.terms[b].coefficient = 0;
        }
    }

    /// From the angle of the first harmonic, which both signs of the amplitude share, from neighbour to neighbour.
    void guess(const std::vector<Spectrum>& target, const matching::Lists& links)
    {
        const std::size_t n = target.size();
        const auto first = [&](std::size_t r) { return target[r][strongest(target)][1]; };
        std::vector<double> angle(n);
        std::vector<char> known(n);
        for (;;) {
            std::size_t start = n;
            for (std::size_t r = 0; r < n; ++r)
                if (!known[r] && (start == n || std::norm(first(r)) > std::norm(first(start)))) start = r;
            if (start == n) break;
            angle[start] = std::arg(first(start));
            known[start] = 1;
            std::vector<std::size_t> open{start};
            while (!open.empty()) {  // strongest first, so that noise is asked last
                const auto next =
                    std::ranges::max_element(open, {}, [&](std::size_t r) { return std::norm(first(r)); });
                const std::size_t r = *next;
                open.erase(next);
                for (const std::int32_t link : links[r]) {
                    const auto s = std::size_t(link);
                    if (known[s]) continue;
                    const double turn = (std::arg(first(s)) - angle[r]) / std::numbers::pi;
                    angle[s] = angle[r] + (turn - std::round(turn)) * std::numbers::pi;
                    known[s] = 1;
                    open.push_back(s);
                }
            }
        }
        Eigen::VectorXd weights(basis_.rows()), delays(basis_.rows()), sizes(basis_.rows());
        for (std::size_t r = 0; r < n; ++r) {
            weights[Eigen::Index(r)] = std::norm(first(r));
            delays[Eigen::Index(r)] = -angle[r] * period_ / (2 * std::numbers::pi);
            sizes[Eigen::Index(r)] = (first(r) * std::polar(1.0, -angle[r])).real();
        }
        set(delay_, solve(weights, weights.cwiseProduct(delays)));
        set(amplitude_, solve(Eigen::VectorXd::Ones(basis_.rows()), sizes));
        normalize();
        fit_charts(target);
    }

    void fit(const std::vector<Spectrum>& target)
    {
        for (int sweep = 0; sweep < kSweeps; ++sweep) {
            fit_amplitude(target);
            fit_charts(target);
            fit_delay(target);
        }
        normalize();
        fit_charts(target);
    }

    std::vector<Spectrum> spectra() const
    {
        std::vector<Spectrum> out(std::size_t(basis_.rows()));
        for (std::size_t r = 0; r < out.size(); ++r) {
            out[r] = shape(r);
            for (auto& direction : out[r])
                for (Complex& value : direction) value *= amplitude_at(r);
        }
        return out;
    }

    /// As an active layer has it that is ahead of the clock by an offset: phases from 0 to 1, keys of charts.
    MuscleFit result(int keys, double offset) const
    {
        MuscleFit out;
        const Eigen::VectorXd delays = basis_ * coefficients(delay_);
        const double least = delays.minCoeff(), range = delays.maxCoeff() - least;
        const bool waves = range > 1e-3 * period_;
        out.layer.speed = waves ? 1 / range : 1;
        out.phase = delay_;
        for (auto& term : out.phase.terms) {
            if (term.powers == std::array<int, 3>{}) term.coefficient -= least;
            term.coefficient *= waves ? out.layer.speed : 0;
        }
        out.amplitude = amplitude_;
        Charts& charts = out.layer.charts;
        charts.period = period_;
        charts.limit = 2;
        for (std::size_t j = 0; j < 3; ++j) {
            double most = 0;
            Chart chart{{}, true};
            for (int k = 0; k < keys; ++k) {
                const double time = period_ * k / keys;
                const double log = chart_at(j, time - offset - (waves ? least : delays.mean()));
                most = std::max(most, std::abs(log));
                chart.keys.push_back({time, std::exp(log)});
            }
            if (most > 1e-3) charts.directions[j] = std::move(chart);
            charts.limit = std::max(charts.limit, std::exp(most) * 1.01);
        }
        charts.limit = std::min(charts.limit, 100.0);
        return out;
    }

private:
    static std::size_t strongest(const std::vector<Spectrum>& target)
    {
        std::array<double, 3> sums{};
        for (const Spectrum& one : target)
            for (std::size_t j = 0; j < 3; ++j) sums[j] += std::norm(one[j][1]);
        return std::size_t(std::ranges::max_element(sums) - sums.begin());
    }

    double omega() const { return 2 * std::numbers::pi / period_; }
    double value_at(const PlacePolynomial& field, std::size_t r) const
    {
        double sum = 0;
        for (std::size_t b = 0; b < field.terms.size(); ++b)
            sum += basis_(Eigen::Index(r), Eigen::Index(b)) * field.terms[b].coefficient;
        return sum;
    }
    double amplitude_at(std::size_t r) const { return value_at(amplitude_, r); }
    double delay_at(std::size_t r) const { return value_at(delay_, r); }
    double chart_at(std::size_t j, double time) const
    {
        double sum = charts_[j][0].real();
        for (std::size_t h = 1; h < kHarmonics; ++h)
            sum += 2 * (charts_[j][h] * std::polar(1.0, double(h) * omega() * time)).real();
        return sum;
    }

    static Eigen::VectorXd coefficients(const PlacePolynomial& field)
    {
        Eigen::VectorXd c(Eigen::Index(field.terms.size()));
        for (std::size_t b = 0; b < field.terms.size(); ++b) c[Eigen::Index(b)] = field.terms[b].coefficient;
        return c;
    }
    static void set(PlacePolynomial& field, const Eigen::VectorXd& c)
    {
        for (std::size_t b = 0; b < field.terms.size(); ++b) field.terms[b].coefficient = c[Eigen::Index(b)];
    }

    /// Which charts a direction of a region follows: where one is unknown they are averaged, as the layer does.
    Eigen::Matrix3d follows(std::size_t r) const
    {
        const double sg = fields_.gradient_confidence[r], sd = fields_.stroke_confidence[r];
        const double both = sg * sd, stroke = (1 - sg) * sd, gradient = sg * (1 - sd), neither = (1 - sg) * (1 - sd);
        Eigen::Matrix3d W = Eigen::Matrix3d::Constant(neither / 3) + both * Eigen::Matrix3d::Identity();
        W(0, 0) += stroke, W(1, 1) += stroke / 2, W(1, 2) += stroke / 2, W(2, 1) += stroke / 2, W(2, 2) += stroke / 2;
        W(1, 1) += gradient, W(0, 0) += gradient / 2, W(0, 2) += gradient / 2, W(2, 0) += gradient / 2,
            W(2, 2) += gradient / 2;
        return W;
    }

    /// What a region of amplitude 1 does.
    Spectrum shape(std::size_t r) const
    {
        Spectrum out;
        const Eigen::Matrix3d W = follows(r);
        for (std::size_t h = 0; h < kHarmonics; ++h) {
            const Complex late = std::polar(1.0, -double(h) * omega() * delay_at(r));
            for (std::size_t j = 0; j < 3; ++j) {
                Complex sum;
                for (std::size_t k = 0; k < 3; ++k) sum += W(Eigen::Index(j), Eigen::Index(k)) * charts_[k][h];
                out[j][h] = sum * late;
            }
        }
        return out;
    }

    /// Coefficients of a field of which values times weights are known.
    Eigen::VectorXd solve(const Eigen::VectorXd& weights, const Eigen::VectorXd& weighted) const
    {
        const Eigen::MatrixXd A = basis_.transpose() * weights.asDiagonal() * basis_;
        const double little = 1e-9 * A.trace() / double(A.rows());
        return (A + little * Eigen::MatrixXd::Identity(A.rows(), A.cols())).ldlt().solve(basis_.transpose() * weighted);
    }

    void fit_amplitude(const std::vector<Spectrum>& target)
    {
        Eigen::VectorXd weights(basis_.rows()), weighted(basis_.rows());
        for (std::size_t r = 0; r < target.size(); ++r) {
            const Spectrum own = shape(r);
            double w = 0, v = 0;
            for (std::size_t j = 0; j < 3; ++j)
                for (std::size_t h = 0; h < kHarmonics; ++h) {
                    w += weight_of(h) * std::norm(own[j][h]);
                    v += weight_of(h) * (std::conj(own[j][h]) * target[r][j][h]).real();
                }
            weights[Eigen::Index(r)] = w, weighted[Eigen::Index(r)] = v;
        }
        set(amplitude_, solve(weights, weighted));
    }

    void fit_charts(const std::vector<Spectrum>& target)
    {
        for (std::size_t h = 0; h < kHarmonics; ++h) {
            Eigen::Matrix3d A = Eigen::Matrix3d::Zero();
            Eigen::Vector3cd b = Eigen::Vector3cd::Zero();
            for (std::size_t r = 0; r < target.size(); ++r) {
                const Eigen::Matrix3d W = follows(r) * amplitude_at(r);
                const Complex early = std::polar(1.0, double(h) * omega() * delay_at(r));
                const Eigen::Vector3cd t(target[r][0][h] * early, target[r][1][h] * early, target[r][2][h] * early);
                A += W.transpose() * W;
                b += W.transpose().cast<Complex>() * t;
            }
            const Eigen::Matrix3d inverse = shortest_inverse(A);
            const Eigen::Vector3cd c = inverse.cast<Complex>() * b;
            for (std::size_t j = 0; j < 3; ++j) charts_[j][h] = c[Eigen::Index(j)];
        }
    }

    void fit_delay(const std::vector<Spectrum>& target)
    {
        Eigen::VectorXd weights(basis_.rows()), weighted(basis_.rows());
        for (std::size_t r = 0; r < target.size(); ++r) {
            const Spectrum own = shape(r);
            const double a = amplitude_at(r);
            double w = 0, v = 0;
            for (std::size_t j = 0; j < 3; ++j)
                for (std::size_t h = 1; h < kHarmonics; ++h) {
                    const Complex slope = a * own[j][h] * Complex(0, -double(h) * omega());
                    w += 2 * std::norm(slope);
                    v += 2 * (std::conj(slope) * (target[r][j][h] - a * own[j][h])).real();
                }
            weights[Eigen::Index(r)] = w, weighted[Eigen::Index(r)] = v;
        }
        set(delay_, coefficients(delay_) + solve(weights, weighted));
    }

    /// The largest amplitude is 1.
    void normalize()
    {
        const Eigen::VectorXd values = basis_ * coefficients(amplitude_);
        const double most =
            std::abs(values.maxCoeff()) >= std::abs(values.minCoeff()) ? values.maxCoeff() : values.minCoeff();
        if (most == 0) return;
        set(amplitude_, coefficients(amplitude_) / most);
        for (auto& chart : charts_)
            for (Complex& value : chart) value *= most;
    }

    const ActiveFields& fields_;
    double period_;
    Eigen::MatrixXd basis_;  ///< by region and term
    PlacePolynomial amplitude_, delay_;
    std::array<std::array<Complex, kHarmonics>, 3> charts_{};  ///< logarithms
};

/// The model with its first active layer as found.
Result<BodyModel> with_muscle(const BodyModel& model, const MuscleFit& found)
{
    auto data = std::make_shared<BodyModel::Data>(model.data());
    for (auto& layer : data->stretch) {
        const ActiveParts* parts = active_parts(*layer);
        if (!parts) continue;
        ActiveFields fields = parts->fields;
        const auto rest = model.rest_positions();
        for (std::size_t r = 0; r < rest.size(); ++r) {
            fields.amplitude[r] = std::clamp(found.amplitude(rest[r]), -1.0, 1.0);
            fields.phase[r] = std::clamp(found.phase(rest[r]), 0.0, 1.0);
        }
        auto made = active(std::move(fields), found.layer);
        if (!made) return made.error();
        layer = *std::move(made);
        break;
    }
    data->asked = matching::join_layers(data->stretch, data->stretch_before_examples).layers;
    return BodyModel(std::move(data)).renamed(model.name());
}

bool is_pose(const MotionTarget& target)
{
    return target.positions.size() == 1;
}

/// What is wanted, region by region.
std::vector<Spectrum> spectra_of(const MotionTarget& target, const RegionGauge& gauge, double period)
{
    Listener wanted(target.positions.front().size(), period);
    if (is_pose(target)) {
        const auto there = gauge.measure(target.positions.front());
        for (int k = 0; k <= kSamples; ++k) {
            auto logs = there;
            for (auto& region : logs)
                for (double& log : region) log *= (1 - std::cos(2 * std::numbers::pi * k / kSamples)) / 2;
            wanted.hear(period * k / kSamples, std::move(logs));
        }
        return wanted.spectra();
    }
    for (std::size_t k = 0; k < target.times.size(); ++k)
        if (target.times[k] > target.times.back() - 1.5 * period)
            wanted.hear(target.times[k], gauge.measure(target.positions[k]));
    return wanted.spectra();
}

Status check(const BodyModel& model, const ActiveParts* active, const MotionTarget& target, double period)
{
    if (!active)
        return Error{"body", "\"" + model.name() + "\" has no muscles: give it an active layer with directions"};
    if (target.times.size() != target.positions.size() || (target.times.size() < 4 && !is_pose(target)))
        return Error{"target", "has fewer than four shapes"};
    for (std::size_t k = 1; k < target.times.size(); ++k)
        if (!(target.times[k] > target.times[k - 1])) return Error{"target", "its times do not increase"};
    for (const auto& positions : target.positions)
        if (positions.size() != model.particle_count())
            return Error{"target", "has " + std::to_string(positions.size()) + " particles, the body " +
                                       std::to_string(model.particle_count())};
    if (!is_pose(target) && target.times.back() - target.times.front() < period * (1 - 1e-6)) {
        char text[128];
        std::snprintf(text, sizeof text, "covers %.3g s, less than the period, %.3g s",
                      target.times.back() - target.times.front(), period);
        return Error{"target", text};
    }
    return Done{};
}

}  // namespace

double PlacePolynomial::operator()(Vec3d place) const
{
    double sum = 0;
    for (const Term& term : terms) {
        double product = term.coefficient;
        for (int axis = 0; axis < 3; ++axis)
            for (int k = 0; k < term.powers[std::size_t(axis)]; ++k)
                product *= (place[axis] - middle[axis]) / half[axis];
        sum += product;
    }
    return sum;
}

std::string PlacePolynomial::formula() const
{
    std::string out;
    char text[96];
    for (const Term& term : terms) {
        if (std::abs(term.coefficient) < 1e-4) continue;
        std::snprintf(text, sizeof text, "%s%.5g", out.empty() || term.coefficient < 0 ? "" : "+", term.coefficient);
        out += text;
        for (int axis = 0; axis < 3; ++axis)
            for (int k = 0; k < term.powers[std::size_t(axis)]; ++k) {
                std::snprintf(text, sizeof text, "*((%c-(%.6g))/%.6g)", "xyz"[axis], middle[axis], half[axis]);
                out += text;
            }
    }
    return out.empty() ? "0" : out;
}

Result<MuscleFit> fit_muscles(Scene& scene, BodyId body, const MotionTarget& target, const MuscleFitOptions& options)
{
    if (!scene.contains(body)) return Error{"body", "there is no such body"};
    const BodyModel model = scene.model(body);
    const ActiveParts* const active = active_parts(model);
    const double period = options.period > 0 ? options.period : active ? active->charts.period : 1;
    if (const Status good = check(model, active, target, period); !good) return good.error();

    const RegionGauge gauge(model, active->fields);
    const std::vector<Spectrum> goal = spectra_of(target, gauge, period);
    const double size = size_of(goal);
    if (!(size > kStill * std::sqrt(double(goal.size())))) return Error{"target", "does not move"};

    std::vector<BodyState> start;
    for (const BodyId id : scene.bodies()) start.push_back(std::as_const(scene).state(id));
    const auto steps = scene.step_count();
    const double time = scene.time();
    const auto go_back = [&] {
        for (std::size_t k = 0; k < start.size(); ++k) scene.state(scene.bodies()[k]) = start[k];
        scene.set_clock(steps, time);
    };

    Muscle muscle(model, active->fields, period, std::max(0, options.degree));
    muscle.guess(goal, gauge.links());
    muscle.fit(goal);
    MuscleFit best;
    best.residual = std::numeric_limits<double>::infinity();
    int since = 0, round = 0;
    const auto stops = [&] { return options.cancelled && options.cancelled(); };
    bool stopped = false;
    while (round < options.rounds && since < kPatience && best.residual > kGoodEnough && !(stopped = stops())) {
        ++round;
        MuscleFit found = muscle.result(std::max(2, options.keys), scene.body_settings(body).matching.time_offset);
        Result<BodyModel> made = with_muscle(model, found);
        if (!made) return made.error();
        if (const Status ok = scene.revise(body, *std::move(made)); !ok) return ok.error();
        go_back();
        // As long as the target took to get there, so that both have settled alike; at least two periods.
        const double end = time + std::max(is_pose(target) ? 0 : target.times.back(), 2 * period);
        Listener heard(model.particle_count(), period);
        while (scene.time() < end - 0.5 * scene.settings().dt && !(stopped = stops())) {
            scene.step();
            if (scene.time() > end - 1.5 * period)
                heard.hear(scene.time(), gauge.measure(std::as_const(scene).state(body).positions));
        }
        if (stopped) break;
        const std::vector<Spectrum> done = heard.spectra();
        found.residual = size_of(goal, &done) / size;
        since = found.residual < 0.99 * best.residual ? 0 : since + 1;
        if (found.residual < best.residual) best = found;
        if (options.progress) options.progress({round, best.residual});
        std::vector<Spectrum> asked = muscle.spectra();
        for (std::size_t r = 0; r < asked.size(); ++r)
            for (std::size_t j = 0; j < 3; ++j)
                for (std::size_t h = 0; h < kHarmonics; ++h) asked[r][j][h] += goal[r][j][h] - done[r][j][h];
        muscle.fit(asked);
    }
    best.rounds = round;
    best.cancelled = stopped;
    if (!std::isfinite(best.residual)) return Error{"fit", "was stopped before its first round"};
    Result<BodyModel> made = with_muscle(model, best);
    if (!made) return made.error();
    if (const Status ok = scene.revise(body, *std::move(made)); !ok) return ok.error();
    go_back();
    return best;
}

}  // namespace yawara
