// Who touches whom, frame by frame: events of touches, in the order of bodies.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "yawara/events.h"

namespace yawara {

class TouchLog {
public:
    /// A frame begins: what touched in the last one may end. So many touches allocate nothing.
    void begin_frame(std::size_t room);
    /// Something touched in a sub-step. `order`: of events, by which they are told apart; see Scene::touches.
    struct Found {
        std::uint64_t order;
        BodyId body;
        std::variant<BodyId, ColliderId> other;
        Vec3d point, normal;  ///< the sums of these over what touched, times `weight`
        double weight = 0, impulse = 0;
        bool sensor = false;
    };
    void add(const Found& found);
    /// A frame ends: began, stayed or ended.
    void end_frame();
    std::span<const TouchEvent> events() const { return events_; }
    /// What touched in the last frame, by order.
    std::span<const Found> now() const { return now_; }
    /// This touched in the last frame, in order; its events are forgotten.
    void restore(std::vector<Found> found)
    {
        now_ = std::move(found);
        events_.clear();
    }
    /// As if nothing had touched.
    void forget() { restore({}); }
    /// Bodies or obstacles were removed: order_of(found) tells the order now, or none if one of the two is gone.
    template <class OrderOf>
    void reorder(const OrderOf& order_of)
    {
        std::erase_if(now_, [&](Found& found) {
            const std::optional<std::uint64_t> order = order_of(found);
            if (order) found.order = *order;
            return !order;
        });
    }

private:
    std::vector<Found> now_, last_;  ///< by order
    std::vector<TouchEvent> events_;
};

}  // namespace yawara
