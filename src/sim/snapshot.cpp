// Scenes as bytes, little-endian: "YAWARAST", a version, what the scene consists of and how it moves, a checksum. One
// function for each kind of thing lists its numbers, for writing and for reading alike.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

#include "core/bytes.h"
#include "sim/scene_data.h"

namespace yawara {
namespace {

constexpr std::string_view kMagic = "YAWARAST";
constexpr std::uint32_t kVersion = 9;
constexpr double kLargestValue = 1e18;  // the squares of larger numbers are none in single precision

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

template <class... Parts>
std::string text(const Parts&... parts)
{
    std::ostringstream out;
    (out << ... << parts);
    return out.str();
}

class Writer {
public:
    explicit Writer(std::string& out) : out_(out) {}
    template <class T>
    void number(T& value, std::string_view)
    {
        append(out_, value);
    }
    template <class T>
    void exact(T& value, std::string_view what)
    {
        number(value, what);
    }
    template <class T>
    void list(std::vector<T>& values, std::size_t, std::string_view)
    {
        append(out_, std::uint64_t(values.size()));
    }
    void index(std::int32_t& value, std::size_t, std::string_view) { append(out_, value); }
    void check(bool, std::string_view) {}  // what is written is as it should be

private:
    std::string& out_;
};

class Reader {
public:
    Reader(ByteReader& in, std::string_view name) : in_(in), name_(name) {}
    /// A number that a step can use.
    template <class T>
    void number(T& value, std::string_view what)
    {
        value = in_.get<T>(what);
        if constexpr (std::is_floating_point_v<T>)
            if (!(std::abs(double(value)) <= kLargestValue))
                in_.fail(text("a value of the ", what, " is ", value, "; expected a finite number within +-1e18"));
    }
    /// A number whatever it is.
    template <class T>
    void exact(T& value, std::string_view what)
    {
        value = in_.get<T>(what);
    }
    template <class T>
    void list(std::vector<T>& values, std::size_t bytes_each, std::string_view what)
    {
        const auto count = in_.get<std::uint64_t>(what);
        in_.check_room(count, bytes_each, what);
        values.resize(count);
    }
    void index(std::int32_t& value, std::size_t count, std::string_view what)
    {
        value = in_.get<std::int32_t>(what);
        if (value < 0 || std::size_t(value) >= count)
            in_.fail(text(what, " ", value, " does not exist: there are ", count));
    }
    void check(bool fits, std::string_view what)
    {
        if (!fits) differs(text(what));
    }
    [[noreturn]] void differs(const std::string& how) const
    {
        throw Exception(Error{name_, "is of another scene: " + how});
    }

private:
    ByteReader& in_;
    std::string name_;
};

// ---- what things consist of

template <class Archive, class T>
void pass(Archive& a, Vec3T<T>& v, std::string_view what)
{
    for (T* const value : {&v.x, &v.y, &v.z}) a.number(*value, what);
}

template <class Archive>
void pass(Archive& a, float& value, std::string_view what)
{
    a.number(value, what);
}

template <class Archive>
void pass(Archive& a, std::int32_t& value, std::string_view what)
{
    a.number(value, what);
}

template <class Archive, class T>
void pass(Archive& a, std::vector<T>& values, std::string_view what)
{
    a.list(values, sizeof(T), what);
    for (T& value : values) pass(a, value, what);
}

template <class Archive>
void pass_particles(Archive& a, std::vector<std::int32_t>& particles, std::size_t count)
{
    a.list(particles, sizeof(std::int32_t), "particles");
    for (std::int32_t& i : particles) a.index(i, count, "particle");
}

template <class Archive>
void pass(Archive& a, bool& value, std::string_view what)
{
    auto byte = std::uint8_t(value);
    a.number(byte, what);
    value = byte != 0;
}

template <class Archive>
void pass(Archive& a, Placement& placement)
{
    for (Vec3d* const v : {&placement.turn.c0, &placement.turn.c1, &placement.turn.c2, &placement.move})
        pass(a, *v, "place of an obstacle");
}

template <class Archive>
void pass(Archive& a, BodyState& state)
{
    pass(a, state.positions, "positions");
    pass(a, state.velocities, "velocities");
    a.number(state.still, "time at rest");
    pass(a, state.matching.rotations, "rotations");
    pass(a, state.matching.stiffness, "stiffness");
    a.number(state.matching.resting, "time on obstacles");
    a.number(state.matching.undamped, "time without damping");
    pass(a, state.matching.controls, "controls");
    pass(a, state.matching.heard, "cues");
    pass(a, state.matching.kept, "kept shape");
    pass(a, state.fem.accelerations, "accelerations");
    pass(a, state.fem.front, "front");
    pass(a, state.fem.plastic, "plastic strain");
    pass(a, state.fem.shear, "shear of contacts");
    a.number(state.fem.substep, "last sub-step");
    a.number(state.fem.substep_reduction, "length of sub-steps");
}

template <class Archive>
void pass(Archive& a, Grip& grip, std::size_t particles)
{
    pass_particles(a, grip.particles, particles);
    pass(a, grip.targets, "targets of a grip");
    pass(a, grip.target_velocities, "velocities of a grip");
    a.number(grip.stiffness, "stiffness of a grip");
}

template <class Archive>
void pass(Archive& a, Push& push, std::size_t particles)
{
    pass_particles(a, push.particles, particles);
    pass(a, push.force, "force");
    pass(a, push.acceleration, "force");
}

template <class Archive>
void pass(Archive& a, SceneMoment::Obstacle& obstacle)
{
    bool moves = obstacle.motion.has_value();
    pass(a, moves, "motion of an obstacle");
    if (moves && !obstacle.motion) obstacle.motion.emplace();
    if (!moves) obstacle.motion.reset();
    if (moves) {
        pass(a, obstacle.motion->start);
        pass(a, obstacle.motion->end);
        pass(a, obstacle.motion->belt, "belt");
        a.number(obstacle.motion->duration, "motion of an obstacle");
    }
    pass(a, obstacle.target);
    a.number(obstacle.steps_to_target, "motion of an obstacle");
    pass(a, obstacle.vertices, "vertices of an obstacle");
    pass(a, obstacle.target_vertices, "vertices of an obstacle");
    a.number(obstacle.steps_to_shape, "motion of an obstacle");
}

/// Particles of the bodies on its two sides, 0 of the world.
using SideSizes = std::array<std::size_t, 2>;

template <class Archive>
void pass(Archive& a, Joints::Anchor& anchor, std::size_t particles)
{
    pass(a, anchor.offset, "joint");
    pass_particles(a, anchor.particles, particles);
    pass(a, anchor.weights, "weights of a joint");
    a.check(anchor.weights.size() == anchor.particles.size(), "a joint does not have as many weights as particles");
}

template <class Archive>
void pass(Archive& a, Joints::Held& held, const SideSizes& sizes)
{
    std::size_t side = 0;
    for (JointSide* const of : {&held.joint.a, &held.joint.b}) {
        pass(a, of->point, "joint");
        pass_particles(a, of->particles, sizes[side++]);
    }
    if (auto* hinge = std::get_if<Hinge>(&held.joint.kind)) {
        pass(a, hinge->axis, "axis of a hinge");
        bool limited = hinge->limit.has_value();
        pass(a, limited, "limit of a hinge");
        if (limited && !hinge->limit) hinge->limit.emplace();
        if (!limited) hinge->limit.reset();
        if (limited) {
            a.number(hinge->limit->first, "limit of a hinge");
            a.number(hinge->limit->second, "limit of a hinge");
        }
        a.number(hinge->speed, "motor of a hinge");
        a.number(hinge->torque, "motor of a hinge");
    }
    if (auto* rope = std::get_if<Rope>(&held.joint.kind)) a.number(rope->length, "length of a rope");
    a.list(held.pairs, 80, "joint");
    for (Joints::Pair& pair : held.pairs)
        for (std::size_t k = 0; k < 2; ++k) pass(a, pair[k], sizes[k]);
    for (std::size_t k = 0; k < 2; ++k)
        for (Joints::Anchor& anchor : held.levers[k]) pass(a, anchor, sizes[k]);
    a.number(held.lever, "joint");
}

// ---- who is who

constexpr std::array kShapes{"plane", "box", "sphere", "capsule", "mesh"};
constexpr std::array kJoints{"weld", "ball joint", "hinge", "rope"};

/// A name as in a message: what is no plain letter as '?'.
std::string in_quotes(std::string_view name)
{
    std::string shown(name.substr(0, 40));
    for (char& c : shown)
        if (static_cast<unsigned char>(c) < ' ' || c == 127) c = '?';
    return '"' + shown + '"';
}

/// All counts of a state.
std::array<std::size_t, 11> sizes_of(const BodyState& s)
{
    return {s.positions.size(),          s.velocities.size(),        s.matching.rotations.size(),
            s.matching.stiffness.size(), s.matching.controls.size(), s.matching.heard.size(),
            s.matching.kept.size(),      s.fem.front.size(),         s.fem.plastic.size(),
            s.fem.accelerations.size(),  s.fem.shear.size()};
}

/// What tells one scene from another.
struct Identity {
    struct Body {
        std::string name;
        std::uint64_t particles = 0, fingerprint = 0;
    };
    struct Joint {
        std::uint8_t kind = 0;
        std::array<std::int32_t, 2> sides{};  ///< bodies by their order; -1: the world
        friend bool operator==(const Joint&, const Joint&) = default;
    };
    std::vector<Body> bodies;
    std::vector<std::uint8_t> obstacles;  ///< kinds of their shapes
    std::vector<Joint> joints;
};

template <class Archive>
void pass(Archive& a, std::string& name)
{
    std::vector<char> letters(name.begin(), name.end());
    a.list(letters, 1, "name");
    for (char& letter : letters) a.number(letter, "name");
    name.assign(letters.begin(), letters.end());
}

template <class Archive>
void pass(Archive& a, Identity& identity)
{
    a.list(identity.bodies, 24, "bodies");
    for (Identity::Body& body : identity.bodies) {
        pass(a, body.name);
        a.number(body.particles, "count");
        a.number(body.fingerprint, "fingerprint");
    }
    a.list(identity.obstacles, 1, "obstacles");
    for (std::uint8_t& kind : identity.obstacles) a.number(kind, "obstacle");
    a.list(identity.joints, 9, "joints");
    for (Identity::Joint& joint : identity.joints) {
        a.number(joint.kind, "joint");
        for (std::int32_t& side : joint.sides) a.number(side, "joint");
    }
}

template <std::size_t N>
std::string a_kind(const std::array<const char*, N>& names, std::size_t kind)
{
    return kind < N ? std::string("a ") + names[kind] : std::string("something else");
}

std::string told(const Identity::Joint& joint, const Identity& scene)
{
    const auto side = [&](std::int32_t k) {
        return k >= 0 && std::size_t(k) < scene.bodies.size() ? in_quotes(scene.bodies[std::size_t(k)].name)
                                                              : std::string("the world");
    };
    return text(a_kind(kJoints, joint.kind), " of ", side(joint.sides[0]), " and ", side(joint.sides[1]));
}

void check_same(const Identity& then, const Identity& now, const Reader& in)
{
    const auto same_count = [&](std::size_t a, std::size_t b, const char* things) {
        if (a != b) in.differs(text("it has ", a, " ", things, ", this scene ", b));
    };
    same_count(then.bodies.size(), now.bodies.size(), "bodies");
    for (std::size_t k = 0; k < now.bodies.size(); ++k) {
        const Identity::Body &a = then.bodies[k], &b = now.bodies[k];
        if (a.name != b.name)
            in.differs(text("it has a body ", in_quotes(a.name), " where this scene has ", in_quotes(b.name)));
        if (a.particles != b.particles)
            in.differs(
                text("body ", in_quotes(a.name), " has ", a.particles, " particles in it, ", b.particles, " here"));
        if (a.fingerprint != b.fingerprint)
            in.differs(text("body ", in_quotes(a.name), " has another rest shape or mass"));
    }
    same_count(then.obstacles.size(), now.obstacles.size(), "obstacles");
    for (std::size_t k = 0; k < now.obstacles.size(); ++k)
        if (then.obstacles[k] != now.obstacles[k])
            in.differs(text("obstacle ", k, " is ", a_kind(kShapes, then.obstacles[k]), " in it, ",
                            a_kind(kShapes, now.obstacles[k]), " here"));
    same_count(then.joints.size(), now.joints.size(), "joints");
    for (std::size_t k = 0; k < now.joints.size(); ++k)
        if (!(then.joints[k] == now.joints[k]))
            in.differs(
                text("joint ", k, " is ", told(then.joints[k], then), " in it, ", told(now.joints[k], now), " here"));
}

/// What a snapshot holds besides the identity: a moment, and what the program has done to the scene.
struct Content {
    /// Of SceneMoment, with places in the scene instead of ids.
    struct Touch {
        std::int32_t body = 0, other = 0;
        bool obstacle = false;
        SceneMoment::Touch sums{};
    };
    SceneMoment moment;
    std::vector<Touch> touches;
    std::vector<std::vector<Grip>> grips;   ///< per body
    std::vector<std::vector<Push>> pushes;  ///< per body
    std::vector<Joints::Held> joints;
    std::vector<SideSizes> joint_sizes;                ///< per joint
    std::vector<std::array<std::int32_t, 2>> ignored;  ///< bodies by their order
    Vec3 gravity{};                                    ///< of the last step
};

template <class Archive>
void pass(Archive& a, Content& content)
{
    SceneMoment& moment = content.moment;
    a.number(moment.steps, "number of steps");
    a.number(moment.time, "time");
    pass(a, content.gravity, "gravity");
    const std::size_t bodies = moment.bodies.size(), obstacles = moment.obstacles.size();
    for (std::size_t k = 0; k < bodies; ++k) {
        SceneMoment::Body& body = moment.bodies[k];
        const std::array sizes = sizes_of(body.state);
        const std::size_t particles = body.model.particle_count();
        pass(a, body.state);
        a.check(sizes_of(body.state) == sizes, text("body ", in_quotes(body.model.name()), " is of another method"));
        for (float* const value : {&body.shape.size, &body.shape.volume, &body.shape.collapsed})
            a.exact(*value, "size of a body");
        pass(a, body.slept, "sleep");
        pass(a, body.exploded, "shape of a body");
        a.list(content.grips[k], 28, "grips");
        for (Grip& grip : content.grips[k]) pass(a, grip, particles);
        a.list(content.pushes[k], 32, "forces");
        for (Push& push : content.pushes[k]) pass(a, push, particles);
    }
    for (SceneMoment::Obstacle& obstacle : moment.obstacles) pass(a, obstacle);
    for (std::size_t k = 0; k < content.joints.size(); ++k) pass(a, content.joints[k], content.joint_sizes[k]);
    a.list(content.ignored, 8, "ignored pairs");
    for (auto& pair : content.ignored)
        for (std::int32_t& body : pair) a.index(body, bodies, "body");
    a.list(content.touches, 66, "touches");
    for (Content::Touch& touch : content.touches) {
        a.index(touch.body, bodies, "body");
        pass(a, touch.obstacle, "touch");
        a.index(touch.other, touch.obstacle ? obstacles : bodies, "touched one");
        pass(a, touch.sums.point, "touch");
        pass(a, touch.sums.normal, "touch");
        a.number(touch.sums.weight, "touch");
        pass(a, touch.sums.sensor, "touch");
    }
}

Identity identity_of(const Scene& scene)
{
    Identity identity;
    for (const BodyId id : scene.bodies())
        identity.bodies.push_back(
            {scene.model(id).name(), scene.model(id).particle_count(), fingerprint(scene.model(id))});
    for (const Collider& collider : scene.colliders())
        identity.obstacles.push_back(std::uint8_t(collider.shape.index()));
    const auto place = [&](const std::optional<BodyId>& body) {
        if (!body) return -1;
        return std::int32_t(std::ranges::find(scene.bodies(), *body) - scene.bodies().begin());
    };
    for (const JointId id : scene.joints()) {
        const Joint& joint = scene.joint(id);
        identity.joints.push_back({std::uint8_t(joint.kind.index()), {place(joint.a.body), place(joint.b.body)}});
    }
    return identity;
}

/// Checks a moment that was read beyond its numbers.
void check_moment(const SceneMoment& moment, const Scene& scene, const Reader& in)
{
    if (moment.steps < 0) in.differs("it has a negative number of steps");
    for (std::size_t k = 0; k < moment.obstacles.size(); ++k) {
        const SceneMoment::Obstacle& obstacle = moment.obstacles[k];
        const auto* mesh = std::get_if<MeshDistance>(&scene.colliders()[k].shape);
        const std::size_t count = mesh ? mesh->mesh().vertices.size() : 0;
        for (const auto* list : {&obstacle.vertices, &obstacle.target_vertices})
            if (list->size() != obstacle.vertices.size() || (!list->empty() && list->size() != count))
                in.differs(text("obstacle ", k, " has ", list->size(), " vertices in it, ", count, " here"));
        if (obstacle.steps_to_target < 0 || obstacle.steps_to_shape < 0)
            in.differs(text("obstacle ", k, " has a negative number of steps to go"));
    }
}

}  // namespace

std::string Scene::snapshot() const
{
    const Data& data = *data_;
    Identity identity = identity_of(*this);
    Content content;
    content.moment = moment();
    for (const SceneMoment::Touch& touch : content.moment.touches) {
        const auto* obstacle = std::get_if<ColliderId>(&touch.other);
        const std::size_t other = obstacle ? data.index(*obstacle) : data.index(std::get<BodyId>(touch.other));
        content.touches.push_back(
            {std::int32_t(data.index(touch.body)), std::int32_t(other), obstacle != nullptr, touch});
    }
    for (const Data::Body& b : data.bodies) {
        content.grips.push_back(b.grips);
        content.pushes.push_back(b.pushes);
    }
    content.joints.assign(data.joints.held().begin(), data.joints.held().end());
    content.joint_sizes.resize(content.joints.size());
    for (const auto& [one, other] : data.ignored)
        content.ignored.push_back({std::int32_t(data.index(one)), std::int32_t(data.index(other))});
    content.gravity = data.last_gravity;

    std::string bytes(kMagic);
    append(bytes, kVersion);
    Writer out(bytes);
    pass(out, identity);
    pass(out, content);
    append(bytes, hash_bytes(bytes.data(), bytes.size()));
    return bytes;
}

Status Scene::restore(std::string_view snapshot, std::string_view name)
{
    const std::string where(name);
    if (!snapshot.starts_with(kMagic)) return Error{where, "is not a state file"};
    Data& data = *data_;
    Content content;
    try {
        ByteReader bytes(snapshot, where, std::endian::little, kMagic.size());
        if (const auto version = bytes.get<std::uint32_t>("a version"); version != kVersion)
            return Error{where,
                         text("is a state file of version ", version, "; this program reads version ", kVersion)};
        if (bytes.remaining() < sizeof(std::uint64_t)) bytes.fail("the file ends before its checksum");
        const std::size_t end = snapshot.size() - sizeof(std::uint64_t);
        if (decode<std::uint64_t>(snapshot.data() + end) != hash_bytes(snapshot.data(), end))
            return Error{where, "is damaged: its checksum does not fit"};
        Reader in(bytes, where);
        Identity then;
        pass(in, then);
        check_same(then, identity_of(*this), in);

        content.moment = moment();
        content.moment.touches.clear();
        content.grips.resize(data.bodies.size());
        content.pushes.resize(data.bodies.size());
        content.joints.assign(data.joints.held().begin(), data.joints.held().end());
        for (const Joints::Held& held : content.joints) {
            const auto size = [&](const JointSide& side) { return side.body ? model(*side.body).particle_count() : 0; };
            content.joint_sizes.push_back({size(held.joint.a), size(held.joint.b)});
        }
        pass(in, content);
        check_moment(content.moment, *this, in);
        if (bytes.remaining() != sizeof(std::uint64_t)) return Error{where, "is damaged: it is too long"};
    } catch (const Exception& exception) {
        return exception.error();
    }

    for (Content::Touch& touch : content.touches) {
        touch.sums.body = bodies()[std::size_t(touch.body)];
        if (touch.obstacle)
            touch.sums.other = collider_ids()[std::size_t(touch.other)];
        else
            touch.sums.other = bodies()[std::size_t(touch.other)];
        content.moment.touches.push_back(touch.sums);
    }
    if (Status there = go_to(content.moment); !there) return there;
    for (std::size_t k = 0; k < data.bodies.size(); ++k) {
        data.bodies[k].grips = std::move(content.grips[k]);
        data.bodies[k].pushes = std::move(content.pushes[k]);
        data.set_script(data.bodies[k], data.bodies[k].script);
    }
    data.joints.set_held(std::move(content.joints));
    data.ignored.clear();
    for (const auto& [one, other] : content.ignored)
        data.ignored.emplace_back(bodies()[std::size_t(one)], bodies()[std::size_t(other)]);
    data.list_ignored();
    data.renew_contact();
    data.last_gravity = content.gravity;
    return Done{};
}

}  // namespace yawara
