// Recording in the command line: a bar and Ctrl-C while it runs, JSON and files beside arrays afterwards.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "yawara/scene_file.h"

#include "terminal.h"

namespace yawara::cli {

/// Runs a scene to the writers of a clip, see yawara::record. Shows a bar, ends after Ctrl-C, and warns of clips that
/// ended early. Measures and cavities of the scene are followed, whatever the options say.
Result<Recording> record(LoadedScene& loaded, RecordOptions options, const ClipInfo& info, ClipWriters& writers,
                         const Terminal& terminal, const std::string& label);

nlohmann::ordered_json to_json(const Recording& recording);

/// Numbers beside arrays, frame by frame: BODY.weights.npy (frames, groups, examples + 1) and measures.csv in a folder.
class SideNumbers {
public:
    SideNumbers(LoadedScene& loaded, std::filesystem::path folder);
    void frame(LoadedScene& loaded);
    /// Writes the files; what they are, for people.
    Result<std::vector<std::string>> finish() const;

private:
    struct Weights {
        BodyId body;
        std::string name;
        std::size_t groups, width;
        std::vector<float> values;
    };
    std::filesystem::path folder_;
    std::vector<Weights> weights_;
    std::vector<MeasureInfo> measures_;
    std::vector<std::pair<double, std::vector<double>>> rows_;  ///< time and measures
    std::size_t frames_ = 0;
};

}  // namespace yawara::cli
