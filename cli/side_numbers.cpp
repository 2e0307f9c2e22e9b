// Weights of examples and measures of a scene, written beside its arrays.
#include <fmt/format.h>

#include <fstream>

#include "outputs.h"
#include "record.h"

namespace yawara::cli {

SideNumbers::SideNumbers(LoadedScene& loaded, std::filesystem::path folder)
    : folder_(std::move(folder)), measures_(loaded.measures().infos().begin(), loaded.measures().infos().end())
{
    for (std::size_t k = 0; k < loaded.scene().bodies().size(); ++k) {
        const BodyModel& model = loaded.scene().model(loaded.scene().bodies()[k]);
        if (model.examples().empty()) continue;
        weights_.push_back(
            {loaded.scene().bodies()[k], model.name(), model.example_groups(), model.examples().size() + 1, {}});
    }
}

void SideNumbers::frame(LoadedScene& loaded)
{
    Scene& scene = loaded.scene();
    for (Weights& w : weights_) {
        const std::vector<float> now = example_weights(scene.model(w.body), std::as_const(scene).state(w.body),
                                                       scene.time(), scene.settings().dt / scene.settings().substeps);
        w.values.insert(w.values.end(), now.begin(), now.end());
    }
    if (!measures_.empty()) rows_.emplace_back(scene.time(), loaded.measures().values(scene));
    ++frames_;
}

Result<std::vector<std::string>> SideNumbers::finish() const
{
    std::vector<std::string> notes;
    for (const Weights& w : weights_) {
        const std::filesystem::path path = folder_ / (w.name + ".weights.npy");
        if (Status saved = save_npy(path, std::array{frames_, w.groups, w.width}, std::span<const float>(w.values));
            !saved)
            return saved.error();
        notes.push_back(fmt::format("{}: float32 ({}, {}, {})", path.string(), frames_, w.groups, w.width));
    }
    if (rows_.empty()) return notes;
    const std::filesystem::path path = folder_ / "measures.csv";
    std::ofstream file(path);
    file << "time";
    for (const MeasureInfo& measure : measures_) file << fmt::format(",\"{}: {}\"", measure.label, measure.name);
    file << "\n";
    for (const auto& [time, values] : rows_) {
        file << fmt::format("{}", time);
        for (const double v : values) file << fmt::format(",{}", v);
        file << "\n";
    }
    if (!file) return Error{path.string(), "cannot be written"};
    notes.push_back(fmt::format("{}: {} rows", path.string(), rows_.size()));
    return notes;
}

}  // namespace yawara::cli
