#include "yawara/formula.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numbers>

namespace yawara {
namespace {

constexpr std::size_t kDeepest = 64;    ///< values that wait on the stack
constexpr std::size_t kLongest = 5000;  ///< characters
constexpr int kNumber = -1, kX = -2, kY = -3, kZ = -4;

double smooth_step(double low, double high, double v)
{
    const double t = std::clamp((v - low) / (high - low), 0.0, 1.0);
    return t * t * (3 - 2 * t);
}

/// The lower of two values with a rounded corner of size k (cubic).
double smooth_min(double a, double b, double k)
{
    const double h = std::max(k - std::abs(a - b), 0.0) / k;
    return std::min(a, b) - h * h * h * k / 6;
}

struct Function {
    std::string_view name;
    int arguments;
    double (*call)(const double* a);
};

constexpr std::array<Function, 33> kFunctions{{
    {"+", 2, [](const double* a) { return a[0] + a[1]; }},
    {"-", 2, [](const double* a) { return a[0] - a[1]; }},
    {"*", 2, [](const double* a) { return a[0] * a[1]; }},
    {"/", 2, [](const double* a) { return a[0] / a[1]; }},
    {"^", 2, [](const double* a) { return std::pow(a[0], a[1]); }},
    {"minus", 1, [](const double* a) { return -a[0]; }},
    {"abs", 1, [](const double* a) { return std::abs(a[0]); }},
    {"acos", 1, [](const double* a) { return std::acos(std::clamp(a[0], -1.0, 1.0)); }},
    {"asin", 1, [](const double* a) { return std::asin(std::clamp(a[0], -1.0, 1.0)); }},
    {"atan", 1, [](const double* a) { return std::atan(a[0]); }},
    {"atan2", 2, [](const double* a) { return std::atan2(a[0], a[1]); }},
    {"ceil", 1, [](const double* a) { return std::ceil(a[0]); }},
    {"clamp", 3, [](const double* a) { return std::max(a[1], std::min(a[0], a[2])); }},
    {"cos", 1, [](const double* a) { return std::cos(a[0]); }},
    {"exp", 1, [](const double* a) { return std::exp(a[0]); }},
    {"floor", 1, [](const double* a) { return std::floor(a[0]); }},
    {"hypot", 2, [](const double* a) { return std::hypot(a[0], a[1]); }},
    {"length", 3, [](const double* a) { return std::hypot(a[0], a[1], a[2]); }},
    {"log", 1, [](const double* a) { return std::log(a[0]); }},
    {"max", 2, [](const double* a) { return std::max(a[0], a[1]); }},
    {"min", 2, [](const double* a) { return std::min(a[0], a[1]); }},
    {"mix", 3, [](const double* a) { return a[0] + (a[1] - a[0]) * a[2]; }},
    {"mod", 2, [](const double* a) { return a[0] - a[1] * std::floor(a[0] / a[1]); }},
    {"sign", 1, [](const double* a) { return double((a[0] > 0) - (a[0] < 0)); }},
    {"sin", 1, [](const double* a) { return std::sin(a[0]); }},
    {"smoothmax", 3, [](const double* a) { return -smooth_min(-a[0], -a[1], a[2]); }},
    {"smoothmin", 3, [](const double* a) { return smooth_min(a[0], a[1], a[2]); }},
    {"smoothstep", 3, [](const double* a) { return smooth_step(a[0], a[1], a[2]); }},
    {"sqrt", 1, [](const double* a) { return std::sqrt(std::max(a[0], 0.0)); }},
    {"step", 2, [](const double* a) { return a[1] >= a[0] ? 1.0 : 0.0; }},
    {"tan", 1, [](const double* a) { return std::tan(a[0]); }},
    {"tanh", 1, [](const double* a) { return std::tanh(a[0]); }},
    {"pow", 2, [](const double* a) { return std::pow(a[0], a[1]); }},
}};
constexpr int kFirstNamed = 6;

int find_function(std::string_view name)
{
    for (std::size_t k = 0; k < kFunctions.size(); ++k)
        if (kFunctions[k].name == name) return int(k);
    return -1;
}

bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

}  // namespace

/// sum := product (+|- product)*; product := signed (*|/ signed)*; signed := -signed | power; power := atom (^ signed)?
class FormulaParser {
public:
    explicit FormulaParser(std::string_view text) : text_(text) {}

    Result<Formula> run()
    {
        if (text_.size() > kLongest) return Error{"", "is longer than " + std::to_string(kLongest) + " characters"};
        sum();
        skip();
        if (error_.empty() && at_ < text_.size()) fail(std::string("unexpected \"") + text_[at_] + "\"");
        if (!error_.empty()) return Error{"", error_};
        Formula formula;
        formula.code_ = std::move(code_);
        return formula;
    }

private:
    void fail(const std::string& what)
    {
        if (error_.empty())
            error_ = what + " at place " + std::to_string(at_ + 1) + " of \"" + std::string(text_) + "\"";
    }
    void skip()
    {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    }
    bool accept(char c)
    {
        skip();
        if (at_ >= text_.size() || text_[at_] != c || !error_.empty()) return false;
        ++at_;
        return true;
    }
    void emit(int operation, double number = 0)
    {
        depth_ += operation < 0 ? 1 : 1 - std::size_t(kFunctions[std::size_t(operation)].arguments);
        if (depth_ > kDeepest - 1) fail("nested too deeply");
        code_.push_back({operation, number});
    }
    void sum()
    {
        if (++nesting_ > kDeepest) fail("nested too deeply");
        if (!error_.empty()) return;
        product();
        while (error_.empty()) {
            if (accept('+'))
                product(), emit(find_function("+"));
            else if (accept('-'))
                product(), emit(find_function("-"));
            else
                break;
        }
        --nesting_;
    }
    void product()
    {
        with_sign();
        while (error_.empty()) {
            if (accept('*'))
                with_sign(), emit(find_function("*"));
            else if (accept('/'))
                with_sign(), emit(find_function("/"));
            else
                break;
        }
    }
    void with_sign()
    {
        if (++nesting_ > kDeepest) fail("nested too deeply");
        if (!error_.empty()) return;
        if (accept('-')) {
            with_sign();
            emit(find_function("minus"));
        } else {
            atom();
            if (accept('^')) with_sign(), emit(find_function("^"));
        }
        --nesting_;
    }
    void atom()
    {
        skip();
        if (!error_.empty()) return;
        if (at_ >= text_.size()) return fail("the formula ends where a value is expected");
        const char c = text_[at_];
        if (accept('(')) {
            sum();
            if (!accept(')')) fail("expected \")\"");
        } else if (is_digit(c) || c == '.') {
            double value = 0;
            const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
            if (error != std::errc{}) return fail("not a number");
            at_ = std::size_t(end - text_.data());
            emit(kNumber, value);
        } else if (is_letter(c)) {
            name();
        } else {
            fail(std::string("unexpected \"") + c + "\"");
        }
    }
    void name()
    {
        const std::size_t begin = at_;
        while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
        const std::string_view word = text_.substr(begin, at_ - begin);
        if (word == "x") return emit(kX);
        if (word == "y") return emit(kY);
        if (word == "z") return emit(kZ);
        if (word == "pi") return emit(kNumber, std::numbers::pi);
        const int function = find_function(word);
        if (function < kFirstNamed) {
            at_ = begin;
            return fail("\"" + std::string(word) + "\" is not known; there are x, y, z, pi and " + formula_functions());
        }
        if (!accept('(')) return fail("expected \"(\" after " + std::string(word));
        const int wanted = kFunctions[std::size_t(function)].arguments;
        for (int k = 0; k < wanted; ++k) {
            if (k > 0 && !accept(','))
                return fail(std::string(word) + " takes " + std::to_string(wanted) + " values; expected \",\"");
            sum();
        }
        if (!accept(')'))
            return fail(std::string(word) + " takes " + std::to_string(wanted) + " values; expected \")\"");
        emit(function);
    }

    std::string_view text_;
    std::size_t at_ = 0, depth_ = 0, nesting_ = 0;
    std::vector<Formula::Code> code_;
    std::string error_;
};

Result<Formula> Formula::parse(std::string_view text)
{
    return FormulaParser(text).run();
}

double Formula::operator()(Vec3d point) const
{
    double stack[kDeepest];
    std::size_t top = 0;
    for (const Code& c : code_) {
        if (c.operation == kNumber) {
            stack[top++] = c.number;
        } else if (c.operation < 0) {
            stack[top++] = c.operation == kX ? point.x : c.operation == kY ? point.y : point.z;
        } else {
            const Function& f = kFunctions[std::size_t(c.operation)];
            top -= std::size_t(f.arguments);
            stack[top] = f.call(stack + top);
            ++top;
        }
    }
    return stack[0];
}

Result<std::function<double(double x, double z, double time)>> parse_waves(std::string_view text)
{
    // As a formula of a place, whose y is the time.
    std::string of_place(text);
    const auto is_letter = [&](std::size_t k) {
        return k < text.size() && (std::isalnum(static_cast<unsigned char>(text[k])) || text[k] == '_');
    };
    for (std::size_t k = 0; k < text.size(); ++k) {
        if (!is_letter(k) || (k > 0 && is_letter(k - 1)) || is_letter(k + 1)) continue;  // part of a longer word
        if (text[k] == 'y') return Error{"", "a formula of x, z and t has no y"};
        if (text[k] == 't') of_place[k] = 'y';
    }
    auto formula = Formula::parse(of_place);
    if (!formula) return formula.error();
    return std::function<double(double x, double z, double time)>(
        [formula = *std::move(formula)](double x, double z, double time) {
            return formula({x, time, z});
        });
}

std::string formula_functions()
{
    std::string names;
    for (std::size_t k = kFirstNamed; k < kFunctions.size(); ++k)
        names += (names.empty() ? "" : " ") + std::string(kFunctions[k].name);
    return names;
}

}  // namespace yawara
