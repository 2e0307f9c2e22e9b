// What all clip formats share: names, places that cannot be written, frames that make no sense.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "clip_samples.h"
#include "interrupted_writes.h"
#include "io/clip_output.h"

using namespace clip_samples;
using interrupted_writes::SmallDisk;

namespace {

std::filesystem::path out_in(const TempFolder& folder, std::string_view format)
{
    return folder / (format == "ywc" || format == "glb" ? "clip." + std::string(format) : "clip");
}

bool mentions(const Error& error, std::string_view text)
{
    return error.message().find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("the formats are those that can be made, and others are refused by name")
{
    Sample sample;
    TempFolder folder;
    CHECK(clip_formats().size() == 8);
    for (const std::string_view format : clip_formats()) {
        CAPTURE(format);
        CHECK(make_clip_writer(format, out_in(folder, format), sample.info));
    }
    const auto wrong = make_clip_writer("gif", folder / "x", sample.info);
    REQUIRE_FALSE(wrong);
    CHECK(mentions(wrong.error(), "npy, ywc, glb"));
    CHECK_FALSE(make_clip_writer("npy", "", sample.info));
}

TEST_CASE("every format finishes well after no frame, one frame and more frames than planned")
{
    Sample sample;
    sample.info.frames = 2;
    for (const std::string_view format : clip_formats()) {
        for (const int count : {0, 1, 5}) {
            CAPTURE(format);
            CAPTURE(count);
            TempFolder folder;
            CHECK(sample.write(format, out_in(folder, format), count));
        }
    }
}

TEST_CASE("a folder format on a file, a file format on a folder and a folder below a file are refused")
{
    Sample sample;
    TempFolder folder;
    put_bytes(folder / "file", "mine");
    for (const std::string_view format : clip_formats()) {
        CAPTURE(format);
        const bool one_file = format == "ywc" || format == "glb";
        const auto on_wrong = make_clip_writer(format, one_file ? folder.path() : folder / "file", sample.info);
        REQUIRE_FALSE(on_wrong);
        CHECK(mentions(on_wrong.error(), "folder"));
        CHECK_FALSE(make_clip_writer(format, folder / "file" / "below", sample.info));
    }
    CHECK(bytes_of(folder / "file") == "mine");
}

TEST_CASE("a full disk is an error in every format, told again at the end")
{
    Sample sample(40, 30);
    for (const std::string_view format : clip_formats()) {
        CAPTURE(format);
        TempFolder folder;
        SmallDisk disk(format == "vtu" ? 1000 : 20000);
        auto writer = make_clip_writer(format, out_in(folder, format), sample.info);
        Status status = writer ? Status(Done{}) : Status(writer.error());
        for (int k = 0; k < 40 && status; ++k) status = (*writer)->frame(sample.time(k), sample.frame(k));
        if (status) status = (*writer)->finish();
        REQUIRE_FALSE(status);
        CHECK((mentions(status.error(), "File too large") || mentions(status.error(), "is the disk full")));
        CHECK(mentions(status.error(), folder.path().string()));
        if (writer) CHECK_FALSE((*writer)->finish());
    }
}

TEST_CASE("a device without space is an error")
{
    if (!std::filesystem::exists("/dev/full")) return;
    Sample sample;
    const auto writer = make_clip_writer("ywc", "/dev/full", sample.info);
    REQUIRE_FALSE(writer);
    CHECK(mentions(writer.error(), "No space"));
}

TEST_CASE("frames with wrong lengths, numbers that are not finite or time that stands still are refused")
{
    Sample sample;
    TempFolder folder;
    auto writer = make_clip_writer("npy", folder / "clip", sample.info).value();
    CHECK(writer->frame(0.0, sample.frame(0)));

    auto frames = sample.frame(1);
    CHECK_FALSE(writer->frame(1.0, frames.first(1)));
    CHECK_FALSE(writer->frame(0.0, frames));
    CHECK_FALSE(writer->frame(std::nan(""), frames));
    sample.points[0][3].y = std::numeric_limits<float>::infinity();
    const Status infinite = writer->frame(1.0, frames);
    REQUIRE_FALSE(infinite);
    CHECK(mentions(infinite.error(), "frame 1 body \"bar\" particles[3]"));
    sample.frame(1);
    sample.frames[0].surface = sample.frames[0].surface.first(5);
    CHECK_FALSE(writer->frame(1.0, sample.frames));
    sample.frame(1);
    sample.frames[0].values.pop_back();
    CHECK_FALSE(writer->frame(1.0, sample.frames));

    CHECK(writer->frame(1.0, sample.frame(1)));
    CHECK(writer->finish());
    CHECK_FALSE(writer->frame(2.0, sample.frame(2)));
    CHECK(load_npy(folder / "clip/bar.positions.npy").value().shape[0] == 2);
}

TEST_CASE("clips with indices out of range, lists that do not match or no surface are refused")
{
    TempFolder folder;
    const auto refused = [&](std::string_view format, auto&& spoil) {
        Sample sample;
        spoil(sample.info);
        return !make_clip_writer(format, out_in(folder, format), sample.info);
    };
    CHECK_FALSE(refused("npy", [](ClipInfo&) {}));
    CHECK(refused("npy", [](ClipInfo& info) { info.frame_time = 0.0; }));
    CHECK(refused("npy", [](ClipInfo& info) { info.bodies[0].surface.triangles[3][1] = 108; }));
    CHECK(refused("npy", [](ClipInfo& info) { info.bodies[0].solid.tets[1][2] = -1; }));
    CHECK(refused("npy", [](ClipInfo& info) { info.bodies[0].surface.corner_uvs.pop_back(); }));
    CHECK(refused("npy", [](ClipInfo& info) { info.bodies[1].surface.colors.pop_back(); }));
    CHECK(refused("npy", [](ClipInfo& info) { info.bodies[1].solid.vertices[0].x = NAN; }));
    CHECK(refused("glb", [](ClipInfo& info) { info.bodies[0].surface = {}; }));
    CHECK_FALSE(refused("vtu", [](ClipInfo& info) { info.bodies[0].surface = {}; }));
}

TEST_CASE("names of bodies become file names that stay in the folder and differ")
{
    const std::vector<std::string> names{
        "bunny",   "Bunny",     "../../etc/passwd",    "a/b\\c:d", "",     ".",   "..",
        ".hidden", "new\nline", std::string(300, 'x'), "柔らかい", "CON?", "a b", "bunny_2"};
    const std::vector<std::string> cleaned = clean_file_names(names);
    CHECK(cleaned[0] == "bunny");
    CHECK(cleaned[10] == "柔らかい");
    CHECK(cleaned[12] == "a b");
    std::set<std::string> different;
    for (const std::string& name : cleaned) {
        CAPTURE(name);
        CHECK(name.find_first_of("/\\:\n?") == std::string::npos);
        CHECK(name.front() != '.');
        CHECK(name.size() <= 100);
        std::string lower = name;
        std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
        CHECK(different.insert(lower).second);
    }

    Sample sample;
    sample.info.bodies[0].name = "../escape";
    sample.info.bodies[1].name = "/tmp/escape";
    for (const std::string_view format : clip_formats()) {
        CAPTURE(format);
        TempFolder folder;
        std::filesystem::create_directory(folder / "in");
        const std::string out = format == "ywc" || format == "glb" ? "in/clip" : "in";
        CHECK(sample.write(format, folder / out, 2));
        const std::filesystem::directory_iterator content(folder.path());
        CHECK(std::distance(begin(content), end(content)) == 1);
        CHECK_FALSE(std::filesystem::exists("/tmp/escape.obj"));
    }
}

TEST_CASE("formats with one mesh for a body end at its change and keep what they have, the others go on")
{
    Sample before, after(20, 11);
    for (const std::string_view format : clip_formats()) {
        CAPTURE(format);
        TempFolder folder;
        auto writer = make_clip_writer(format, out_in(folder, format), before.info).value();
        for (int k = 0; k < 4; ++k) REQUIRE(writer->frame(before.time(k), before.frame(k)));
        const Status changed = writer->change(0, after.info.bodies[0]);
        const bool goes_on = format == "ywc" || format == "obj" || format == "ply" || format == "vtu";
        CHECK(static_cast<bool>(changed) == goes_on);
        if (!changed) {
            CHECK(mentions(changed.error(), "ends before frame 4"));
            CHECK(mentions(changed.error(), "body \"bar\": has another mesh"));
        }
        const Status next = writer->frame(after.time(4), after.frame(4));
        CHECK(static_cast<bool>(next) == goes_on);
        CHECK(writer->finish());
        CHECK_FALSE(writer->change(0, before.info.bodies[0]));

        const std::size_t frames = goes_on ? 5 : 4;
        if (format == "npy")
            CHECK(load_npy(folder / "clip/bar.positions.npy").value().shape[0] == frames);
        else if (format == "ywc")
            CHECK(ClipReader::open(folder / "clip.ywc").value().info().frames == frames);
        else if (format == "pc2")
            CHECK(std::filesystem::file_size(folder / "clip/bar.pc2") == 32 + frames * 12 * 12 * 9);
        else if (format == "mdd")
            CHECK(std::filesystem::file_size(folder / "clip/bar.mdd") == 8 + frames * (4 + 12 * 12 * 9));
        else if (format == "obj" || format == "ply")
            CHECK(load_tri_mesh(folder / ("clip/bar.00004." + std::string(format))).value().triangles.size() ==
                  2 * 19 * 11);
        else if (format == "vtu")
            CHECK(load_tet_mesh(folder / "clip/bar.00004.vtu").value().tets.size() == 2);
        else
            CHECK(std::filesystem::file_size(folder / "clip.glb") > 1000);
    }
}

TEST_CASE("what keeps only the surface does not mind when particles change, and others are told")
{
    Sample before, after;
    after.info.bodies[0].solid.vertices.push_back({1, -0.4, 0});
    after.info.bodies[0].solid.tets.push_back({0, 1, 2, 5});
    after.info.bodies[0].solid.materials.push_back(3);
    for (const std::string_view format : clip_formats()) {
        CAPTURE(format);
        TempFolder folder;
        auto writer = make_clip_writer(format, out_in(folder, format), before.info).value();
        REQUIRE(writer->frame(before.time(0), before.frame(0)));
        CHECK(static_cast<bool>(writer->change(0, after.info.bodies[0])) == (format != "npy"));
        if (format != "npy") CHECK(writer->frame(after.time(1), after.frame(1)));
        CHECK(writer->finish());
        if (format == "vtu") {
            CHECK(load_tet_mesh(folder / "clip/bar.00000.vtu").value().tets.size() == 2);
            CHECK(load_tet_mesh(folder / "clip/bar.00001.vtu").value().tets.size() == 3);
        }
    }
}

TEST_CASE("changes to what is no mesh, of no body, or with other values are refused, and the clip goes on")
{
    Sample sample;
    TempFolder folder;
    auto writer = make_clip_writer("ywc", folder / "clip.ywc", sample.info).value();
    REQUIRE(writer->frame(0, sample.frame(0)));
    ClipBody wrong = sample.info.bodies[0];
    wrong.surface.triangles[2][0] = 100000;
    CHECK(mentions(writer->change(0, wrong).error(), "surface.triangles[2]"));
    wrong = sample.info.bodies[0];
    wrong.value_names.pop_back();
    CHECK(mentions(writer->change(0, wrong).error(), "values"));
    CHECK(mentions(writer->change(2, sample.info.bodies[0]).error(), "body 2"));
    CHECK(writer->frame(1, sample.frame(1)));
    CHECK(writer->finish());
    CHECK(ClipReader::open(folder / "clip.ywc").value().info().frames == 2);
}

TEST_CASE("of several clips those that cannot take a change end, and say so, while the others go on")
{
    Sample before, after(20, 11);
    TempFolder folder;
    ClipWriters writers;
    for (const std::string format : {"glb", "ywc", "pc2"})
        writers.add(make_clip_writer(format, out_in(folder, format), before.info).value());
    for (int k = 0; k < 3; ++k) REQUIRE(writers.frame(before.time(k), before.frame(k)));
    CHECK(writers.change(0, after.info.bodies[0]));
    for (int k = 3; k < 7; ++k) REQUIRE(writers.frame(after.time(k), after.frame(k)));
    CHECK(writers.finish());
    REQUIRE(writers.ended().size() == 2);
    CHECK(mentions(writers.ended()[0], "clip.glb ends before frame 3"));
    CHECK(ClipReader::open(folder / "clip.ywc").value().info().frames == 7);
    CHECK(writers.notes().size() >= 3);
}
