#include "matching/box_damping.h"

#include "matching/box_slices.h"
#include "matching/damping_kernels.h"

namespace yawara::matching {
namespace {

constexpr std::size_t kIn = kBoxProducts, kOut = kBoxMotions, kNode = 16;

/// Takes the values of a region's or particle's exceptions off its sums.
void take_off(const BoxPart& part, const BoxFilter& filter, const std::uint32_t* bits, int x, int y, int z,
              const float* values, std::size_t channels, float* sums, std::size_t step)
{
    const BoxPart::Exceptions& e = part.exceptions[filter.level];
    const std::size_t node = part.node(x, y, z);
    for (std::uint32_t k = e.offsets[node]; k < e.offsets[node + 1]; ++k) {
        const Run& run = e.runs[k];
        for (int i = run.begin; i < run.end; ++i) {
            const std::size_t other = part.node(i, y + run.dy, z + run.dz);
            if (!(bits[other] & filter.in)) continue;
            for (std::size_t c = 0; c < channels; ++c) sums[c * step] -= values[other * kNode + c];
        }
    }
}

/// Sums along x of three channels of a plane.
void sum_rows(const BoxPart& part, int width, const float* in, float* out)
{
    const std::size_t channel = plane_channel(part);
    kernels().boxes.row_sum({in, channel}, width, part.row, {out, channel, std::size_t(part.ny) * part.row});
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
        mine.channel = std::size_t(part.nz) * part.row + kChannelPad;
        mine.slab = filters * kIn * mine.channel + kChannelPad;
        room(mine.slabs, mine.slab * std::size_t(part.ny));
        if (!any_exceptions(part, classes.gather())) continue;
        room(mine.values, part.node_count() * kNode);
        room(mine.sent, part.node_count() * kNode);
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
        float* const masked = room(scratch.masked, kIn * channel);
        float* const sums = room(scratch.sums, 3 * channel);
        float* const lines = room(scratch.lines, line_scratch(kLargestReach));
        const std::uint32_t* const bits = classes.class_bits(p).data();
        const std::size_t nodes = std::size_t(part.ny) * part.row, first_node = part.node(0, 0, z);
        damping_kernels().box_products(positions.data(), velocities.data(), &part.particle[first_node],
                                       classes.shared_masses().data(), mine.origin, nodes, plane, channel);
        if (!mine.values.empty())
            for (std::size_t node = 0; node < nodes; ++node)
                for (std::size_t c = 0; c < kIn; ++c)
                    mine.values[(first_node + node) * kNode + c] = plane[c * channel + node];
        const BoxKernels& kernel = kernels().boxes;
        for (std::size_t f = 0; f < classes.gather().size(); ++f) {
            const BoxFilter& filter = classes.gather()[f];
            const Reach w = classes.grid().levels()[filter.level];
            kernel.mask(plane_blocks(part, bits + part.node(0, 0, z), filter.in, kIn), plane, masked);
            for (std::size_t t = 0; t < kIn; t += 3) {
                sum_rows(part, w[0], masked + t * channel, sums);
                for (std::size_t x = 0; x < part.row; x += kLanes)
                    kernel.sum({sums + x, part.row, channel}, {part.ny, w[1], lines},
                               {mine.slabs.data() + (f * kIn + t) * mine.channel + std::size_t(z) * part.row + x,
                                mine.slab, mine.channel});
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
        const std::size_t channel = column_channel(part);
        float* const column = room(scratch.column, 2 * kIn * channel);
        float* const out = room(scratch.out, 2 * kOut * channel);
        float* const lines = room(scratch.lines, line_scratch(kLargestReach));
        const std::uint32_t* const bits = classes.class_bits(p).data();
        const BoxKernels& kernel = kernels().boxes;
        for (std::size_t block = 0; block < part.blocks_per_row(); ++block) {
            float *const one = column + kIn * channel, *const slab = mine.slabs.data() + std::size_t(y) * mine.slab;
            std::fill_n(column, kIn * channel, 0.0f);
            for (std::size_t f = 0; f < classes.gather().size(); ++f) {
                const BoxFilter& filter = classes.gather()[f];
                for (std::size_t t = 0; t < kIn; t += 3)
                    kernel.sum({slab + (f * kIn + t) * mine.channel + block * kLanes, part.row, mine.channel},
                               {part.nz, classes.grid().levels()[filter.level][2], lines},
                               {one + t * channel, kLanes, channel});
                if (has_exceptions(part, filter))
                    for (int z = 0; z < part.nz; ++z)
                        for (std::size_t lane = 0; lane < kLanes; ++lane)
                            if (const std::size_t x = block * kLanes + lane; bits[part.node(int(x), y, z)] & filter.out)
                                take_off(part, filter, bits, int(x), y, z, mine.values.data(), kIn,
                                         one + std::size_t(z) * kLanes + lane, channel);
                kernel.add_masked(column_blocks(part, bits + part.node(int(block * kLanes), y, 0), filter.out, kIn),
                                  one, column);
            }
            for (int z = 0; z < part.nz; ++z) {
                const std::int32_t* const regions = &part.particle[part.node(int(block * kLanes), y, z)];
                float weights[kLanes];
                for (std::size_t lane = 0; lane < kLanes; ++lane)
                    weights[lane] = regions[lane] < 0 ? 0.0f : classes.betas()[std::size_t(regions[lane])];
                const std::size_t place = std::size_t(z) * kLanes;
                damping_kernels().box_motions(column + place, channel,
                                              classes.blocks()[part.block(y, z, block)].inverse_mass, weights,
                                              out + place, channel);
            }
            for (std::size_t f = 0; f < classes.spread().size(); ++f) {
                const BoxFilter& filter = classes.spread()[f];
                float* const masked = out + kOut * channel;
                kernel.mask(column_blocks(part, bits + part.node(int(block * kLanes), y, 0), filter.in, kOut), out,
                            masked);
                for (std::size_t t = 0; t < kOut; t += 3)
                    kernel.sum({masked + t * channel, kLanes, channel},
                               {part.nz, classes.grid().levels()[filter.level][2], lines},
                               {slab + (f * kIn + t) * mine.channel + block * kLanes, part.row, mine.channel});
            }
            if (!mine.sent.empty())
                for (int z = 0; z < part.nz; ++z)
                    for (std::size_t lane = 0; lane < kLanes; ++lane)
                        for (std::size_t c = 0; c < kOut; ++c)
                            mine.sent[part.node(int(block * kLanes + lane), y, z) * kNode + c] =
                                out[c * channel + std::size_t(z) * kLanes + lane];
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
        const std::size_t channel = plane_channel(part);
        float* const plane = room(scratch.plane, kOut * channel);
        float* const sums = room(scratch.sums, 3 * channel);
        float* const one = room(scratch.masked, kOut * channel);
        float* const lines = room(scratch.lines, line_scratch(kLargestReach));
        const std::uint32_t* const bits = classes.class_bits(p).data();
        const BoxKernels& kernel = kernels().boxes;
        std::fill_n(plane, kOut * channel, 0.0f);
        for (std::size_t f = 0; f < classes.spread().size(); ++f) {
            const BoxFilter& filter = classes.spread()[f];
            const Reach w = classes.grid().levels()[filter.level];
            for (std::size_t t = 0; t < kOut; t += 3) {
                for (std::size_t x = 0; x < part.row; x += kLanes)
                    kernel.sum({mine.slabs.data() + (f * kIn + t) * mine.channel + std::size_t(z) * part.row + x,
                                mine.slab, mine.channel},
                               {part.ny, w[1], lines}, {sums + x, part.row, channel});
                sum_rows(part, w[0], sums, one + t * channel);
            }
            if (has_exceptions(part, filter))
                for (int y = 0; y < part.ny; ++y)
                    for (int x = 0; x < part.nx; ++x)
                        if (bits[part.node(x, y, z)] & filter.out)
                            take_off(part, filter, bits, x, y, z, mine.sent.data(), kOut, one + part.node(x, y, 0),
                                     channel);
            kernel.add_masked(plane_blocks(part, bits + part.node(0, 0, z), filter.out, kOut), one, plane);
        }
        damping_kernels().box_damp(plane, channel, &part.particle[part.node(0, 0, z)], classes.shares().data(),
                                   mine.origin, share, std::size_t(part.ny) * part.row, positions.data(),
                                   velocities.data());
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
