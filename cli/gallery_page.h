// The gallery as one static page: a card for each scene with its clip, figures, plots and parameters.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "record.h"
#include "svg_plot.h"

namespace yawara::cli {

using Rows = std::vector<std::pair<std::string, std::string>>;

struct GalleryCard {
    std::string name, title, description;
    std::string error;                                   ///< why there is no clip; then nothing below is set
    std::string clip, poster, scene_file, glb;           ///< names of files beside the page
    std::string scene_text;                              ///< shown folded; empty: only linked
    int width = 16, height = 9;                          ///< of the clip, pixels
    Rows figures;                                        ///< large: value and what it is
    Rows parameters;                                     ///< table: name and value
    std::vector<std::pair<std::string, double>> phases;  ///< ms of a step
    std::vector<Plot> plots;
    std::vector<std::string> warnings;
};

std::string gallery_page(const std::vector<GalleryCard>& cards, const std::string& machine);

}  // namespace yawara::cli
