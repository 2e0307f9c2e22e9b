// Playing, stepping, scrubbing, comparing.
#include "stream/handlers/handler.h"
#include "stream/session.h"

namespace yawara::stream {

Status act(Session& session, ClientId, const messages::ClientPlay& message)
{
    session.player().play(message.playing);
    session.moved();
    return Done{};
}

Status act(Session& session, ClientId, const messages::ClientStep& message)
{
    session.player().step(static_cast<int>(message.frames));
    session.moved();
    return Done{};
}

Status act(Session& session, ClientId, const messages::ClientContinue&)
{
    session.player().go_on();
    session.moved();
    return Done{};
}

Status act(Session& session, ClientId, const messages::ClientTake& message)
{
    const Status done = session.player().change_take(message);
    if (!done) return done;
    session.hub().send_all(session.player().all_takes());
    session.moved();
    return Done{};
}

Status act(Session& session, ClientId, const messages::ClientReset&)
{
    session.player().reset();
    session.moved();
    return Done{};
}

Status act(Session& session, ClientId, const messages::ClientSpeed& message)
{
    session.player().set_speed(message.factor);
    session.send_status();
    return Done{};
}

Status act(Session& session, ClientId, const messages::ClientSeek& message)
{
    const Status found = session.player().seek(message.frame);
    session.moved();
    return found;
}

Status act(Session& session, ClientId client, const messages::ClientCompare& message)
{
    session.compare(client, message);
    return Done{};
}

Status act(Session& session, ClientId, const messages::ClientThreads& message)
{
    session.player().set_threads(static_cast<int>(message.count));
    session.send_status();
    return Done{};
}

Status act(Session& session, ClientId, const messages::ClientCancel&)
{
    session.cancel();
    return Done{};
}

}  // namespace yawara::stream
