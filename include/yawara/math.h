// Small vectors and matrices of the public interface: plain aggregates, no dependency.
#pragma once

#include <array>
#include <cmath>

namespace yawara {

template <class T>
struct Vec3T {
    T x{}, y{}, z{};

    T& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
    T operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }

    friend constexpr Vec3T operator+(Vec3T a, Vec3T b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
    friend constexpr Vec3T operator-(Vec3T a, Vec3T b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
    friend constexpr Vec3T operator-(Vec3T a) { return {-a.x, -a.y, -a.z}; }
    friend constexpr Vec3T operator*(Vec3T a, T s) { return {a.x * s, a.y * s, a.z * s}; }
    friend constexpr Vec3T operator*(T s, Vec3T a) { return a * s; }
    friend constexpr Vec3T operator/(Vec3T a, T s) { return {a.x / s, a.y / s, a.z / s}; }
    Vec3T& operator+=(Vec3T b) { return *this = *this + b; }
    Vec3T& operator-=(Vec3T b) { return *this = *this - b; }
    Vec3T& operator*=(T s) { return *this = *this * s; }
    friend constexpr bool operator==(const Vec3T&, const Vec3T&) = default;

    template <class U>
    constexpr Vec3T<U> as() const
    {
        return {static_cast<U>(x), static_cast<U>(y), static_cast<U>(z)};
    }
};

using Vec3 = Vec3T<float>;    ///< what moves
using Vec3d = Vec3T<double>;  ///< what is precomputed

template <class T>
constexpr T dot(Vec3T<T> a, Vec3T<T> b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
constexpr Vec3T<T> cross(Vec3T<T> a, Vec3T<T> b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
T length(Vec3T<T> a)
{
    return std::sqrt(dot(a, a));
}
/// Unit vector along a; zero stays zero.
template <class T>
Vec3T<T> normalized(Vec3T<T> a)
{
    const T l = length(a);
    return l > T(0) ? a / l : a;
}
template <class T>
constexpr Vec3T<T> min(Vec3T<T> a, Vec3T<T> b)
{
    return {a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z};
}
template <class T>
constexpr Vec3T<T> max(Vec3T<T> a, Vec3T<T> b)
{
    return {a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z};
}
template <class T>
bool is_finite(Vec3T<T> a)
{
    return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

/// 3x3 matrix by columns.
template <class T>
struct Mat3T {
    Vec3T<T> c0{1, 0, 0}, c1{0, 1, 0}, c2{0, 0, 1};

    static constexpr Mat3T zero() { return {{}, {}, {}}; }
    friend constexpr Vec3T<T> operator*(const Mat3T& m, Vec3T<T> v)
    {
        return m.c0 * v.x + m.c1 * v.y + m.c2 * v.z;
    }
    friend constexpr Mat3T operator*(const Mat3T& a, const Mat3T& b) { return {a * b.c0, a * b.c1, a * b.c2}; }
    friend constexpr Mat3T operator+(const Mat3T& a, const Mat3T& b)
    {
        return {a.c0 + b.c0, a.c1 + b.c1, a.c2 + b.c2};
    }
    friend constexpr Mat3T operator-(const Mat3T& a, const Mat3T& b)
    {
        return {a.c0 - b.c0, a.c1 - b.c1, a.c2 - b.c2};
    }
    friend constexpr Mat3T operator*(const Mat3T& a, T s) { return {a.c0 * s, a.c1 * s, a.c2 * s}; }
    friend constexpr bool operator==(const Mat3T&, const Mat3T&) = default;

    template <class U>
    constexpr Mat3T<U> as() const
    {
        return {c0.template as<U>(), c1.template as<U>(), c2.template as<U>()};
    }
};

using Mat3 = Mat3T<float>;
using Mat3d = Mat3T<double>;

template <class T>
constexpr Mat3T<T> transpose(const Mat3T<T>& m)
{
    return {{m.c0.x, m.c1.x, m.c2.x}, {m.c0.y, m.c1.y, m.c2.y}, {m.c0.z, m.c1.z, m.c2.z}};
}
template <class T>
constexpr T determinant(const Mat3T<T>& m)
{
    return dot(m.c0, cross(m.c1, m.c2));
}
/// a b^T
template <class T>
constexpr Mat3T<T> outer(Vec3T<T> a, Vec3T<T> b)
{
    return {a * b.x, a * b.y, a * b.z};
}

/// Rotation about an axis (any length but zero) by an angle in radians.
template <class T>
Mat3T<T> rotation(Vec3T<T> axis, T angle)
{
    const Vec3T<T> n = normalized(axis);
    const T c = std::cos(angle), s = std::sin(angle);
    const Mat3T<T> k{{0, n.z, -n.y}, {-n.z, 0, n.x}, {n.y, -n.x, 0}};
    return Mat3T<T>{{c, 0, 0}, {0, c, 0}, {0, 0, c}} + outer(n, n) * (T(1) - c) + k * s;
}

/// x -> turn * x + move
struct Placement {
    Mat3d turn{};
    Vec3d move{};
    Vec3d operator()(Vec3d x) const { return turn * x + move; }
    /// The other way round, if `turn` is a rotation.
    Vec3d undo(Vec3d x) const { return transpose(turn) * (x - move); }
    friend constexpr bool operator==(const Placement&, const Placement&) = default;
};

struct Box3 {
    Vec3d low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};

    void add(Vec3d p)
    {
        low = min(low, p);
        high = max(high, p);
    }
    bool empty() const { return low.x > high.x; }
    Vec3d size() const { return empty() ? Vec3d{} : high - low; }
    Vec3d center() const { return (low + high) * 0.5; }
    double diagonal() const { return length(size()); }
};

}  // namespace yawara
