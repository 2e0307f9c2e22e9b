// Taking hold, throwing, pushing with a ball.
#include <fmt/format.h>

#include "stream/handlers/handler.h"
#include "stream/handlers/spot.h"
#include "stream/session.h"

namespace yawara::stream {

namespace {

constexpr float kFastestThrow = 50;  // m/s

}  // namespace

Result<Spot> spot_of(Playback& run, const messages::Spot& message)
{
    Spot spot;
    spot.body = message.body;
    spot.triangle = static_cast<std::size_t>(message.triangle);
    for (std::size_t k = 0; k < 3; ++k) spot.weights[k] = static_cast<float>(message.weights[k]);
    if (!run.find(spot.body)) return Error{"spot.body", fmt::format("there is no body \"{}\"", spot.body)};
    if (!run.is_spot(spot)) return Error{"spot.triangle", "there is no such triangle: the scene has changed"};
    return spot;
}

Status act(Session& session, ClientId, const messages::ClientGrab& message)
{
    const auto spot = spot_of(session.player().run(), message.spot);
    if (!spot) return spot.error();
    session.player().each([&](Playback& run, int) {
        if (run.is_spot(*spot))
            run.grab(static_cast<int>(message.hold), *spot, message.target, message.radius.value_or(0));
    });
    session.moved();
    return Done{};
}

Status act(Session& session, ClientId, const messages::ClientDrag& message)
{
    session.player().each([&](Playback& run, int) { run.drag(static_cast<int>(message.hold), message.target); });
    session.hub().changed();
    return Done{};
}

Status act(Session& session, ClientId, const messages::ClientRelease& message)
{
    session.player().each([&](Playback& run, int) { run.release(static_cast<int>(message.hold)); });
    session.moved();
    return Done{};
}

Status act(Session& session, ClientId, const messages::ClientThrow& message)
{
    if (!session.player().run().find(message.body))
        return Error{"body", fmt::format("there is no body \"{}\"", message.body)};
    Vec3 velocity = message.velocity;
    if (length(velocity) > kFastestThrow) velocity = normalized(velocity) * kFastestThrow;
    session.player().each([&](Playback& run, int) {
        if (const auto number = run.find(message.body)) run.throw_body(*number, velocity);
    });
    session.moved();
    return Done{};
}

Status act(Session& session, ClientId, const messages::ClientBall& message)
{
    std::optional<Sphere> ball;
    if (message.center) ball = Sphere{message.center->as<double>(), message.radius};
    session.player().each([&](Playback& run, int) { run.set_ball(ball); });
    return Done{};
}

}  // namespace yawara::stream
