// Shortlists of candidates, against the lists they are made of.
#include <doctest/doctest.h>

#include <random>

#include "contact/shortlist.h"

using namespace yawara;
using namespace yawara::contact;

TEST_CASE("a shortlist holds all candidates within what was asked for, in their order, whatever was asked before")
{
    std::mt19937 random(7);
    std::uniform_real_distribution<float> any(0, 1);
    Shortlist shortlist;
    std::size_t read = 0, listed = 0;
    for (int list = 0; list < 5; ++list) {
        std::vector<Candidate> candidates;
        for (std::int32_t k = 0; k < 200 + 40 * list; ++k)
            candidates.push_back({k / 7, k % 7, any(random), any(random)});
        shortlist.forget();
        for (int step = 0; step < 50; ++step) {
            const float gap = 0.3f * any(random), inside_gap = 0.1f * any(random);
            const std::span<const Candidate> soon = shortlist.of(candidates, gap, inside_gap, 0.05f);
            read += soon.size();
            listed += candidates.size();
            CHECK(std::is_sorted(soon.begin(), soon.end()));
            const auto matters = [&](const Candidate& c) { return c.gap <= gap || c.inside_gap <= inside_gap; };
            CHECK(std::count_if(soon.begin(), soon.end(), matters) ==
                  std::count_if(candidates.begin(), candidates.end(), matters));
        }
    }
    CHECK(read < listed / 2);
}
