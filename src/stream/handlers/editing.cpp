// Changes of the document.
#include "stream/handlers/handler.h"
#include "stream/handlers/spot.h"
#include "stream/pins.h"
#include "stream/session.h"

namespace yawara::stream {

namespace {

/// Pins are set by what runs, which has to be what the document says.
template <class Edit>
Status edit_pins(Session& session, ClientId client, const messages::Spot& message, const char* label, Edit&& edit)
{
    Playback& run = session.player().run();
    const auto spot = spot_of(run, message);
    if (!spot) return spot.error();
    if (session.documents().has_unbuilt()) return Error{"spot", "wait until the scene is built"};
    const std::string& name = run.scene().model(run.scene().bodies()[run.number_of(*spot)]).name();
    auto next = edit(session.documents().content(), run, *spot);
    if (!next) return next.error();
    return session.change(label + name, "", *std::move(next), client, std::nullopt);
}

}  // namespace

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
    return edit_pins(session, client, message.spot, "Pin a point of ", with_pin);
}

Status act(Session& session, ClientId client, const messages::ClientUnpin& message)
{
    return edit_pins(session, client, message.spot, "Free a point of ", without_pin);
}

}  // namespace yawara::stream
