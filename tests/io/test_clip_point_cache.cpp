// PC2 and MDD point caches, read here by the published layouts.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "clip_samples.h"
#include "yawara/point_cache.h"

using namespace clip_samples;

namespace {

template <class T>
T number(const std::string& bytes, std::size_t offset, std::endian order)
{
    char raw[4];
    std::memcpy(raw, bytes.data() + offset, 4);
    if (order == std::endian::big) std::reverse(raw, raw + 4);
    T value;
    std::memcpy(&value, raw, 4);
    return value;
}

/// True if the frames from `offset` to the end of the file are those of the surface of body b.
bool same_frames(const std::string& bytes, std::size_t offset, std::endian order, Sample& sample, std::size_t b,
                 int count)
{
    for (int k = 0; k < count; ++k) {
        sample.frame(k);
        for (const Vec3& x : sample.points[2 * b + 1]) {
            for (int i = 0; i < 3; ++i, offset += 4) {
                if (offset + 4 > bytes.size() || number<float>(bytes, offset, order) != x[i]) return false;
            }
        }
    }
    return offset == bytes.size();
}

}  // namespace

TEST_CASE("pc2 caches have the head of the format and every frame exactly")
{
    Sample sample;
    TempFolder folder;
    REQUIRE(sample.write("pc2", folder / "clip", 5));
    for (const std::size_t b : {0, 1}) {
        const std::string bytes = bytes_of(folder / ("clip/" + sample.info.bodies[b].name + ".pc2"));
        REQUIRE(bytes.size() > 32);
        CHECK(std::memcmp(bytes.data(), "POINTCACHE2\0", 12) == 0);
        CHECK(number<std::int32_t>(bytes, 12, std::endian::little) == 1);
        CHECK(number<std::int32_t>(bytes, 16, std::endian::little) ==
              static_cast<int>(sample.info.bodies[b].surface.vertices.size()));
        CHECK(number<float>(bytes, 20, std::endian::little) == 0.0f);
        CHECK(number<float>(bytes, 24, std::endian::little) == 1.0f);
        CHECK(number<std::int32_t>(bytes, 28, std::endian::little) == 5);
        CHECK(same_frames(bytes, 32, std::endian::little, sample, b, 5));
    }
}

TEST_CASE("mdd caches are right with fewer, as many and far more frames than planned")
{
    for (const std::size_t planned : {0, 4, 5, 40}) {
        CAPTURE(planned);
        Sample sample;
        sample.info.frames = planned;
        TempFolder folder;
        REQUIRE(sample.write("mdd", folder / "clip", 5));
        const std::string bytes = bytes_of(folder / "clip/bar.mdd");
        REQUIRE(bytes.size() > 28);
        CHECK(number<std::int32_t>(bytes, 0, std::endian::big) == 5);
        CHECK(number<std::int32_t>(bytes, 4, std::endian::big) == 108);
        for (int k = 0; k < 5; ++k) {
            CHECK(number<float>(bytes, 8 + 4 * k, std::endian::big) == static_cast<float>(sample.time(k)));
        }
        CHECK(same_frames(bytes, 28, std::endian::big, sample, 0, 5));
    }
}

TEST_CASE("point caches of a killed run hold every frame that came")
{
    Sample sample;
    TempFolder folder;
    auto pc2 = make_clip_writer("pc2", folder / "clip", sample.info).value();
    auto mdd = make_clip_writer("mdd", folder / "clip", sample.info).value();
    for (int k = 0; k < 3; ++k) {
        REQUIRE(pc2->frame(sample.time(k), sample.frame(k)));
        REQUIRE(mdd->frame(sample.time(k), sample.frame(k)));
    }
    const std::string bytes = bytes_of(folder / "clip/unfinished_pc2/bar.pc2");
    CHECK(number<std::int32_t>(bytes, 28, std::endian::little) == 3);
    CHECK(same_frames(bytes, 32, std::endian::little, sample, 0, 3));
    const std::string planned = bytes_of(folder / "clip/unfinished_mdd/bar.mdd");
    CHECK(number<std::int32_t>(planned, 0, std::endian::big) == 41);
    CHECK(same_frames(planned, 8 + 4 * 41, std::endian::big, sample, 0, 3));
}

TEST_CASE("the mesh beside a point cache keeps vertex order, triangles and uvs")
{
    Sample sample;
    TempFolder folder;
    REQUIRE(sample.write("pc2", folder / "clip", 1));
    const TriMesh mesh = load_tri_mesh(folder / "clip/bar.obj").value();
    CHECK(mesh.vertices == sample.info.bodies[0].surface.vertices);
    CHECK(mesh.triangles == sample.info.bodies[0].surface.triangles);
    CHECK(mesh.corner_uvs == sample.info.bodies[0].surface.corner_uvs);
}

TEST_CASE("point caches are read as they were written, and cut or changed ones give frames or an error")
{
    for (const std::string format : {"pc2", "mdd"}) {
        CAPTURE(format);
        Sample sample;
        TempFolder folder;
        REQUIRE(sample.write(format, folder.path(), 20));
        const PointCache cache = load_point_cache(folder / ("bar." + format)).value();
        REQUIRE(cache.frames.size() == 20);
        for (int k = 0; k < 20; ++k) {
            sample.frame(k);
            CHECK(cache.frames[std::size_t(k)] == sample.points[1]);
        }
        CHECK(cache.rate.has_value() == (format == "mdd"));
        if (cache.rate) CHECK(*cache.rate == doctest::Approx(30));

        const std::string good = bytes_of(folder / ("bar." + format));
        const auto load = [&](const std::string& bytes) {
            put_bytes(folder / ("changed." + format), bytes);
            return load_point_cache(folder / ("changed." + format));
        };
        for (std::size_t size = 0; size < good.size(); size += 1 + size / 3) CHECK_FALSE(load(good.substr(0, size)));
        for (std::size_t i = 0; i < 40; ++i) {
            std::string changed = good;
            changed[i] = char(changed[i] ^ 0xa5);
            if (const auto read = load(changed)) CHECK(read->frames.size() * read->frames[0].size() <= 20 * 108);
        }
    }
    CHECK(load_point_cache("walk.abc").error().what == "is not a point cache; expected .pc2, .mdd, .glb or .gltf");
    CHECK(load_point_cache("none.pc2").error().what == "no such file");
}
