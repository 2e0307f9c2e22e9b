#include "sim/touch_log.h"

#include <algorithm>

namespace yawara {
namespace {

TouchEvent event_of(const TouchLog::Found& found, TouchEvent::Phase phase)
{
    TouchEvent event;
    event.phase = phase;
    event.body = found.body;
    event.other = found.other;
    if (found.weight > 0) event.point = (found.point / found.weight).as<float>();
    event.normal = normalized(found.normal).as<float>();
    event.impulse = phase == TouchEvent::Phase::ended ? 0.0f : float(found.impulse);
    event.sensor = found.sensor;
    return event;
}

}  // namespace

void TouchLog::begin_frame(std::size_t room)
{
    std::swap(now_, last_);
    now_.clear();
    now_.reserve(room), last_.reserve(room), events_.reserve(2 * room);
}

void TouchLog::add(const Found& found)
{
    const auto place = std::lower_bound(now_.begin(), now_.end(), found.order,
                                        [](const Found& known, std::uint64_t order) { return known.order < order; });
    if (place == now_.end() || place->order != found.order) {
        now_.insert(place, found);
        return;
    }
    place->point += found.point;
    place->normal += found.normal;
    place->weight += found.weight;
    place->impulse += found.impulse;
}

void TouchLog::end_frame()
{
    events_.clear();
    auto before = last_.begin();
    const auto end_those_below = [&](std::uint64_t order) {
        for (; before != last_.end() && before->order < order; ++before)
            events_.push_back(event_of(*before, TouchEvent::Phase::ended));
    };
    for (const Found& found : now_) {
        end_those_below(found.order);
        const bool stays = before != last_.end() && before->order == found.order;
        if (stays) ++before;
        events_.push_back(event_of(found, stays ? TouchEvent::Phase::stayed : TouchEvent::Phase::began));
    }
    end_those_below(~std::uint64_t{0});
}

}  // namespace yawara
