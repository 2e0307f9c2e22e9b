// Weights of examples and measures of a scene, written beside its arrays.
#include <fmt/format.h>

#include "record.h"

namespace yawara::cli {

Result<SideNumbers> SideNumbers::create(LoadedScene& loaded, const std::filesystem::path& folder)
{
    auto files = UnfinishedFolder::create(folder, "numbers");
    if (!files) return files.error();
    SideNumbers side(*std::move(files));
    std::vector<std::string> names;
    for (const BodyId id : loaded.scene().bodies()) names.push_back(loaded.scene().model(id).name());
    names = clean_file_names(names);
    for (std::size_t k = 0; k < names.size(); ++k) {
        const BodyId id = loaded.scene().bodies()[k];
        const BodyModel& model = loaded.scene().model(id);
        if (model.examples().empty()) continue;
        auto rows = NpyRows::create(side.files_.path() / (names[k] + ".weights.npy"), "<f4",
                                    {model.example_groups(), model.examples().size() + 1});
        if (!rows) return rows.error();
        side.weights_.push_back({id, *std::move(rows)});
    }
    if (loaded.measures().infos().empty()) return side;
    auto csv = OutFile::create(side.files_.path() / "measures.csv");
    if (!csv) return csv.error();
    csv->write("time");
    for (const MeasureInfo& measure : loaded.measures().infos())
        csv->write(fmt::format(",\"{}: {}\"", measure.label, measure.name));
    csv->write("\n");
    side.measures_.emplace(*std::move(csv));
    return side;
}

Status SideNumbers::frame(LoadedScene& loaded)
{
    Scene& scene = loaded.scene();
    for (Weights& w : weights_) {
        const std::vector<float> now = example_weights(scene.model(w.body), std::as_const(scene).state(w.body),
                                                       scene.time(), scene.settings().dt / scene.settings().substeps);
        if (Status status = w.rows.append(std::span<const float>(now)); !status) return status;
    }
    ++frames_;
    if (!measures_) return Done{};
    std::string row = fmt::format("{}", scene.time());
    for (const double v : loaded.measures().values(scene)) row += fmt::format(",{}", v);
    measures_->write(row + "\n");
    return measures_->flush();
}

Result<std::vector<std::string>> SideNumbers::finish()
{
    if (Status status = files_.put_in_place(); !status) return status.error();
    const std::filesystem::path folder = files_.path().parent_path();
    std::vector<std::string> notes;
    for (const Weights& w : weights_)
        notes.push_back(fmt::format("{}: float32 {}", (folder / w.rows.path().filename()).string(), w.rows.shape()));
    if (measures_) notes.push_back(fmt::format("{}: {} rows", (folder / "measures.csv").string(), frames_));
    return notes;
}

}  // namespace yawara::cli
