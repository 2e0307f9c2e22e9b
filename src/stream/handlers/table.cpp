// The table: a message becomes its struct, is checked to mean the open document if it means one, and acts.
#include <algorithm>
#include <array>
#include <exception>
#include <optional>

#include "stream/handlers/handler.h"
#include "stream/session.h"

namespace yawara::stream {

namespace {

struct Handler {
    std::string_view type;
    void (*call)(Session& session, ClientId client, const Json& json);
};

template <class Message>
Status obey(Session& session, ClientId client, const Message& message)
{
    if constexpr (requires { message.revision; }) {
        if (Status meets = session.documents().meets(message.document, message.revision); !meets) return meets;
    } else if constexpr (requires { message.document; }) {
        if (Status meets = session.documents().meets(message.document, std::nullopt); !meets) return meets;
    }
    return act(session, client, message);
}

template <class Message>
void call(Session& session, ClientId client, const Json& json)
{
    const auto message = json.get<Message>();
    const Status done = obey(session, client, message);
    if (done) return;
    std::optional<std::int64_t> edit;
    if constexpr (requires { message.edit; }) edit = message.edit;
    session.hub().refuse(client, json.at("type").get<std::string>(), done.error(), edit);
    if constexpr (requires { message.revision; })  // the page has lost track of it
        if (message.revision != session.documents().revision() || message.document != session.documents().id())
            session.hub().send(client, session.documents().full_message());
}

constexpr std::array kHandlers{
    Handler{"play", call<messages::ClientPlay>},         Handler{"step", call<messages::ClientStep>},
    Handler{"continue", call<messages::ClientContinue>}, Handler{"take", call<messages::ClientTake>},
    Handler{"reset", call<messages::ClientReset>},       Handler{"speed", call<messages::ClientSpeed>},
    Handler{"seek", call<messages::ClientSeek>},         Handler{"compare", call<messages::ClientCompare>},
    Handler{"threads", call<messages::ClientThreads>},   Handler{"cancel", call<messages::ClientCancel>},
    Handler{"grab", call<messages::ClientGrab>},         Handler{"drag", call<messages::ClientDrag>},
    Handler{"release", call<messages::ClientRelease>},   Handler{"throw", call<messages::ClientThrow>},
    Handler{"ball", call<messages::ClientBall>},         Handler{"edit", call<messages::ClientEdit>},
    Handler{"undo", call<messages::ClientUndo>},         Handler{"redo", call<messages::ClientRedo>},
    Handler{"pin", call<messages::ClientPin>},           Handler{"unpin", call<messages::ClientUnpin>},
    Handler{"save", call<messages::ClientSave>},         Handler{"open", call<messages::ClientOpen>},
    Handler{"add", call<messages::ClientAdd>},           Handler{"restore", call<messages::ClientRestore>},
    Handler{"forget", call<messages::ClientForget>},     Handler{"export", call<messages::ClientExport>},
    Handler{"view", call<messages::ClientView>},         Handler{"resend", call<messages::ClientResend>},
    Handler{"ask", call<messages::ClientAsk>},           Handler{"fit", call<messages::ClientFit>},
};

}  // namespace

void handle(Session& session, ClientId client, const Json& message)
{
    const auto type = message.at("type").get<std::string>();
    const auto handler = std::ranges::find(kHandlers, type, &Handler::type);
    if (handler == kHandlers.end()) return;
    try {
        handler->call(session, client, message);
    } catch (const std::exception&) {  // of a library, in words that are not for people
        session.hub().refuse(client, type, {"", "That did not work"});
    }
}

std::vector<std::string_view> handled_types()
{
    std::vector<std::string_view> types;
    for (const Handler& handler : kHandlers) types.push_back(handler.type);
    return types;
}

}  // namespace yawara::stream
