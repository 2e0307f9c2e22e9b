// A clip as MP4 or GIF, by handing raw frames to an ffmpeg process. No shell is involved; should this program end
// early, ffmpeg sees the end of its input and ends too. It writes beside the file that is replaced when all went well.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "render/movie_sink.h"
#include "yawara/replace_file.h"

extern char** environ;

namespace yawara::drawing {
namespace {

constexpr double kFastestGif = 50;  // frames per second; browsers slow faster ones down to 10

std::string find_program(std::string_view name)
{
    const char* variable = std::getenv("PATH");
    std::string_view folders = variable ? variable : "/usr/local/bin:/usr/bin:/bin";
    while (true) {
        const std::size_t end = folders.find(':');
        const std::filesystem::path candidate = std::filesystem::path(folders.substr(0, end)) / name;
        std::error_code ignored;
        if (std::filesystem::is_regular_file(candidate, ignored) && access(candidate.c_str(), X_OK) == 0)
            return candidate.string();
        if (end == std::string_view::npos) return {};
        folders.remove_prefix(end + 1);
    }
}

std::vector<std::string> arguments(const std::string& program, const std::string& path, bool gif, double rate,
                                   int width, int height)
{
    std::vector<std::string> result = {program,
                                       "-nostdin",
                                       "-hide_banner",
                                       "-loglevel",
                                       "error",
                                       "-xerror",
                                       "-y",
                                       "-f",
                                       "rawvideo",
                                       "-pixel_format",
                                       "rgb24",
                                       "-video_size",
                                       fmt::format("{}x{}", width, height),
                                       "-framerate",
                                       fmt::format("{}", rate),
                                       "-i",
                                       "pipe:0"};
    if (gif) {
        const std::string palette =
            "split[a][b];[a]palettegen=stats_mode=full[p];[b][p]paletteuse=dither=sierra2_4a:diff_mode=rectangle";
        const std::string filter = rate > kFastestGif ? fmt::format("fps={},{}", kFastestGif, palette) : palette;
        result.insert(result.end(), {"-filter_complex", filter, "-loop", "0", "-f", "gif"});
    } else {
        result.insert(result.end(), {"-vf",
                                     "scale=out_color_matrix=bt709:out_range=tv",
                                     "-c:v",
                                     "libx264",
                                     "-preset",
                                     "medium",
                                     "-crf",
                                     "18",
                                     "-pix_fmt",
                                     "yuv420p",
                                     "-colorspace",
                                     "bt709",
                                     "-color_primaries",
                                     "bt709",
                                     "-color_trc",
                                     "bt709",
                                     "-color_range",
                                     "tv",
                                     "-movflags",
                                     "+faststart",
                                     "-f",
                                     "mp4"});
    }
    result.push_back("file:" + path);  // neither an option nor an address, whatever the name is
    return result;
}

class FfmpegMovie : public MovieSink {
public:
    FfmpegMovie(std::string program, std::string path, NewFile file, bool gif, double rate)
        : program_(std::move(program)), path_(std::move(path)), file_(std::move(file)), gif_(gif), rate_(rate)
    {
    }
    ~FfmpegMovie() override { (void)wait(); }

    Status add(const Image& image) override
    {
        // H.264 with shared colours needs even sides: the last row or column is repeated.
        const int width = gif_ ? image.width : image.width + image.width % 2;
        const int height = gif_ ? image.height : image.height + image.height % 2;
        if (process_ < 0)
            if (const Status good = start(width, height); !good) return good;
        frame_.resize(std::size_t{3} * width * height);
        std::uint8_t* out = frame_.data();
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x, out += 3) {
                const std::size_t row = std::min(y, image.height - 1);
                const std::uint8_t* in = &image.rgba[4 * (row * image.width + std::min(x, image.width - 1))];
                for (int k = 0; k < 3; ++k)  // clips have no alpha: white shows through
                    out[k] = static_cast<std::uint8_t>((in[k] * in[3] + 255 * (255 - in[3]) + 127) / 255);
            }
        for (std::size_t sent = 0; sent < frame_.size();) {
            const ssize_t count = send(input_, frame_.data() + sent, frame_.size() - sent, MSG_NOSIGNAL);
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) return stopped();
            sent += static_cast<std::size_t>(count);
        }
        return Done{};
    }

    /// An ffmpeg that could not write the end of the file may still exit with 0; it complains then.
    Status finish() override
    {
        if (wait() != 0 || !complaints().empty()) return stopped();
        return file_.put_in_place();
    }

private:
    Status start(int width, int height)
    {
        // A pair of sockets rather than a pipe: send() can be told not to raise SIGPIPE.
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
            return Error{path_, fmt::format("cannot talk to ffmpeg: {}", std::strerror(errno))};
        complaints_.reset(std::tmpfile());
        const std::vector<std::string> words = arguments(program_, file_.path().string(), gif_, rate_, width, height);
        std::vector<char*> argv;
        for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
        argv.push_back(nullptr);

        posix_spawn_file_actions_t files;
        posix_spawn_file_actions_init(&files);
        posix_spawn_file_actions_adddup2(&files, ends[1], STDIN_FILENO);
        posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        if (complaints_)
            posix_spawn_file_actions_adddup2(&files, fileno(complaints_.get()), STDERR_FILENO);
        else
            posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        // Its own process group: Ctrl-C at the terminal reaches this program only, which then finishes the file.
        posix_spawnattr_t attributes;
        posix_spawnattr_init(&attributes);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        posix_spawnattr_setpgroup(&attributes, 0);
        const int failure = posix_spawn(&process_, program_.c_str(), &files, &attributes, argv.data(), environ);
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&files);
        close(ends[1]);
        input_ = ends[0];
        if (failure != 0) {
            process_ = -1;
            close(std::exchange(input_, -1));
            return Error{path_, fmt::format("cannot start {}: {}", program_, std::strerror(failure))};
        }
        return Done{};
    }

    /// Ends ffmpeg's input and waits for it. Zero: all went well.
    int wait()
    {
        if (input_ >= 0) close(std::exchange(input_, -1));
        if (process_ >= 0) {
            int status = 0;
            while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
            }
            process_ = -1;
            outcome_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        }
        return outcome_;
    }

    /// What it said on its error stream, so far.
    std::string complaints() const
    {
        if (!complaints_) return {};
        std::rewind(complaints_.get());
        char part[2000];
        std::string text(part, std::fread(part, 1, sizeof part, complaints_.get()));
        while (!text.empty() && text.back() == '\n') text.pop_back();
        return text;
    }

    Error stopped()
    {
        const int outcome = wait();
        const std::string text = complaints();
        return {path_, fmt::format("ffmpeg stopped ({}): {}", outcome, text.empty() ? "it gives no reason" : text)};
    }

    struct CloseFile {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };

    std::string program_, path_;
    NewFile file_;
    bool gif_;
    double rate_;
    std::vector<std::uint8_t> frame_;
    std::unique_ptr<std::FILE, CloseFile> complaints_;
    pid_t process_ = -1;
    int input_ = -1;
    int outcome_ = 0;
};

}  // namespace

SinkResult open_ffmpeg(const std::filesystem::path& path, std::string_view ending, double frames_per_second)
{
    const std::string program = find_program("ffmpeg");
    if (program.empty())
        return Error{path.string(),
                     fmt::format("{} needs the program ffmpeg, which is not installed (Debian: apt install "
                                 "ffmpeg); .webp works without it",
                                 ending)};
    auto file = NewFile::create(path);
    if (!file) return file.error();
    return std::unique_ptr<MovieSink>(
        std::make_unique<FfmpegMovie>(program, path.string(), *std::move(file), ending == ".gif", frames_per_second));
}

}  // namespace yawara::drawing
