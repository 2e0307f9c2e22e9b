// Clips that are not whole yet: see clip_output.h.
#include "io/clip_output.h"

namespace yawara::io {

std::filesystem::path unfinished_name(const std::filesystem::path& path)
{
    std::filesystem::path name = path.stem();
    name += ".unfinished";
    name += path.extension();
    return path.parent_path() / name;
}

Result<UnfinishedClip> UnfinishedClip::for_file(const std::filesystem::path& out)
{
    if (!out.parent_path().empty()) {
        if (Status made = make_folder(out.parent_path()); !made) return made.error();
    }
    if (Status possible = check_replaceable(out); !possible) return possible.error();
    const std::filesystem::path target = without_links(out);
    std::error_code problem;
    if (std::filesystem::exists(target, problem) && !std::filesystem::is_regular_file(target, problem))
        return UnfinishedClip(target, target);  // a device, which cannot be replaced
    return UnfinishedClip(unfinished_name(target), target);
}

Result<UnfinishedClip> UnfinishedClip::for_folder(const std::filesystem::path& out, std::string_view format)
{
    if (Status made = make_folder(out); !made) return made.error();
    auto folder = UnfinishedFolder::create(out, format);
    if (!folder) return folder.error();
    UnfinishedClip clip(folder->path(), out);
    clip.folder_.emplace(*std::move(folder));
    return clip;
}

Status UnfinishedClip::put_in_place()
{
    if (folder_) return folder_->put_in_place();
    return path_ == out_ ? Status(Done{}) : move_into_place(path_, out_);
}

void UnfinishedClip::remove()
{
    std::error_code none;
    if (path_ != out_) std::filesystem::remove_all(path_, none);
}

std::string UnfinishedClip::with_final_names(std::string text) const
{
    const std::string from = path_.string(), to = out_.string();
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

}  // namespace yawara::io
