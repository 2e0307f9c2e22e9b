#include "example_report.h"

#include <algorithm>

#include "interrupt.h"
#include "reports.h"

namespace yawara::cli {

namespace {

using Json = nlohmann::ordered_json;

/// A load that moves the weight less than this does not count.
constexpr double kAwake = 0.01;

std::size_t groups_to_tell(const BodyModel& model)
{
    return model.example_groups() == model.region_count() ? 1 : model.example_groups();
}

}  // namespace

Json report_examples(LoadedScene& loaded, std::size_t frames)
{
    Scene& scene = loaded.scene();
    Json bodies = Json::array();
    std::vector<BodyId> with;
    for (const BodyId body : scene.bodies())
        if (!scene.model(body).examples().empty()) with.push_back(body);
    if (with.empty()) return bodies;

    // A rehearsal without the examples' help: which weights would the loads of this scene ask for?
    struct Range {
        double least = 0, most = 0;
        double weight = 0;  ///< the largest that it has, with what its cues hear
    };
    std::vector<std::vector<std::vector<Range>>> ranges;  // body, group, example
    for (const BodyId body : with) {
        const BodyModel& model = scene.model(body);
        ranges.emplace_back(groups_to_tell(model), std::vector<Range>(model.examples().size()));
        scene.body_settings(body).matching.beta = 0;
    }
    play(scene, frames, [&](const PlayedFrame& frame) {
        if (frame.number % 3 != 1) return !interrupted();
        for (std::size_t b = 0; b < with.size(); ++b) {
            const std::vector<float> found =
                example_weights(scene.model(with[b]), std::as_const(scene).state(with[b]), scene.time());
            const std::size_t width = scene.model(with[b]).examples().size() + 1;
            for (std::size_t row = 0; row < found.size() / width; ++row)
                for (std::size_t k = 1; k < width; ++k) {
                    double& most = ranges[b][std::min(row, ranges[b].size() - 1)][k - 1].weight;
                    most = std::max(most, double(found[row * width + k]));
                }
            for (std::size_t group = 0; group < ranges[b].size(); ++group) {
                const std::vector<double> weights =
                    raw_example_weights(scene.model(with[b]), std::as_const(scene).state(with[b]), group);
                for (std::size_t k = 0; k < weights.size(); ++k) {
                    ranges[b][group][k].least = std::min(ranges[b][group][k].least, weights[k]);
                    ranges[b][group][k].most = std::max(ranges[b][group][k].most, weights[k]);
                }
            }
        }
        return !interrupted();
    });

    for (std::size_t b = 0; b < with.size(); ++b) {
        const BodyModel& model = scene.model(with[b]);
        Json body = {{"body", model.name()}, {"groups", model.example_groups()}, {"examples", Json::array()}};
        for (const ExampleReport& report : model.examples())
            body["examples"].push_back({{"name", report.name},
                                        {"inverted_regions", report.inverted_regions},
                                        {"size", report.size},
                                        {"energy_left", report.energy_left}});
        body["couplings"] = Json::array();
        body["in_this_scene"] = Json::array();
        for (std::size_t group = 0; group < ranges[b].size(); ++group) {
            for (const ExampleCoupling& coupling : example_couplings(model, group))
                body["couplings"].push_back({{"group", group}, {"load", coupling.load}, {"weights", coupling.weights}});
            for (std::size_t k = 0; k < model.examples().size(); ++k)
                body["in_this_scene"].push_back({{"group", group},
                                                 {"example", model.examples()[k].name},
                                                 {"least", ranges[b][group][k].least},
                                                 {"most", ranges[b][group][k].most},
                                                 {"weight", ranges[b][group][k].weight}});
        }
        bodies.push_back(std::move(body));
    }
    return bodies;
}

std::vector<std::string> say_examples(const Terminal& terminal, const Json& bodies)
{
    std::vector<std::string> warnings;
    for (const Json& body : bodies) {
        const std::string name = body["body"];
        std::vector<std::string> head{"load"};
        for (const Json& example : body["examples"]) {
            head.push_back(example["name"]);
            terminal.say("{}, example \"{}\": {:.1f} % of its energy is left with affine goals{}", name,
                         example["name"].get<std::string>(), 100 * example["energy_left"].get<double>(),
                         example["inverted_regions"].get<int>()
                             ? fmt::format(", {} regions inside out", example["inverted_regions"].get<int>())
                             : "");
        }
        std::vector<std::vector<std::string>> rows{head};
        std::size_t group = 0;
        const auto flush = [&] {
            terminal.say("{}, weights that small loads ask for{}:", name,
                         body["groups"].get<std::size_t>() > 1 ? fmt::format(" in group {}", group) : "");
            terminal.say("{}", table(rows));
            rows.resize(1);
        };
        for (const Json& coupling : body["couplings"]) {
            if (coupling["group"].get<std::size_t>() != group) {
                flush();
                group = coupling["group"];
            }
            rows.push_back({coupling["load"]});
            for (const Json& w : coupling["weights"]) rows.back().push_back(fmt::format("{:+.3f}", w.get<double>()));
        }
        flush();
        for (const Json& range : body["in_this_scene"]) {
            const double least = range["least"], most = range["most"];
            terminal.say("{}, \"{}\": in this scene the loads ask for weights from {:+.3f} to {:+.3f}", name,
                         range["example"].get<std::string>(), least, most);
            if (most >= kAwake || range["weight"].get<double>() >= kAwake) continue;
            const std::string text =
                least <= -kAwake
                    ? fmt::format(
                          "{}: the loads of this scene work against example \"{}\" (weights from {:+.3f} to "
                          "{:+.3f}): it will not appear. Give it a part of the deformation the load causes, such as "
                          "being shorter where the body is squeezed",
                          name, range["example"].get<std::string>(), least, most)
                    : fmt::format("{}: no load of this scene awakens example \"{}\"", name,
                                  range["example"].get<std::string>());
            warnings.push_back(text);
            terminal.warn(text);
        }
    }
    return warnings;
}

}  // namespace yawara::cli
