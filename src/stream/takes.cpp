// Moments are shared between takes; what none holds any more is freed. Nothing is forgotten without a word.
#include "stream/takes.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace yawara::stream {

namespace {

std::size_t bytes_of(const BodyState& state)
{
    return sizeof state + state.positions.size() * 24 +
           4 * (state.matching.rotations.size() + state.matching.stiffness.size() +
                state.matching.controls.size() + state.matching.heard.size() + state.matching.kept.size() +
                state.fem.front.size() + state.fem.plastic.size() + 3 * state.fem.accelerations.size() + 3 * state.fem.shear.size());
}

}  // namespace

Moment::Moment(LoadedScene& loaded, std::shared_ptr<Ledger> ledger)
    : frame(loaded.frame()), steps(loaded.scene().step_count()), time(loaded.scene().time()), ledger_(std::move(ledger))
{
    for (const BodyId id : loaded.scene().bodies()) {
        states.push_back(loaded.scene().state(id));
        bytes += bytes_of(states.back());
    }
    *ledger_ += bytes;
}

Takes::Takes(std::shared_ptr<Stage> stage)
{
    takes_.push_back(std::make_unique<Take>());
    shown_ = takes_.back().get();
    shown_->id = ++last_id_;
    shown_->name = fmt::format("Take {}", last_id_);
    shown_->stage = std::move(stage);
    restart();
}

std::vector<TakeInfo> Takes::list() const
{
    std::vector<TakeInfo> all;
    for (const auto& take : takes_) {
        std::size_t bytes = 0;
        for (const auto& moment : take->moments) bytes += moment->bytes;
        all.push_back({take->id, take->name, take->first(), take->last(), bytes, take->kept, take.get() == shown_});
    }
    return all;
}

Take& Takes::branch(std::size_t moments, std::shared_ptr<Stage> stage)
{
    std::deque<std::shared_ptr<const Moment>> shared(shown_->moments.begin(),
                                                     shown_->moments.begin() + std::ptrdiff_t(moments));
    if (!shown_->is_blank()) {
        takes_.push_back(std::make_unique<Take>());
        takes_.back()->shortened = moments > 0 && shown_->shortened;
        shown_ = takes_.back().get();
        shown_->id = ++last_id_;
        shown_->name = fmt::format("Take {}", last_id_);
    }
    shown_->stage = std::move(stage);
    shown_->moments = std::move(shared);
    if (shown_->moments.empty()) restart();
    return *shown_;
}

void Takes::record()
{
    shown_->recorded = true;
    shown_->moments.push_back(std::make_shared<const Moment>(shown_->stage->loaded, ledger_));
    make_room();
}

void Takes::restart()
{
    shown_->moments.clear();
    shown_->moments.push_back(std::make_shared<const Moment>(shown_->stage->loaded, ledger_));
}

std::shared_ptr<void> Takes::lend()
{
    std::shared_ptr<void> lent = lent_.lock();
    if (!lent) lent = std::make_shared<int>(0);
    lent_ = lent;
    return lent;
}

void Takes::make_room()
{
    if (!lent_.expired()) return;
    while (*ledger_ > most_bytes_) {
        const auto oldest = std::ranges::find_if(takes_, [&](const auto& take) {
            return !take->kept && take.get() != shown_ && take->id != beside_;
        });
        if (oldest == takes_.end()) break;
        news_.push_back(
            fmt::format("\"{}\" was removed to make room. Keep a take that you want to have later.", (*oldest)->name));
        takes_.erase(oldest);
    }
    const auto too_long = [&] {
        return shown_->moments.size() > 2 && (*ledger_ > most_bytes_ || shown_->moments.size() > kMostMoments);
    };
    if (!too_long()) return;
    if (shown_->kept) {  // stays as it is; the recording goes on in another
        const std::string name = shown_->name;
        auto end = shown_->moments.back();
        shown_->moments.pop_back();
        Take& next = branch(0, shown_->stage);
        next.moments = {std::move(end)};
        next.recorded = true;
        news_.push_back(
            fmt::format("\"{}\" is as long as memory allows. Recording goes on in \"{}\".", name, next.name));
        return;
    }
    if (!std::exchange(shown_->shortened, true))
        news_.push_back(
            fmt::format("\"{}\" has filled the memory; its oldest frames are dropped from now on.", shown_->name));
    while (too_long()) shown_->moments.pop_front();
}

const Take* Takes::find(int id) const
{
    const auto found = std::ranges::find_if(takes_, [&](const auto& take) { return take->id == id; });
    return found == takes_.end() ? nullptr : found->get();
}

Result<Take*> Takes::named(int id)
{
    if (const Take* take = find(id)) return const_cast<Take*>(take);
    return Error{"take", "there is no such take any more"};
}

Status Takes::show(int id)
{
    const auto take = named(id);
    if (!take) return take.error();
    shown_ = *take;
    return Done{};
}

Status Takes::keep(int id, bool kept)
{
    const auto take = named(id);
    if (!take) return take.error();
    (*take)->kept = kept;
    return Done{};
}

Status Takes::rename(int id, std::string name)
{
    const auto take = named(id);
    if (!take) return take.error();
    if (name.empty()) return Error{"name", "is empty"};
    (*take)->name = std::move(name);
    return Done{};
}

Status Takes::remove(int id)
{
    const auto take = named(id);
    if (!take) return take.error();
    if (*take == shown_) return Error{"take", "is being shown; show another take first"};
    if (id == beside_) return Error{"take", "is being compared; end the comparison first"};
    std::erase_if(takes_, [&](const auto& each) { return each.get() == *take; });
    return Done{};
}

void Takes::exchange(const std::shared_ptr<Stage>& before, const std::shared_ptr<Stage>& after)
{
    for (const auto& take : takes_)
        if (take->stage == before) take->stage = after;
}

}  // namespace yawara::stream
