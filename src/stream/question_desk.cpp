// One question after the other, in the order they were asked.
#include "stream/question_desk.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <oneapi/tbb/task_arena.h>

#include "stream/frame.h"

namespace yawara::stream {

namespace {

constexpr std::size_t kMostQuestionsWaiting = 64;

Json text_answer(const messages::ClientAsk& question)
{
    messages::ServerAnswer answer;
    answer.id = question.id;
    return Json(answer);
}

std::string binary_answer(const messages::ClientAsk& question, const BinaryAnswer& answer)
{
    FrameWriter writer;
    writer.start(FrameKind::answer, static_cast<std::uint32_t>(question.id), 0, 0);
    for (const auto& array : answer.arrays)
        std::visit(
            [&](const auto& numbers) {
                const std::size_t bytes = numbers.size() * sizeof numbers[0];
                const bool whole = std::is_same_v<std::decay_t<decltype(numbers[0])>, std::uint32_t>;
                const auto room = writer.add(Section::answer, whole ? 1 : 0, 0, numbers.size(), bytes);
                std::memcpy(room.data(), numbers.data(), bytes);
            },
            array);
    return writer.bytes();
}

}  // namespace

QuestionDesk::QuestionDesk(SendText send_text, SendBinary send_binary)
    : send_text_(std::move(send_text)), send_binary_(std::move(send_binary)), thread_([this] { run(); })
{
}

QuestionDesk::~QuestionDesk()
{
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void QuestionDesk::ask(ClientId client, const messages::ClientAsk& question, Playback& run)
{
    const auto refuse = [&](const messages::ClientAsk& asked, const char* key, Json value) {
        Json answer = text_answer(asked);
        answer[key] = std::move(value);
        send_text_(client, answer);
    };
    if (Status good = check_query(question.about, question.query); !good)
        return refuse(question, "error", good.error().message());
    const Query* query = find_query(question.about);
    Waiting next{client, question, query, take_snapshot(run, query->needs_motion)};
    {
        const std::lock_guard lock(mutex_);
        const auto older = std::ranges::find_if(waiting_, [&](const Waiting& other) {
            return question.slot && other.client == client && other.question.slot == question.slot;
        });
        if (older != waiting_.end()) {
            refuse(older->question, "cancelled", true);
            waiting_.erase(older);
        }
        if (waiting_.size() >= kMostQuestionsWaiting) return refuse(question, "error", "the engine is busy; try again");
        waiting_.push_back(std::move(next));
    }
    changed_.notify_all();
}

void QuestionDesk::run()
{
    oneapi::tbb::task_arena arena(1);
    Mirror mirror;
    for (;;) {
        Waiting next;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return stop_ || !waiting_.empty(); });
            if (stop_) return;
            next = std::move(waiting_.front());
            waiting_.pop_front();
        }
        arena.execute([&] { answer(next, mirror); });
    }
}

void QuestionDesk::answer(const Waiting& waiting, Mirror& mirror)
{
    if (waiting.query->needs_motion) mirror.show(waiting.snapshot);
    const Result<Answer> answer = waiting.query->answer(waiting.question.query, waiting.snapshot, mirror);
    if (answer && std::holds_alternative<BinaryAnswer>(*answer))
        return send_binary_(waiting.client, binary_answer(waiting.question, std::get<BinaryAnswer>(*answer)));
    Json text = text_answer(waiting.question);
    if (answer)
        text["answer"] = std::get<Json>(*answer);
    else
        text["error"] = answer.error().message();
    send_text_(waiting.client, text);
}

}  // namespace yawara::stream
