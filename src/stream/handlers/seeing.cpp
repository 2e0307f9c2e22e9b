// What a page is shown and told.
#include "stream/handlers/handler.h"
#include "stream/session.h"

namespace yawara::stream {

Status act(Session& session, ClientId client, const messages::ClientView& message)
{
    View view;
    view.solid = message.solid;
    view.color = message.color;
    if (message.cut) {
        const Vec3 normal = normalized(message.cut->normal);
        if (normal == Vec3{}) return Error{"cut.normal", "has no direction"};
        view.cut = CutPlane{message.cut->point, normal};
    }
    session.hub().set_view(client, std::move(view));
    return Done{};
}

Status act(Session& session, ClientId client, const messages::ClientResend&)
{
    session.hub().send(client, session.documents().full_message());
    return Done{};
}

Status act(Session& session, ClientId client, const messages::ClientAsk& message)
{
    session.questions().ask(client, message, session.player().run());
    return Done{};
}

}  // namespace yawara::stream
