// Coarse tensors on disk, one file per content: mesh, levels, fine tensors and rule make the name.
#include <cstring>
#include <fstream>

#include "fem/coarsen.h"
#include "yawara/replace_file.h"

namespace yawara::fem {
namespace {

constexpr char kMagic[8] = {'Y', 'A', 'W', 'F', 'E', 'M', '0', '1'};

std::uint64_t mixed(std::uint64_t hash, const void* data, std::size_t size)
{
    const auto* bytes = static_cast<const unsigned char*>(data);  // FNV-1a over 64-bit words
    for (; size >= 8; bytes += 8, size -= 8) {
        std::uint64_t word;
        std::memcpy(&word, bytes, 8);
        hash = (hash ^ word) * 0x100000001b3ull;
        hash ^= hash >> 29;
    }
    for (; size > 0; ++bytes, --size) hash = (hash ^ *bytes) * 0x100000001b3ull;
    return hash;
}

template <class T>
std::uint64_t mixed(std::uint64_t hash, std::span<const T> values)
{
    return mixed(hash, values.data(), values.size_bytes());
}

std::filesystem::path file_of(const std::filesystem::path& folder, std::uint64_t key)
{
    char name[32];
    std::snprintf(name, sizeof name, "%016llx.fem", static_cast<unsigned long long>(key));
    return folder / name;
}

}  // namespace

std::uint64_t material_key(const TetForest& forest, Coarsening rule, const ForestMaterials& materials)
{
    std::uint64_t hash = mixed(0xcbf29ce484222325ull, kMagic, sizeof kMagic);
    const std::int32_t header[3] = {int(rule), forest.levels(), std::int32_t(forest.base_count())};
    hash = mixed(hash, std::span<const std::int32_t>(header));
    hash = mixed(hash, forest.rest());
    for (std::int32_t t = 0; t < std::int32_t(forest.base_count()); ++t)
        hash = mixed(hash, std::span<const std::int32_t>(forest.tet(t)));
    hash = mixed(hash, std::span<const Elasticity>(materials.elasticities));
    hash = mixed(hash, std::span<const Elasticity>(materials.viscosities));
    return mixed(
        hash, std::span<const std::int32_t>(materials.of_tet).subspan(std::size_t(forest.first_of(forest.levels()))));
}

bool load_materials(const std::filesystem::path& folder, std::uint64_t key, ForestMaterials& materials)
{
    std::ifstream file(file_of(folder, key), std::ios::binary);
    char magic[8];
    std::uint64_t count = 0, sum = 0;
    if (!file.read(magic, 8) || std::memcmp(magic, kMagic, 8) != 0) return false;
    if (!file.read(reinterpret_cast<char*>(&count), 8) || count > (1u << 28)) return false;
    ForestMaterials read;
    read.elasticities.resize(count);
    read.viscosities.resize(count);
    read.of_tet.resize(materials.of_tet.size());
    file.read(reinterpret_cast<char*>(read.elasticities.data()), std::streamsize(count * sizeof(Elasticity)));
    file.read(reinterpret_cast<char*>(read.viscosities.data()), std::streamsize(count * sizeof(Elasticity)));
    file.read(reinterpret_cast<char*>(read.of_tet.data()), std::streamsize(read.of_tet.size() * sizeof(std::int32_t)));
    if (!file.read(reinterpret_cast<char*>(&sum), 8)) return false;
    std::uint64_t hash = mixed(key, std::span<const Elasticity>(read.elasticities));
    hash =
        mixed(mixed(hash, std::span<const Elasticity>(read.viscosities)), std::span<const std::int32_t>(read.of_tet));
    if (hash != sum) return false;
    for (const std::int32_t m : read.of_tet)
        if (m < 0 || std::uint64_t(m) >= count) return false;
    materials = std::move(read);
    return true;
}

void save_materials(const std::filesystem::path& folder, std::uint64_t key, const ForestMaterials& materials)
{
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    const std::filesystem::path path = file_of(folder, key);
    const auto append = [](std::string& bytes, const void* data, std::size_t size) {
        bytes.append(static_cast<const char*>(data), size);
    };
    const std::uint64_t count = materials.elasticities.size();
    std::uint64_t hash = mixed(key, std::span<const Elasticity>(materials.elasticities));
    hash = mixed(mixed(hash, std::span<const Elasticity>(materials.viscosities)),
                 std::span<const std::int32_t>(materials.of_tet));
    std::string bytes(kMagic, 8);
    append(bytes, &count, 8);
    append(bytes, materials.elasticities.data(), count * sizeof(Elasticity));
    append(bytes, materials.viscosities.data(), count * sizeof(Elasticity));
    append(bytes, materials.of_tet.data(), materials.of_tet.size() * sizeof(std::int32_t));
    append(bytes, &hash, 8);
    (void)replace_file(path, bytes);  // for the next start; no loss if it fails
}

}  // namespace yawara::fem
