#include "event_log.h"

#include <fmt/format.h>

#include "outputs.h"

namespace yawara::cli {
namespace {

const char* word(TouchEvent::Phase phase)
{
    switch (phase) {
        case TouchEvent::Phase::began:
            return "touch_began";
        case TouchEvent::Phase::stayed:
            return "touch_stayed";
        case TouchEvent::Phase::ended:
            return "touch_ended";
    }
    return "";
}

const char* word(SceneEvent::What what)
{
    switch (what) {
        case SceneEvent::What::slept:
            return "slept";
        case SceneEvent::What::woke:
            return "woke";
        case SceneEvent::What::repaired:
            return "repaired";
        case SceneEvent::What::exploded:
            return "exploded";
        case SceneEvent::What::lost_joint:
            return "lost_joint";
    }
    return "";
}

}  // namespace

Result<EventLog> EventLog::create(const std::filesystem::path& csv)
{
    if (Status folder = make_folder_of(csv); !folder) return folder.error();
    auto place = NewFile::create(csv);
    if (!place) return place.error();
    auto file = OutFile::create(place->path());
    if (!file) return file.error();
    file->write("frame,time,event,body,other,sensor,x,y,z,normal_x,normal_y,normal_z,impulse\n");
    return EventLog(*std::move(place), *std::move(file));
}

Status EventLog::frame(LoadedScene& loaded, std::size_t number)
{
    const Scene& scene = loaded.scene();
    const std::string when = fmt::format("{},{:.9g}", number, scene.time());
    for (const TouchEvent& touch : scene.touches()) {
        const auto* body = std::get_if<BodyId>(&touch.other);
        const std::string& other = body ? loaded.identity(*body) : loaded.identity(std::get<ColliderId>(touch.other));
        file_.write(fmt::format("{},{},{},{},{:d},{},{},{},{},{},{},{}\n", when, word(touch.phase),
                                loaded.identity(touch.body), other, touch.sensor, touch.point.x, touch.point.y,
                                touch.point.z, touch.normal.x, touch.normal.y, touch.normal.z, touch.impulse));
        ++rows_;
    }
    for (const SceneEvent& event : scene.events()) {
        const auto* body = std::get_if<BodyId>(&event.who);
        file_.write(
            fmt::format("{},{},{},,,,,,,,,\n", when, word(event.what), body ? loaded.identity(*body) : std::string()));
        ++rows_;
    }
    return file_.flush();
}

Status EventLog::finish()
{
    return place_.put_in_place();
}

}  // namespace yawara::cli
