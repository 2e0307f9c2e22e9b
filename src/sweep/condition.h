// A condition on the parameters of a run: `young > 2 * density`.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "yawara/formula.h"

namespace yawara::sweep {

class Condition {
public:
    /// A comparison of two formulas in which parameters, at most three, stand by their names.
    static Result<Condition> parse(const std::string& text, std::span<const std::string> names);
    bool operator()(std::span<const double> values) const;
    /// Numbers of the parameters that it speaks of.
    std::span<const std::size_t> parameters() const { return parameters_; }

private:
    Condition(Formula left, Formula right) : left_(std::move(left)), right_(std::move(right)) {}

    enum class Relation { less, at_most, more, at_least, equal, different };
    Formula left_, right_;
    Relation relation_ = Relation::less;
    std::vector<std::size_t> parameters_;  ///< what x, y and z of the formulas are
};

}  // namespace yawara::sweep
