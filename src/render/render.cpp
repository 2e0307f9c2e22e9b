// render(): checks, prepares, traces, removes noise, develops, and draws the legend; band by band if the picture is
// large.
#include "yawara/render.h"

#include <fmt/format.h>

#include <algorithm>

#include "render/denoise.h"
#include "render/develop.h"
#include "render/legend.h"

namespace yawara {

using namespace drawing;

namespace {

constexpr int kMaxSamples = 4096;
constexpr int kBandPixels = 3'000'000;  // about 600 MB of working memory
constexpr int kHalo = (kDenoiseReach + kTile - 1) / kTile * kTile;

}  // namespace

Result<Image> render(const Picture& picture)
{
    const Look& look = picture.look;
    const auto view = make_view(picture.camera, look);
    if (!view) return view.error();
    if (look.samples < 1 || look.samples > kMaxSamples)
        return Error{"look.samples", fmt::format("{}; expected 1 to {}", look.samples, kMaxSamples)};
    if (!(picture.lens >= 0 && std::isfinite(picture.lens)))
        return Error{"lens", "is not a radius; expected 0 or more metres"};
    if (!is_finite(look.background)) return Error{"look.background", "is not a finite colour"};
    const auto stage = make_stage(picture);
    if (!stage) return stage.error();
    const auto rays = RayScene::build(stage->surfaces);
    if (!rays) return rays.error();

    std::optional<WaterSurface> water;
    if (picture.water) {
        auto built = WaterSurface::build(*picture.water, *view);
        if (!built) return built.error();
        water = *std::move(built);
    }

    std::optional<RayScene> opaque;
    if (std::ranges::any_of(stage->surfaces, &Surface::is_clear)) {
        auto built = RayScene::build(stage->surfaces, true);
        if (!built) return built.error();
        opaque = *std::move(built);
    }

    const Studio studio;
    const Set set{*stage,
                  *rays,
                  *view,
                  studio,
                  {to_linear(look.background)},
                  water ? &*water : nullptr,
                  opaque ? &*opaque : nullptr,
                  look.samples,
                  picture.lens,
                  std::ranges::any_of(stage->surfaces, &Surface::moves)};
    Image image{look.width, look.height, {}};
    image.rgba.resize(std::size_t{4} * look.width * look.height);

    // A band is traced with as many rows around it as the noise filter looks at, and cut where tiles are, so that the
    // picture is the same as in one piece.
    const int band_rows = std::max(kBandPixels / look.width - 2 * kHalo, kTile) / kTile * kTile;
    for (int from = 0; from < look.height; from += band_rows) {
        const int to = std::min(from + band_rows, look.height);
        Band band;
        band.first_row = std::max(from - kHalo, 0);
        band.rows = std::min(to + kHalo, look.height) - band.first_row;
        band.width = look.width;
        band.pixels.resize(static_cast<std::size_t>(band.rows) * band.width);
        gather(set, band);
        denoise(*view, look.samples, band);
        develop(band, from, to, look.transparent, image);
    }
    if (look.scale) draw_legend(image, *look.scale, *stage->map);
    return image;
}

}  // namespace yawara
