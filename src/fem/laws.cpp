// The laws that scenes can name. A new one is a file law_NAME.cpp and a line here.
#include "yawara/law.h"

namespace yawara {
namespace {

struct NamedLaw {
    std::string_view name;
    std::shared_ptr<const ElasticLaw> (*make)();
};
constexpr NamedLaw kLaws[] = {
    {"stvk", st_venant_kirchhoff_law},
    {"neo-hookean", neo_hookean_law},
    {"corotational", corotational_law},
};

}  // namespace

std::shared_ptr<const ElasticLaw> law_named(std::string_view name)
{
    for (const NamedLaw& law : kLaws)
        if (law.name == name) return law.make();
    return nullptr;
}

std::vector<std::string_view> law_names()
{
    std::vector<std::string_view> names;
    for (const NamedLaw& law : kLaws) names.push_back(law.name);
    return names;
}

}  // namespace yawara
