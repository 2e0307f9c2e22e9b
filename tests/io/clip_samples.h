// Clips made by formulas, and folders that vanish, for the tests of clip files.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numbers>
#include <string>
#include <vector>

#include "yawara/io.h"

namespace clip_samples {

using namespace yawara;

/// A new folder, removed with all its content at the end.
class TempFolder {
public:
    TempFolder()
    {
        static std::atomic<int> count = 0;
        path_ = std::filesystem::temp_directory_path() /
                ("yawara-clips-" + std::to_string(getpid()) + "-" + std::to_string(++count));
        std::filesystem::create_directories(path_);
    }
    ~TempFolder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

inline std::string bytes_of(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline void put_bytes(const std::filesystem::path& path, const std::string& bytes)
{
    std::filesystem::remove(path);  // file systems may wait for the disk when a file is replaced by writing over it
    std::ofstream(path, std::ios::binary) << bytes;
}

/// A tube of rings x sides quads, closed around, open at the ends; uvs with a seam along it.
inline TriMesh tube(int rings, int sides)
{
    TriMesh mesh;
    for (int r = 0; r < rings; ++r) {
        for (int s = 0; s < sides; ++s) {
            const double turn = 2.0 * std::numbers::pi * s / sides;
            mesh.vertices.push_back({2.0 * r / (rings - 1), 0.3 * std::cos(turn), 0.3 * std::sin(turn)});
        }
    }
    const auto uv = [&](int r, int s) {
        return Vec2{static_cast<float>(s) / sides, static_cast<float>(r) / (rings - 1)};
    };
    for (int r = 0; r + 1 < rings; ++r) {
        for (int s = 0; s < sides; ++s) {
            const int a = r * sides + s, b = r * sides + (s + 1) % sides;
            mesh.triangles.push_back({a, b, b + sides});
            mesh.corner_uvs.push_back({uv(r, s), uv(r, s + 1), uv(r + 1, s + 1)});
            mesh.triangles.push_back({a, b + sides, a + sides});
            mesh.corner_uvs.push_back({uv(r, s), uv(r + 1, s + 1), uv(r + 1, s)});
        }
    }
    return mesh;
}

/// Where a point of a wriggling, tumbling, falling body is.
inline Vec3 moved(Vec3d p, double time)
{
    const double bend = 0.4 * std::sin(5.0 * time), wave = 0.08 * std::sin(9.0 * time - 4.0 * p.x);
    const Vec3d bent{p.x, p.y + bend * (p.x - 1.0) * (p.x - 1.0) + wave,
                     p.z * (1.0 + 0.2 * std::sin(3.0 * time + p.x))};
    const Vec3d turned = rotation(Vec3d{1, 2, 3}, 2.5 * time) * bent;
    return (turned + Vec3d{0.5 * time, 3.0 - 0.5 * time * time, 10.0}).as<float>();
}

/// A clip that makes its frames by moved(): a tube with uvs around a bar of tets, and a lattice without tets.
struct Sample {
    ClipInfo info;
    std::vector<std::vector<Vec3>> points;  // particles and surface of every body in turn
    std::vector<std::vector<float>> values;
    std::vector<std::vector<std::uint8_t>> lines;  // of every body
    std::vector<ClipFrame> frames;

    explicit Sample(int rings = 12, int sides = 9)
    {
        ClipBody bar;
        bar.name = "bar";
        bar.surface = tube(rings, sides);
        bar.solid.vertices = {{0, -0.3, -0.3}, {2, 0.3, -0.3}, {1, 0, 0.4}, {1, 0.4, 0}, {2, -0.4, 0.3}};
        bar.solid.tets = {{0, 1, 3, 2}, {0, 4, 1, 2}};
        bar.solid.materials = {3, 7};
        bar.value_names = {"speed", "height & <more>"};
        ClipBody cloud;
        cloud.name = "cloud";
        cloud.surface = tube(3, 4);
        cloud.surface.corner_uvs.clear();
        for (std::size_t v = 0; v < cloud.surface.vertices.size(); ++v) {
            cloud.surface.colors.push_back({0.1f * static_cast<float>(v % 10), 0.5f, 1.0f});
        }
        cloud.solid.vertices = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
        cloud.color = {0.2f, 0.4f, 0.9f};
        info.bodies = {bar, cloud};
        info.frame_time = 1.0 / 30.0;
        info.frames = 40;
    }

    double time(int k) const { return k * info.frame_time; }

    std::span<const ClipFrame> frame(int k)
    {
        points.clear();
        values.clear();
        lines.clear();
        frames.clear();
        for (const ClipBody& body : info.bodies) {
            for (const auto* rest : {&body.solid.vertices, &body.surface.vertices}) {
                points.emplace_back();
                for (const Vec3d& p : *rest) points.back().push_back(moved(p, time(k)));
            }
            for (std::size_t v = 0; v < body.value_names.size(); ++v) {
                values.emplace_back();
                for (std::size_t i = 0; i < body.solid.vertices.size(); ++i) {
                    values.back().push_back(std::sin(0.1f * static_cast<float>(k * (v + 1)) + static_cast<float>(i)));
                }
            }
        }
        for (const ClipBody& body : info.bodies) {
            lines.emplace_back(body.lines ? body.surface.triangles.size() : 0);
            for (std::size_t t = 0; t < lines.back().size(); ++t)
                lines.back()[t] = static_cast<std::uint8_t>((t + static_cast<std::size_t>(k)) % 8);
        }
        std::size_t value = 0;
        for (std::size_t b = 0; b < info.bodies.size(); ++b) {
            frames.push_back({points[2 * b], points[2 * b + 1], {}, lines[b]});
            for (std::size_t v = 0; v < info.bodies[b].value_names.size(); ++v)
                frames.back().values.push_back(values[value++]);
        }
        return frames;
    }

    /// Writes frames 0 .. count - 1 and finishes; the notes.
    Result<std::vector<std::string>> write(std::string_view format, const std::filesystem::path& out, int count,
                                           const ClipOptions& options = {})
    {
        auto writer = make_clip_writer(format, out, info, options);
        if (!writer) return writer.error();
        for (int k = 0; k < count; ++k) {
            if (Status status = (*writer)->frame(time(k), frame(k)); !status) return status.error();
        }
        if (Status status = (*writer)->finish(); !status) return status.error();
        return (*writer)->notes();
    }
};

}  // namespace clip_samples
