// Views, accessors and the container. Quantised attributes: extension KHR_mesh_quantization.
#include "io/glb_document.h"

#include <fmt/format.h>
#include <meshoptimizer.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "io/clip_output.h"

namespace yawara::io {
namespace {

using Json = nlohmann::json;

constexpr int kArrayBuffer = 34962, kElementBuffer = 34963;
constexpr std::string_view kMeshopt = "EXT_meshopt_compression", kQuantization = "KHR_mesh_quantization";

template <class T>
std::span<const char> bytes_of(std::span<const T> values)
{
    return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

std::size_t size_of(GlbComponent component)
{
    switch (component) {
        case GlbComponent::byte:
            return 1;
        case GlbComponent::short_:
        case GlbComponent::unsigned_short:
            return 2;
        case GlbComponent::unsigned_int:
        case GlbComponent::float_:
            return 4;
    }
    return 4;
}

double largest(GlbComponent component)
{
    switch (component) {
        case GlbComponent::byte:
            return 127;
        case GlbComponent::short_:
            return 32767;
        case GlbComponent::unsigned_short:
            return 65535;
        default:
            return 1;
    }
}

/// A number as it is stored.
template <class T>
void put(char* at, double number)
{
    const T stored = static_cast<T>(number);
    std::memcpy(at, &stored, sizeof stored);
}
void put(char* at, GlbComponent component, double number)
{
    if (component == GlbComponent::float_) return put<float>(at, number);
    const double low = component == GlbComponent::unsigned_short ? 0.0 : -largest(component);
    const double whole = std::clamp(std::round(number), low, largest(component));
    if (component == GlbComponent::byte) return put<std::int8_t>(at, whole);
    if (component == GlbComponent::short_) return put<std::int16_t>(at, whole);
    put<std::uint16_t>(at, whole);
}

}  // namespace

GlbDocument::GlbDocument(bool meshopt)
    : json{{"asset", {{"version", "2.0"}, {"generator", fmt::format("Yawara {}", version())}}}}, meshopt_(meshopt)
{
}

void GlbDocument::use(std::string_view extension)
{
    for (const char* list : {"extensionsUsed", "extensionsRequired"})
        if (std::ranges::find(json[list], Json(extension)) == json[list].end()) json[list].push_back(extension);
}

int GlbDocument::add_view(std::span<const char> bytes, std::size_t stride, int target, std::string_view mode)
{
    while (binary_.size() % 4 != 0) binary_.push_back(0);
    Json view{{"byteLength", bytes.size()}};
    if (target != 0) view["target"] = target;
    if (target == kArrayBuffer) view["byteStride"] = stride;
    if (!meshopt_ || stride == 0 || bytes.empty()) {
        view["buffer"] = 0;
        view["byteOffset"] = binary_.size();
        binary_.insert(binary_.end(), bytes.begin(), bytes.end());
    } else {
        use(kMeshopt);
        const std::size_t count = bytes.size() / stride;
        std::vector<unsigned char> packed;
        if (mode == "TRIANGLES") {
            std::vector<unsigned> corners(count);
            for (std::size_t c = 0; c < count; ++c) std::memcpy(&corners[c], bytes.data() + c * stride, stride);
            packed.resize(meshopt_encodeIndexBufferBound(count, 1 + std::ranges::max(corners)));
            meshopt_encodeIndexVersion(1);
            packed.resize(meshopt_encodeIndexBuffer(packed.data(), packed.size(), corners.data(), count));
        } else {
            packed.resize(meshopt_encodeVertexBufferBound(count, stride));
            meshopt_encodeVertexVersion(0);
            packed.resize(meshopt_encodeVertexBuffer(packed.data(), packed.size(), bytes.data(), count, stride));
        }
        while (unpacked_ % 4 != 0) ++unpacked_;
        view["buffer"] = 1;
        view["byteOffset"] = unpacked_;
        view["extensions"][kMeshopt] = {{"buffer", 0},
                                        {"byteOffset", binary_.size()},
                                        {"byteLength", packed.size()},
                                        {"byteStride", stride},
                                        {"count", count},
                                        {"mode", mode}};
        unpacked_ += bytes.size();
        binary_.insert(binary_.end(), packed.begin(), packed.end());
    }
    json["bufferViews"].push_back(std::move(view));
    return static_cast<int>(json["bufferViews"].size()) - 1;
}

int GlbDocument::add_accessor(int view, std::size_t offset, GlbComponent component, std::size_t count,
                              std::string_view type, bool normalized)
{
    Json accessor{{"componentType", component}, {"count", count}, {"type", type}};
    if (view >= 0) accessor["bufferView"] = view;
    if (offset > 0) accessor["byteOffset"] = offset;
    if (normalized) accessor["normalized"] = true;
    json["accessors"].push_back(std::move(accessor));
    return static_cast<int>(json["accessors"].size()) - 1;
}

std::vector<int> GlbDocument::vertex_arrays(std::span<const std::span<const Vec3>> arrays, VertexArrays how)
{
    const std::size_t size = size_of(how.component), stride = (3 * size + 3) / 4 * 4;
    const double scale = how.normalized ? largest(how.component) : 1.0;
    std::size_t elements = 0;
    for (const auto& array : arrays) elements += array.size();
    std::vector<char> bytes(stride * elements);
    char* at = bytes.data();
    for (const auto& array : arrays)
        for (const Vec3& v : array) {
            for (int i = 0; i < 3; ++i)
                put(at + static_cast<std::size_t>(i) * size, how.component, scale * static_cast<double>(v[i]));
            at += stride;
        }
    const int view = add_view(bytes, stride, kArrayBuffer, "ATTRIBUTES");
    std::vector<int> accessors;
    std::size_t offset = 0;
    for (const auto& array : arrays) {
        accessors.push_back(add_accessor(view, offset, how.component, array.size(), "VEC3", how.normalized));
        offset += stride * array.size();
        if (!how.ranges) continue;
        Vec3 low = array[0], high = array[0];
        for (const Vec3& p : array) {
            low = min(low, p);
            high = max(high, p);
        }
        json["accessors"].back()["min"] = {low.x, low.y, low.z};
        json["accessors"].back()["max"] = {high.x, high.y, high.z};
    }
    if (how.component == GlbComponent::byte || how.component == GlbComponent::short_) use(kQuantization);
    return accessors;
}

int GlbDocument::vertex_uvs(std::span<const Vec2> uvs)
{
    return add_accessor(add_view(bytes_of(uvs), sizeof(Vec2), kArrayBuffer, "ATTRIBUTES"), 0, GlbComponent::float_,
                        uvs.size(), "VEC2", false);
}

int GlbDocument::zeros(std::size_t count, VertexArrays how)
{
    return add_accessor(-1, 0, how.component, count, "VEC3", how.normalized);
}

int GlbDocument::triangles(std::span<const Int3> corners, std::size_t vertices)
{
    const std::span flat(corners.data()->data(), 3 * corners.size());
    if (vertices >= 65535)
        return add_accessor(add_view(bytes_of(flat), 4, kElementBuffer, "TRIANGLES"), 0, GlbComponent::unsigned_int,
                            flat.size(), "SCALAR", false);
    const std::vector<std::uint16_t> small(flat.begin(), flat.end());
    return add_accessor(add_view(bytes_of(std::span(small)), 2, kElementBuffer, "TRIANGLES"), 0,
                        GlbComponent::unsigned_short, flat.size(), "SCALAR", false);
}

std::size_t GlbDocument::image(const std::string& name, std::string_view bytes, std::string_view type)
{
    const int view = add_view({bytes.data(), bytes.size()}, 0, 0, "");
    json["images"].push_back({{"name", name}, {"mimeType", type}, {"bufferView", view}});
    return json["images"].size() - 1;
}

int GlbDocument::track(std::span<const float> numbers, std::string_view type)
{
    const std::size_t width = type == "VEC4" ? 4 : type == "VEC3" ? 3 : 1;
    const int view = add_view(bytes_of(numbers), 4 * width, 0, "ATTRIBUTES");
    return add_accessor(view, 0, GlbComponent::float_, numbers.size() / width, type, false);
}

int GlbDocument::track(std::span<const std::uint16_t> parts_of_65535)
{
    const int view = add_view(bytes_of(parts_of_65535), parts_of_65535.size() % 2 == 0 ? 4 : 0, 0, "ATTRIBUTES");
    return add_accessor(view, 0, GlbComponent::unsigned_short, parts_of_65535.size(), "SCALAR", true);
}

Status GlbDocument::write(const std::filesystem::path& path)
{
    while (binary_.size() % 4 != 0) binary_.push_back(0);
    if (!binary_.empty()) json["buffers"].push_back({{"byteLength", binary_.size()}});
    if (unpacked_ > 0)
        json["buffers"].push_back({{"byteLength", unpacked_}, {"extensions", {{kMeshopt, {{"fallback", true}}}}}});
    std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    while (text.size() % 4 != 0) text += ' ';
    const std::uint64_t total = 12 + 8 + text.size() + (binary_.empty() ? 0 : 8 + binary_.size());
    if (total > std::numeric_limits<std::uint32_t>::max()) {
        return Error{path.string(), "would be larger than 4 GB, the limit of GLB"};
    }
    auto file = OutFile::create(path);
    if (!file) return file.error();
    const auto number = [&](std::uint64_t n) { file->write_value(static_cast<std::uint32_t>(n)); };
    file->write("glTF", 4);
    number(2);
    number(total);
    number(text.size());
    file->write("JSON", 4);
    file->write(text);
    if (!binary_.empty()) {
        number(binary_.size());
        file->write("BIN\0", 4);
        file->write(std::span<const char>(binary_));
    }
    bytes_ = total;
    return file->flush();
}

}  // namespace yawara::io
