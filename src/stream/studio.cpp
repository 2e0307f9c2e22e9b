// The public face of the studio: a session behind a handle.
#include <system_error>

#include "stream/session.h"

namespace yawara {

struct Studio::Data {
    std::unique_ptr<stream::Session> session;
};

Studio::Studio(std::unique_ptr<Data> data) : data_(std::move(data)) {}
Studio::~Studio() = default;
Studio::Studio(Studio&&) noexcept = default;
Studio& Studio::operator=(Studio&&) noexcept = default;

Result<Studio> Studio::start(StudioOptions options)
{
    std::error_code error;
    if (!std::filesystem::exists(options.page / "index.html", error))
        return Error{(options.page / "index.html").string(), "is missing: the page of the studio was not built"};
    std::filesystem::create_directories(options.state, error);
    auto journal = stream::Journal::open(options.state);
    if (!journal) return journal.error();
    auto session = std::make_unique<stream::Session>(std::move(options), *std::move(journal));
    if (Status started = session->start(); !started) return started.error();
    auto data = std::make_unique<Data>();
    data->session = std::move(session);
    return Studio(std::move(data));
}

const std::string& Studio::url() const
{
    return data_->session->url();
}

bool Studio::has_lost_work() const
{
    return data_->session->has_lost_work();
}

}  // namespace yawara
