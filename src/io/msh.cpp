// Gmsh .msh: versions 1, 2.x, 4.0 and 4.1, as text and (from 2) as bytes. Regions are physical groups; where no
// tetrahedron is in one, version 4 gives the volume it belongs to, if there are several.
#include <algorithm>
#include <map>

#include "io/formats.h"
#include "io/number_type.h"
#include "io/text_writer.h"
#include "io/volume_builder.h"

namespace yawara::io {

namespace {

using enum NumberType;

struct ElementKind {
    int nodes;         ///< 0: unknown
    const char* name;  ///< of several
    int corners = 0;   ///< of a cell, which are its first nodes; 0: it is no cell
};

ElementKind element_kind(std::int64_t type)
{
    switch (type) {
        case 1:
            return {2, "lines"};
        case 2:
            return {3, "triangles"};
        case 3:
            return {4, "quadrangles"};
        case 4:
            return {4, "tetrahedra", 4};
        case 5:
            return {8, "hexahedra", 8};
        case 6:
            return {6, "prisms", 6};
        case 7:
            return {5, "pyramids", 5};
        case 8:
            return {3, "lines"};
        case 9:
            return {6, "triangles"};
        case 10:
            return {9, "quadrangles"};
        case 11:
            return {10, "tetrahedra", 4};
        case 12:
            return {27, "hexahedra", 8};
        case 13:
            return {18, "prisms", 6};
        case 14:
            return {14, "pyramids", 5};
        case 15:
            return {1, "points"};
        case 16:
            return {8, "quadrangles"};
        case 17:
            return {20, "hexahedra", 8};
        case 18:
            return {15, "prisms", 6};
        case 19:
            return {13, "pyramids", 5};
        case 20:
            return {9, "triangles"};
        case 21:
            return {10, "triangles"};
        case 22:
            return {12, "triangles"};
        case 23:
            return {15, "triangles"};
        case 24:
            return {15, "triangles"};
        case 25:
            return {21, "triangles"};
        case 26:
            return {4, "lines"};
        case 27:
            return {5, "lines"};
        case 28:
            return {6, "lines"};
        case 29:
            return {20, "tetrahedra", 4};
        case 30:
            return {35, "tetrahedra", 4};
        case 31:
            return {56, "tetrahedra", 4};
        case 92:
            return {64, "hexahedra", 8};
        case 93:
            return {125, "hexahedra", 8};
        default:
            return {0, "elements of unknown type"};
    }
}

class MshReader {
public:
    MshReader(std::string_view content, const std::string& name)
        : text_(content, name), in_(text_, false, std::endian::little), mesh_(text_.place())
    {
    }

    TetMesh read()
    {
        bool has_format = false;
        while (text_.more()) {
            const std::string section(text_.word());
            if (!section.starts_with('$')) text_.fail_expected("a section such as $MeshFormat, $Nodes or $NOD");
            if (section == "$MeshFormat") {
                read_format();
                has_format = true;
            } else if (section == "$NOD") {
                version_ = 1.0;
                read_nodes_2();
            } else if (section == "$ELM") {
                version_ = 1.0;
                read_elements_1();
            } else if (section == "$Nodes" || section == "$Elements" || section == "$Entities") {
                if (!has_format) text_.fail("found " + section + " before $MeshFormat");
                read_section(section);
            }
            skip_to_end(section);
        }
        apply_labels();
        return mesh_.finish();
    }

private:
    void read_format()
    {
        version_ = text_.real("the version of the format");
        const bool known = (version_ >= 2.0 && version_ < 3.0) || version_ == 4.0 || version_ == 4.1;
        if (!known) text_.fail_expected("version 1, 2.2, 4.0 or 4.1");
        const std::int64_t kind = text_.integer("0 for text or 1 for binary");
        if (kind != 0 && kind != 1) text_.fail_expected("0 for text or 1 for binary");
        if (text_.integer("the size of a number") != 8) text_.fail_expected("8, the size of a number");
        if (kind == 0) return;
        text_.next_line();
        in_ = NumberReader(text_, true, std::endian::little);
        text_.set_binary();
        mesh_.set_binary();
        const std::size_t one = text_.offset();
        if (in_.integer(i32, "the number 1") != 1) {
            text_.seek(one);
            in_ = NumberReader(text_, true, std::endian::big);
            if (in_.integer(i32, "the number 1") != 1)
                in_.fail("found no 1 in either byte order; expected it after the format");
        }
        in_.leave();
    }

    void read_section(const std::string& section)
    {
        if (section == "$Entities") {
            if (version_ < 4.0) return;
            enter_binary();
            read_entities();
        } else if (section == "$Nodes") {
            version_ < 4.0 ? read_nodes_2() : (enter_binary(), read_nodes_4());
        } else {
            version_ < 4.0 ? read_elements_2() : (enter_binary(), read_elements_4());
        }
        in_.leave();
    }

    void enter_binary()
    {
        if (!in_.binary()) return;
        text_.next_line();
        in_.enter();
    }

    // Everything up to "$EndName" is passed over: the rest of this section, or all of an unknown one.
    void skip_to_end(const std::string& section)
    {
        const std::string end = section == "$NOD"   ? "$ENDNOD"
                                : section == "$ELM" ? "$ENDELM"
                                                    : "$End" + section.substr(1);
        const std::size_t found = text_.text().find(end, text_.offset());
        if (found == std::string_view::npos) {
            text_.seek(text_.text().size());
            text_.fail("the file ends; expected " + end);
        }
        if (section == "$Nodes" || section == "$Elements" || section == "$NOD" || section == "$ELM") {
            // What the counts announce must be what the section holds.
            text_.more();
            if (text_.offset() != found) text_.fail_expected(end);
        }
        text_.seek(found + end.size());
    }

    Vec3d read_position()
    {
        Vec3d position;
        position.x = in_.real(f64, "the x coordinate of a node");
        position.y = in_.real(f64, "the y coordinate of a node");
        position.z = in_.real(f64, "the z coordinate of a node");
        return position;
    }

    void read_nodes_2()
    {
        const std::size_t count = text_.count("the number of nodes", in_.binary() ? 28 : 8);
        enter_binary();
        mesh_.reserve_vertices(count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t offset = in_.offset();
            const std::int64_t number = in_.integer(i32, "the number of a node");
            mesh_.add_vertex(number, read_position(), offset);
        }
    }

    void read_nodes_4()
    {
        const std::size_t blocks = in_.count(u64, "the number of node blocks", 20);
        mesh_.reserve_vertices(in_.count(u64, "the number of nodes", 28));
        if (version_ >= 4.1) in_.skip(2, u64, "the smallest and largest node number");
        for (std::size_t b = 0; b < blocks; ++b) {
            std::int64_t dimension = in_.integer(i32, "the dimension of a node block");
            std::int64_t entity = in_.integer(i32, "the entity of a node block");
            if (version_ < 4.1) std::swap(dimension, entity);
            if (dimension < 0 || dimension > 3) in_.fail("a node block has the dimension " + std::to_string(dimension));
            const bool parametric = in_.integer(i32, "0 or 1 for parametric nodes") != 0;
            const std::size_t parameters = parametric ? static_cast<std::size_t>(dimension) : 0;
            const std::size_t count = in_.count(u64, "the number of nodes of a block", 28);
            std::vector<std::int64_t> tags;  // from 4.1 on they come before all coordinates of the block
            for (std::size_t i = 0; version_ >= 4.1 && i < count; ++i) {
                tags.push_back(in_.integer(u64, "the number of a node"));
            }
            for (std::size_t i = 0; i < count; ++i) {
                const std::size_t offset = in_.offset();
                const std::int64_t tag = version_ >= 4.1 ? tags[i] : in_.integer(i32, "the number of a node");
                mesh_.add_vertex(tag, read_position(), offset);
                in_.skip(parameters, f64, "a parameter of a node");
            }
        }
    }

    // `nodes` numbers of nodes of one element; cells keep their corners.
    void read_element_nodes(std::int64_t type, std::size_t nodes, NumberType number_type, std::int64_t label,
                            std::size_t offset)
    {
        const ElementKind kind = element_kind(type);
        const auto wanted = static_cast<std::size_t>(kind.corners);
        std::array<std::int64_t, 8> corners{};
        for (std::size_t k = 0; k < nodes; ++k) {
            const std::int64_t node = in_.integer(number_type, "a node of an element");
            if (k < wanted) corners[k] = node;
        }
        if (wanted > 0 && nodes >= wanted) {
            cells_.push_back({corners, wanted, label, 0, offset});
        } else {
            mesh_.count_other(kind.name);
        }
    }

    void read_elements_1()
    {
        const std::size_t count = text_.count("the number of elements", 10);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t offset = in_.offset();
            text_.integer("the number of an element");
            const std::int64_t type = text_.integer("the type of an element");
            const std::int64_t label = text_.integer("the physical region of an element");
            text_.integer("the elementary region of an element");
            const std::size_t nodes = text_.count("the number of nodes of an element", 2);
            read_element_nodes(type, nodes, i32, label, offset);
        }
    }

    void read_elements_2()
    {
        const std::size_t count = text_.count("the number of elements", 6);
        enter_binary();
        for (std::size_t read = 0; read < count;) {
            // As text every element has its own header; as bytes a header serves a block of elements.
            std::size_t offset = in_.offset();
            if (!in_.binary()) in_.integer(i32, "the number of an element");
            const std::int64_t type = in_.integer(i32, "the type of an element");
            const std::size_t block = in_.binary() ? in_.count(i32, "the number of elements of a block", 4) : 1;
            if (block == 0 || block > count - read)
                in_.fail("a block has " + std::to_string(block) + " elements; " + std::to_string(count - read) +
                         " are left");
            const std::size_t tags = in_.count(i32, "the number of tags of an element", 4);
            const ElementKind kind = element_kind(type);
            for (std::size_t e = 0; e < block; ++e) {
                if (in_.binary()) {
                    offset = in_.offset();
                    in_.integer(i32, "the number of an element");
                }
                std::int64_t label = 0;
                for (std::size_t k = 0; k < tags; ++k) {
                    const std::int64_t tag = in_.integer(i32, "a tag of an element");
                    if (k == 0) label = tag;
                }
                read_nodes_of(kind, type, i32, label, offset);
            }
            read += block;
        }
    }

    void read_nodes_of(const ElementKind& kind, std::int64_t type, NumberType number_type, std::int64_t label,
                       std::size_t offset)
    {
        if (kind.nodes == 0 && !in_.binary()) {
            mesh_.count_other(kind.name);
            text_.next_line();
            return;
        }
        if (kind.nodes == 0)
            in_.fail("an element has the type " + std::to_string(type) + "; expected a type of Gmsh 4");
        read_element_nodes(type, static_cast<std::size_t>(kind.nodes), number_type, label, offset);
    }

    void read_elements_4()
    {
        const NumberType number_type = version_ >= 4.1 ? u64 : i32;
        const std::size_t blocks = in_.count(u64, "the number of element blocks", 20);
        in_.count(u64, "the number of elements", 8);
        if (version_ >= 4.1) in_.skip(2, u64, "the smallest and largest element number");
        for (std::size_t b = 0; b < blocks; ++b) {
            std::int64_t dimension = in_.integer(i32, "the dimension of an element block");
            std::int64_t entity = in_.integer(i32, "the entity of an element block");
            if (version_ < 4.1) std::swap(dimension, entity);
            const std::int64_t type = in_.integer(i32, "the type of an element block");
            const std::size_t count = in_.count(u64, "the number of elements of a block", 8);
            const ElementKind kind = element_kind(type);
            const auto physical = physical_of_volume_.find(entity);
            const std::int64_t label = dimension == 3 && physical != physical_of_volume_.end() ? physical->second : 0;
            for (std::size_t e = 0; e < count; ++e) {
                const std::size_t offset = in_.offset();
                in_.integer(number_type, "the number of an element");
                const std::size_t before = cells_.size();
                read_nodes_of(kind, type, number_type, label, offset);
                if (cells_.size() > before) cells_.back().entity = entity;
            }
        }
    }

    // The only thing wanted is the first physical group of every volume.
    void read_entities()
    {
        std::array<std::size_t, 4> counts;  // points, curves, surfaces, volumes
        for (std::size_t& count : counts) count = in_.count(u64, "a number of entities", 8);
        for (std::size_t dimension = 0; dimension < 4; ++dimension) {
            for (std::size_t i = 0; i < counts[dimension]; ++i) {
                const std::int64_t tag = in_.integer(i32, "the number of an entity");
                in_.skip(dimension == 0 && version_ >= 4.1 ? 3 : 6, f64, "the extent of an entity");
                const std::size_t physicals = in_.count(u64, "the number of physical groups", 4);
                for (std::size_t k = 0; k < physicals; ++k) {
                    const std::int64_t physical = in_.integer(i32, "a physical group");
                    if (dimension == 3 && k == 0) physical_of_volume_[tag] = physical;
                }
                if (dimension > 0)
                    in_.skip(in_.count(u64, "the number of bounding entities", 4), i32, "a bounding entity");
            }
        }
    }

    void apply_labels()
    {
        const bool has_physicals = std::ranges::any_of(cells_, [](const Cell& c) { return c.label != 0; });
        const bool one_entity =
            std::ranges::all_of(cells_, [&](const Cell& c) { return c.entity == cells_.front().entity; });
        for (const Cell& cell : cells_) {
            mesh_.add_cell(std::span(cell.corners).first(cell.count),
                           has_physicals || one_entity ? cell.label : cell.entity, cell.offset);
        }
    }

    struct Cell {
        std::array<std::int64_t, 8> corners;
        std::size_t count;    ///< of corners
        std::int64_t label;   ///< physical group, 0: none
        std::int64_t entity;  ///< volume, from version 4 on
        std::size_t offset;
    };

    TextReader text_;
    NumberReader in_;
    VolumeBuilder mesh_;
    double version_ = 0.0;
    std::map<std::int64_t, std::int64_t> physical_of_volume_;
    std::vector<Cell> cells_;
};

}  // namespace

bool starts_msh(std::string_view start)
{
    return start.find("$MeshFormat") != start.npos || start.find("$NOD") != start.npos;
}

TetMesh read_msh(std::string_view content, const std::string& name)
{
    return MshReader(content, name).read();
}

// Version 4.1 as text. One volume entity per region, whose physical group is the region; one block per run of tets of
// the same region, so that their order is kept.
std::string write_msh(const TetMesh& mesh)
{
    const auto label_of = [&](std::size_t t) { return mesh.materials.empty() ? 0 : mesh.materials[t]; };
    std::map<std::int32_t, int> entity_of;  // by region
    std::vector<std::size_t> runs;          // first tet of each
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        entity_of.try_emplace(label_of(t), static_cast<int>(entity_of.size()) + 1);
        if (t == 0 || label_of(t) != label_of(t - 1)) runs.push_back(t);
    }
    Box3 box;
    for (const Vec3d& v : mesh.vertices) box.add(v);
    std::string out =
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 " + std::to_string(entity_of.size()) + "\n";
    for (const auto& [label, entity] : entity_of) {
        append_number(out, entity);
        out += ' ';
        append_vector(out, box.low);
        out += ' ';
        append_vector(out, box.high);
        out += label == 0 ? " 0 0\n" : " 1 " + std::to_string(label) + " 0\n";
    }
    const std::string vertices = std::to_string(mesh.vertices.size());
    out += "$EndEntities\n$Nodes\n1 " + vertices + " 1 " + vertices + "\n3 1 0 " + vertices + "\n";
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
        append_number(out, i + 1);
        out += '\n';
    }
    for (const Vec3d& v : mesh.vertices) {
        append_vector(out, v);
        out += '\n';
    }
    const std::string tet_count = std::to_string(mesh.tets.size());
    out += "$EndNodes\n$Elements\n" + std::to_string(runs.size()) + " " + tet_count + " 1 " + tet_count + "\n";
    for (std::size_t r = 0; r < runs.size(); ++r) {
        const std::size_t end = r + 1 < runs.size() ? runs[r + 1] : mesh.tets.size();
        out += "3 " + std::to_string(entity_of.at(label_of(runs[r]))) + " 4 " + std::to_string(end - runs[r]) + "\n";
        for (std::size_t t = runs[r]; t < end; ++t) {
            append_number(out, t + 1);
            for (const std::int32_t v : mesh.tets[t]) {
                out += ' ';
                append_number(out, v + 1);
            }
            out += '\n';
        }
    }
    return out + "$EndElements\n";
}

}  // namespace yawara::io
