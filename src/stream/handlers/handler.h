// What each message of a page does: one function act() per message, in the files of this folder, and a table of them.
// Their shape was checked by the schema; those that mean a document were checked to mean the one that is open.
#pragma once

#include <string_view>
#include <vector>

#include "messages.h"
#include "stream/server.h"

namespace yawara::stream {

class Session;

/// Finds the handler of a message; what it refuses is told to the page.
void handle(Session& session, ClientId client, const messages::Json& message);
/// Types of the messages that have one.
std::vector<std::string_view> handled_types();

// ---- time.cpp
Status act(Session& session, ClientId client, const messages::ClientPlay& message);
Status act(Session& session, ClientId client, const messages::ClientStep& message);
Status act(Session& session, ClientId client, const messages::ClientContinue& message);
Status act(Session& session, ClientId client, const messages::ClientTake& message);
Status act(Session& session, ClientId client, const messages::ClientReset& message);
Status act(Session& session, ClientId client, const messages::ClientSpeed& message);
Status act(Session& session, ClientId client, const messages::ClientSeek& message);
Status act(Session& session, ClientId client, const messages::ClientCompare& message);
Status act(Session& session, ClientId client, const messages::ClientThreads& message);
Status act(Session& session, ClientId client, const messages::ClientCancel& message);
// ---- hands.cpp
Status act(Session& session, ClientId client, const messages::ClientGrab& message);
Status act(Session& session, ClientId client, const messages::ClientDrag& message);
Status act(Session& session, ClientId client, const messages::ClientRelease& message);
Status act(Session& session, ClientId client, const messages::ClientThrow& message);
Status act(Session& session, ClientId client, const messages::ClientBall& message);
// ---- editing.cpp
Status act(Session& session, ClientId client, const messages::ClientEdit& message);
Status act(Session& session, ClientId client, const messages::ClientUndo& message);
Status act(Session& session, ClientId client, const messages::ClientRedo& message);
Status act(Session& session, ClientId client, const messages::ClientPin& message);
Status act(Session& session, ClientId client, const messages::ClientUnpin& message);
// ---- files.cpp
Status act(Session& session, ClientId client, const messages::ClientSave& message);
Status act(Session& session, ClientId client, const messages::ClientOpen& message);
Status act(Session& session, ClientId client, const messages::ClientAdd& message);
Status act(Session& session, ClientId client, const messages::ClientRestore& message);
Status act(Session& session, ClientId client, const messages::ClientForget& message);
Status act(Session& session, ClientId client, const messages::ClientExport& message);
Status act(Session& session, ClientId client, const messages::ClientFit& message);
// ---- seeing.cpp
Status act(Session& session, ClientId client, const messages::ClientView& message);
Status act(Session& session, ClientId client, const messages::ClientResend& message);
Status act(Session& session, ClientId client, const messages::ClientAsk& message);

}  // namespace yawara::stream
