// A NumPy array that grows by rows on the disk. The count in its header follows every row, so that a killed program
// leaves an array that loads.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "yawara/out_file.h"

namespace yawara {

class NpyRows {
public:
    /// An array of no rows. `number`: its type as NumPy writes it, 4 bytes each: '<f4' or '<i4'; `row`: shape of one
    /// row.
    static Result<NpyRows> create(const std::filesystem::path& path, std::string_view number,
                                  std::vector<std::size_t> row);

    template <class T>
    Status append(std::span<const T> row)
    {
        static_assert(sizeof(T) % 4 == 0);
        return append(row.data(), row.size_bytes());
    }

    std::size_t rows() const { return rows_; }
    /// "(240, 36, 3)"
    std::string shape() const;
    const std::filesystem::path& path() const { return file_.path(); }

private:
    NpyRows(OutFile file, std::string_view number, std::vector<std::size_t> row)
        : file_(std::move(file)), number_(number), row_(std::move(row))
    {
    }
    Status append(const void* data, std::size_t bytes);
    std::string header() const;

    OutFile file_;
    std::string number_;
    std::vector<std::size_t> row_;
    std::size_t rows_ = 0;
};

}  // namespace yawara
