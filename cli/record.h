// Recording in the command line: a bar and Ctrl-C while it runs, JSON and files beside arrays afterwards.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "yawara/npy_rows.h"
#include "yawara/replace_file.h"
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
    static Result<SideNumbers> create(LoadedScene& loaded, const std::filesystem::path& folder);
    Status frame(LoadedScene& loaded);
    /// Puts the files in place; what they are, for people.
    Result<std::vector<std::string>> finish();

private:
    struct Weights {
        BodyId body;
        NpyRows rows;
    };
    explicit SideNumbers(UnfinishedFolder files) : files_(std::move(files)) {}

    UnfinishedFolder files_;
    std::vector<Weights> weights_;
    std::optional<OutFile> measures_;  ///< none: the scene asks for none
    std::size_t frames_ = 0;
};

}  // namespace yawara::cli
