// Formulas of a place in scene files: "sqrt(x*x + z*z) - 0.5". Parsed once, evaluated often.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "yawara/core.h"
#include "yawara/math.h"

namespace yawara {

/// Numbers, x, y, z, pi, + - * / ^, parentheses and the functions that formula_functions() lists.
class Formula {
public:
    /// Refuses with the place in the text, counted from 1.
    static Result<Formula> parse(std::string_view text);
    double operator()(Vec3d point) const;

private:
    friend class FormulaParser;
    struct Code {
        int operation;  ///< of a table in formula.cpp; below 0: push a number or a coordinate
        double number = 0;
    };
    std::vector<Code> code_;  ///< in reverse Polish order
};

/// A formula of x, z and the time t, such as the waves of a water have it.
Result<std::function<double(double x, double z, double time)>> parse_waves(std::string_view text);

/// "abs acos ...", for messages and the reference.
std::string formula_functions();

}  // namespace yawara
