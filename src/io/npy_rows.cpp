// Growing NumPy arrays: see yawara/npy_rows.h.
#include "yawara/npy_rows.h"

#include <fmt/format.h>

namespace yawara {
namespace {

constexpr std::size_t kHeaderBytes = 128;  // room for any count; data must start at a multiple of 64

}  // namespace

std::string NpyRows::shape() const
{
    return fmt::format("({}, {})", rows_, fmt::join(row_, ", "));
}

std::string NpyRows::header() const
{
    std::string header("\x93NUMPY\x01\x00", 8);
    header += {static_cast<char>(kHeaderBytes - 10), '\0'};  // bytes that follow, little-endian
    header += fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", number_, shape());
    header.resize(kHeaderBytes - 1, ' ');
    return header + '\n';
}

Result<NpyRows> NpyRows::create(const std::filesystem::path& path, std::string_view number,
                                std::vector<std::size_t> row)
{
    auto file = OutFile::create(path);
    if (!file) return file.error();
    NpyRows made(*std::move(file), number, std::move(row));
    made.file_.write(made.header());
    if (Status status = made.file_.flush(); !status) return status.error();
    return made;
}

Status NpyRows::append(const void* data, std::size_t bytes)
{
    file_.seek(kHeaderBytes + rows_ * bytes);
    file_.write(data, bytes);
    if (Status status = file_.flush(); !status) return status;
    ++rows_;
    file_.seek(0);
    file_.write(header());
    return file_.flush();
}

}  // namespace yawara
