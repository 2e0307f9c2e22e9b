// Vega FEM .veg: vertices, tetrahedra or cubes, and regions that give sets of elements a material. The label of one is
// the place of its material in the file, from 1. *INCLUDE is followed for sets only, and only to files beside this one;
// without them their elements have no label.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "io/formats.h"
#include "io/volume_builder.h"

namespace yawara::io {

namespace {

class VegaReader {
public:
    VegaReader(std::string_view text, const std::filesystem::path& path)
        : path_(path), in_(text, path.string(), kSyntax), mesh_(in_.place())
    {
    }

    TetMesh read()
    {
        while (in_.more()) {
            const std::string key = lower(in_.word());
            if (key == "*vertices") {
                read_vertices();
            } else if (key == "*elements") {
                read_elements();
            } else if (key == "*material") {
                materials_.push_back(std::string(in_.rest_of_line()));
                skip_lines();
            } else if (key == "*set") {
                read_set();
            } else if (key == "*region") {
                read_region();
            } else if (key == "*include") {
                in_.fail("found *INCLUDE; expected vertices and elements in this file");
            } else if (key.starts_with('*')) {
                skip_lines();
            } else {
                in_.fail_expected("a section such as *VERTICES or *ELEMENTS");
            }
        }
        add_cells();
        return mesh_.finish();
    }

private:
    struct Cell {
        std::int64_t number;
        std::array<std::int64_t, 8> corners;
        std::size_t count;  ///< of corners
        std::size_t offset;
    };
    // To the next line that starts with '*'.
    void skip_lines()
    {
        while (in_.more() && in_.text()[in_.offset()] != '*') in_.next_line();
    }

    void read_vertices()
    {
        const std::size_t count = in_.count("the number of vertices", 8);
        if (in_.integer_on_line("the dimension") != 3) in_.fail_expected("3, the dimension");
        in_.next_line();
        mesh_.reserve_vertices(count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::int64_t number = in_.integer("the number of a vertex");
            const std::size_t offset = in_.word_offset();
            Vec3d position;
            position.x = in_.real_on_line("the x coordinate of a vertex");
            position.y = in_.real_on_line("the y coordinate of a vertex");
            position.z = in_.real_on_line("the z coordinate of a vertex");
            mesh_.add_vertex(number, position, offset);
            in_.next_line();
        }
    }

    void read_elements()
    {
        const std::string kind = lower(in_.word());
        const bool cubes = kind == "cubic";
        if (kind != "tet" && kind != "tets" && !cubes) in_.fail_expected("TET or CUBIC");
        const std::size_t count = in_.count("the number of elements", 10), corners = cubes ? 8 : 4;
        if (in_.integer_on_line("the number of vertices of an element") != static_cast<std::int64_t>(corners))
            in_.fail_expected(std::to_string(corners) + " vertices of an element");
        in_.next_line();
        for (std::size_t i = 0; i < count; ++i) {
            Cell cell{};
            cell.number = in_.integer("the number of an element");
            cell.count = corners;
            cell.offset = in_.word_offset();
            for (std::size_t k = 0; k < corners; ++k) cell.corners[k] = in_.integer_on_line("a vertex of an element");
            cells_.push_back(cell);
            in_.next_line();
        }
    }

    void read_set()
    {
        std::vector<std::int64_t>& members = sets_[std::string(in_.rest_of_line())];
        read_members(in_, members);
        while (in_.more()) {
            const std::size_t start = in_.offset();
            if (lower(in_.word()) != "*include") {
                in_.seek(start);
                return;
            }
            const std::optional<std::filesystem::path> file = file_beside(path_, in_.rest_of_line());
            if (file) {
                const std::string text = read_file(*file).value();
                TextReader included(text, file->string(), kSyntax);
                read_members(included, members);
                if (included.more()) included.fail_expected("the number of an element");
            }
            read_members(in_, members);
        }
    }

    static void read_members(TextReader& in, std::vector<std::int64_t>& members)
    {
        while (in.more() && in.text()[in.offset()] != '*') members.push_back(in.integer("an element of a set"));
    }

    void read_region()
    {
        in_.next_line();
        const std::string set(in_.word());
        const std::string material(in_.word());
        const auto found = std::ranges::find(materials_, material);
        if (found == materials_.end()) in_.fail_expected("the name of a material given before");
        if (set != kAll && !sets_.contains(set))
            in_.fail("the region's set " + in_quotes(set) + " has not been given before");
        regions_[set] = {regions_read_++, found - materials_.begin() + 1};
        in_.next_line();
    }

    // A cell has the label of the last region that holds it.
    void add_cells()
    {
        std::vector<std::pair<Region, std::string>> in_order;
        for (const auto& [set, region] : regions_) in_order.emplace_back(region, set);
        std::ranges::sort(in_order, {}, [](const auto& entry) { return entry.first.order; });
        std::int64_t otherwise = 0;
        std::unordered_map<std::int64_t, std::int64_t> labels;
        for (const auto& [region, set] : in_order) {
            if (set == kAll) {
                otherwise = region.material;
                labels.clear();
                continue;
            }
            for (const std::int64_t element : sets_.at(set)) labels[element] = region.material;
        }
        for (const Cell& cell : cells_) {
            const auto label = labels.find(cell.number);
            mesh_.add_cell(std::span(cell.corners).first(cell.count), label == labels.end() ? otherwise : label->second,
                           cell.offset);
        }
    }

    struct Region {
        std::size_t order;
        std::int64_t material;  ///< from 1
    };
    static constexpr TextReader::Syntax kSyntax{.comment = '#', .extra_blank = ','};
    static constexpr std::string_view kAll = "allElements";

    std::filesystem::path path_;
    TextReader in_;
    VolumeBuilder mesh_;
    std::vector<Cell> cells_;
    std::vector<std::string> materials_;
    std::map<std::string, std::vector<std::int64_t>> sets_;
    std::map<std::string, Region> regions_;  ///< by set
    std::size_t regions_read_ = 0;
};

}  // namespace

bool starts_vega(std::string_view start)
{
    return lower(start).find("*vertices") != std::string::npos;
}

TetMesh read_vega(std::string_view text, const std::filesystem::path& path)
{
    return VegaReader(text, path).read();
}

}  // namespace yawara::io
