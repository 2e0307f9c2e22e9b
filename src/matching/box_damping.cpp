#include "matching/box_damping.h"

#include "matching/box_slices.h"
#include "matching/damping_kernels.h"

namespace yawara::matching {
namespace {

constexpr std::size_t kIn = kBoxProducts, kOut = kBoxMotions;
constexpr std::size_t kInNode = 16, kOutNode = 8;  ///< floats of a node, see DampingKernels::by_nodes

/// Takes the values of a region's or particle's exceptions off its sums.
template <std::size_t Channels, std::size_t Node>
void take_off(const BoxPart& part, const BoxFilter& filter, const std::uint32_t* bits, int x, int y, int z,
              const float* values, float* sums, std::size_t step)
{
    const BoxPart::Exceptions& e = part.exceptions[filter.level];
    const std::size_t node = part.node(x, y, z);
    if (e.offsets[node] == e.offsets[node + 1]) return;
    float all[Node]{};
    for (std::uint32_t k = e.offsets[node]; k < e.offsets[node + 1]; ++k) {
        const Run& run = e.runs[k];
        for (int i = 0; i < run.length; ++i) {
            const std::size_t other = part.node(x + run.dx + i, y + run.dy, z + run.dz);
            if (!(bits[other] & filter.in)) continue;
            for (std::size_t c = 0; c < Node; ++c) all[c] += values[other * Node + c];
        }
    }
    for (std::size_t c = 0; c < Channels; ++c) sums[c * step] -= all[c];
}

/// Sums along x of three channels of a plane.
void sum_rows(const BoxPart& part, int width, const float* in, float* out)
{
    const std::size_t channel = plane_channel(part);
    kernels().boxes.row_sum({in, channel}, width, part.row, {out, channel, std::size_t(part.ny) * part.row});
}

/// Columns along z of a strip of slab y.
std::size_t strip_channel(const BoxPart& part)
{
    return std::size_t(part.nz) * kPair + kChannelPad;
}

/// Nodes of some classes along a line; null: there is but one class.
Chosen chosen(const BoxClasses& classes, std::size_t part, std::size_t node, std::size_t step, std::uint32_t set)
{
    if (classes.one_class()) return {};
    return {classes.class_bits(part).data() + node, step, set};
}

bool any_exceptions(const BoxPart& part, std::span<const BoxFilter> filters)
{
    return std::any_of(filters.begin(), filters.end(), [&](const BoxFilter& f) { return has_exceptions(part, f); });
}

}  // namespace

BoxDamping::BoxDamping(const BoxClasses& classes) : parts_(classes.grid().parts().size()) {}

void BoxDamping::fit(const BoxClasses& classes)
{
    const std::size_t filters = std::max(classes.gather().size(), classes.spread().size());
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        const BoxPart& part = classes.grid().parts()[p];
        Part& mine = parts_[p];
        mine.plane = filters * kIn * plane_channel(part) + kChannelPad;
        room(mine.planes, mine.plane * std::size_t(part.nz));
        if (!any_exceptions(part, classes.gather())) continue;
        room(mine.values, part.node_count() * kInNode);
        room(mine.sent, part.node_count() * kOutNode);
    }
}

void BoxDamping::sum_planes(const BoxClasses& classes, std::span<const Vec3> positions,
                            std::span<const Vec3> velocities)
{
    for_each_slice(classes.grid(), planes_of, [&](std::size_t p, int z) {
        const BoxPart& part = classes.grid().parts()[p];
        Part& mine = parts_[p];
        BoxScratch& scratch = scratch_.local();
        const std::size_t channel = plane_channel(part);
        float* const plane = room(scratch.plane, kIn * channel);
        float* const sums = room(scratch.sums, 3 * channel);
        float* const lines = room(scratch.lines, line_scratch(kLargestReach));
        const std::size_t nodes = std::size_t(part.ny) * part.row, first_node = part.node(0, 0, z);
        const DampingKernels& damping = damping_kernels();
        damping.box_products(positions.data(), velocities.data(), &part.particle[first_node],
                             classes.shared_masses().data(), mine.origin, nodes, plane, channel);
        if (!mine.values.empty())
            damping.by_nodes(plane, channel, kIn, nodes, mine.values.data() + first_node * kInNode);
        for (std::size_t f = 0; f < classes.gather().size(); ++f) {
            const BoxFilter& filter = classes.gather()[f];
            const Reach w = classes.grid().levels()[filter.level];
            for (std::size_t t = 0; t < kIn; t += 3) {
                for (std::size_t x = 0; x < part.row; x += kPair)
                    kernels().boxes.sum({plane + t * channel + x, part.row, channel},
                                        {.n = part.ny,
                                         .width = w[1],
                                         .scratch = lines,
                                         .in = chosen(classes, p, first_node + x, part.row, filter.in),
                                         .sixteen = true},
                                        {sums + x, part.row, channel});
                sum_rows(part, w[0], sums, mine.planes.data() + std::size_t(z) * mine.plane + (f * kIn + t) * channel);
            }
        }
    });
}

void BoxDamping::solve_slabs(const BoxClasses& classes)
{
    for_each_slice(classes.grid(), slabs_of, [&](std::size_t p, int y) {
        const BoxPart& part = classes.grid().parts()[p];
        Part& mine = parts_[p];
        BoxScratch& scratch = scratch_.local();
        const std::size_t channel = plane_channel(part), step = strip_channel(part);
        const std::size_t next_plane = std::size_t(part.ny) * part.row;
        float* const column = room(scratch.column, kIn * step);
        float* const out = room(scratch.out, kOut * step);
        float* const lines = room(scratch.lines, line_scratch(kLargestReach));
        const std::uint32_t* const bits = classes.class_bits(p).data();
        const BoxKernels& kernel = kernels().boxes;
        const auto window = [&](const BoxFilter& filter) {
            return Window{.n = part.nz,
                          .width = classes.grid().levels()[filter.level][2],
                          .scratch = lines,
                          .sixteen = true};
        };
        for (std::size_t x = 0; x < part.row; x += kPair) {
            const std::size_t here = std::size_t(y) * part.row + x;
            float* const planes = mine.planes.data() + here;
            if (!classes.one_class()) std::fill_n(column, kIn * step, 0.0f);
            for (std::size_t f = 0; f < classes.gather().size(); ++f) {
                const BoxFilter& filter = classes.gather()[f];
                Window along = window(filter);
                along.out = chosen(classes, p, here, next_plane, filter.out);
                for (std::size_t t = 0; t < kIn; t += 3)
                    kernel.sum({planes + (f * kIn + t) * channel, mine.plane, channel}, along,
                               {column + t * step, kPair, step});
                if (has_exceptions(part, filter))
                    for (int z = 0; z < part.nz; ++z)
                        for (std::size_t lane = 0; lane < kPair; ++lane)
                            if (bits[part.node(int(x + lane), y, z)] & filter.out)
                                take_off<kIn, kInNode>(part, filter, bits, int(x + lane), y, z, mine.values.data(),
                                                       column + std::size_t(z) * kPair + lane, step);
            }
            for (int z = 0; z < part.nz; ++z)
                for (std::size_t k = 0; k < kPair; k += kLanes) {
                    const std::size_t node = part.node(int(x + k), y, z), place = std::size_t(z) * kPair + k;
                    float weights[kLanes];
                    for (std::size_t lane = 0; lane < kLanes; ++lane) {
                        const std::int32_t region = part.particle[node + lane];
                        weights[lane] = region < 0 ? 0.0f : classes.betas()[std::size_t(region)];
                    }
                    damping_kernels().box_motions(column + place, step,
                                                  classes.blocks()[part.block(y, z, (x + k) / kLanes)].inverse_mass,
                                                  weights, out + place, step);
                    if (!mine.sent.empty())
                        damping_kernels().by_nodes(out + place, step, kOut, kLanes,
                                                   mine.sent.data() + node * kOutNode);
                }
            for (std::size_t f = 0; f < classes.spread().size(); ++f) {
                const BoxFilter& filter = classes.spread()[f];
                Window along = window(filter);
                along.in = chosen(classes, p, here, next_plane, filter.in);
                for (std::size_t t = 0; t < kOut; t += 3)
                    kernel.sum({out + t * step, kPair, step}, along,
                               {planes + (f * kIn + t) * channel, mine.plane, channel});
            }
        }
    });
}

void BoxDamping::spread_planes(float share, const BoxClasses& classes, std::span<const Vec3> positions,
                               std::span<Vec3> velocities)
{
    for_each_slice(classes.grid(), planes_of, [&](std::size_t p, int z) {
        const BoxPart& part = classes.grid().parts()[p];
        Part& mine = parts_[p];
        BoxScratch& scratch = scratch_.local();
        const std::size_t channel = plane_channel(part), first_node = part.node(0, 0, z);
        float* const plane = room(scratch.plane, kOut * channel);
        float* const sums = room(scratch.sums, 3 * channel);
        float* const lines = room(scratch.lines, line_scratch(kLargestReach));
        const std::uint32_t* const bits = classes.class_bits(p).data();
        if (!classes.one_class()) std::fill_n(plane, kOut * channel, 0.0f);
        for (std::size_t f = 0; f < classes.spread().size(); ++f) {
            const BoxFilter& filter = classes.spread()[f];
            const Reach w = classes.grid().levels()[filter.level];
            for (std::size_t t = 0; t < kOut; t += 3) {
                sum_rows(part, w[0], mine.planes.data() + std::size_t(z) * mine.plane + (f * kIn + t) * channel, sums);
                for (std::size_t x = 0; x < part.row; x += kPair)
                    kernels().boxes.sum({sums + x, part.row, channel},
                                        {.n = part.ny,
                                         .width = w[1],
                                         .scratch = lines,
                                         .out = chosen(classes, p, first_node + x, part.row, filter.out),
                                         .sixteen = true},
                                        {plane + t * channel + x, part.row, channel});
            }
            if (has_exceptions(part, filter))
                for (int y = 0; y < part.ny; ++y)
                    for (int x = 0; x < part.nx; ++x)
                        if (bits[part.node(x, y, z)] & filter.out)
                            take_off<kOut, kOutNode>(part, filter, bits, x, y, z, mine.sent.data(),
                                                     plane + part.node(x, y, 0), channel);
        }
        damping_kernels().box_damp(plane, channel, &part.particle[first_node], classes.shares().data(), mine.origin,
                                   share, std::size_t(part.ny) * part.row, positions.data(), velocities.data());
    });
}

void BoxDamping::apply(float share, const BoxClasses& classes, std::span<const Vec3> positions,
                       std::span<Vec3> velocities)
{
    fit(classes);
    for (std::size_t p = 0; p < parts_.size(); ++p)
        parts_[p].origin = positions[middle_particle(classes.grid().parts()[p])];
    sum_planes(classes, positions, velocities);
    solve_slabs(classes);
    spread_planes(share, classes, positions, velocities);
}

}  // namespace yawara::matching
