// Documents come and go, and leave as files.
#include "stream/handlers/handler.h"
#include "stream/session.h"

namespace yawara::stream {

Status act(Session& session, ClientId, const messages::ClientSave&)
{
    return session.save();
}

Status act(Session& session, ClientId client, const messages::ClientOpen& message)
{
    session.open(client, message);
    return Done{};
}

Status act(Session& session, ClientId client, const messages::ClientAdd& message)
{
    return session.add(client, message.upload, message.as.value_or("body"), message.into.value_or(""));
}

Status act(Session& session, ClientId client, const messages::ClientRestore& message)
{
    return session.restore(client, message.take);
}

Status act(Session& session, ClientId, const messages::ClientForget& message)
{
    return session.forget_recent(message.name);
}

Status act(Session& session, ClientId client, const messages::ClientExport& message)
{
    return session.export_as(client, message.format);
}

Status act(Session& session, ClientId client, const messages::ClientFit& message)
{
    return session.fit(client, message);
}

}  // namespace yawara::stream
