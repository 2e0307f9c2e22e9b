// A full disk or a killed program leaves the older files of every format as they were.
#include <doctest/doctest.h>

#include "interrupted_writes.h"
#include "mesh_files.h"

using namespace mesh_files;
using namespace interrupted_writes;
using clip_samples::Sample;

namespace {

std::filesystem::path clip_in(const TempFolder& folder, std::string_view format)
{
    return folder / (format == "ywc" || format == "glb" ? "clip." + std::string(format) : "clip");
}

Status write_frames(Sample& sample, std::string_view format, const std::filesystem::path& out, int count)
{
    const auto written = sample.write(format, out, count);
    return written ? Status(Done{}) : Status(written.error());
}

/// A surface whose file takes a while to write.
TriMesh large_surface(double size)
{
    TriMesh mesh;
    for (int k = 0; k < 60'000; ++k) mesh.vertices.push_back({size * k, size / (k + 1), size});
    for (int k = 0; k + 2 < 60'000; ++k) mesh.triangles.push_back({k, k + 1, k + 2});
    return mesh;
}

TetMesh large_solid(double size)
{
    TetMesh mesh;
    for (int k = 0; k < 40'000; ++k) mesh.vertices.push_back({size * k, size / (k + 1), size});
    for (int k = 0; k + 3 < 40'000; ++k) mesh.tets.push_back({k, k + 1, k + 2, k + 3});
    return mesh;
}

using Files = std::map<std::string, std::string>;

/// Each file is as in `one` or as in `two`.
bool old_or_new(const Files& found, const Files& one, const Files& two)
{
    bool good = found.size() == one.size();
    for (const auto& [name, bytes] : one) good = good && (found.at(name) == bytes || found.at(name) == two.at(name));
    return good;
}

template <class Save>
void check_killed(const std::string& name, Save&& save)
{
    CAPTURE(name);
    const TempFolder folder;
    REQUIRE(save(folder / name, 2.0));
    const Files two = finished_files(folder.path());
    REQUIRE(save(folder / name, 1.0));
    const Files one = finished_files(folder.path());
    REQUIRE(one != two);
    for (const int milliseconds : {5, 15, 40}) {
        do_and_kill(
            [&] {
                (void)save(folder / name, 2.0);
                (void)save(folder / name, 1.0);
            },
            milliseconds);
        CHECK(old_or_new(finished_files(folder.path()), one, two));
    }
}

template <class Save>
void check_full_disk(const std::string& name, Save&& save)
{
    CAPTURE(name);
    const TempFolder folder;
    REQUIRE(save(folder / name, 1.0));
    const Files before = finished_files(folder.path());
    {
        const SmallDisk disk(10'000);
        CHECK_FALSE(save(folder / name, 2.0));
    }
    CHECK(finished_files(folder.path()) == before);
}

template <class Check>
void for_each_mesh_format(Check&& check)
{
    for (const MeshFormat& format : mesh_formats()) {
        const std::string name = "mesh" + std::string(format.ending);
        if (format.saves_surface)
            check(name, [](const auto& path, double size) { return save_tri_mesh(path, large_surface(size)); });
        if (format.saves_tets)
            check(name, [](const auto& path, double size) { return save_tet_mesh(path, large_solid(size)); });
    }
    check("array.npy", [](const auto& path, double size) {
        const std::vector<double> values(400'000, size);
        return save_npy(path, std::vector{values.size()}, std::span<const double>(values));
    });
}

}  // namespace

TEST_CASE("a full disk leaves the older mesh or array as it was, in every format")
{
    for_each_mesh_format([](const std::string& name, auto&& save) { check_full_disk(name, save); });
}

TEST_CASE("a program killed while it saves a mesh or an array leaves the old or the new one, in every format")
{
    for_each_mesh_format([](const std::string& name, auto&& save) { check_killed(name, save); });
}

TEST_CASE("a full disk leaves the older clip as it was, in every format, and says where the frames are")
{
    Sample sample(40, 30);
    for (const std::string_view format : clip_formats()) {
        CAPTURE(format);
        const TempFolder folder;
        REQUIRE(write_frames(sample, format, clip_in(folder, format), 3));
        const Files before = finished_files(folder.path());
        std::string said;
        {
            const SmallDisk disk(format == "vtu" ? 3'000 : 40'000);
            const Status written = write_frames(sample, format, clip_in(folder, format), 40);
            REQUIRE_FALSE(written);
            said = written.error().message();
        }
        CHECK(finished_files(folder.path()) == before);
        if (said.find("frames before are in") == std::string::npos) continue;
        const std::string where = said.substr(said.find("are in ") + 7);
        CHECK(std::filesystem::exists(where));
    }
}

TEST_CASE("a program killed while it records leaves the older clip as it was, in every format")
{
    Sample sample;
    for (const std::string_view format : clip_formats()) {
        CAPTURE(format);
        const TempFolder folder;
        const std::filesystem::path out = clip_in(folder, format);
        REQUIRE(write_frames(sample, format, out, 3));
        const Files before = finished_files(folder.path());
        do_and_kill([&] {
            auto writer = make_clip_writer(format, out, sample.info).value();
            for (int k = 0; k < 5; ++k) (void)writer->frame(sample.time(k), sample.frame(k));
            ::kill(::getpid(), SIGKILL);
        });
        CHECK(finished_files(folder.path()) == before);
        REQUIRE(write_frames(sample, format, out, 4));  // what is left of it is in nobody's way
        CHECK(finished_files(folder.path()) != before);
    }
}

TEST_CASE("what a killed program had recorded can be read under the name of an unfinished clip")
{
    Sample sample;
    const TempFolder folder;
    for (const std::string_view format : {"ywc", "npy"})
        do_and_kill([&] {
            auto writer = make_clip_writer(format, clip_in(folder, format), sample.info).value();
            for (int k = 0; k < 5; ++k) (void)writer->frame(sample.time(k), sample.frame(k));
            ::kill(::getpid(), SIGKILL);
        });
    CHECK(ClipReader::open(folder / "clip.unfinished.ywc").value().info().frames == 5);
    CHECK(load_npy(folder / "clip/unfinished_npy/bar.surface.npy").value().shape[0] == 5);
    const auto missing = ClipReader::open(folder / "clip.ywc");
    REQUIRE_FALSE(missing);
    CHECK(missing.error().message().find("clip.unfinished.ywc") != std::string::npos);
}

TEST_CASE("a shorter series says that older frames follow it")
{
    Sample sample;
    const TempFolder folder;
    REQUIRE(sample.write("obj", folder / "clip", 5));
    const std::vector<std::string> notes = sample.write("obj", folder / "clip", 3).value();
    const std::string expected = (folder / "clip/bar.00003.obj").string() + " and what follows it";
    CHECK(std::ranges::any_of(notes, [&](const std::string& note) { return note.starts_with(expected); }));
}
