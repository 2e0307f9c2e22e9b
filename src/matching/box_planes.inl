// The kernels of box_kernels.h along z, plane by plane, and those that choose by class.

/// Calls each(x, value of each row) along rows, of which all or none have bits.
template <class Each, class... Rows>
inline void for_each_chosen(std::size_t n, const Each& each, const Rows&... rows)
{
    const bool choose = ((rows.bits != nullptr) && ...);
    if (choose)
        for (std::size_t x = 0; x < n; x += kWide)
            each(x, [&, mask = in_set<fw>(rows.bits + x, rows.set)](std::size_t c) {
                return mask ? load<fw>(rows.data + c * rows.channel + x) : fw{};
            }...);
    else
        for (std::size_t x = 0; x < n; x += kWide)
            each(x, [&](std::size_t c) { return load<fw>(rows.data + c * rows.channel + x); }...);
}

[[gnu::flatten]] void box_enter(const PlaneRow& plane, float from, const SlidingRow& sums)
{
    const auto add_plane = [&](std::size_t x, const auto& value) {
        for (std::size_t c = 0; c < 3; ++c) {
            float *const s = sums.data + c * sums.channel + x, *const m = s + 3 * sums.channel;
            const fw a = value(c);
            store(s, load<fw>(s) + a);
            store(m, load<fw>(m) + a * from);
        }
    };
    for_each_chosen(sums.n, add_plane, plane);
}

[[gnu::flatten]] void box_slide(const PlaneRow& fresh, const PlaneRow& old, int width, const SlidingRow& sums)
{
    const float w = float(width), w1 = float(width + 1);
    const auto step = [&](std::size_t x, const auto& value, const auto& old_value) {
        for (std::size_t c = 0; c < 3; ++c) {
            float *const s = sums.data + c * sums.channel + x, *const m = s + 3 * sums.channel;
            const fw a = value(c), b = old_value(c), sum = load<fw>(s);
            store(m, load<fw>(m) - sum + (a * w + b * w1));
            store(s, sum + (a - b));
        }
    };
    for_each_chosen(sums.n, step, fresh, old);
}

[[gnu::flatten]] void box_three(const PlaneRow& before, const PlaneRow& here, const PlaneRow& after,
                                const SlidingRow& sums)
{
    const auto sum = [&](std::size_t x, const auto& value_before, const auto& value, const auto& value_after) {
        for (std::size_t c = 0; c < 3; ++c) {
            const fw a = value_before(c), b = value_after(c);
            store(sums.data + c * sums.channel + x, value(c) + (a + b));
            store(sums.data + (3 + c) * sums.channel + x, b - a);
        }
    };
    for_each_chosen(sums.n, sum, before, here, after);
}

[[gnu::flatten]] void box_three_back(const PlaneRow& before, const PlaneRow& here, const PlaneRow& after,
                                     const SlidingRow& sums)
{
    for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t x = 0; x < sums.n; x += kWide) {
            const auto at = [&](const PlaneRow& plane, std::size_t k) {
                return load<fw>(plane.data + k * plane.channel + x);
            };
            store(sums.data + c * sums.channel + x,
                  at(here, c) + (at(before, c) + at(after, c)) + (at(before, 3 + c) - at(after, 3 + c)));
        }
}

[[gnu::flatten]] void box_add_chosen(const PlaneRow& plane, const SlidingRow& sums)
{
    const auto add_plane = [&](std::size_t x, const auto& value) {
        for (std::size_t c = 0; c < 3; ++c) {
            float* const s = sums.data + c * sums.channel + x;
            store(s, load<fw>(s) + value(c));
        }
    };
    for_each_chosen(sums.n, add_plane, plane);
}

[[gnu::flatten]] void box_enter_back(const PlaneRow& plane, float from, const SlidingRow& sums)
{
    for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t x = 0; x < sums.n; x += kWide) {
            float *const u = sums.data + c * sums.channel + x, *const v = u + 3 * sums.channel;
            const float* const p = plane.data + c * plane.channel + x;
            const fw f = load<fw>(p + 3 * plane.channel);
            store(u, load<fw>(u) + (load<fw>(p) - f * from));
            store(v, load<fw>(v) + f);
        }
}

[[gnu::flatten]] void box_slide_back(const PlaneRow& fresh, const PlaneRow& old, int width, const SlidingRow& sums)
{
    const float w = float(width), w1 = float(width + 1);
    for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t x = 0; x < sums.n; x += kWide) {
            float *const u = sums.data + c * sums.channel + x, *const v = u + 3 * sums.channel;
            const float *const a = fresh.data + c * fresh.channel + x, *const b = old.data + c * old.channel + x;
            const fw fa = load<fw>(a + 3 * fresh.channel), fb = load<fw>(b + 3 * old.channel), sum = load<fw>(v);
            store(u, load<fw>(u) + sum + (load<fw>(a) - fa * w) - (load<fw>(b) + fb * w1));
            store(v, sum + (fa - fb));
        }
}

[[gnu::flatten]] void box_mask(const MaskedBlocks& blocks, const float* in, float* out)
{
    for (std::size_t k = 0; k < blocks.count; ++k) {
        const auto kept = in_set<f8>(blocks.bits + k * blocks.bits_step, blocks.set);
        for (std::size_t c = 0; c < blocks.channels; ++c) {
            const std::size_t at = c * blocks.channel + k * blocks.step;
            store8(out + at, (kept ? load8(in + at) : f8{}));
        }
    }
}

[[gnu::flatten]] void box_add_masked(const MaskedBlocks& blocks, const float* in, float* out)
{
    for (std::size_t k = 0; k < blocks.count; ++k) {
        const auto kept = in_set<f8>(blocks.bits + k * blocks.bits_step, blocks.set);
        for (std::size_t c = 0; c < blocks.channels; ++c) {
            const std::size_t at = c * blocks.channel + k * blocks.step;
            store8(out + at, load8(out + at) + (kept ? load8(in + at) : f8{}));
        }
    }
}
