// VTK's legacy format, text and binary (big-endian), versions up to 5.1: the tetrahedra of an UNSTRUCTURED_GRID.
#include "io/formats.h"
#include "io/number_type.h"
#include "io/volume_builder.h"
#include "io/vtk_cells.h"

namespace yawara::io {

namespace {

using enum NumberType;

class VtkReader {
public:
    VtkReader(std::string_view content, const std::string& name)
        : text_(content, name), in_(text_, false, std::endian::big), mesh_(text_.place())
    {
    }

    TetMesh read()
    {
        read_header();
        while (text_.more()) {
            const std::size_t offset = text_.offset();
            const std::string key = lower(text_.word());
            if (key == "points") {
                read_points();
            } else if (key == "cells") {
                read_cells(offset);
            } else if (key == "cell_types") {
                read_types();
            } else if (key == "cell_data") {
                in_cell_data_ = true;
                text_.next_line();
            } else if (key == "point_data") {
                in_cell_data_ = false;
                text_.next_line();
            } else if (key == "scalars") {
                read_scalars();
            } else if (key == "field") {
                read_field();
            } else if (key == "metadata") {
                skip_metadata();
            } else if (has_cells()) {
                break;  // normals, vectors and tables behind the cells do not matter
            } else {
                text_.fail_expected("POINTS, CELLS, CELL_TYPES or FIELD");
            }
        }
        if (cells_.types.empty()) text_.fail("no CELL_TYPES found; expected an unstructured grid");
        cells_.offset = cells_offset_;
        add_tets(cells_, 0, mesh_.vertex_count(), text_.place(), mesh_);
        return mesh_.finish();
    }

private:
    bool has_cells() const { return mesh_.vertex_count() > 0 && !cells_.types.empty() && !cells_.connectivity.empty(); }

    void read_header()
    {
        if (!text_.rest_of_line().starts_with("# vtk DataFile"))
            text_.fail("the first line is not \"# vtk DataFile Version ...\"");
        text_.next_line();  // title
        const std::string kind = lower(text_.word());
        if (kind != "ascii" && kind != "binary") text_.fail_expected("ASCII or BINARY");
        if (lower(text_.word()) != "dataset") text_.fail_expected("the word DATASET");
        if (lower(text_.word()) != "unstructured_grid") text_.fail_expected("UNSTRUCTURED_GRID, a mesh of tetrahedra");
        if (kind == "binary") {
            in_ = NumberReader(text_, true, std::endian::big);
            text_.set_binary();
            mesh_.set_binary();
        }
    }

    NumberType read_type()
    {
        struct Name {
            std::string_view text;
            NumberType type;
        };
        static constexpr Name kNames[] = {
            {"char", i8},          {"unsigned_char", u8},  {"short", i16},         {"unsigned_short", u16},
            {"int", i32},          {"unsigned_int", u32},  {"long", i64},          {"unsigned_long", u64},
            {"float", f32},        {"double", f64},        {"vtkidtype", i32},     {"vtktypeint32", i32},
            {"vtktypeint64", i64}, {"vtktypeuint32", u32}, {"vtktypeuint64", u64},
        };
        const std::string word = lower(text_.word());
        for (const Name& name : kNames) {
            if (name.text == word) return name.type;
        }
        text_.fail_expected("a number type such as int, float or double");
    }

    // The data of a section start behind the end of this line.
    void enter()
    {
        text_.next_line();
        in_.enter();
    }

    void read_points()
    {
        const std::size_t count = text_.count("the number of points", 6);
        const NumberType type = read_type();
        enter();
        in_.check_room(count, 3 * size_of(type), "points");
        mesh_.reserve_vertices(count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t offset = in_.offset();
            Vec3d position;
            position.x = in_.real(type, "the x coordinate of a point");
            position.y = in_.real(type, "the y coordinate of a point");
            position.z = in_.real(type, "the z coordinate of a point");
            mesh_.add_vertex(static_cast<std::int64_t>(i), position, offset);
        }
        in_.leave();
    }

    std::vector<std::int64_t> read_integers(std::size_t count, NumberType type, std::string_view things)
    {
        in_.check_room(count, size_of(type), things);
        std::vector<std::int64_t> values(count);
        for (std::int64_t& value : values) value = in_.integer(type, things);
        in_.leave();
        return values;
    }

    // Up to version 4 a list "length corner corner ..." per cell; from 5.1 on offsets and corners apart.
    void read_cells(std::size_t offset)
    {
        cells_offset_ = offset;
        const std::size_t count = text_.count("the number of cells", 1);
        const std::size_t numbers = text_.count("the number of numbers of all cells", 1);
        text_.next_line();
        const std::size_t start = text_.offset();
        if (lower(text_.word()) == "offsets") {
            NumberType type = read_type();
            enter();
            cells_.ends = read_integers(count, type, "an offset of a cell");
            if (!cells_.ends.empty()) cells_.ends.erase(cells_.ends.begin());  // the first is 0
            if (lower(text_.word()) != "connectivity") text_.fail_expected("CONNECTIVITY");
            type = read_type();
            enter();
            cells_.connectivity = read_integers(numbers, type, "a corner of a cell");
            return;
        }
        text_.seek(start);
        in_.enter();
        const std::vector<std::int64_t> lists = read_integers(numbers, i32, "a number of a cell");
        std::size_t at = 0;
        for (std::size_t c = 0; c < count; ++c) {
            const std::int64_t length = at < lists.size() ? lists[at] : -1;
            if (length < 0 || static_cast<std::size_t>(length) > lists.size() - at - 1) {
                in_.fail("cell " + std::to_string(c) + " does not fit into the " + std::to_string(numbers) +
                         " numbers of CELLS");
            }
            const auto first = lists.begin() + static_cast<std::ptrdiff_t>(at) + 1;
            cells_.connectivity.insert(cells_.connectivity.end(), first, first + length);
            cells_.ends.push_back(static_cast<std::int64_t>(cells_.connectivity.size()));
            at += static_cast<std::size_t>(length) + 1;
        }
    }

    void read_types()
    {
        const std::size_t count = text_.count("the number of cell types", 1);
        enter();
        cells_.types = read_integers(count, i32, "the type of a cell");
    }

    void read_scalars()
    {
        const std::string name(text_.word());
        const NumberType type = read_type();
        std::size_t components = text_.more_on_line() ? text_.count("the number of components", 0) : 1;
        if (components == 0 || components > 4) text_.fail_expected("1 to 4 components");
        text_.next_line();
        const std::size_t start = text_.offset();
        if (lower(text_.word()) == "lookup_table") {
            enter();
        } else {
            text_.seek(start);
            in_.enter();
        }
        const std::size_t count = in_cell_data_ ? cells_.types.size() : mesh_.vertex_count();
        read_values(name, count, components, type);
    }

    // FIELD name n, then n arrays "name components tuples type" with their data.
    void read_field()
    {
        text_.word();
        const std::size_t arrays = text_.count("the number of arrays", 8);
        for (std::size_t a = 0; a < arrays; ++a) {
            std::string name(text_.word());
            if (lower(name) == "metadata") {
                skip_metadata();
                name = text_.word();
            }
            const std::size_t components = text_.count("the number of components", 0);
            const std::size_t tuples = text_.count("the number of tuples", 0);
            if (lower(text_.text().substr(text_.offset(), 7)) == " string")
                text_.fail("arrays of strings are not supported");
            const NumberType type = read_type();
            enter();
            if (tuples != 0 && components > text_.remaining() / tuples)
                text_.fail("the array " + in_quotes(name) + " is larger than the file");
            read_values(name, tuples, components, type);
        }
    }

    void read_values(const std::string& name, std::size_t count, std::size_t components, NumberType type)
    {
        const bool wanted =
            in_cell_data_ && components == 1 && !is_real(type) && is_label_name(name) && cells_.labels.empty();
        if (wanted) {
            cells_.labels = read_integers(count, type, "a region of a cell");
        } else {
            in_.skip(count * components, type, "values of " + in_quotes(name));
            in_.leave();
        }
    }

    // To the empty line that ends it.
    void skip_metadata()
    {
        text_.next_line();
        while (text_.more_on_line()) text_.next_line();
    }

    TextReader text_;
    NumberReader in_;
    VolumeBuilder mesh_;
    VtkCells cells_;
    std::size_t cells_offset_ = 0;
    bool in_cell_data_ = false;
};

}  // namespace

bool starts_vtk(std::string_view start)
{
    return start.starts_with("# vtk") && lower(start).find("unstructured_grid") != std::string::npos;
}

TetMesh read_vtk(std::string_view content, const std::string& name)
{
    return VtkReader(content, name).read();
}

}  // namespace yawara::io
