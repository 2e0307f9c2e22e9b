// Completion of verbs, options and files in bash, made from the same description the help text is made of.
#include "verbs.h"

namespace yawara::cli {

namespace {

std::string option_names(const CLI::App& app)
{
    std::string names;
    for (const CLI::Option* option : app.get_options())
        for (const std::string& name : option->get_lnames()) names += (names.empty() ? "--" : " --") + name;
    return names;
}

}  // namespace

std::string bash_completion(const CLI::App& app)
{
    std::string verbs, cases;
    for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
        verbs += verb->get_name() + " ";
        cases += fmt::format("        {}) options=\"{}\" ;;\n", verb->get_name(), option_names(*verb));
    }
    return fmt::format(
        "_yawara()\n"
        "{{\n"
        "    local word=\"${{COMP_WORDS[COMP_CWORD]}}\" options=\"{}\"\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "        COMPREPLY=($(compgen -W \"{}$options\" -- \"$word\"))\n"
        "        return\n"
        "    fi\n"
        "    case \"${{COMP_WORDS[1]}}\" in\n"
        "{}"
        "    esac\n"
        "    case \"$word\" in\n"
        "        -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
        "        *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
        "    esac\n"
        "}}\n"
        "complete -o filenames -F _yawara yawara\n",
        option_names(app), verbs, cases);
}

}  // namespace yawara::cli
