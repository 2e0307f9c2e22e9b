// A GLB file (glTF 2.0) under construction: its JSON and one binary buffer, compressed on demand.
// Used by clip_glb.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yawara/mesh.h"

namespace yawara::io {

/// How the numbers of an accessor are stored, by the names and codes of glTF.
enum class GlbComponent { byte = 5120, unsigned_short = 5123, short_ = 5122, unsigned_int = 5125, float_ = 5126 };

class GlbDocument {
public:
    /// `meshopt`: arrays are compressed with the extension EXT_meshopt_compression.
    explicit GlbDocument(bool meshopt);

    /// Attributes of vertices; each is rounded to the component. Several arrays share a view, and each has its
    /// accessor.
    struct VertexArrays {
        GlbComponent component = GlbComponent::float_;
        bool normalized = false;  ///< numbers in -1..1 (0..1 for unsigned) fill the range of the component
        bool ranges = false;      ///< tell the smallest and largest, as positions have to
    };
    std::vector<int> vertex_arrays(std::span<const std::span<const Vec3>> arrays, VertexArrays how);
    int vertex_array(std::span<const Vec3> array, VertexArrays how) { return vertex_arrays({&array, 1}, how)[0]; }
    int vertex_uvs(std::span<const Vec2> uvs);
    /// An accessor that is zero everywhere and takes no room.
    int zeros(std::size_t count, VertexArrays how);
    int triangles(std::span<const Int3> corners, std::size_t vertices);

    /// A picture file inside the document; gives its number among the images.
    std::size_t image(const std::string& name, std::string_view bytes, std::string_view type);

    /// Input or output of an animation: rows of `width` numbers, all of one accessor.
    int track(std::span<const float> numbers, std::string_view type);
    int track(std::span<const std::uint16_t> parts_of_65535);

    Status write(const std::filesystem::path& path);
    std::uint64_t bytes() const { return bytes_; }

    nlohmann::json json;

private:
    int add_view(std::span<const char> bytes, std::size_t stride, int target, std::string_view mode);
    int add_accessor(int view, std::size_t offset, GlbComponent component, std::size_t count, std::string_view type,
                     bool normalized);
    void use(std::string_view extension);

    bool meshopt_;
    std::vector<char> binary_;
    std::uint64_t unpacked_ = 0;  // bytes of the buffer that a reader unpacks into
    std::uint64_t bytes_ = 0;
};

}  // namespace yawara::io
