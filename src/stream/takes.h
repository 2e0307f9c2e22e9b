// Recordings of a scene that plays. Each is a take: moments in the order of their frames. Going on from a frame before
// the end makes a new one, which shares the moments up to there.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "stream/stage.h"

namespace yawara::stream {

/// Bytes of all moments that are held; the last to hold one may be another thread.
using Ledger = std::atomic<std::size_t>;

/// All that moves, at the end of a frame. Counts itself in a ledger for as long as it is held.
class Moment {
public:
    Moment(LoadedScene& loaded, std::shared_ptr<Ledger> ledger);
    ~Moment() { *ledger_ -= bytes; }
    Moment(const Moment&) = delete;
    Moment& operator=(const Moment&) = delete;

    std::int64_t frame = 0, steps = 0;
    double time = 0;
    std::vector<BodyState> states;
    std::size_t bytes = 0;

private:
    std::shared_ptr<Ledger> ledger_;
};

struct Take {
    int id = 0;
    std::string name;
    bool kept = false;       ///< a person wants it: it is not forgotten for want of memory
    bool recorded = false;   ///< it has moments of its own
    bool shortened = false;  ///< its first frames were forgotten
    std::shared_ptr<Stage> stage;
    std::deque<std::shared_ptr<const Moment>> moments;  ///< of consecutive frames

    std::int64_t first() const { return moments.front()->frame; }
    std::int64_t last() const { return moments.back()->frame; }
    /// Nothing was recorded yet: it may become another.
    bool is_blank() const { return !recorded && !kept; }
};

/// A take as it is listed. `bytes`: also of moments that it shares.
struct TakeInfo {
    int id = 0;
    std::string name;
    std::int64_t first = 0, last = 0;
    std::size_t bytes = 0;
    bool kept = false, shown = false;
    friend bool operator==(const TakeInfo&, const TakeInfo&) = default;
};

class Takes {
public:
    static constexpr std::size_t kMostBytes = std::size_t{400} << 20;
    static constexpr std::size_t kMostMoments = 36'000;  ///< of a take: ten minutes at 60 frames a second

    /// Begins with one take.
    explicit Takes(std::shared_ptr<Stage> stage);

    Take& shown() { return *shown_; }
    const Take& shown() const { return *shown_; }
    std::vector<TakeInfo> list() const;

    /// A take of its own that begins with the first moments of the one shown, and is shown from now on. A blank one
    /// becomes it.
    Take& branch(std::size_t moments, std::shared_ptr<Stage> stage);
    /// Adds what the stage of the take shown is like now, and makes room for it.
    void record();
    /// The only moment of the take shown is what its stage is like now.
    void restart();

    /// Null if there is no such take any more.
    const Take* find(int id) const;
    Status show(int id);
    /// Another is looked at beside the one shown; 0: none. It is not forgotten meanwhile.
    void set_beside(int id) { beside_ = id; }
    int beside() const { return beside_; }
    Status keep(int id, bool kept);
    Status rename(int id, std::string name);
    /// What is shown, or beside it, cannot be removed.
    Status remove(int id);

    /// Another stage takes the place of one whose states fit it.
    void exchange(const std::shared_ptr<Stage>& before, const std::shared_ptr<Stage>& after);

    /// Somebody else holds moments: as long as this is held no take is forgotten, for that would not make room.
    std::shared_ptr<void> lend();

    /// Bytes of all moments, each counted once.
    std::size_t bytes() const { return *ledger_; }
    void set_most_bytes(std::size_t bytes) { most_bytes_ = bytes; }
    /// What was forgotten since this was last asked, in words.
    std::vector<std::string> news() { return std::exchange(news_, {}); }

private:
    Result<Take*> named(int id);
    void make_room();

    std::shared_ptr<Ledger> ledger_ = std::make_shared<Ledger>(0);
    std::deque<std::unique_ptr<Take>> takes_;  ///< the oldest first
    Take* shown_ = nullptr;
    int beside_ = 0;
    int last_id_ = 0;
    std::size_t most_bytes_ = kMostBytes;
    std::weak_ptr<void> lent_;
    std::vector<std::string> news_;
};

}  // namespace yawara::stream
