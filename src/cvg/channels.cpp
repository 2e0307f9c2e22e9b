// A volume's attributes as channels that fields can name.
#include "yawara/cvg.h"

namespace yawara::cvg {
namespace {

constexpr std::pair<const char*, float Sample::*> kChannels[] = {{"opacity", &Sample::opacity},
                                                                 {"r", &Sample::r},
                                                                 {"g", &Sample::g},
                                                                 {"b", &Sample::b},
                                                                 {"stiffness", &Sample::stiffness}};

}  // namespace

Channels channels_of(Volume volume, double width, double hardness)
{
    Channels channels;
    for (const auto& [name, member] : kChannels) channels.names.emplace_back(name);
    channels.values = [volume = std::move(volume), width, hardness](std::string_view name, const FieldPlaces& places) {
        std::vector<double> values(places.points.size());
        const std::vector<Sample> samples = volume.sample(places.unscaled(), width, hardness);
        for (const auto& [known, member] : kChannels)
            if (name == known)
                for (std::size_t i = 0; i < samples.size(); ++i) values[i] = double(samples[i].*member);
        return values;
    };
    return channels;
}

}  // namespace yawara::cvg
