// Files: PNG by libpng, WebP by libwebp's own reader, MP4 and GIF by ffprobe where it is installed.
#include <doctest/doctest.h>
#include <png.h>
#include <unistd.h>
#include <webp/decode.h>
#include <webp/mux.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>

#include "interrupted_writes.h"
#include "shapes.h"

using namespace yawara;
using namespace interrupted_writes;
namespace fs = std::filesystem;

namespace {

/// A folder of its own for each test, removed at the end.
struct Folder {
    fs::path path = fs::temp_directory_path() / ("yawara-movie-" + std::to_string(getpid()));
    Folder() { fs::create_directories(path); }
    ~Folder()
    {
        // The ffmpeg of a program that was killed may still be writing.
        std::error_code busy;
        for (int k = 0; k < 100 && fs::exists(path); ++k, usleep(20'000)) fs::remove_all(path, busy);
    }
};

/// A bright bar on a dark ground that moves right with every frame.
Image frame(int number, int width = 64, int height = 48)
{
    Image image{width, height, std::vector<std::uint8_t>(std::size_t{4} * width * height, 255)};
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            for (int k = 0; k < 3; ++k)
                image.rgba[4 * (static_cast<std::size_t>(y) * width + x) + k] =
                    std::abs(x - 4 * number - 6) < 4 ? 220 - 40 * k : 30;
    return image;
}

Status write_frames(const fs::path& path, int count, int width = 64, int height = 48)
{
    auto writer = MovieWriter::open(path, 25);
    if (!writer) return writer.error();
    for (int i = 0; i < count; ++i)
        if (const Status good = writer->add(frame(i, width, height)); !good) return good;
    return writer->finish();
}

std::vector<std::uint8_t> bytes_of(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

Image read_png(const fs::path& path)
{
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    REQUIRE(png_image_begin_read_from_file(&png, path.c_str()));
    png.format = PNG_FORMAT_RGBA;
    Image image{static_cast<int>(png.width), static_cast<int>(png.height), {}};
    image.rgba.resize(PNG_IMAGE_SIZE(png));
    REQUIRE(png_image_finish_read(&png, nullptr, image.rgba.data(), 0, nullptr));
    return image;
}

/// Number of frames, milliseconds in all, loop count (0: for ever).
struct WebpFacts {
    int frames = 0, milliseconds = 0, loops = -1;
    std::vector<std::vector<std::uint8_t>> shown;  ///< rgba of what a player shows, frame by frame
};

WebpFacts read_webp(const fs::path& path)
{
    const std::vector<std::uint8_t> bytes = bytes_of(path);
    const WebPData data{bytes.data(), bytes.size()};
    WebPMux* mux = WebPMuxCreate(&data, 0);
    REQUIRE(mux);
    WebpFacts facts;
    WebPMuxNumChunks(mux, WEBP_CHUNK_ANMF, &facts.frames);
    WebPMuxAnimParams parameters;
    REQUIRE(WebPMuxGetAnimationParams(mux, &parameters) == WEBP_MUX_OK);
    facts.loops = parameters.loop_count;
    std::vector<std::uint8_t> canvas;
    int canvas_width = 0;
    for (int i = 1; i <= facts.frames; ++i) {
        WebPMuxFrameInfo info;
        REQUIRE(WebPMuxGetFrame(mux, static_cast<std::uint32_t>(i), &info) == WEBP_MUX_OK);
        facts.milliseconds += info.duration;
        int width = 0, height = 0;
        std::uint8_t* rgba = WebPDecodeRGBA(info.bitstream.bytes, info.bitstream.size, &width, &height);
        REQUIRE(rgba);
        if (i == 1) canvas.assign(rgba, rgba + 4 * width * height), canvas_width = width;  // it covers all
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x)
                if (const std::uint8_t* pixel = rgba + 4 * (y * width + x); pixel[3] > 0)  // else it shows what was
                    std::copy(pixel, pixel + 4, &canvas[4 * ((y + info.y_offset) * canvas_width + x + info.x_offset)]);
        WebPFree(rgba);
        facts.shown.push_back(canvas);
        WebPDataClear(&info.bitstream);
    }
    WebPMuxDelete(mux);
    return facts;
}

double mean_difference(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b)
{
    REQUIRE(a.size() == b.size());
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(double(a[i]) - double(b[i]));
    return sum / double(a.size());
}

bool has_ffmpeg()
{
    return std::system("ffmpeg -version > /dev/null 2>&1 && ffprobe -version > /dev/null 2>&1") == 0;
}

/// What ffprobe says of the only stream: codec, size, pixel format, counted frames.
std::map<std::string, std::string> probe(const fs::path& path)
{
    const std::string command =
        "ffprobe -v error -count_frames -show_entries "
        "stream=codec_name,width,height,pix_fmt,nb_read_frames -of default=nw=1 '" +
        path.string() + "'";
    std::map<std::string, std::string> facts;
    FILE* pipe = popen(command.c_str(), "r");
    REQUIRE(pipe);
    char line[256];
    while (std::fgets(line, sizeof line, pipe)) {
        const std::string text(line);
        const std::size_t equals = text.find('=');
        if (equals != std::string::npos)
            facts[text.substr(0, equals)] = text.substr(equals + 1, text.size() - equals - 2);
    }
    pclose(pipe);
    return facts;
}

}  // namespace

TEST_CASE("a PNG holds exactly the pixels it was given")
{
    const Folder folder;
    Image image = frame(3, 37, 21);
    REQUIRE(save_png(folder.path / "opaque.png", image));
    CHECK(read_png(folder.path / "opaque.png").rgba == image.rgba);
    for (std::size_t i = 3; i < image.rgba.size(); i += 4) image.rgba[i] = static_cast<std::uint8_t>(i % 256);
    REQUIRE(save_png(folder.path / "clear.png", image));
    const Image again = read_png(folder.path / "clear.png");
    CHECK(again.width == 37);
    CHECK(again.height == 21);
    CHECK(again.rgba == image.rgba);
    CHECK(!save_png(folder.path / "missing" / "x.png", image));
    CHECK(!save_png(folder.path / "empty.png", Image{}));
}

TEST_CASE("a WebP clip has all frames, lasts as long as it should, and plays for ever")
{
    const Folder folder;
    REQUIRE(write_frames(folder.path / "deep" / "er" / "clip.webp", 9));
    const WebpFacts facts = read_webp(folder.path / "deep" / "er" / "clip.webp");
    CHECK(facts.frames == 9);
    CHECK(facts.milliseconds == 360);
    CHECK(facts.loops == 0);
    CHECK(mean_difference(facts.shown[0], frame(0).rgba) < 6);
    CHECK(mean_difference(facts.shown[8], frame(8).rgba) < 6);
}

TEST_CASE("of a shadow that fades slowly behind something quick nothing stays in a WebP clip")
{
    const Folder folder;
    MovieWriter writer = MovieWriter::open(folder.path / "fading.webp", 25).value();
    const auto faded = [](int shadow) {
        Image image = frame(shadow % 13);
        for (std::uint8_t& value : image.rgba)
            if (value == 30) value = static_cast<std::uint8_t>(90 - shadow);
        return image;
    };
    for (int shadow = 60; shadow >= 0; --shadow) REQUIRE(writer.add(faded(shadow)));
    REQUIRE(writer.finish());
    CHECK(mean_difference(read_webp(folder.path / "fading.webp").shown.back(), faded(0).rgba) < 3);
}

TEST_CASE("a writer can be moved while it writes")
{
    const Folder folder;
    MovieWriter writer = MovieWriter::open(folder.path / "moved.webp", 10).value();
    for (int i = 0; i < 4; ++i) REQUIRE(writer.add(frame(i)));
    MovieWriter moved(std::move(writer));
    REQUIRE(moved.add(frame(4)));
    REQUIRE(moved.finish());
    CHECK(read_webp(folder.path / "moved.webp").frames == 5);
}

TEST_CASE("a writer that goes away, a full disk and a kill leave the older pictures and clips as they were")
{
    std::vector<std::string> names{"clip.webp", "frames/%02d.png"};
    if (has_ffmpeg()) names.insert(names.end(), {"clip.mp4", "clip.gif"});
    for (const std::string& name : names) {
        CAPTURE(name);
        const Folder folder;
        REQUIRE(write_frames(folder.path / name, 3));
        const auto before = finished_files(folder.path);
        REQUIRE(!before.empty());
        const auto begin = [&] {
            MovieWriter writer = MovieWriter::open(folder.path / name, 25).value();
            for (int i = 5; i < 9; ++i) (void)writer.add(frame(i));
            return writer;
        };
        (void)begin();
        CHECK(finished_files(folder.path) == before);
        {
            const SmallDisk disk(100);
            CHECK_FALSE(write_frames(folder.path / name, 6));
        }
        CHECK(finished_files(folder.path) == before);
        do_and_kill([&] {
            const MovieWriter writer = begin();
            ::kill(::getpid(), SIGKILL);
        });
        CHECK(finished_files(folder.path) == before);
    }
    const Folder folder;
    REQUIRE(save_png(folder.path / "one.png", frame(0)));
    const auto before = finished_files(folder.path);
    {
        const SmallDisk disk(100);
        CHECK_FALSE(save_png(folder.path / "one.png", frame(1)));
    }
    CHECK(finished_files(folder.path) == before);
    const Image one = frame(0, 600, 500), two = frame(9, 600, 500);
    REQUIRE(save_png(folder.path / "one.png", one));
    do_and_kill([&] { (void)save_png(folder.path / "one.png", two), (void)save_png(folder.path / "one.png", one); },
                25);
    const auto left = read_png(folder.path / "one.png").rgba;
    CHECK((left == one.rgba || left == two.rgba));
}

TEST_CASE("frames go to numbered files by a pattern or into a folder")
{
    const Folder folder;
    REQUIRE(write_frames(folder.path / "a" / "shot_%03d.png", 3));
    CHECK(read_png(folder.path / "a" / "shot_002.png").rgba == frame(2).rgba);
    REQUIRE(write_frames(folder.path / "frames", 2));
    CHECK(read_png(folder.path / "frames" / "0001.png").rgba == frame(1).rgba);
    for (const char* name : {"plain.png", "%s.png", "%d%d.png", "%04d%n.png", "%999999999999d.png", "%.png"})
        CHECK(!MovieWriter::open(folder.path / name, 25));
}

TEST_CASE("wrong endings, rates, sizes and orders are refused")
{
    const Folder folder;
    CHECK(!MovieWriter::open(folder.path / "clip.avi", 25));
    CHECK(!MovieWriter::open("", 25));
    for (const double rate : {0.0, -1.0, 1e9, double(NAN)}) CHECK(!MovieWriter::open(folder.path / "clip.webp", rate));
    std::ofstream(folder.path / "file") << "x";
    CHECK(!MovieWriter::open(folder.path / "file" / "clip.webp", 25));

    MovieWriter writer = MovieWriter::open(folder.path / "clip.webp", 25).value();
    CHECK(!writer.add(Image{}));
    REQUIRE(writer.add(frame(0)));
    CHECK(!writer.add(frame(1, 32, 48)));
    REQUIRE(writer.add(frame(1)));
    REQUIRE(writer.finish());
    CHECK(writer.finish());
    CHECK(!writer.add(frame(2)));

    MovieWriter none = MovieWriter::open(folder.path / "none.webp", 25).value();
    CHECK(!none.finish());
}

TEST_CASE("MP4 and GIF come out whole, also with odd sizes and unusual names" * doctest::skip(!has_ffmpeg()))
{
    const Folder folder;
    REQUIRE(write_frames(folder.path / "-y $(touch oops) ; .mp4", 7, 63, 47));
    auto facts = probe(folder.path / "-y $(touch oops) ; .mp4");
    CHECK(facts["codec_name"] == "h264");
    CHECK(facts["pix_fmt"] == "yuv420p");
    CHECK(facts["width"] == "64");
    CHECK(facts["height"] == "48");
    CHECK(facts["nb_read_frames"] == "7");
    CHECK(!fs::exists("oops"));

    REQUIRE(write_frames(folder.path / "clip.gif", 5, 63, 47));
    facts = probe(folder.path / "clip.gif");
    CHECK(facts["codec_name"] == "gif");
    CHECK(facts["width"] == "63");
    CHECK(facts["nb_read_frames"] == "5");
}

TEST_CASE("an ffmpeg that fails is reported with its reason and kills nobody" * doctest::skip(!has_ffmpeg()))
{
    const Folder folder;
    // Twelve times wider than H.264 allows: the encoder gives up while frames are still coming.
    MovieWriter writer = MovieWriter::open(folder.path / "wide.mp4", 25).value();
    const Image wide = frame(0, 1 << 18, 2);
    Status good = Done{};
    for (int i = 0; i < 40 && good; ++i) good = writer.add(wide);
    if (good) good = writer.finish();
    REQUIRE(!good);
    CHECK(good.error().what.find("ffmpeg stopped") != std::string::npos);
}

TEST_CASE("without ffmpeg the error says what to install")
{
    const Folder folder;
    const std::string path = std::getenv("PATH") ? std::getenv("PATH") : "";
    setenv("PATH", folder.path.c_str(), 1);
    const auto writer = MovieWriter::open(folder.path / "clip.mp4", 25);
    setenv("PATH", path.c_str(), 1);
    REQUIRE(!writer);
    CHECK(writer.error().what.find("install ffmpeg") != std::string::npos);
}
