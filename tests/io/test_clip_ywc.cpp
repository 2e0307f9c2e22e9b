// The .ywc cache: exact, any order, whole frames after a kill, and no file that can hurt the reader.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

#include "clip_samples.h"
#include "io/base64.h"
#include "io/clip_ywc.h"

using namespace clip_samples;

namespace {

bool same(std::span<const ClipFrame> read, std::span<const ClipFrame> written)
{
    if (read.size() != written.size()) return false;
    for (std::size_t b = 0; b < read.size(); ++b) {
        if (!std::ranges::equal(read[b].particles, written[b].particles)) return false;
        if (!std::ranges::equal(read[b].surface, written[b].surface)) return false;
        if (!std::ranges::equal(read[b].lines, written[b].lines)) return false;
        if (read[b].values.size() != written[b].values.size()) return false;
        for (std::size_t v = 0; v < read[b].values.size(); ++v) {
            if (!std::ranges::equal(read[b].values[v], written[b].values[v])) return false;
        }
    }
    return true;
}

/// How the sample is drawn, with nothing left as it is by itself.
ClipStage sample_stage()
{
    ClipStage stage;
    stage.camera = Camera{{1, 2, 3}, {4, 5, 6}, 40};
    stage.look = {320,
                  200,
                  5,
                  false,
                  -0.5f,
                  {0.1f, 0.2f, 0.3f},
                  true,
                  Plane{{0, 1, 0}, {1, 0, 1}},
                  ColorScale{"turbo", -1, 2, "speed (m/s)", true}};
    stage.looks = {{{0.3f, 0.2f, 0.1f}, "speed", Finish::plain, 0.7f, true}, {{1, 0, 0}, "", Finish::plain, 0.1f, false}};
    Inside& inside = stage.looks[1].inside.emplace();
    inside.color = Vec3{0.1f, 0.9f, 0.2f};
    inside.layers = {{0.01f, {1, 0, 0}}, {0.02f, {0, 1, 0}}};
    inside.grain = {GrainKind::veins, {0, 0, 1}, 0.3f, {0, 0, 1}, {1, 2, 3}};
    auto colors = std::make_shared<InsideMap>();
    colors->low = {1, 2, 3};
    colors->cell = 0.5f;
    colors->nodes = {2, 2, 1};
    colors->rgba = {1, 2, 3, 4};
    for (BodyLook& look : stage.looks) look.volume_colors = colors;
    stage.floors = {Plane{}, Plane{{0, -1, 0}, {0, 1, 1}}};
    stage.obstacles = {tube(4, 5)};
    stage.obstacles[0].corner_uvs.clear();
    const PathKey keys[] = {{1, {1, 2, 3}, {0, 0.5, 0}, Vec3d{4, 5, 6}}, {2.5, {0, 1, 0}, {}, Vec3d{4, 5, 6}}};
    stage.floor_paths = {Path(), Path(keys, false, {})};
    stage.obstacle_paths = {Path(keys, true, {})};
    auto animation = std::make_shared<MeshAnimation>();
    animation->start = 0.5;
    animation->rate = 12;
    animation->repeat = true;
    for (int k = 0; k < 3; ++k) {
        std::vector<Vec3>& frame = animation->frames.emplace_back();
        for (const Vec3d& p : stage.obstacles[0].vertices) frame.push_back(p.as<float>() * (1 + 0.1f * float(k)));
    }
    stage.obstacle_animations = {animation};
    stage.water = WaterLook{0.75, Box3{{-1, -2, -3}, {4, 5, 6}}, "0.1 * sin(x - t)"};
    return stage;
}

/// Opens the bytes as a clip and reads every frame backwards and forwards; how many frames gave an answer.
std::size_t read_all(const std::filesystem::path& path, const std::string& bytes)
{
    put_bytes(path, bytes);
    auto reader = ClipReader::open(path);
    if (!reader) {
        CHECK_FALSE(reader.error().what.empty());
        return 0;
    }
    std::size_t good = 0;
    const std::size_t frames = reader->info().frames;
    for (std::size_t k = frames; k-- > 0;) (void)reader->frame(k);
    for (std::size_t k = 0; k < frames; ++k) good += static_cast<bool>(reader->frame(k));
    return good;
}

}  // namespace

TEST_CASE("a cache gives back the clip and every frame exactly, in any order")
{
    Sample sample;
    TempFolder folder;
    const int count = 70;  // over two key frames
    REQUIRE(sample.write("ywc", folder / "a.ywc", count));
    ClipReader reader = ClipReader::open(folder / "a.ywc").value();
    const ClipInfo& info = reader.info();
    CHECK(info.frames == count);
    CHECK(info.frame_time == sample.info.frame_time);
    REQUIRE(info.bodies.size() == 2);
    for (const std::size_t b : {0, 1}) {
        const ClipBody &read = info.bodies[b], &written = sample.info.bodies[b];
        CHECK(read.name == written.name);
        CHECK(read.color == written.color);
        CHECK(read.value_names == written.value_names);
        CHECK(read.surface.vertices == written.surface.vertices);
        CHECK(read.surface.triangles == written.surface.triangles);
        CHECK(read.surface.corner_uvs == written.surface.corner_uvs);
        CHECK(read.surface.colors == written.surface.colors);
        CHECK(read.solid.vertices == written.solid.vertices);
        CHECK(read.solid.tets == written.solid.tets);
        CHECK(read.solid.materials == written.solid.materials);
    }
    for (int k = 0; k < count; ++k) CHECK(same(reader.frame(k).value(), sample.frame(k)));
    std::mt19937 random(7);
    for (int n = 0; n < 60; ++n) {
        const int k = static_cast<int>(random() % count);
        CAPTURE(k);
        CHECK(same(reader.frame(k).value(), sample.frame(k)));
        CHECK(reader.time(k) == sample.time(k));
    }
    CHECK_FALSE(reader.frame(count));
}

TEST_CASE("a cache gives back how its scene is drawn, and the lines of every frame")
{
    Sample sample;
    sample.info.bodies[1].lines = true;
    sample.info.stage = sample_stage();
    TempFolder folder;
    REQUIRE(sample.write("ywc", folder / "a.ywc", 40));
    ClipReader reader = ClipReader::open(folder / "a.ywc").value();
    for (const int k : {0, 39, 7, 8}) CHECK(same(reader.frame(k).value(), sample.frame(k)));
    CHECK_FALSE(reader.info().bodies[0].lines);
    REQUIRE(reader.info().stage);
    const ClipStage &read = *reader.info().stage, written = sample_stage();
    CHECK(read.camera->eye == written.camera->eye);
    CHECK(read.camera->target == written.camera->target);
    CHECK(read.camera->field_of_view == written.camera->field_of_view);
    CHECK(read.look.width == 320);
    CHECK(read.look.height == 200);
    CHECK(read.look.samples == 5);
    CHECK(read.look.ground == false);
    CHECK(read.look.ground_height == -0.5f);
    CHECK(read.look.background == written.look.background);
    CHECK(read.look.transparent);
    CHECK(read.look.cut->point == written.look.cut->point);
    CHECK(read.look.cut->normal == written.look.cut->normal);
    CHECK(read.look.scale->map == "turbo");
    CHECK(read.look.scale->low == -1);
    CHECK(read.look.scale->high == 2);
    CHECK(read.look.scale->label == "speed (m/s)");
    CHECK(read.look.scale->whole);
    REQUIRE(read.looks.size() == 2);
    CHECK_FALSE(read.looks[0].inside);
    REQUIRE(read.looks[1].inside);
    const Inside &inside = *read.looks[1].inside, &wanted = *written.looks[1].inside;
    CHECK(inside.color == wanted.color);
    REQUIRE(inside.layers.size() == 2);
    CHECK(inside.layers[1].thickness == 0.02f);
    CHECK(inside.layers[1].color == wanted.layers[1].color);
    CHECK(inside.grain.kind == GrainKind::veins);
    CHECK(inside.grain.width == 0.3f);
    CHECK(inside.grain.through == wanted.grain.through);
    REQUIRE(read.looks[0].volume_colors);
    CHECK(read.looks[0].volume_colors == read.looks[1].volume_colors);  // kept once
    CHECK(read.looks[0].volume_colors->rgba == std::vector<std::uint32_t>{1, 2, 3, 4});
    CHECK(read.looks[0].volume_colors->nodes == Int3{2, 2, 1});
    CHECK(read.looks[0].volume_colors->cell == 0.5f);
    for (const std::size_t b : {0, 1}) {
        CHECK(read.looks[b].color == written.looks[b].color);
        CHECK(read.looks[b].show == written.looks[b].show);
        CHECK(read.looks[b].gloss == written.looks[b].gloss);
        CHECK(read.looks[b].wireframe == written.looks[b].wireframe);
    }
    REQUIRE(read.floors.size() == 2);
    CHECK(read.floors[1].normal == written.floors[1].normal);
    REQUIRE(read.obstacles.size() == 1);
    CHECK(read.obstacles[0].vertices == written.obstacles[0].vertices);
    CHECK(read.obstacles[0].triangles == written.obstacles[0].triangles);
    REQUIRE(read.floor_paths.size() == 2);
    CHECK(read.floor_paths[0].empty());
    CHECK_FALSE(read.floor_paths[1].smooth());
    REQUIRE(read.obstacle_paths.size() == 1);
    for (const double time : {0.0, 1.3, 2.0, 3.0}) {
        CHECK(read.floor_paths[1].at(time) == written.floor_paths[1].at(time));
        CHECK(read.obstacle_paths[0].at(time) == written.obstacle_paths[0].at(time));
    }

    REQUIRE(read.obstacle_animations.size() == 1);
    REQUIRE(read.obstacle_animations[0]);
    CHECK(read.obstacle_animations[0]->frames == written.obstacle_animations[0]->frames);
    CHECK(read.obstacle_animations[0]->start == 0.5);
    CHECK(read.obstacle_animations[0]->rate == 12);
    CHECK(read.obstacle_animations[0]->repeat);
    REQUIRE(read.water);
    CHECK(read.water->level == 0.75);
    REQUIRE(read.water->box);
    CHECK(read.water->box->low == written.water->box->low);
    CHECK(read.water->box->high == written.water->box->high);
    CHECK(read.water->waves == "0.1 * sin(x - t)");

    Sample wrong = sample;
    wrong.info.stage->looks.pop_back();
    CHECK(wrong.write("ywc", folder / "b.ywc", 1).error().message().find("stage.looks") != std::string::npos);
    wrong = sample;
    wrong.info.stage->obstacles[0].triangles[3][1] = 1000;
    CHECK(wrong.write("ywc", folder / "b.ywc", 1).error().message().find("stage.obstacles[0].triangles[3]") !=
          std::string::npos);
    wrong = sample;
    auto torn = std::make_shared<MeshAnimation>(*written.obstacle_animations[0]);
    torn->frames[1].pop_back();
    wrong.info.stage->obstacle_animations = {torn};
    CHECK(wrong.write("ywc", folder / "b.ywc", 1).error().message().find("stage.obstacle_animations[0]") !=
          std::string::npos);
}

TEST_CASE("a cache of version 1, which knew neither stage nor lines, is still read")
{
    // Three frames of a tet and a triangle that rise by 0.5 m each, with speeds 0, 2 and 4.
    io::Base64Reader code(
        "eXdjLWNsaXABAAAAAAAAAElORk8AAAAAAAAAAAAAAAAAAAAAAAAAAGYAAAAAAAAAKLUv/WQ4AMUCAOQCAAAAAAAA0D8BAAMAb2xk"
        "AACAPgAAAD8AAEA/8D8AAQEAAAACBAABAwVzcGVlZBIANrMAAmDuYUgA44ZyAhRcYQMBiUAGIBQYHmqz4B4gAJ2vAtwG0AVw9CsK"
        "RlJBTQEAAAAAAAAAAAAAAAAAAAAAAAAAGgAAAAAAAAAotS/9JGRtAAAoAAB/AAACALtEJAqwBMDmyEZSQU0AAAAAAQAAAAAAAAAA"
        "AAAAAADQPysAAAAAAAAAKLUv/SRk9QAAcAAAgACAAH4AAACAgICABgBgIOVO1xgQDWyNJ2gDjptl5UZSQU0AAAAAAgAAAAAAAAAA"
        "AAAAAADgPzoAAAAAAAAAKLUv/SRkbQEA4AD/AAD/AAAA/wAA/////3wAAHx8AAAAAH5+fn4GACwDwEXxNGCmKyA3V+ECK7l+EUlO"
        "RFgAAAAAAAAAAAAAAAAAAAAAAAAAACEAAAAAAAAAKLUv/SRIpQAAWJYA0ADQPxsBAOA/AxAAiaaxggUitF1CdQEAAAAAAAB5d2Mt"
        "ZG9uZQ==");
    TempFolder folder;
    put_bytes(folder / "old.ywc", code.read(10000));
    ClipReader reader = ClipReader::open(folder / "old.ywc").value();
    const ClipInfo& info = reader.info();
    CHECK(info.frame_time == 0.25);
    REQUIRE(info.frames == 3);
    CHECK_FALSE(info.stage);
    REQUIRE(info.bodies.size() == 1);
    CHECK(info.bodies[0].name == "old");
    CHECK(info.bodies[0].color == Vec3{0.25f, 0.5f, 0.75f});
    CHECK(info.bodies[0].surface.triangles == std::vector<Int3>{{0, 1, 2}});
    CHECK(info.bodies[0].solid.tets == std::vector<Int4>{{0, 1, 2, 3}});
    CHECK(info.bodies[0].value_names == std::vector<std::string>{"speed"});
    for (const int k : {2, 0, 1}) {
        const ClipFrame& frame = reader.frame(std::size_t(k)).value()[0];
        CHECK(frame.particles[3] == Vec3{0, 0.5f * float(k), 1});
        CHECK(frame.surface[2] == Vec3{0, 1 + 0.5f * float(k), 0});
        CHECK(frame.values[0][1] == 2 * float(k));
        CHECK(frame.lines.empty());
        CHECK(reader.time(std::size_t(k)) == 0.25 * k);
    }
}

TEST_CASE("a cache of version 2, in which meshes did not change, is still read")
{
    // Three frames of a cube of one cell, 1 m, that falls from 2 m with 100 steps in 0.25 s.
    io::Base64Reader code(
        "eXdjLWNsaXACAAAAAAAAAElORk8AAAAAAAAAAAAAAAAAAAAAAAAAAAQBAAAAAAAAKLUv/WREArUHAGIIHCaARUkHw7AwqFvBdsWIIQGY"
        "C4B/hqp9Z6Fcq4n3HR1cq7aN25JGUi1i7L8OgIBC8dJFxTLhmcIricG5d38fn9IKx4EanymblZmnyub1Crx+ZpV/+kGEjQ8Wvja+wh9c"
        "0CLGGuV5eoBEGIjE6tTJ/wdEIBADGZvkAaCAG6Gb3YHhww3yFzOuAH36PZmB2EBmK5tlivmehMRJ0AGu5MnGnTS3TzGAsivObRoh8PKN"
        "km9tOLNfFhsZ5XDBpjK7Z9mfTwWFAabyvY3O5FubSf4162jb0WwW4xDG6EkMCXTghkQCh1uzvX3IKpAADZxEeIz4MvAAkM8YEsVGUkFN"
        "AQAAAAAAAAAAAAAAAAAAAAAAAABKAAAAAAAAACi1L/0k4O0BANABAAEAAAEAgACAAIAAgAB+gH4AAAAAAAAAABEAAjMADzQGRMAdaAyI"
        "gDtdywaggAUAAxhQcwAgAAGEKEW2cJvpRlJBTQAAAAABAAAAAAAAAAMAAAAAANA/bgAAAAAAAAAotS/9JOANAwBkBAcXBAsbDwWLFgCJ"
        "Ag8nDAwhDBCRCR+VJQCGoPbAYg5kAC8AAC8AAJcvl5qXlpmdmpWoAE8AAE8AACdPJzkAgICAgICAgIALAIAouOxADSAHjtG1AKoBYeAE"
        "XbtYcI4B9nGviUZSQU0AAAAAAgAAAAAAAAADAAAAAADgP24AAAAAAAAAKLUv/STgDQMAZAQemQceeRQFvQMCyQdEiysThycxwzBOqWLz"
        "O/8B5dnDQwD3AAD3AAD79/uak5qan5mRuADXAADXAABr12s5AH9/f39/f39/CwCAKLjsQA0gB47RtQCqAWHgBF27WHCOARxuz8JJTkRY"
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAkAAAAAAAAACi1L/0kSL0AAFg0AQCeA9A/LALgPwQAgBIQbmfHPuAGHIn1sboCAAAAAAAAeXdjLWRv"
        "bmU=");
    TempFolder folder;
    put_bytes(folder / "old.ywc", code.read(10000));
    ClipReader reader = ClipReader::open(folder / "old.ywc").value();
    REQUIRE(reader.info().frames == 3);
    REQUIRE(reader.info().stage);
    CHECK(reader.info().stage->camera->eye == Vec3{1, 2, 3});
    CHECK(reader.info().stage->looks[0].wireframe);
    CHECK(reader.changes().empty());
    for (const int k : {2, 0, 1}) {
        const ClipFrame& frame = reader.frame(std::size_t(k)).value()[0];
        const auto heights = [](Vec3 p) { return p.y; };
        const int steps = 100 * k;
        const double fallen = 9.8 * 0.0025 * 0.0025 * steps * (steps + 1) / 2;
        CHECK(std::ranges::min(frame.surface, {}, heights).y == doctest::Approx(2 - fallen).epsilon(1e-4));
        CHECK(std::ranges::max(frame.particles, {}, heights).y == doctest::Approx(3 - fallen).epsilon(1e-4));
    }
}

TEST_CASE("a cache gives back meshes that change on the way, and every frame with the mesh of its time")
{
    // Frames as planned by three samples of one clip: the tube gets finer, then the cloud loses a particle.
    std::vector<Sample> parts{Sample(12, 9), Sample(20, 11), Sample(20, 11)};
    parts[1].info.bodies[0].solid.tets.pop_back();
    parts[1].info.bodies[0].solid.materials.pop_back();
    parts[2].info.bodies[0] = parts[1].info.bodies[0];
    parts[2].info.bodies[1].solid.vertices.pop_back();
    const std::vector<int> from{0, 37, 50};
    const int count = 80;
    const auto part_of = [&](int k) -> Sample& { return parts[k < from[1] ? 0 : k < from[2] ? 1 : 2]; };

    TempFolder folder;
    auto writer = make_clip_writer("ywc", folder / "a.ywc", parts[0].info).value();
    std::vector<std::size_t> ends;
    for (int k = 0; k < count; ++k) {
        if (k == from[1]) REQUIRE(writer->change(0, parts[1].info.bodies[0]));
        if (k == from[2]) REQUIRE(writer->change(1, parts[2].info.bodies[1]));
        REQUIRE(writer->frame(part_of(k).time(k), part_of(k).frame(k)));
        ends.push_back(bytes_of(folder / "a.unfinished.ywc").size());
    }
    REQUIRE(writer->finish());

    const auto check = [&](const std::filesystem::path& path, std::size_t frames) {
        ClipReader reader = ClipReader::open(path).value();
        REQUIRE(reader.info().frames == frames);
        std::vector<int> order(frames);
        std::iota(order.begin(), order.end(), 0);
        std::mt19937 random(3);
        for (int round = 0; round < 2; ++round) {
            for (const int k : order) {
                CAPTURE(k);
                CHECK(same(reader.frame(std::size_t(k)).value(), part_of(k).frame(k)));
                for (const std::size_t b : {0, 1}) {
                    const ClipBody &read = *reader.body(b, std::size_t(k)).value(), &written = part_of(k).info.bodies[b];
                    CHECK(read.name == written.name);
                    CHECK(read.surface.vertices == written.surface.vertices);
                    CHECK(read.surface.triangles == written.surface.triangles);
                    CHECK(read.solid.vertices == written.solid.vertices);
                    CHECK(read.solid.tets == written.solid.tets);
                }
            }
            std::ranges::shuffle(order, random);
        }
        return reader;
    };
    ClipReader reader = check(folder / "a.ywc", count);
    REQUIRE(reader.changes().size() == 2);
    CHECK(reader.changes()[0].frame == 37);
    CHECK(reader.changes()[0].body == 0);
    CHECK(reader.changes()[1].frame == 50);
    CHECK(reader.changes()[1].body == 1);
    for (const std::size_t k : {38, 60}) (void)reader.frame(k);
    CHECK(reader.body(0, 60).value() == reader.body(0, 60).value());
    CHECK_FALSE(reader.body(2, 0));
    CHECK_FALSE(reader.body(0, count));

    // Killed: after the mesh of frame 37 was written but before the frame, and later.
    const std::string whole = bytes_of(folder / "a.ywc");
    put_bytes(folder / "cut.ywc", whole.substr(0, ends[37] - 1));
    CHECK(check(folder / "cut.ywc", 37).changes().empty());
    put_bytes(folder / "cut.ywc", whole.substr(0, ends[60]));
    CHECK(check(folder / "cut.ywc", 61).changes().size() == 2);

    // Damaged.
    std::mt19937 random(5);
    for (int n = 0; n < 300; ++n) {
        std::string bad = whole;
        for (int i = 0; i < 3; ++i) bad[random() % bad.size()] = static_cast<char>(random());
        CHECK(read_all(folder / "bad.ywc", bad) <= count);
    }
}

TEST_CASE("coding of frames is exact for every finite float")
{
    std::mt19937 random(3);
    const std::size_t n = 5000;
    io::ywc::FrameCodec encoder(n), decoder(n);
    for (int k = 0; k < 6; ++k) {
        if (k == 4) {
            encoder.restart();
            decoder.restart();
        }
        std::vector<float> frame(n), back(n);
        for (float& x : frame) {
            do {
                x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
            } while (!std::isfinite(x));
        }
        frame[0] = 0.0f;
        frame[1] = -0.0f;
        frame[2] = std::numeric_limits<float>::denorm_min();
        frame[3] = -std::numeric_limits<float>::max();
        decoder.decode(encoder.encode(frame), back);
        CHECK(std::memcmp(frame.data(), back.data(), n * sizeof(float)) == 0);
    }
}

TEST_CASE("smooth motion takes less room than its numbers, and a body at rest next to none")
{
    Sample sample(60, 40);
    TempFolder folder;
    REQUIRE(sample.write("ywc", folder / "moving.ywc", 64));
    const double raw = 64.0 * 12.0 * (60 * 40 + 12 + 5 + 3);
    CHECK(static_cast<double>(std::filesystem::file_size(folder / "moving.ywc")) < 0.75 * raw);

    auto writer = make_clip_writer("ywc", folder / "still.ywc", sample.info).value();
    const auto still = sample.frame(5);
    for (int k = 0; k < 64; ++k) REQUIRE(writer->frame(sample.time(k), still));
    REQUIRE(writer->finish());
    CHECK(static_cast<double>(std::filesystem::file_size(folder / "still.ywc")) < 0.1 * raw);
}

TEST_CASE("a cache cut anywhere opens with exactly the frames that are whole")
{
    Sample sample(4, 3);
    TempFolder folder;
    auto writer = make_clip_writer("ywc", folder / "killed.ywc", sample.info).value();
    std::vector<std::size_t> ends{bytes_of(folder / "killed.unfinished.ywc").size()};
    for (int k = 0; k < 40; ++k) {
        REQUIRE(writer->frame(sample.time(k), sample.frame(k)));
        ends.push_back(bytes_of(folder / "killed.unfinished.ywc").size());
    }
    REQUIRE(writer->finish());
    const std::string whole = bytes_of(folder / "killed.ywc");
    for (std::size_t cut = 0; cut <= whole.size(); cut += 7) {
        CAPTURE(cut);
        put_bytes(folder / "cut.ywc", whole.substr(0, cut));
        auto reader = ClipReader::open(folder / "cut.ywc");
        if (cut < ends.front()) {
            CHECK_FALSE(reader);
            continue;
        }
        REQUIRE(reader);
        std::size_t expected = 0;
        while (expected < 40 && ends[expected + 1] <= cut) ++expected;
        REQUIRE(reader->info().frames == expected);
        if (expected > 0)
            CHECK(same(reader->frame(expected - 1).value(), sample.frame(static_cast<int>(expected) - 1)));
    }
}

TEST_CASE("damaged caches give frames or errors, never harm")
{
    Sample sample(4, 3);
    TempFolder folder;
    REQUIRE(sample.write("ywc", folder / "good.ywc", 36));
    const std::string good = bytes_of(folder / "good.ywc");
    CHECK(read_all(folder / "bad.ywc", good) == 36);
    std::mt19937 random(11);
    std::size_t survived = 0;
    for (int n = 0; n < 600; ++n) {
        std::string bad = good;
        const std::size_t at = random() % bad.size();
        switch (n % 6) {
            case 0:
                bad[at] = static_cast<char>(random());
                break;
            case 1:
                bad.erase(at, 1 + random() % 50);
                break;
            case 2:
                bad.insert(at, std::string(1 + random() % 50, static_cast<char>(random())));
                break;
            case 3:
                for (std::size_t i = at; i < std::min(at + 8, bad.size()); ++i) bad[i] = static_cast<char>(0xff);
                break;
            case 4:
                bad = bad.substr(0, at) + bad.substr(random() % bad.size());
                break;
            default:
                for (int i = 0; i < 30; ++i) bad[random() % bad.size()] = static_cast<char>(random());
        }
        survived += read_all(folder / "bad.ywc", bad);
    }
    CHECK(survived > 0);
    CHECK(survived < 36 * 600);
}

TEST_CASE("a wrong index is not believed: the frames are found without it")
{
    Sample sample(4, 3);
    TempFolder folder;
    REQUIRE(sample.write("ywc", folder / "good.ywc", 10));
    const std::string good = bytes_of(folder / "good.ywc");
    for (const std::uint64_t offset :
         {std::uint64_t{0}, std::uint64_t{16}, ~std::uint64_t{0}, std::uint64_t{good.size()}}) {
        std::string bad = good;
        std::memcpy(bad.data() + bad.size() - 16, &offset, 8);
        CHECK(read_all(folder / "bad.ywc", bad) == 10);
    }
}

TEST_CASE("descriptions with huge counts, wrong indices and other lies are refused")
{
    Sample sample(4, 3);
    sample.info.bodies[0].lines = true;
    sample.info.stage = sample_stage();
    TempFolder folder;
    const io::ywc::Bytes info = io::ywc::encode_info(sample.info);
    const auto open_with = [&](const io::ywc::Bytes& description) {
        const io::ywc::Bytes packed = io::ywc::pack(description);
        const io::ywc::ChunkHead head{.tag = io::ywc::Tag::Info, .bytes = packed.size()};
        std::string bytes("ywc-clip\11\0\0\0\0\0\0\0", 16);
        bytes.append(reinterpret_cast<const char*>(&head), sizeof head);
        bytes.append(packed.data(), packed.size());
        put_bytes(folder / "made.ywc", bytes);
        auto reader = ClipReader::open(folder / "made.ywc");
        if (reader) {
            CHECK(reader->info().frames == 0);
        }
        return static_cast<bool>(reader);
    };
    CHECK(open_with(info));
    std::mt19937_64 random(5);
    std::size_t refused = 0;
    for (std::size_t at = 0; at + 8 <= info.size(); at += 4) {
        for (const std::uint64_t lie :
             {std::uint64_t{0xffffffffffffffff}, std::uint64_t{0x20000000}, std::uint64_t{random()}}) {
            io::ywc::Bytes bad = info;
            std::memcpy(bad.data() + at, &lie, 8);
            refused += !open_with(bad);
        }
    }
    CHECK(refused > 100);
    CHECK_FALSE(open_with(io::ywc::Bytes(100000, '\xff')));
    CHECK_FALSE(open_with({}));
}

TEST_CASE("what is not a cache is refused with a reason")
{
    TempFolder folder;
    const auto reason = [&](const std::string& bytes) {
        put_bytes(folder / "x.ywc", bytes);
        const auto reader = ClipReader::open(folder / "x.ywc");
        return reader ? std::string("opened") : reader.error().message();
    };
    CHECK(reason("").find("not a .ywc clip") != std::string::npos);
    CHECK(reason("o mesh\nv 0 0 0\n").find("not a .ywc clip") != std::string::npos);
    CHECK(reason(std::string("ywc-clip\12\0\0\0\0\0\0\0", 16)).find("version 10") != std::string::npos);
    CHECK(reason(std::string("ywc-clip\1\0\0\0\0\0\0\0", 16)).find("description") != std::string::npos);
    CHECK_FALSE(ClipReader::open(folder / "missing.ywc"));
    CHECK_FALSE(ClipReader::open(folder.path()));
}
