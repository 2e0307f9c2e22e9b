// Numbers as bytes, see core/bytes.h, under the names of this folder.
#pragma once

#include "core/bytes.h"
#include "io/file.h"

namespace yawara::io {

using yawara::append;
using yawara::ByteReader;
using yawara::decode;

}  // namespace yawara::io
