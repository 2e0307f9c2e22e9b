// The MTL files of a Wavefront OBJ: colours, roughness, and the pictures of colours, normals and roughness. Everything
// else is passed over. What is wrong in them is a warning: the shape is right without.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "io/file.h"
#include "io/skin_reader.h"
#include "io/text_reader.h"

namespace yawara::io {
namespace {

namespace fs = std::filesystem;

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

std::string_view first_word(std::string_view& text)
{
    text = trimmed(text);
    const std::string_view word = text.substr(0, text.find_first_of(" \t"));
    text = trimmed(text.substr(word.size()));
    return word;
}

bool is_number(std::string_view word, double& value)
{
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc{} && end == word.data() + word.size() && std::isfinite(value);
}

/// "-o 0 0 0 -bm 0.5 -clamp on wood.png": options, then a name that may have blanks.
struct MapLine {
    std::string file;
    double bump = 1;
    bool clamp = false;
    bool placed = false;  ///< by options that move, scale or turn it

    explicit MapLine(std::string_view line)
    {
        line = trimmed(line);
        while (line.starts_with('-')) {
            const std::string_view option = first_word(line);
            if (option == "-clamp") {
                clamp = first_word(line) == "on";
            } else if (option == "-bm") {
                is_number(first_word(line), bump);
            } else if (option == "-o" || option == "-s" || option == "-t" || option == "-mm") {
                double value = 0, neutral = option == "-s" ? 1 : 0;
                for (int k = 0; k < 3; ++k) {
                    std::string_view rest = line;
                    if (!is_number(first_word(rest), value) || rest.empty()) break;
                    placed = placed || (option != "-mm" && value != neutral);
                    line = rest;
                }
            } else {
                first_word(line);
            }
        }
        file = std::string(line);
    }
    std::array<Wrap, 2> wrap() const { return clamp ? std::array{Wrap::clamp, Wrap::clamp} : std::array<Wrap, 2>{}; }
};

/// Normals that lean little are bluish in the mean; heights are grey.
bool shows_normals(const Image& image)
{
    double sum[3] = {};
    for (std::size_t i = 0; i < image.rgba.size(); i += 4)
        for (std::size_t k = 0; k < 3; ++k) sum[k] += image.rgba[i + k];
    return sum[2] > 1.25 * std::max(sum[0], sum[1]);
}

class MtlReader {
public:
    MtlReader(Skin& skin, const fs::path& path) : skin_(skin), path_(path) {}

    void read(std::string_view text)
    {
        TextReader in(text, path_.string(), {.comment = '#'});
        while (in.more()) {
            const std::string key = lower(in.word());
            line(key, std::string(in.rest_of_line()));
        }
    }

    std::map<std::string, SkinMaterial> found;

private:
    void line(const std::string& key, std::string_view rest)
    {
        if (key == "newmtl") {
            now_ = &found[std::string(trimmed(rest))];
            now_->name = trimmed(rest);
        }
        if (!now_) return;
        const auto numbers = [&](auto... targets) { return (is_number(first_word(rest), *targets) && ...); };
        double r = 0, g = 0, b = 0;
        const auto share = [](double x) { return float(std::clamp(x, 0.0, 1.0)); };
        if (key == "kd" && numbers(&r, &g, &b)) {
            now_->color = {share(r), share(g), share(b)};
        } else if (key == "ns" && numbers(&r)) {
            now_->roughness = 1 - share(std::sqrt(std::max(r, 0.0) / 1000));  // as Blender writes it
        } else if (key == "pr" && numbers(&r)) {
            now_->roughness = share(r);
        } else if (key == "pm" && numbers(&r)) {
            now_->metallic = share(r);
        } else if (key == "map_kd") {
            now_->texture = add(MapLine(rest));
        } else if (key == "norm") {
            add_normals(MapLine(rest), true);
        } else if (key == "map_bump" || key == "bump") {
            add_normals(MapLine(rest), false);
        }
    }

    std::int32_t add(const MapLine& map)
    {
        if (map.placed) warn("moves or scales the picture " + in_quotes(map.file) + ", which is not done here");
        return add_texture_file(skin_, path_, map.file, map.wrap());
    }

    void add_normals(const MapLine& map, bool certain)
    {
        const std::size_t before = skin_.textures.size();
        const std::int32_t texture = add(map);
        if (texture < 0) return;
        if (!certain && !shows_normals(skin_.textures[std::size_t(texture)].image)) {
            warn("the picture " + in_quotes(map.file) + " holds heights; only pictures of normals are drawn");
            skin_.textures.resize(before);
            return;
        }
        now_->normal_map = texture;
        now_->bump = float(std::clamp(map.bump, -10.0, 10.0));
    }

    void warn(const std::string& what) { skin_.warnings.push_back(path_.filename().string() + " " + what); }

    Skin& skin_;
    fs::path path_;
    SkinMaterial* now_ = nullptr;
};

/// The file of a "mtllib" line: names may have blanks, or there are several on a line.
std::vector<fs::path> library_files(const fs::path& obj, const std::string& line)
{
    if (auto whole = file_beside(obj, line)) return {*whole};
    std::vector<fs::path> files;
    for (std::string_view rest = line; !rest.empty();)
        if (auto file = file_beside(obj, first_word(rest))) files.push_back(*file);
    return files;
}

}  // namespace

std::shared_ptr<const Skin> read_obj_skin(std::string_view text, const fs::path& path)
{
    ObjMaterials used = read_obj_materials(text, path.string());
    if (used.libraries.empty()) return nullptr;
    auto skin = std::make_shared<Skin>();
    std::map<std::string, SkinMaterial> found;
    for (const std::string& line : used.libraries) {
        const std::vector<fs::path> files = library_files(path, line);
        if (files.empty())
            skin->warnings.push_back("the materials " + in_quotes(line) + " are not in the folder of " +
                                     path.filename().string());
        for (const fs::path& file : files) {
            MtlReader reader(*skin, file);
            if (const Result<std::string> content = read_file(file)) reader.read(*content);
            found.merge(reader.found);
        }
    }
    for (const std::string& name : used.names) {
        const auto material = found.find(name);
        if (material == found.end() && !found.empty())
            skin->warnings.push_back("the material " + in_quotes(name) + " is in none of its MTL files");
        SkinMaterial& added = skin->materials.emplace_back(material == found.end() ? SkinMaterial{} : material->second);
        // Programs that ignore the colour beside a picture leave it black.
        if (added.texture >= 0 && added.color == Vec3{}) added.color = {1, 1, 1};
    }
    skin->material_of = std::move(used.material_of);
    if (found.empty() && skin->warnings.empty()) return nullptr;
    if (found.empty()) skin->materials.clear(), skin->material_of.assign(skin->material_of.size(), -1);
    return skin;
}

std::vector<fs::path> obj_companions(const fs::path& path)
{
    std::vector<fs::path> files;
    const Result<std::string> text = read_file(path);
    if (!text) return files;
    TextReader in(*text, path.string(), {.comment = '#'});
    while (in.more()) {
        if (in.word() != "mtllib") {
            in.next_line();
            continue;
        }
        for (const fs::path& library : library_files(path, std::string(in.rest_of_line()))) {
            files.push_back(library);
            const Result<std::string> lines = read_file(library);
            if (!lines) continue;
            TextReader mtl(*lines, library.string(), {.comment = '#'});
            while (mtl.more()) {
                const std::string key = lower(mtl.word());
                const std::string rest(mtl.rest_of_line());
                if (!key.starts_with("map_") && key != "bump" && key != "norm") continue;
                if (const auto picture = file_beside(library, MapLine(rest).file)) files.push_back(*picture);
            }
        }
    }
    std::ranges::sort(files);
    files.erase(std::ranges::unique(files).begin(), files.end());
    return files;
}

}  // namespace yawara::io
