// What was built before, found again by what it was made from. Shared by threads: each entry is immutable.
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "scene_file/build.h"
#include "scene_file/read_values.h"

namespace yawara::scene_file {

/// A file and those that it names in turn: a volume its mesh, a glTF its buffers.
std::vector<std::filesystem::path> files_behind(const std::filesystem::path& file);

/// Text about the files that a document names at places that begin with one of these: another one when a file, or one
/// that it names in turn, was changed.
std::string stamps_of(std::initializer_list<std::string> places, const Findings& findings);

/// Things by their sources. The least recently used are forgotten when all together weigh too much.
template <class Thing>
class BuiltThings {
public:
    explicit BuiltThings(std::size_t most_weight) : most_weight_(most_weight) {}

    std::shared_ptr<const Thing> find(const std::string& source)
    {
        const std::lock_guard lock(mutex_);
        const std::size_t hash = std::hash<std::string>()(source);
        const auto found = std::ranges::find_if(
            entries_, [&](const Entry& entry) { return entry.hash == hash && entry.source == source; });
        if (found == entries_.end()) return nullptr;
        std::rotate(found, found + 1, entries_.end());
        return entries_.back().thing;
    }

    std::shared_ptr<const Thing> add(const std::string& source, Thing thing, std::size_t weight)
    {
        const std::lock_guard lock(mutex_);
        entries_.push_back(
            {std::hash<std::string>()(source), source, std::make_shared<const Thing>(std::move(thing)), weight});
        ++made_;
        std::size_t total = 0;
        for (const Entry& entry : entries_) total += entry.weight;
        while (total > most_weight_ && entries_.size() > 1) {
            total -= entries_.front().weight;
            entries_.erase(entries_.begin());
        }
        return entries_.back().thing;
    }

    std::size_t made()
    {
        const std::lock_guard lock(mutex_);
        return made_;
    }

private:
    struct Entry {
        std::size_t hash;  ///< of the source: there may be thousands of entries whose sources begin alike
        std::string source;
        std::shared_ptr<const Thing> thing;
        std::size_t weight;
    };
    std::mutex mutex_;
    std::vector<Entry> entries_;  ///< the most recently used last
    std::size_t made_ = 0, most_weight_;
};

}  // namespace yawara::scene_file

namespace yawara {

struct BuildCache::Data {
    static constexpr std::size_t kMostParticles = 400'000, kMostTriangles = 2'000'000;

    scene_file::BuiltThings<scene_file::BuiltSolid> solids{kMostParticles};
    scene_file::BuiltThings<scene_file::BuiltModel> models{kMostParticles};
    scene_file::BuiltThings<Collider> obstacles{kMostTriangles};

    /// Found or made. Models come with the name they were built with.
    Result<std::shared_ptr<const scene_file::BuiltModel>> model(const scene_file::BodyDocument& body,
                                                                const Progress& progress);
    /// With the friction and restitution of the document.
    Result<Collider> obstacle(const scene_file::ObstacleDocument& obstacle);
};

}  // namespace yawara
