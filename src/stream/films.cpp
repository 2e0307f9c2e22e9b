// The movie writer feeds ffmpeg on a thread of its own, so that neither pages nor the simulation wait for it.
#include "stream/films.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "io/file.h"
#include "scene_file/json.h"
#include "stream/scratch_folder.h"
#include "yawara/render.h"

namespace yawara::stream {

using scene_file::Json;

namespace {

constexpr std::size_t kMostPicturesWaiting = 8;  // pictures
constexpr int kLongestSide = 4096;               // pixels

Response answer(int status, const Json& json)
{
    Response response;
    response.status = status;
    response.type = "application/json";
    response.body = std::make_shared<const std::string>(json.dump());
    return response;
}

Response refuse(int status, const Error& error)
{
    return answer(status, {{"error", error.message()}});
}

/// 0 if it is not a number.
double number_in(const Request& request, const char* key)
{
    const auto found = request.query.find(key);
    double number = 0;
    if (found == request.query.end()) return 0;
    const char* end = found->second.data() + found->second.size();
    return std::from_chars(found->second.data(), end, number).ptr == end ? number : 0;
}

/// What is left to say of a film.
Response tell(std::size_t waiting, const std::string& url, const std::optional<Error>& error)
{
    if (error) return refuse(500, *error);
    Json told{{"waiting", waiting}};
    if (!url.empty()) told["url"] = url;
    return answer(200, told);
}

}  // namespace

Films::Films(std::function<std::string(const std::string&, std::string)> offer) : offer_(std::move(offer)) {}

Films::~Films()
{
    throw_away();
    for (std::thread& thread : threads_) thread.join();
}

Response Films::take(Request request)
{
    const auto to = request.query.find("to");
    if (to == request.query.end()) return begin(request);
    if (!film_ || to->second != film_->number) return refuse(404, {"to", "there is no such film"});
    const auto end = request.query.find("end");
    if (end != request.query.end() && end->second != "1") {
        throw_away();
        return answer(200, Json::object());
    }
    Film& film = *film_;
    const std::lock_guard lock(film.mutex);
    if (end != request.query.end()) {
        film.ended = true;
    } else if (const std::size_t bytes = request.body.size(); bytes > 0) {
        const std::size_t wanted = std::size_t{4} * film.width * film.height;
        if (bytes != wanted)
            return refuse(400, {"film", fmt::format("a picture of {} x {} has {} bytes, not {}", film.width,
                                                    film.height, wanted, bytes)});
        if (film.ended) return refuse(400, {"film", "it has ended; no picture can follow"});
        if (film.waiting.size() >= kMostPicturesWaiting) return refuse(429, {"film", "too many pictures are waiting"});
        film.waiting.push_back(std::move(request.body));
    }
    film.changed.notify_all();
    return tell(film.waiting.size(), film.url, film.error);
}

Response Films::begin(const Request& request)
{
    const double width = number_in(request, "width"), height = number_in(request, "height");
    const double rate = number_in(request, "rate");
    const auto fits = [](double side) { return side >= 2 && side <= kLongestSide && side == double(int(side)); };
    if (!fits(width) || !fits(height) || !(rate >= 1 && rate <= 120))
        return refuse(400, {"film", fmt::format("expected sides of 2 to {} pixels, and 1 to 120 pictures a second",
                                                kLongestSide)});
    const auto number = random_token();
    if (!number) return refuse(500, number.error());
    const auto name = request.query.find("name");
    throw_away();
    film_ = std::make_shared<Film>();
    film_->number = *number;
    film_->name = (name == request.query.end() || name->second.empty() ? "film" : name->second.substr(0, 100)) + ".mp4";
    film_->width = int(width);
    film_->height = int(height);
    film_->rate = rate;
    threads_.emplace_back([this, film = film_] { make(*film); });
    return answer(200, {{"film", film_->number}});
}

void Films::throw_away()
{
    if (!film_) return;
    {
        const std::lock_guard lock(film_->mutex);
        film_->unwanted = true;
    }
    film_->changed.notify_all();
    film_.reset();
}

void Films::make(Film& film) const
{
    const ScratchFolder scratch("film");
    const std::filesystem::path file = scratch.path / "film.mp4";
    const auto encode = [&]() -> Result<std::string> {
        if (scratch.path.empty()) return Error{"film", "there is no room for temporary files"};
        auto movie = MovieWriter::open(file, film.rate);
        if (!movie) return Error{"MP4", movie.error().what};
        for (;;) {
            Image image{film.width, film.height, {}};
            {
                std::unique_lock lock(film.mutex);
                film.changed.wait(lock, [&] { return film.unwanted || film.ended || !film.waiting.empty(); });
                if (film.unwanted) return Error{"film", "cancelled"};
                if (film.waiting.empty()) break;
                image.rgba.assign(film.waiting.front().begin(), film.waiting.front().end());
                film.waiting.pop_front();
            }
            if (Status added = movie->add(image); !added) return Error{"MP4", added.error().what};
        }
        if (Status finished = movie->finish(); !finished) return Error{"MP4", finished.error().what};
        return io::read_file(file);
    };
    auto bytes = encode();
    std::string url = bytes ? offer_(film.name, *std::move(bytes)) : "";
    const std::lock_guard lock(film.mutex);
    film.url = std::move(url);
    if (!bytes) film.error = bytes.error();
    film.waiting.clear();
}

}  // namespace yawara::stream
