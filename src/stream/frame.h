// Binary messages of the studio: shapes that move and shapes that stay, as sections of raw little-endian numbers.
//
//   u32 "YWF1"   u32 sequence   f64 time (s)   u32 frame   u32 kind (see FrameKind)   u32 sections   u32 zero
//   then for each section: u16 what   u8 run   u8 zero   u32 body   u32 count   u32 bytes   payload, padded to 4 bytes
//
// The page reads it with typed arrays without a copy (studio/src/connection/frames.ts).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "yawara/mesh.h"

namespace yawara::stream {

enum class FrameKind : std::uint32_t {
    moving = 0,
    shapes = 1,
    answer = 2,  ///< to a question: `sequence` is its id; the arrays that the schema names, in its order
};

enum class Section : std::uint16_t {
    // moving
    positions = 1,        ///< f32 x y z per drawn vertex
    small_positions = 2,  ///< f32 low[3] size[3], then u16 x y z 0 per drawn vertex, 65535 = low + size
    normals = 3,          ///< i8 x y z 0 per drawn vertex, 127 = 1
    values = 4,           ///< f32 per drawn vertex: the quantity shown
    particles = 5,        ///< f32 x y z per particle
    particle_values = 6,  ///< f32 per particle
    section_points = 7,   ///< f32 x y z, three per triangle of the cut
    section_values = 8,   ///< f32 per point of the cut
    held = 9,             ///< f32 x y z of every particle that something holds
    springs = 10,         ///< f32 hold, from x y z, to x y z per spring
    placement = 11,       ///< f32 columns of the turn, then the move, of an obstacle that moves; `body` counts these
    obstacle_shape = 12,  ///< f32 x y z in its own frame, of an obstacle whose vertices move; `body` likewise
    section_rests = 13,   ///< f32 x y z at rest, per point of the cut; only of bodies with an inside
    // shapes
    triangles = 20,           ///< u32 a b c: drawn vertices
    edges = 21,               ///< u32 a b: particles; see Playback::write_lines
    obstacle_vertices = 22,   ///< f32 x y z in its own frame; `body` counts the obstacles
    obstacle_triangles = 23,  ///< u32 a b c
    plane = 24,               ///< f32 point, normal of an obstacle without end
    colors = 25,              ///< f32 r g b per drawn vertex, sRGB; bodies without have one colour
    uvs = 26,                 ///< f32 u v per drawn vertex, v upwards; only of bodies with textures
    texture = 27,             ///< bytes of a PNG or JPEG; `count` is its number among those of the body
    // answers
    answer = 40,  ///< numbers of the type that `run` says: 0 f32, 1 u32
};

/// Puts sections together; the memory is kept from frame to frame.
class FrameWriter {
public:
    void start(FrameKind kind, std::uint32_t sequence, double time, std::uint32_t frame);
    /// `count` is the number of things (vertices, triangles); returns room for `bytes` to be filled.
    std::span<char> add(Section what, int run, std::size_t body, std::size_t count, std::size_t bytes);
    void add_vectors(Section what, int run, std::size_t body, std::span<const Vec3> values);
    void add_numbers(Section what, int run, std::size_t body, std::span<const float> values);
    /// The message; valid until the next start.
    const std::string& bytes() const { return bytes_; }

private:
    std::string bytes_;
    std::uint32_t sections_ = 0;
};

/// Positions as 16-bit numbers in their box.
void quantise(std::span<const Vec3> positions, std::span<char> out);
constexpr std::size_t quantised_bytes(std::size_t count)
{
    return 6 * sizeof(float) + 8 * count;
}

}  // namespace yawara::stream
