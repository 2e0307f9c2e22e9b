// Names of parameters become x, y and z of two formulas, which are parsed once.
#include "sweep/condition.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "yawara/spelling.h"

namespace yawara::sweep {

namespace {

bool is_word(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '[' || c == ']' || c == '*';
}

/// The longest name that the text begins with and that does not go on.
const std::string* name_at(std::string_view text, std::span<const std::string> names)
{
    const std::string* best = nullptr;
    for (const std::string& name : names) {
        if (!text.starts_with(name) ||
            (text.size() > name.size() && is_word(text[name.size()]) && text[name.size()] != '*'))
            continue;
        if (!best || name.size() > best->size()) best = &name;
    }
    return best;
}

}  // namespace

Result<Condition> Condition::parse(const std::string& text, std::span<const std::string> names)
{
    struct Word {
        std::string_view sign;
        Relation relation;
    };
    static constexpr std::array<Word, 6> kRelations{{{"<=", Relation::at_most},
                                                     {">=", Relation::at_least},
                                                     {"==", Relation::equal},
                                                     {"!=", Relation::different},
                                                     {"<", Relation::less},
                                                     {">", Relation::more}}};
    std::vector<std::size_t> used;
    std::string sides[2];
    int side = 0;
    Relation relation = Relation::less;
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view rest = std::string_view(text).substr(at);
        const auto sign = std::ranges::find_if(kRelations, [&](const Word& w) { return rest.starts_with(w.sign); });
        if (sign != kRelations.end()) {
            if (++side > 1)
                return Error{"where", fmt::format("\"{}\" compares more than once; give two conditions", text)};
            relation = sign->relation;
            at += sign->sign.size();
            continue;
        }
        const bool begins = at == 0 || !is_word(text[at - 1]) || text[at - 1] == '*';
        const std::string* name = begins ? name_at(rest, names) : nullptr;
        if (!name && begins && (rest.starts_with("x") || rest.starts_with("y") || rest.starts_with("z")) &&
            (rest.size() == 1 || !is_word(rest[1])))
            return Error{"where",
                         fmt::format("\"{}\": there is no parameter \"{}\"{}", text, rest[0],
                                     did_you_mean(rest.substr(0, 1), std::vector(names.begin(), names.end())))};
        if (!name) {
            sides[side] += text[at++];
            continue;
        }
        const auto number = static_cast<std::size_t>(name - names.data());
        auto known = std::ranges::find(used, number);
        if (known == used.end()) known = used.insert(used.end(), number);
        if (used.size() > 3) return Error{"where", fmt::format("\"{}\" mentions more than three parameters", text)};
        sides[side] += fmt::format("({})", "xyz"[known - used.begin()]);
        at += name->size();
    }
    if (side != 1) return Error{"where", fmt::format("\"{}\" compares nothing; expected <, <=, >, >=, == or !=", text)};
    if (used.empty())
        return Error{"where", fmt::format("\"{}\" mentions no parameter; they are {}", text, fmt::join(names, ", "))};
    auto left = Formula::parse(sides[0]), right = Formula::parse(sides[1]);
    for (const auto* formula : {&left, &right})
        if (!*formula) return Error{"where", fmt::format("\"{}\": {}", text, formula->error().what)};
    Condition condition(*std::move(left), *std::move(right));
    condition.relation_ = relation;
    condition.parameters_ = std::move(used);
    return condition;
}

bool Condition::operator()(std::span<const double> values) const
{
    double at[3]{};
    for (std::size_t k = 0; k < parameters_.size(); ++k) at[k] = values[parameters_[k]];
    const double left = left_({at[0], at[1], at[2]}), right = right_({at[0], at[1], at[2]});
    switch (relation_) {
        case Relation::less:
            return left < right;
        case Relation::at_most:
            return left <= right;
        case Relation::more:
            return left > right;
        case Relation::at_least:
            return left >= right;
        case Relation::equal:
            return left == right;
        case Relation::different:
            return left != right;
    }
    return false;
}

}  // namespace yawara::sweep
