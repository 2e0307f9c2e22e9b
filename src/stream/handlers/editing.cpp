// Changes of the document.
#include "stream/handlers/handler.h"
#include "stream/handlers/spot.h"
#include "stream/session.h"

namespace yawara::stream {

Status act(Session& session, ClientId client, const messages::ClientEdit& message)
{
    auto next = session.documents().document().patched(Json(message.changes));
    if (!next) return next.error();
    return session.change(message.label, message.merge.value_or(""), *std::move(next), client, message.edit);
}

Status act(Session& session, ClientId, const messages::ClientUndo&)
{
    return session.undo_or_redo(true);
}

Status act(Session& session, ClientId, const messages::ClientRedo&)
{
    return session.undo_or_redo(false);
}

Status act(Session& session, ClientId client, const messages::ClientPin& message)
{
    const auto spot = spot_of(session.player().run(), message.spot);
    if (!spot) return spot.error();
    return session.pin(client, *spot, true);
}

Status act(Session& session, ClientId client, const messages::ClientUnpin& message)
{
    const auto spot = spot_of(session.player().run(), message.spot);
    if (!spot) return spot.error();
    return session.pin(client, *spot, false);
}

}  // namespace yawara::stream
