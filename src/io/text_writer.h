// Appends numbers to text in the shortest form that reads back as the very same number.
#pragma once

#include <charconv>
#include <string>

#include "yawara/math.h"

namespace yawara::io {

template <class Number>
void append_number(std::string& out, Number value)
{
    char digits[40];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    out.append(digits, end);
}

/// "x y z" without a blank at either end.
template <class T>
void append_vector(std::string& out, Vec3T<T> v)
{
    append_number(out, v.x);
    out += ' ';
    append_number(out, v.y);
    out += ' ';
    append_number(out, v.z);
}

}  // namespace yawara::io
