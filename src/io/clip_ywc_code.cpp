// Coding of .ywc chunks: zstd, the description of the clip, and frames. See clip_ywc.h.
#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <type_traits>

#include "io/clip_ywc.h"
#include "io/skin_reader.h"

namespace yawara::io::ywc {
namespace {

constexpr int kLevel = 1;  // higher levels gain 1-2 % on frames and take three times as long

/// Appends values and lists to bytes.
class InfoWriter {
public:
    template <class T>
    void value(const T& value)
    {
        static_assert(std::is_trivially_copyable_v<T>);
        const char* data = reinterpret_cast<const char*>(&value);
        bytes.insert(bytes.end(), data, data + sizeof value);
    }
    template <class List>
    void list(const List& values)
    {
        static_assert(std::is_trivially_copyable_v<typename List::value_type>);
        value(static_cast<std::uint64_t>(values.size()));
        const char* data = reinterpret_cast<const char*>(values.data());
        bytes.insert(bytes.end(), data, data + values.size() * sizeof(typename List::value_type));
    }
    Bytes bytes;
};

/// Takes values and lists from bytes that may be anything. After the first thing that does not fit all are empty.
class InfoReader {
public:
    explicit InfoReader(std::span<const char> bytes) : rest_(bytes) {}

    template <class T>
    void value(T& value)
    {
        if (!take(sizeof value)) return;
        std::memcpy(&value, taken_, sizeof value);
    }
    template <class List>
    void list(List& values)
    {
        using T = typename List::value_type;
        std::uint64_t count = 0;
        value(count);
        if (count > rest_.size() / sizeof(T)) ok_ = false;
        if (!ok_) return;
        values.resize(count);
        if (count > 0 && take(count * sizeof(T))) std::memcpy(values.data(), taken_, count * sizeof(T));
    }
    void refuse() { ok_ = false; }
    bool ok() const { return ok_; }
    std::size_t left() const { return rest_.size(); }

private:
    bool take(std::size_t bytes)
    {
        if (bytes > rest_.size()) ok_ = false;
        if (!ok_) return false;
        taken_ = rest_.data();
        rest_ = rest_.subspan(bytes);
        return true;
    }

    std::span<const char> rest_;
    const char* taken_ = nullptr;
    bool ok_ = true;
};

void code_flag(InfoWriter& writer, bool flag)
{
    writer.value(static_cast<std::uint8_t>(flag));
}
void code_flag(InfoReader& reader, bool& flag)
{
    std::uint8_t byte = 0;
    reader.value(byte);
    flag = byte != 0;
}

void code_finish(InfoWriter& writer, Finish finish)
{
    writer.value(static_cast<std::uint8_t>(finish));
}
void code_finish(InfoReader& reader, Finish& finish)
{
    std::uint8_t byte = 0;
    reader.value(byte);
    if (byte >= kFinishNames.size()) return reader.refuse();
    finish = static_cast<Finish>(byte);
}

/// A list of structs, each coded by `code`; `least`: bytes that the smallest of them takes.
template <class T, class Code>
void code_each(InfoWriter& writer, const std::vector<T>& list, std::size_t, Code&& code)
{
    writer.value(static_cast<std::uint64_t>(list.size()));
    for (const T& one : list) code(one);
}
template <class T, class Code>
void code_each(InfoReader& reader, std::vector<T>& list, std::size_t least, Code&& code)
{
    std::uint64_t count = 0;
    reader.value(count);
    if (count > reader.left() / least) return reader.refuse();
    for (std::uint64_t k = 0; k < count && reader.ok(); ++k) code(list.emplace_back());
}

/// The one list of what a file keeps of a body, for writing and reading alike.
template <class Coder, class Body>
void code_body(Coder& coder, Body& body, std::uint32_t version)
{
    coder.list(body.name);
    coder.value(body.color);
    coder.list(body.surface.vertices);
    coder.list(body.surface.triangles);
    coder.list(body.surface.corner_uvs);
    coder.list(body.surface.colors);
    coder.list(body.solid.vertices);
    coder.list(body.solid.tets);
    coder.list(body.solid.materials);
    code_each(coder, body.value_names, 1, [&](auto& name) { coder.list(name); });
    if (version >= 2) code_flag(coder, body.lines);
}

template <class T, class Code>
void code_optional(InfoWriter& writer, const std::optional<T>& value, Code&& code)
{
    code_flag(writer, value.has_value());
    if (value) code(*value);
}
template <class T, class Code>
void code_optional(InfoReader& reader, std::optional<T>& value, Code&& code)
{
    bool there = false;
    code_flag(reader, there);
    if (there && reader.ok()) code(value.emplace());
}

template <class Coder, class A_Look>
void code_look(Coder& coder, A_Look& look)
{
    coder.value(look.width);
    coder.value(look.height);
    coder.value(look.samples);
    code_flag(coder, look.ground);
    coder.value(look.ground_height);
    coder.value(look.background);
    code_flag(coder, look.transparent);
    code_optional(coder, look.cut, [&](auto& plane) { coder.value(plane); });
    code_optional(coder, look.scale, [&](auto& scale) {
        coder.list(scale.map);
        coder.value(scale.low);
        coder.value(scale.high);
        coder.list(scale.label);
        code_flag(coder, scale.whole);
    });
}

void code_path(InfoWriter& writer, const Path& path)
{
    code_flag(writer, path.smooth());
    code_each(writer, path.keys(), 1, [&](const PathKey& key) {
        writer.value(key.time);
        for (const Vec3d& v : {key.move, key.turn, key.about.value_or(Vec3d{})}) writer.value(v);
    });
}
void code_path(InfoReader& reader, Path& path)
{
    bool smooth = false;
    code_flag(reader, smooth);
    std::vector<PathKey> keys;
    code_each(reader, keys, sizeof(double), [&](PathKey& key) {
        reader.value(key.time);
        for (Vec3d* const v : {&key.move, &key.turn, &key.about.emplace()}) reader.value(*v);
    });
    path = Path(keys, smooth, {});
}

template <class Coder, class Animation>
void code_frames(Coder& coder, Animation& animation)
{
    coder.value(animation.start);
    coder.value(animation.rate);
    code_flag(coder, animation.repeat);
    code_each(coder, animation.frames, sizeof(std::uint64_t), [&](auto& frame) { coder.list(frame); });
}
void code_animation(InfoWriter& writer, const std::shared_ptr<const MeshAnimation>& animation)
{
    code_flag(writer, animation != nullptr);
    if (animation) code_frames(writer, *animation);
}
void code_animation(InfoReader& reader, std::shared_ptr<const MeshAnimation>& animation)
{
    bool there = false;
    code_flag(reader, there);
    if (!there || !reader.ok()) return;
    const auto read = std::make_shared<MeshAnimation>();
    code_frames(reader, *read);
    animation = read;
}

/// Its numbers are those of things that it has.
bool is_whole(const Skin& skin)
{
    const auto textures = std::int32_t(skin.textures.size()), materials = std::int32_t(skin.materials.size());
    for (const SkinMaterial& m : skin.materials) {
        for (const std::int32_t texture : {m.texture, m.normal_map, m.roughness_map})
            if (texture < -1 || texture >= textures) return false;
        if (!is_finite(m.color) || !std::isfinite(m.roughness) || !std::isfinite(m.metallic) || !std::isfinite(m.bump))
            return false;
    }
    for (const Texture& texture : skin.textures)
        for (const Wrap wrap : texture.wrap)
            if (wrap > Wrap::clamp) return false;
    return std::ranges::all_of(skin.material_of, [&](std::int32_t k) { return k >= -1 && k < materials; });
}

template <class Coder, class A_Skin>
void code_skin(Coder& coder, A_Skin& skin)
{
    code_each(coder, skin.materials, sizeof(Vec3), [&](auto& material) {
        coder.list(material.name);
        coder.value(material.color);
        coder.value(material.roughness);
        coder.value(material.metallic);
        coder.value(material.texture);
        coder.value(material.normal_map);
        coder.value(material.bump);
        coder.value(material.roughness_map);
    });
    code_each(coder, skin.textures, 2 * sizeof(std::uint64_t), [&](auto& texture) {
        coder.list(texture.name);
        coder.list(texture.bytes);
        coder.value(texture.wrap);
    });
    coder.list(skin.material_of);
}

/// Bodies share skins: each is kept once, and each body has the number of its own, from 1; 0: none.
void code_skins(InfoWriter& writer, const std::vector<BodyLook>& looks)
{
    std::vector<const Skin*> skins;
    std::vector<std::uint32_t> numbers;
    for (const BodyLook& look : looks) {
        const auto known = std::ranges::find(skins, look.skin.get());
        numbers.push_back(look.skin ? std::uint32_t(known - skins.begin()) + 1 : 0);
        if (look.skin && known == skins.end()) skins.push_back(look.skin.get());
    }
    code_each(writer, skins, 1, [&](const Skin* skin) { code_skin(writer, *skin); });
    writer.list(numbers);
}
void code_skins(InfoReader& reader, std::vector<BodyLook>& looks)
{
    std::vector<std::shared_ptr<Skin>> skins;
    std::vector<std::uint32_t> numbers;
    code_each(reader, skins, 3 * sizeof(std::uint64_t), [&](std::shared_ptr<Skin>& skin) {
        skin = std::make_shared<Skin>();
        code_skin(reader, *skin);
        if (!is_whole(*skin)) return reader.refuse();
        for (Texture& texture : skin->textures) {
            Result<Image> image = decode_image(texture.bytes);
            if (!image || !has_room(*skin, *image)) return reader.refuse();
            texture.image = *std::move(image);
        }
    });
    reader.list(numbers);
    if (numbers.size() != looks.size()) return reader.refuse();
    for (std::size_t k = 0; k < looks.size() && reader.ok(); ++k) {
        if (numbers[k] > skins.size()) return reader.refuse();
        if (numbers[k] > 0) looks[k].skin = skins[numbers[k] - 1];
    }
}

void code_kind(InfoWriter& writer, GrainKind kind)
{
    writer.value(static_cast<std::uint8_t>(kind));
}
void code_kind(InfoReader& reader, GrainKind& kind)
{
    std::uint8_t byte = 0;
    reader.value(byte);
    if (byte >= kGrainNames.size()) return reader.refuse();
    kind = static_cast<GrainKind>(byte);
}

template <class Coder, class An_Inside>
void code_inside(Coder& coder, An_Inside& inside)
{
    code_optional(coder, inside.color, [&](auto& color) { coder.value(color); });
    coder.list(inside.layers);
    code_kind(coder, inside.grain.kind);
    coder.value(inside.grain.color);
    coder.value(inside.grain.width);
    coder.value(inside.grain.axis);
    coder.value(inside.grain.through);
}

/// Its numbers are numbers.
bool is_whole(const Inside& inside)
{
    const auto good = [](const InsideLayer& layer) { return layer.thickness > 0 && std::isfinite(layer.thickness) && is_finite(layer.color); };
    const Grain& grain = inside.grain;
    return std::ranges::all_of(inside.layers, good) && inside.layers.size() <= Inside::kMostLayers && is_finite(inside.color.value_or(Vec3{})) &&
           is_finite(grain.color) && is_finite(grain.axis) && is_finite(grain.through) && grain.width > 0 && std::isfinite(grain.width);
}
bool is_whole(const InsideMap& map)
{
    std::uint64_t nodes = 1;
    for (const std::int32_t n : map.nodes) {
        if (n < 1 || n > InsideMap::kFinest + 2) return false;
        nodes *= std::uint64_t(n);
    }
    return nodes == map.rgba.size() && is_finite(map.low) && map.cell > 0 && std::isfinite(map.cell);
}

/// Copies of a body share the colours of its volume model: each map is kept once, as with skins.
void code_insides(InfoWriter& writer, const std::vector<BodyLook>& looks)
{
    std::vector<const InsideMap*> maps;
    for (const BodyLook& look : looks) {
        code_optional(writer, look.inside, [&](const Inside& inside) { code_inside(writer, inside); });
        const auto known = std::ranges::find(maps, look.volume_colors.get());
        writer.value(look.volume_colors ? std::uint32_t(known - maps.begin()) + 1 : std::uint32_t{0});
        if (look.volume_colors && known == maps.end()) maps.push_back(look.volume_colors.get());
    }
    code_each(writer, maps, 1, [&](const InsideMap* map) {
        writer.value(map->low);
        writer.value(map->cell);
        writer.value(map->nodes);
        writer.list(map->rgba);
    });
}
void code_insides(InfoReader& reader, std::vector<BodyLook>& looks)
{
    std::vector<std::uint32_t> numbers;
    for (BodyLook& look : looks) {
        code_optional(reader, look.inside, [&](Inside& inside) { code_inside(reader, inside); });
        if (look.inside && !is_whole(*look.inside)) return reader.refuse();
        reader.value(numbers.emplace_back());
    }
    std::vector<std::shared_ptr<InsideMap>> maps;
    code_each(reader, maps, sizeof(Vec3), [&](std::shared_ptr<InsideMap>& map) {
        map = std::make_shared<InsideMap>();
        reader.value(map->low);
        reader.value(map->cell);
        reader.value(map->nodes);
        reader.list(map->rgba);
        if (!is_whole(*map)) reader.refuse();
    });
    for (std::size_t k = 0; k < numbers.size() && reader.ok(); ++k) {
        if (numbers[k] > maps.size()) return reader.refuse();
        if (numbers[k] > 0) looks[k].volume_colors = maps[numbers[k] - 1];
    }
}

template <class Coder, class Stage>
void code_stage(Coder& coder, Stage& stage, std::uint32_t version)
{
    code_optional(coder, stage.camera, [&](auto& camera) { coder.value(camera); });
    code_look(coder, stage.look);
    code_each(coder, stage.looks, sizeof(Vec3), [&](auto& look) {
        coder.value(look.color);
        coder.list(look.show);
        coder.value(look.gloss);
        code_flag(coder, look.wireframe);
        if (version >= 6) code_finish(coder, look.finish);
        if (version >= 8) code_flag(coder, look.own_color);
    });
    coder.list(stage.floors);
    code_each(coder, stage.obstacles, 2 * sizeof(std::uint64_t), [&](auto& mesh) {
        coder.list(mesh.vertices);
        coder.list(mesh.triangles);
    });
    if (version >= 4) {
        code_each(coder, stage.floor_paths, 1, [&](auto& path) { code_path(coder, path); });
        code_each(coder, stage.obstacle_paths, 1, [&](auto& path) { code_path(coder, path); });
    }
    if (version >= 5) {
        code_optional(coder, stage.water, [&](auto& water) {
            coder.value(water.level);
            code_optional(coder, water.box, [&](auto& box) { coder.value(box); });
            coder.list(water.waves);
        });
    }
    if (version >= 7)
        code_each(coder, stage.obstacle_animations, 1, [&](auto& animation) { code_animation(coder, animation); });
    if (version >= 8) code_skins(coder, stage.looks);
    if (version >= 9) code_insides(coder, stage.looks);
}

/// Bits of a float as a whole number that grows with its value.
std::uint32_t ordered(float x)
{
    const auto bits = std::bit_cast<std::uint32_t>(x);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

float from_ordered(std::uint32_t n)
{
    return std::bit_cast<float>(n & 0x80000000u ? n & 0x7fffffffu : ~n);
}

}  // namespace

Bytes pack(std::span<const char> raw)
{
    Bytes packed(ZSTD_compressBound(raw.size()));
    ZSTD_CCtx* context = ZSTD_createCCtx();
    if (context == nullptr) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, kLevel);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    const std::size_t size = ZSTD_compress2(context, packed.data(), packed.size(), raw.data(), raw.size());
    ZSTD_freeCCtx(context);
    if (ZSTD_isError(size)) throw std::bad_alloc();  // with enough room, memory is the only thing that can lack
    packed.resize(size);
    return packed;
}

Result<Bytes> unpack(std::span<const char> packed, std::uint64_t expected)
{
    const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
    if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR) return Error{"", "is not packed data"};
    if (size > kLargestChunk) return Error{"", fmt::format("would unpack to {} bytes", size)};
    if (expected != 0 && size != expected) {
        return Error{"", fmt::format("unpacks to {} bytes, expected {}", size, expected)};
    }
    // zstd cannot shrink more than about 2^15 times: a larger claim is a lie, found before it takes memory.
    if (size / 65536 > packed.size()) return Error{"", fmt::format("cannot hold {} bytes", size)};
    Bytes raw(size);
    const std::size_t done = ZSTD_decompress(raw.data(), raw.size(), packed.data(), packed.size());
    if (ZSTD_isError(done)) return Error{"", fmt::format("is damaged ({})", ZSTD_getErrorName(done))};
    if (done != size) return Error{"", "is damaged (too short)"};
    return raw;
}

Bytes encode_info(const ClipInfo& info)
{
    InfoWriter writer;
    writer.value(info.frame_time);
    code_each(writer, info.bodies, 1, [&](const ClipBody& body) { code_body(writer, body, kVersion); });
    code_optional(writer, info.stage, [&](const ClipStage& stage) { code_stage(writer, stage, kVersion); });
    return std::move(writer.bytes);
}

Result<ClipInfo> decode_info(std::span<const char> raw, std::uint32_t version)
{
    InfoReader reader(raw);
    ClipInfo info;
    reader.value(info.frame_time);
    code_each(reader, info.bodies, 1, [&](ClipBody& body) { code_body(reader, body, version); });
    if (version >= 2) code_optional(reader, info.stage, [&](ClipStage& stage) { code_stage(reader, stage, version); });
    if (!reader.ok() || reader.left() != 0) return Error{"", "the description of the clip does not fit its length"};
    return info;
}

Bytes encode_body(const ClipBody& body)
{
    InfoWriter writer;
    code_body(writer, body, kVersion);
    return std::move(writer.bytes);
}

Result<ClipBody> decode_body(std::span<const char> raw)
{
    InfoReader reader(raw);
    ClipBody body;
    code_body(reader, body, kVersion);
    if (!reader.ok() || reader.left() != 0) return Error{"", "the mesh does not fit its length"};
    return body;
}

Bytes encode_index(std::span<const IndexEntry> frames, std::span<const ChangeEntry> changes)
{
    InfoWriter writer;
    writer.list(frames);
    writer.list(changes);
    return std::move(writer.bytes);
}

bool decode_index(std::span<const char> raw, std::uint32_t version, std::vector<IndexEntry>& frames,
                  std::vector<ChangeEntry>& changes)
{
    if (version < 3) {
        if (raw.size() % sizeof(IndexEntry) != 0) return false;
        frames.resize(raw.size() / sizeof(IndexEntry));
        if (!frames.empty()) std::memcpy(frames.data(), raw.data(), raw.size());
        return true;
    }
    InfoReader reader(raw);
    reader.list(frames);
    reader.list(changes);
    return reader.ok() && reader.left() == 0;
}

FrameSize frame_size(const ClipBody& body)
{
    return {3 * body.surface.vertices.size() + (3 + body.value_names.size()) * body.solid.vertices.size(),
            body.lines ? body.surface.triangles.size() : 0};
}

void FrameCodec::restart()
{
    known_ = 0;
}

std::uint32_t FrameCodec::predict(std::size_t i) const
{
    return known_ == 0 ? 0x80000000u : known_ == 1 ? last_[i] : 2 * last_[i] - before_[i];
}

std::span<const char> FrameCodec::encode(std::span<const float> frame)
{
    const std::size_t n = last_.size();
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t now = ordered(frame[i]);
        const std::uint32_t off = now - predict(i);
        const std::uint32_t folded =
            (off << 1) ^ (off & 0x80000000u ? 0xffffffffu : 0u);  // small either way: 0 -1 1 -2
        for (int plane = 0; plane < 4; ++plane) planes_[plane * n + i] = static_cast<char>(folded >> (8 * plane));
        before_[i] = last_[i];
        last_[i] = now;
    }
    if (known_ < 2) ++known_;
    return planes_;
}

void FrameCodec::decode(std::span<const char> planes, std::span<float> frame)
{
    const std::size_t n = last_.size();
    for (std::size_t i = 0; i < n; ++i) {
        std::uint32_t folded = 0;
        for (int plane = 0; plane < 4; ++plane) {
            folded |= static_cast<std::uint32_t>(static_cast<unsigned char>(planes[plane * n + i])) << (8 * plane);
        }
        const std::uint32_t off = (folded >> 1) ^ (folded & 1u ? 0xffffffffu : 0u);
        const std::uint32_t now = predict(i) + off;
        before_[i] = last_[i];
        last_[i] = now;
        frame[i] = from_ordered(now);
    }
    if (known_ < 2) ++known_;
}

}  // namespace yawara::io::ywc
