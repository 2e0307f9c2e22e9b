// Of a long list of candidates, those that the next few steps may bring close.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "contact/touch.h"

namespace yawara::contact {

/// Steps read it instead of the list, which is only read again when bodies have got farther than it knows of.
class Shortlist {
public:
    /// The list was made anew.
    void forget() { gap_ = inside_gap_ = -std::numeric_limits<float>::infinity(); }
    /// All candidates with no more than this `gap` or `inside_gap`, m, and some others, in the order of the list.
    /// `room`: so much more may be asked for, m, until the list is read again.
    std::span<const Candidate> of(std::span<const Candidate> list, float gap, float inside_gap, float room);

private:
    std::vector<Candidate> near_;  ///< the first count_ are in use
    std::size_t count_ = 0;
    float gap_ = -std::numeric_limits<float>::infinity(), inside_gap_ = gap_;  ///< what it holds, m
};

}  // namespace yawara::contact
