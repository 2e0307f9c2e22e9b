#include "matching/want_shapes.h"

#include "matching/combine.h"

namespace yawara::matching {

int observe_examples(const Regions& regions, const WantedShapes& wanted, const RegionMoments* moments,
                     const float* rotations, std::size_t chunk, std::size_t first, std::size_t last,
                     ExampleMemory& memory)
{
    const Examples& examples = *wanted.examples;
    if (!wanted.explained) return examples.observe(moments, rotations, chunk, first, last, memory);
    RegionStretch now[kFewBlocks];
    const int robust = kernels().observe(moments, examples.spread(), first, last, regions.used_lanes(), rotations, now);
    for_each_region(regions, first, last, [&](std::size_t place, std::size_t lane) {
        RegionStretch& block = now[place / kLanes - first];
        put_stretch(block, lane,
                    without(get_stretch(block, lane), get_stretch(wanted.explained[place / kLanes], lane)));
    });
    examples.project(now, chunk, first, last, memory);
    return robust;
}

void want_shapes(const Regions& regions, const WantedShapes& wanted, std::size_t first, std::size_t last,
                 ExampleMemory& memory, RegionStretch* shapes)
{
    kernels().blend(wanted.examples->wanted(wanted.beta, first, last, memory), last - first, shapes);
    if (wanted.stretch)
        for_each_region(regions, first, last, [&](std::size_t place, std::size_t lane) {
            RegionStretch& block = shapes[place / kLanes - first];
            put_stretch(block, lane,
                        combine(get_stretch(wanted.stretch[place / kLanes], lane), get_stretch(block, lane)));
        });
}

}  // namespace yawara::matching
