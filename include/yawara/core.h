// Errors as values, progress of long work, version. Everything in the library reports mistakes through Result.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace yawara {

/// What was wrong and where: a file and line, or a path into a scene such as `bodies[0].matching.alpha`.
struct Error {
    std::string where;
    std::string what;  ///< says what was found and what was expected
    std::string message() const { return where.empty() ? what : where + ": " + what; }
};

/// Thrown by Result::value() for those who prefer exceptions.
class Exception : public std::runtime_error {
public:
    explicit Exception(Error error) : std::runtime_error(error.message()), error_(std::move(error)) {}
    const Error& error() const { return error_; }

private:
    Error error_;
};

struct Done {};

/// A value or an Error. `if (!result) return result.error();` passes an error on.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}

    explicit operator bool() const { return content_.index() == 0; }
    const Error& error() const { return std::get<1>(content_); }

    /// The value; throws Exception if there is none.
    T& value() &
    {
        if (!*this) throw Exception(error());
        return std::get<0>(content_);
    }
    const T& value() const&
    {
        if (!*this) throw Exception(error());
        return std::get<0>(content_);
    }
    T value() &&
    {
        if (!*this) throw Exception(error());
        return std::move(std::get<0>(content_));
    }

    /// The value; only after a check.
    T& operator*() & { return std::get<0>(content_); }
    const T& operator*() const& { return std::get<0>(content_); }
    T operator*() && { return std::move(std::get<0>(content_)); }
    T* operator->() { return &std::get<0>(content_); }
    const T* operator->() const { return &std::get<0>(content_); }

private:
    std::variant<T, Error> content_;
};

/// Result of something done for its effect.
using Status = Result<Done>;

/// Told about long work: what is being done and how far it is (0..1). Return false to cancel.
using Progress = std::function<bool(std::string_view phase, double fraction)>;

std::string_view version();

}  // namespace yawara
