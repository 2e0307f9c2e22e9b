// The kernels of box_kernels.h that turn particles into sums, sums into rotations and sums into displacements; included
// behind box_lines.inl.

/// Eight particles that follow each other, all there.
inline bool contiguous(const std::int32_t* ids)
{
    return ids[0] >= 0 && ids[7] == ids[0] + 7;
}
/// x, y and z of eight positions that follow each other.
inline f8x3 load_positions(const float* p)
{
    f8 a[4];
    for (int k = 0; k < 4; ++k) a[k] = join(load4(p + 4 * k), load4(p + 4 * k + 16));
    // 4 x 4 transposes in both halves
    const f8 u0 = __builtin_shufflevector(a[0], a[1], 0, 8, 1, 9, 4, 12, 5, 13);
    const f8 u1 = __builtin_shufflevector(a[2], a[3], 0, 8, 1, 9, 4, 12, 5, 13);
    const f8 u2 = __builtin_shufflevector(a[0], a[1], 2, 10, 3, 11, 6, 14, 7, 15);
    const f8 u3 = __builtin_shufflevector(a[2], a[3], 2, 10, 3, 11, 6, 14, 7, 15);
    return {__builtin_shufflevector(u0, u1, 0, 1, 8, 9, 4, 5, 12, 13),
            __builtin_shufflevector(u0, u1, 2, 3, 10, 11, 6, 7, 14, 15),
            __builtin_shufflevector(u2, u3, 0, 1, 8, 9, 4, 5, 12, 13)};
}

/// ... and back, as threes.
inline void store_threes(float* p, f8 x, f8 y, f8 z)
{
    const f8 a = __builtin_shufflevector(x, y, 0, 8, 0, 1, 9, 0, 2, 10);
    const f8 b = __builtin_shufflevector(x, y, 0, 3, 11, 0, 4, 12, 0, 5);
    const f8 c = __builtin_shufflevector(x, y, 13, 0, 6, 14, 0, 7, 15, 0);
    store8(p, __builtin_shufflevector(a, z, 0, 1, 8, 3, 4, 9, 6, 7));
    store8(p + 8, __builtin_shufflevector(b, z, 10, 1, 2, 11, 4, 5, 12, 7));
    store8(p + 16, __builtin_shufflevector(c, z, 0, 13, 2, 3, 14, 5, 6, 15));
}

void box_load_row(const float* positions, const std::int32_t* ids, const float* masses, Vec3 origin, std::size_t n,
                  float* out, std::size_t channel)
{
    for (std::size_t x = 0; x < n; x += 8) {
        if (contiguous(ids + x)) {
            const f8x3 p = load_positions(positions + kPositionSize * std::size_t(ids[x]));
            const f8 m = load8(masses + ids[x]);
            store8(out + x, m * (p.x - splat(origin.x)));
            store8(out + channel + x, m * (p.y - splat(origin.y)));
            store8(out + 2 * channel + x, m * (p.z - splat(origin.z)));
            continue;
        }
        for (std::size_t k = x; k < x + 8; ++k) {
            if (ids[k] < 0) {
                out[k] = out[channel + k] = out[2 * channel + k] = 0;
                continue;
            }
            const float* p = positions + kPositionSize * std::size_t(ids[k]);
            const float m = masses[ids[k]];
            out[k] = m * (p[0] - origin.x);
            out[channel + k] = m * (p[1] - origin.y);
            out[2 * channel + k] = m * (p[2] - origin.z);
        }
    }
}

void box_store_row(const float* sums, std::size_t channel, const std::int32_t* ids, const float* positions,
                   const float* weights, const float* shares, Vec3 origin, std::size_t n, Vec3* displacements)
{
    for (std::size_t x = 0; x < n; x += 8) {
        if (contiguous(ids + x)) {
            const f8x3 p = load_positions(positions + kPositionSize * std::size_t(ids[x]));
            const f8 w = load8(weights + ids[x]), share = load8(shares + ids[x]);
            store_threes(&displacements[ids[x]].x, (load8(sums + x) - w * (p.x - splat(origin.x))) * share,
                         (load8(sums + channel + x) - w * (p.y - splat(origin.y))) * share,
                         (load8(sums + 2 * channel + x) - w * (p.z - splat(origin.z))) * share);
            continue;
        }
        for (std::size_t k = x; k < x + 8; ++k) {
            if (ids[k] < 0) continue;
            const float* p = positions + kPositionSize * std::size_t(ids[k]);
            const float w = weights[ids[k]], share = shares[ids[k]];
            displacements[ids[k]].x = (sums[k] - w * (p[0] - origin.x)) * share;
            displacements[ids[k]].y = (sums[channel + k] - w * (p[1] - origin.y)) * share;
            displacements[ids[k]].z = (sums[2 * channel + k] - w * (p[2] - origin.z)) * share;
        }
    }
}

/// A_pq = sum m x (x0 - c0)^T by columns and the centre of mass now, from the sums of a block; lanes without a region
/// get the identity.
inline void box_block_moments(const float* sums, std::size_t channel, const BoxBlock& block, float cell, f8 (&A)[9],
                              f8 (&c)[3])
{
    const f8 inverse_mass = load8(block.inverse_mass), d = splat(cell);
    const i8 present = inverse_mass > splat(0);
    f8 s[3];
    for (std::size_t row = 0; row < 3; ++row) {
        s[row] = load8(sums + row * channel);
        c[row] = s[row] * inverse_mass;
    }
    for (std::size_t column = 0; column < 3; ++column) {
        const f8 offset = load8(block.offset[column]);
        for (std::size_t row = 0; row < 3; ++row) {
            const f8 moment = load8(sums + (3 + 3 * column + row) * channel);
            A[3 * column + row] = select(present, moment * d - s[row] * offset, splat(column == row ? 1.0f : 0.0f));
        }
    }
}

void box_moments(const BoxColumn& column, RegionMoments* out)
{
    for (std::size_t k = 0; k < column.count; ++k) {
        f8 A[9], c[3];
        box_block_moments(column.values + k * column.step, column.channel, column.blocks[k], column.cell, A, c);
        for (int e = 0; e < 9; ++e) store8(out[k].A[e], A[e]);
        for (int e = 0; e < 3; ++e) store8(out[k].c[e], c[e]);
    }
}

RotateCount box_rotate(const BoxColumn& column, const BoxShapes& shapes, float* rotations)
{
    RotateCount count;
    for (std::size_t first = 0; first < column.count; first += 2) {
        const std::size_t blocks = column.count - first < 2 ? 1 : 2;
        f8 A[2][9], c[2][3], T[6];
        bool empty = true;
        for (std::size_t k = 0; k < blocks; ++k) {
            f8(&M)[9] = A[k];
            const BoxBlock& block = column.blocks[first + k];
            if (shapes.moments) {
                for (int e = 0; e < 9; ++e) M[e] = load8(shapes.moments[first + k].A[e]);
                for (int e = 0; e < 3; ++e) c[k][e] = load8(shapes.moments[first + k].c[e]);
            } else {
                box_block_moments(column.values + (first + k) * column.step, column.channel, block, column.cell, M,
                                  c[k]);
            }
            empty = empty && !any(load8(block.inverse_mass) > splat(0));
            const f8 det = M[0] * (M[4] * M[8] - M[5] * M[7]) - M[3] * (M[1] * M[8] - M[2] * M[7]) +
                           M[6] * (M[1] * M[5] - M[2] * M[4]);
            const i8 inverted = det < 0;
            if (any(inverted))
                for (std::size_t lane = 0; lane < kLanes; ++lane) count.inverted += inverted[lane] != 0;
            if (shapes.spread) {
                linear_fit(shapes.moments[first + k], shapes.spread[first + k], M);
            } else if (shapes.stretch) {
                load_stretch(shapes.stretch[first + k].T, T);
                times_stretch(M, T);
            }
        }
        if (empty) {
            for (std::size_t k = 0; k < blocks; ++k)
                for (std::size_t e = 0; e < 12; ++e)
                    store8(column.values + (first + k) * column.step + e * column.channel, f8{});
            continue;
        }
        Two both[9], R[9];
        for (int e = 0; e < 9; ++e) both[e] = {A[0][e], A[blocks - 1][e]};
        count.robust += find_rotations(both, blocks, blocks * kLanes, rotations + first * kRotationSize, R);
        for (std::size_t k = 0; k < blocks; ++k) {
            f8 F[9];
            for (int e = 0; e < 9; ++e) F[e] = k ? R[e].b : R[e].a;
            if (shapes.stretch) {
                load_stretch(shapes.stretch[first + k].T, T);
                times_stretch(F, T);
            }
            const BoxBlock& block = column.blocks[first + k];
            float* const out = column.values + (first + k) * column.step;
            const f8 weight = load8(block.weight), scaled = weight * splat(column.cell);
            const f8 o0 = load8(block.offset[0]), o1 = load8(block.offset[1]), o2 = load8(block.offset[2]);
            for (std::size_t row = 0; row < 3; ++row) {
                store8(out + row * column.channel,
                       weight * (c[k][row] - (F[row] * o0 + F[3 + row] * o1 + F[6 + row] * o2)));
                store8(out + (3 + row) * column.channel, scaled * F[row]);
                store8(out + (6 + row) * column.channel, scaled * F[3 + row]);
                store8(out + (9 + row) * column.channel, scaled * F[6 + row]);
            }
        }
    }
    return count;
}
