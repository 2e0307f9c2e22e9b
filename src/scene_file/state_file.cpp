// Layout, little-endian: "YAWARAST", version, bodies, steps, time, gravity; for every body its name, the fingerprint of
// its model, six counts and arrays (positions, velocities, rotations, front, stiffness, plastic strain), how long it
// has been still and has rested on obstacles, and how long and how much shorter than at rest its sub-steps are; a
// checksum.
#include "scene_file/state_file.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "io/binary.h"
#include "io/file.h"

namespace yawara::scene_file {
namespace {

constexpr std::string_view kMagic = "YAWARAST";
constexpr std::uint32_t kVersion = 5;
constexpr float kLargestValue = 1e18f;  // the squares of larger numbers are none

/// FNV-1a over 64-bit words, the rest byte by byte.
std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t hash = 0xcbf29ce484222325ull)
{
    constexpr std::uint64_t kPrime = 0x100000001b3ull;
    const char* bytes = static_cast<const char*>(data);
    std::uint64_t word = 0;
    for (; size >= sizeof word; bytes += sizeof word, size -= sizeof word) {
        std::memcpy(&word, bytes, sizeof word);
        hash = (hash ^ word) * kPrime;
        hash ^= hash >> 32;
    }
    for (; size > 0; ++bytes, --size) hash = (hash ^ static_cast<unsigned char>(*bytes)) * kPrime;
    return hash;
}

std::uint64_t fingerprint(const BodyModel& model)
{
    const auto rest = model.rest_positions();
    const auto masses = model.masses();
    return hash_bytes(masses.data(), masses.size_bytes(), hash_bytes(rest.data(), rest.size_bytes()));
}

void append_floats(std::string& out, std::span<const float> values)
{
    for (const float value : values) io::append(out, value);
}

std::span<const float> flat(const std::vector<Vec3>& vectors)
{
    static_assert(sizeof(Vec3) == 3 * sizeof(float));
    return {reinterpret_cast<const float*>(vectors.data()), 3 * vectors.size()};
}
std::span<float> flat(std::vector<Vec3>& vectors)
{
    return {reinterpret_cast<float*>(vectors.data()), 3 * vectors.size()};
}

void read_floats(io::ByteReader& reader, std::span<float> values, std::string_view what)
{
    reader.check_room(values.size(), sizeof(float), what);
    for (float& value : values) {
        value = reader.get<float>(what);
        if (!(std::abs(value) <= kLargestValue))
            reader.fail(fmt::format("a value of the {} is {}; expected a finite number within +-1e18", what, value));
    }
}

/// One body; its counts have to be those of the scene, so a wrong file cannot ask for memory.
BodyState read_body(io::ByteReader& reader, const BodyModel& model, const BodyState& like, const std::string& path)
{
    const auto name = std::string(reader.take(reader.get<std::uint32_t>("a name"), "a name"));
    if (name != model.name()) {
        io::fail(path, fmt::format("is of another scene: it has a body {} where this scene has \"{}\"",
                                   io::in_quotes(name), model.name()));
    }
    const auto model_print = reader.get<std::uint64_t>("a fingerprint");
    const auto particles = reader.get<std::uint64_t>("a count"), velocities = reader.get<std::uint64_t>("a count"),
               rotations = reader.get<std::uint64_t>("a count"), front = reader.get<std::uint64_t>("a count"),
               stiffness = reader.get<std::uint64_t>("a count"), plastic = reader.get<std::uint64_t>("a count"),
               accelerations = reader.get<std::uint64_t>("a count");
    if (particles != like.positions.size()) {
        io::fail(path, fmt::format("is of another scene: body \"{}\" has {} particles in it, {} here", name, particles,
                                   like.positions.size()));
    }
    if (model_print != fingerprint(model) || velocities != like.velocities.size() ||
        rotations != like.matching.rotations.size() || front != like.fem.front.size() ||
        stiffness != like.matching.stiffness.size() || plastic != like.fem.plastic.size() ||
        accelerations != like.fem.accelerations.size()) {
        io::fail(path, fmt::format("is of another scene: body \"{}\" has another rest shape, mass or method", name));
    }
    BodyState state = like;
    read_floats(reader, flat(state.positions), "positions");
    read_floats(reader, flat(state.velocities), "velocities");
    read_floats(reader, state.matching.rotations, "rotations");
    read_floats(reader, {&state.still, 1}, "time at rest");
    read_floats(reader, {&state.matching.resting, 1}, "time on obstacles");
    read_floats(reader, {&state.fem.substep_reduction, 1}, "length of sub-steps");
    read_floats(reader, {&state.fem.substep, 1}, "last sub-step");
    reader.check_room(state.fem.front.size(), sizeof(std::int32_t), "front");
    for (std::int32_t& split : state.fem.front) {
        split = reader.get<std::int32_t>("front");
        if (split < 0) reader.fail("a value of the front is negative");
    }
    read_floats(reader, state.matching.stiffness, "stiffness");
    read_floats(reader, state.fem.plastic, "plastic strain");
    read_floats(reader, flat(state.fem.accelerations), "accelerations");
    return state;
}

Status read_state(Scene& scene, const std::string& bytes, const std::string& path)
{
    if (!bytes.starts_with(kMagic)) return Error{path, "is not a state file"};
    io::ByteReader reader(bytes, path, std::endian::little, kMagic.size());
    if (const auto version = reader.get<std::uint32_t>("a version"); version != kVersion) {
        return Error{path,
                     fmt::format("is a state file of version {}; this program reads version {}", version, kVersion)};
    }
    const auto bodies = reader.get<std::uint32_t>("a count");
    if (bodies != scene.bodies().size()) {
        return Error{
            path, fmt::format("is of another scene: it has {} bodies, this scene {}", bodies, scene.bodies().size())};
    }
    const auto steps = reader.get<std::int64_t>("a step count");
    const auto time = reader.get<double>("a time");
    Vec3 gravity;
    for (float* const g : {&gravity.x, &gravity.y, &gravity.z}) *g = reader.get<float>("gravity");
    std::vector<BodyState> states;
    for (std::uint32_t i = 0; i < bodies; ++i) {
        const BodyId id = scene.bodies()[i];
        states.push_back(read_body(reader, scene.model(id), std::as_const(scene).state(id), path));
    }
    const std::uint64_t sum = hash_bytes(bytes.data(), reader.offset());
    if (reader.get<std::uint64_t>("a checksum") != sum || reader.remaining() != 0 || steps < 0 ||
        !std::isfinite(time)) {
        return Error{path, "is damaged: its checksum does not fit"};
    }
    for (std::uint32_t i = 0; i < bodies; ++i) {
        if (gravity != scene.settings().gravity) states[i].still = 0;  // nobody sleeps through a change of gravity
        scene.state(scene.bodies()[i]) = std::move(states[i]);
    }
    scene.set_clock(steps, time);
    return Done{};
}

}  // namespace

Status save_scene_state(const Scene& scene, const std::filesystem::path& path)
{
    std::string bytes(kMagic);
    io::append(bytes, kVersion);
    io::append(bytes, static_cast<std::uint32_t>(scene.bodies().size()));
    io::append(bytes, scene.step_count());
    io::append(bytes, scene.time());
    const Vec3 gravity = scene.settings().gravity;
    for (const float g : {gravity.x, gravity.y, gravity.z}) io::append(bytes, g);
    for (const BodyId id : scene.bodies()) {
        const BodyModel& model = scene.model(id);
        const BodyState& state = scene.state(id);
        io::append(bytes, static_cast<std::uint32_t>(model.name().size()));
        bytes += model.name();
        io::append(bytes, fingerprint(model));
        for (const std::size_t count :
             {state.positions.size(), state.velocities.size(), state.matching.rotations.size(), state.fem.front.size(),
              state.matching.stiffness.size(), state.fem.plastic.size(), state.fem.accelerations.size()}) {
            io::append(bytes, static_cast<std::uint64_t>(count));
        }
        append_floats(bytes, flat(state.positions));
        append_floats(bytes, flat(state.velocities));
        append_floats(bytes, state.matching.rotations);
        io::append(bytes, state.still);
        io::append(bytes, state.matching.resting);
        io::append(bytes, state.fem.substep_reduction);
        io::append(bytes, state.fem.substep);
        for (const std::int32_t split : state.fem.front) io::append(bytes, split);
        append_floats(bytes, state.matching.stiffness);
        append_floats(bytes, state.fem.plastic);
        append_floats(bytes, flat(state.fem.accelerations));
    }
    io::append(bytes, hash_bytes(bytes.data(), bytes.size()));

    return io::write_file(path, bytes);
}

Status load_scene_state(Scene& scene, const std::filesystem::path& path)
{
    const Result<std::string> bytes = io::read_file(path);
    if (!bytes) return bytes.error();
    return io::guarded<Done>(path, [&] { return read_state(scene, *bytes, path.string()); });
}

}  // namespace yawara::scene_file
