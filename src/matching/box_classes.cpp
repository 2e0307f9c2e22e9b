#include "matching/box_classes.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/parallel.h"

namespace yawara::matching {
namespace {

Reach common(Reach a, Reach b)
{
    return {std::min(a[0], b[0]), std::min(a[1], b[1]), std::min(a[2], b[2])};
}

/// Filters for reach(out class, in class), as few as possible: in classes that are wanted by the same set go together.
template <class ReachOf>
std::vector<BoxFilter> filters_for(std::size_t classes, std::uint32_t used, std::span<const Reach> levels,
                                   const ReachOf& reach)
{
    std::vector<BoxFilter> filters;
    for (std::size_t level = 0; level < levels.size(); ++level) {
        std::map<std::uint32_t, std::uint32_t> in_of;  // by the set that wants it
        for (std::size_t in = 0; in < classes; ++in) {
            std::uint32_t out = 0;
            for (std::size_t c = 0; c < classes; ++c)
                if ((used >> in & 1) && (used >> c & 1) && reach(c, in) == levels[level]) out |= 1u << c;
            if (out != 0) in_of[out] |= 1u << in;
        }
        for (const auto& [out, in] : in_of) filters.push_back({level, in, out, out == used});
    }
    // One that all want comes first: the others are added to it.
    std::stable_partition(filters.begin(), filters.end(), [](const BoxFilter& f) { return f.everywhere; });
    return filters;
}

/// Running sums of a whole line of rows: out_i = sum of the rows in_j, |j - i| <= w.
void slide_rows(const double* in, double* out, int n, int w, std::size_t step, std::size_t width)
{
    std::vector<double> sum(width, 0.0);
    const auto add = [&](int j, double sign) {
        if (j < 0 || j >= n) return;
        const double* row = in + std::size_t(j) * step;
        for (std::size_t x = 0; x < width; ++x) sum[x] += sign * row[x];
    };
    for (int j = 0; j < w; ++j) add(j, 1);
    for (int i = 0; i < n; ++i) {
        add(i + w, 1);
        std::copy(sum.begin(), sum.end(), out + std::size_t(i) * step);
        add(i - w, -1);
    }
}

void slide_row(const double* in, double* out, int n, int w)
{
    double sum = 0;
    for (int j = 0; j < std::min(w, n); ++j) sum += in[j];
    for (int i = 0; i < n; ++i) {
        if (i + w < n) sum += in[i + w];
        out[i] = sum;
        if (i - w >= 0) sum -= in[i - w];
    }
}

/// Box sums of a part, dense, without its exceptions.
void box_sums(const BoxPart& part, Reach w, std::vector<double>& values, std::vector<double>& scratch)
{
    const auto ny = std::size_t(part.ny), nz = std::size_t(part.nz);
    for_each_chunk(nz, 1, [&](std::size_t z, std::size_t, std::size_t) {
        const std::size_t plane = z * ny * part.row;
        for (std::size_t y = 0; y < ny; ++y)
            slide_row(values.data() + plane + y * part.row, scratch.data() + plane + y * part.row, part.nx, w[0]);
        slide_rows(scratch.data() + plane, values.data() + plane, part.ny, w[1], part.row, std::size_t(part.nx));
    });
    for_each_chunk(ny, 1, [&](std::size_t y, std::size_t, std::size_t) {
        slide_rows(values.data() + y * part.row, scratch.data() + y * part.row, part.nz, w[2], ny * part.row,
                   std::size_t(part.nx));
    });
    std::swap(values, scratch);
}

}  // namespace

std::vector<Reach> levels_of(std::span<const Reach> classes)
{
    std::vector<Reach> levels(classes.begin(), classes.end());
    const auto add = [&](Reach w) {
        if (std::find(levels.begin(), levels.end(), w) == levels.end()) levels.push_back(w);
    };
    for (const Reach a : classes)
        for (const Reach b : classes) add(common(a, b));
    return levels;
}

std::vector<double> BoxClasses::total(std::span<const double> values, std::span<const BoxFilter> filters) const
{
    std::vector<double> out(grid_->particle_count(), 0.0), dense, scratch;
    for (std::size_t p = 0; p < grid_->parts().size(); ++p) {
        const BoxPart& part = grid_->parts()[p];
        const std::vector<std::uint32_t>& bits = bits_[p];
        for (const BoxFilter& filter : filters) {
            dense.assign(part.node_count(), 0.0);
            scratch.assign(part.node_count(), 0.0);
            const auto input = [&](std::size_t node) {
                return bits[node] & filter.in ? values[std::size_t(part.particle[node])] : 0.0;
            };
            for (std::size_t node = 0; node < dense.size(); ++node) dense[node] = input(node);
            box_sums(part, grid_->levels()[filter.level], dense, scratch);
            const BoxPart::Exceptions& exceptions = part.exceptions[filter.level];
            for_each_chunk(std::size_t(part.nz), 1, [&](std::size_t z, std::size_t, std::size_t) {
                for (std::size_t y = 0; y < std::size_t(part.ny); ++y)
                    for (std::size_t x = 0; x < std::size_t(part.nx); ++x) {
                        const std::size_t node = (z * std::size_t(part.ny) + y) * part.row + x;
                        if (!(bits[node] & filter.out)) continue;
                        double sum = dense[node];
                        if (!exceptions.offsets.empty())
                            for (std::uint32_t k = exceptions.offsets[node]; k < exceptions.offsets[node + 1]; ++k) {
                                const Run& run = exceptions.runs[k];
                                const std::size_t first = part.node(int(x) + run.dx, int(y) + run.dy, int(z) + run.dz);
                                for (std::size_t i = 0; i < run.length; ++i) sum -= input(first + i);
                            }
                        out[std::size_t(part.particle[node])] += sum;
                    }
            });
        }
    }
    return out;
}

/// Regions of w cells that end at one held layer lack w layers behind it: a pulled bar would yield there. The layer
/// stands for them if it counts about w times as much; in a deep clamp little is lacking. In between the held share of
/// a particle's region decides. The factor 3/2 is fitted: it makes bars of ten cells and more as stiff as they should
/// be.
std::vector<double> BoxClasses::braced_masses(std::span<const Reach> classes, const BoxChoice& choice,
                                              std::span<const double> masses, std::span<const std::int32_t> held) const
{
    std::vector<double> out(masses.begin(), masses.end()), is_held(out.size(), 0.0);
    if (held.empty()) return out;
    for (const std::int32_t i : held) is_held[std::size_t(i)] = 1;
    const std::vector<double> sizes = over_regions(std::vector<double>(out.size(), 1.0));
    const std::vector<double> held_in = over_regions(is_held);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const Reach w = classes[choice.classes[i]];
        const double layers = 1 + std::max({w[0], w[1], w[2]});
        if (is_held[i] > 0) out[i] *= 1 + 1.5 * (std::min(sizes[i] / held_in[i], layers) - 1);
    }
    return out;
}

BoxClasses::BoxClasses(std::shared_ptr<const BoxGrid> grid, std::span<const Reach> classes, RegionRule rule,
                       const BoxChoice& choice, std::span<const double> masses, std::span<const std::int32_t> held)
    : grid_(std::move(grid)), blocks_(grid_->block_count()), braced_(!held.empty())
{
    const std::size_t n = grid_->particle_count();
    const bool paper = rule == RegionRule::paper;
    std::uint32_t used = 0;
    for (const std::uint8_t c : choice.classes) used |= 1u << c;
    one_class_ = (used & (used - 1)) == 0;
    gather_ = filters_for(classes.size(), used, grid_->levels(), [&](std::size_t region, std::size_t particle) {
        return paper ? classes[region] : common(classes[region], classes[particle]);
    });
    spread_ = filters_for(classes.size(), used, grid_->levels(), [&](std::size_t particle, std::size_t region) {
        return paper ? classes[region] : common(classes[region], classes[particle]);
    });
    for (const BoxPart& part : grid_->parts()) {
        std::vector<std::uint32_t>& bits = bits_.emplace_back(part.node_count(), 0u);
        for (std::size_t node = 0; node < bits.size(); ++node)
            if (part.particle[node] >= 0) bits[node] = 1u << choice.classes[std::size_t(part.particle[node])];
    }

    // beta_r = 1 / |R_r| ([CVG] 10.2), or 1 in the paper's rule
    std::vector<double> beta(n, 1.0);
    if (!paper) {
        beta = over_regions(beta);
        for (double& b : beta) b = 1 / b;
    }
    betas_.assign(beta.begin(), beta.end());
    weight_of_.resize(n);
    std::vector<double> rounded(n);
    for (std::size_t i = 0; i < n; ++i) rounded[i] = double(weight_of_[i] = float(beta[i] * double(choice.alphas[i])));
    const std::vector<double> weights = over_holders(rounded), counts = over_holders(beta);
    const std::vector<double> counted = braced_masses(classes, choice, masses, held);
    mass_unit_ = std::accumulate(masses.begin(), masses.end(), 0.0) / double(n) * grid_->cell() * grid_->cell();
    shared_.resize(n), weights_.resize(n), shares_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        const double count = std::max(counts[i], 1e-6);
        shared_[i] = float(counted[i] / count / mass_unit_);
        weights_[i] = float(weights[i]);
        shares_[i] = float(1 / count);
        rounded[i] = double(shared_[i]);
    }

    // Constants of the regions follow from the rounded numbers that the kernels see: else a body would push itself
    // along.
    const std::vector<double> region_mass = over_regions(rounded);
    std::vector<double> first[3];
    for (std::size_t axis = 0; axis < 3; ++axis) {
        std::vector<double> moment(n);
        for (const BoxPart& part : grid_->parts())
            for (int z = 0; z < part.nz; ++z)
                for (int y = 0; y < part.ny; ++y)
                    for (int x = 0; x < part.nx; ++x) {
                        const std::int32_t i = part.particle[part.node(x, y, z)];
                        if (i >= 0)
                            moment[std::size_t(i)] = rounded[std::size_t(i)] * (axis == 0 ? x : axis == 1 ? y : z);
                    }
        first[axis] = over_regions(moment);
    }
    for (BoxBlock& block : blocks_) block = {};
    for (const BoxPart& part : grid_->parts())
        for (int z = 0; z < part.nz; ++z)
            for (int y = 0; y < part.ny; ++y)
                for (int x = 0; x < part.nx; ++x) {
                    const std::int32_t particle = part.particle[part.node(x, y, z)];
                    if (particle < 0) continue;
                    const auto i = std::size_t(particle);
                    BoxBlock& block = blocks_[part.block(y, z, std::size_t(x) / kLanes)];
                    const auto lane = std::size_t(x) % kLanes;
                    const int place[3] = {x, y, z};
                    block.inverse_mass[lane] = float(1 / region_mass[i]);
                    block.weight[lane] = weight_of_[i];
                    for (std::size_t axis = 0; axis < 3; ++axis)
                        block.offset[axis][lane] =
                            float((first[axis][i] / region_mass[i] - place[axis]) * grid_->cell());
                }
}

}  // namespace yawara::matching
