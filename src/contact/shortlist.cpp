#include "contact/shortlist.h"

namespace yawara::contact {

std::span<const Candidate> Shortlist::of(std::span<const Candidate> list, float gap, float inside_gap, float room)
{
    constexpr float kTooMuch = 3;  // rooms: then a shorter one is worth reading the list
    if (gap > gap_ || inside_gap > inside_gap_ || gap + kTooMuch * room < gap_) {
        gap_ = gap + room;
        inside_gap_ = inside_gap + room;
        if (near_.size() < list.size()) near_.resize(list.size());
        count_ = 0;
        for (const Candidate& candidate : list) {
            near_[count_] = candidate;
            count_ += std::size_t(!((candidate.gap > gap_) & (candidate.inside_gap > inside_gap_)));
        }
    }
    return {near_.data(), count_};
}

}  // namespace yawara::contact
