// .vdb files and volume images: what is read is what was written, and a damaged file harms nobody.
#include <doctest/doctest.h>

#include <cstring>

#include "fuzz/damage.h"
#include "interrupted_writes.h"
#include "io/clip_samples.h"
#include "yawara/cvg.h"

using namespace yawara;
using clip_samples::bytes_of;
using clip_samples::put_bytes;
using clip_samples::TempFolder;

namespace {

cvg::Volume ball(double radius = 0.5)
{
    cvg::Tree tree;
    cvg::Leaf leaf;
    leaf.shape = cvg::Ball{radius};
    leaf.inside.stiffness = 0.3f;
    tree.add(leaf);
    return cvg::Volume::evaluate(tree, 0.1).value();
}

}  // namespace

TEST_CASE("a volume that is saved and loaded is the same")
{
    const TempFolder folder;
    const cvg::Volume volume = ball();
    REQUIRE(volume.save(folder / "a.vdb"));
    const auto loaded = cvg::Volume::load(folder / "a.vdb");
    REQUIRE_MESSAGE(loaded, (loaded ? "" : loaded.error().message()));
    CHECK(loaded->same_as(volume));
}

TEST_CASE("a damaged .vdb is a volume or refused in our own words, and takes no memory beyond its size")
{
    const TempFolder folder;
    REQUIRE(ball().save(folder / "good.vdb"));
    const std::string good = bytes_of(folder / "good.vdb");
    int refused = 0;
    const auto read = [&](const std::string& bytes) {
        put_bytes(folder / "bad.vdb", bytes);
        const auto volume = cvg::Volume::load(folder / "bad.vdb");
        if (volume) return;
        ++refused;
        CHECK_MESSAGE(fuzz::is_ours(volume.error()), volume.error().message().substr(0, 500));
    };
    const double before = fuzz::megabytes_used();
    for (const std::string& bytes : fuzz::damaged(good, 400)) read(bytes);
    // Lengths and counts have 32 or 64 bits: large ones all over the head, and at some places of the grids.
    for (std::size_t at = 0; at + 4 <= good.size(); at += at < 1500 ? 5 : 4999) {
        CAPTURE(at);
        for (const std::uint32_t large : {0x7fffffffu, 0x28282828u}) {
            std::string bytes = good;
            std::memcpy(bytes.data() + at, &large, 4);
            read(bytes);
        }
    }
    CHECK(refused > 100);
    CHECK(fuzz::megabytes_used() - before < 1000);
}

TEST_CASE("a full disk leaves the older .vdb as it was")
{
    const TempFolder folder;
    REQUIRE(ball().save(folder / "a.vdb"));
    const std::string before = bytes_of(folder / "a.vdb");
    {
        const interrupted_writes::SmallDisk disk(10'000);
        CHECK_FALSE(ball(0.7).save(folder / "a.vdb"));
    }
    CHECK(bytes_of(folder / "a.vdb") == before);
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("a volume image is solid where its numbers are more than 0, and stiff by their share of the largest")
{
    const TempFolder folder;
    // 4 x 2 x 1 voxels of 0.5 x 0.5 x 1: two cubes along z for each.
    put_bytes(folder / "a.nrrd",
              "NRRD0004\ntype: uchar\ndimension: 3\nsizes: 4 2 1\nspacings: 0.5 0.5 1\nencoding: ascii\n\n0 2 4 0\n0 1 "
              "0 0\n");
    const cvg::Volume volume = cvg::Volume::load(folder / "a.nrrd").value();
    CHECK(volume.voxel() == doctest::Approx(0.5));
    CHECK(volume.voxel_count() == 6);
    CHECK(volume.voxel_at({1, 0, 0}).opacity == 1);
    CHECK(volume.voxel_at({1, 0, 0}).stiffness == doctest::Approx(0.5));
    CHECK(volume.voxel_at({2, 0, 1}).stiffness == doctest::Approx(1));
    CHECK(volume.voxel_at({1, 1, 0}).stiffness == doctest::Approx(0.25));
    CHECK(volume.voxel_at({3, 0, 0}).opacity == 0);
    put_bytes(folder / "b.nrrd", "NRRD0004\ntype: uchar\ndimension: 3\nsizes: 1 1 1\nencoding: ascii\n\n0\n");
    CHECK_FALSE(cvg::Volume::load(folder / "b.nrrd"));
}
