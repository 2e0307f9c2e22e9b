// Films from pictures that a page draws: what the server's thread answers, and what comes out.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <memory>

#include "scene_file/json.h"
#include "stream/films.h"

using namespace yawara;
using namespace yawara::stream;
using scene_file::Json;

namespace {

struct Desk {
    std::map<std::string, std::string> handed_out;  ///< by name
    std::unique_ptr<Films> films = std::make_unique<Films>([this](const std::string& name, std::string bytes) {
        handed_out[name] = std::move(bytes);
        return "/download/" + name;
    });

    Response post(std::map<std::string, std::string> query, std::string body = "")
    {
        return films->take(Request{"/film", std::move(query), true, std::move(body)});
    }
    Json ask(std::map<std::string, std::string> query, std::string body = "")
    {
        return Json::parse(*post(std::move(query), std::move(body)).body);
    }
    std::string begin(const std::string& name)
    {
        return ask({{"width", "16"}, {"height", "8"}, {"rate", "30"}, {"name", name}}).at("film");
    }
};

const std::string kPicture(16 * 8 * 4, '\x80');

}  // namespace

TEST_CASE("pictures become an MP4, however slowly they are taken, and the address comes when it is whole")
{
    Desk desk;
    const std::string film = desk.begin("jump");
    for (int k = 0; k < 30;) k += desk.post({{"to", film}}, kPicture).status == 200;  // 429: later
    Json told = desk.ask({{"to", film}, {"end", "1"}});
    while (!told.contains("url") && !told.contains("error")) told = desk.ask({{"to", film}});
    REQUIRE(told.value("error", "") == "");
    CHECK(told["url"] == "/download/jump.mp4");
    const std::string& bytes = desk.handed_out.at("jump.mp4");
    CHECK(bytes.substr(4, 4) == "ftyp");
    CHECK(bytes.find("avc1") != std::string::npos);
    CHECK(desk.post({{"to", film}}, kPicture).status == 400);
}

TEST_CASE("a film that is thrown away, or replaced by another, is not handed out")
{
    Desk desk;
    const std::string first = desk.begin("first");
    CHECK(desk.post({{"to", first}}, kPicture).status == 200);
    const std::string second = desk.begin("second");
    CHECK(desk.post({{"to", first}}, kPicture).status == 404);
    CHECK(desk.post({{"to", second}, {"end", "0"}}).status == 200);
    CHECK(desk.post({{"to", second}}).status == 404);
    desk.films.reset();  // waits for its threads
    CHECK(desk.handed_out.empty());
}

TEST_CASE("what is no film or no picture is refused with a reason")
{
    Desk desk;
    for (const char* side : {"0", "1", "5000", "7.5", "x", ""})
        CHECK(desk.post({{"width", side}, {"height", "8"}, {"rate", "30"}}).status == 400);
    CHECK(desk.post({{"width", "8"}, {"height", "8"}, {"rate", "0"}}).status == 400);
    CHECK(desk.post({{"to", ""}}).status == 404);
    const std::string film = desk.begin("x");
    CHECK(desk.ask({{"to", film}}, kPicture + "more")["error"] == "film: a picture of 16 x 8 has 512 bytes, not 516");
}
