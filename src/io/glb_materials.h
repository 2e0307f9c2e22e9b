// Materials of a GLB under construction: plain colours, and skins with their pictures, each once. Used by clip_glb.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "io/glb_document.h"
#include "yawara/skin.h"

namespace yawara::io {

Vec3 linear_light(Vec3 srgb);

/// Number of a new material of one colour, linear.
std::size_t add_material(GlbDocument& document, const std::string& name, Vec3 color);

class GlbSkins {
public:
    explicit GlbSkins(GlbDocument& document) : document_(document) {}

    /// Numbers of the materials of a skin in the document; bodies that share a skin share them.
    const std::vector<std::size_t>& materials(const Skin& skin);

private:
    nlohmann::json texture(const Texture& texture);

    GlbDocument& document_;
    std::map<const Skin*, std::vector<std::size_t>> known_;
};

}  // namespace yawara::io
