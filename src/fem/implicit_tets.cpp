#include "fem/implicit_tets.h"

#include <algorithm>

#include "core/parallel.h"

namespace yawara::fem {
namespace {

constexpr std::size_t kBlocksInTask = 64;  // small bodies are not worth a second thread

std::size_t blocks_of(std::size_t tets)
{
    return (tets + kTetLanes - 1) / kTetLanes;
}

}  // namespace

void ImplicitTets::reserve(const FemModel& model, std::size_t tets)
{
    if (model.law) return;
    const std::size_t blocks = blocks_of(tets), lanes = blocks * kTetLanes;
    constants_.reserve(lanes * lane_constants(model.isotropic, model.viscous)), corners_.reserve(blocks);
    start_.reserve(model.viscous ? 6 * lanes : 0), plastic_.reserve(6 * lanes);
    gradients_.reserve(4 * lanes), hessians_.reserve(kTetBlocks * lanes);
    const std::size_t tasks = chunk_count(blocks, kBlocksInTask);
    sums_.reserve(tasks), volumes_.reserve(tasks);
}

void ImplicitTets::begin(const FemModel& model, Front& front, bool barrier, double h, std::span<const Vec3d> positions)
{
    barrier_ = barrier, viscous_ = model.viscous, per_h_ = 1 / h;
    laws_ = model.law ? &front.laws : nullptr;
    if (laws_) return laws_->start_step(positions, h);
    if (model_ != &model || revision_ != front.revision) {
        model_ = &model, revision_ = front.revision;
        fit(model, front);
    }
    if (viscous_) {
        start_.resize(6 * blocks_ * kTetLanes);
        implicit_kernels().strains(lanes(positions), lane_constants(isotropic_, viscous_), 0, blocks_, start_.data());
    }
    plastic_.resize(front.plastic.empty() ? 0 : 6 * blocks_ * kTetLanes);
    for (std::size_t t = 0; t < front.plastic.size(); ++t)  // kept as twice the Green strain
        for (std::size_t I = 0; I < 6; ++I)
            plastic_[(6 * (t / kTetLanes) + I) * kTetLanes + t % kTetLanes] =
                double(front.plastic[t].mean[I]) * (I < 3 ? 0.5 : 1.0);
}

void ImplicitTets::fit(const FemModel& model, const Front& front)
{
    const std::size_t tets = front.active.size();
    isotropic_ = model.isotropic;
    blocks_ = blocks_of(tets);
    corners_.resize(blocks_);
    constants_.resize(blocks_ * kTetLanes * lane_constants(isotropic_, viscous_));
    gradients_.resize(4 * blocks_ * kTetLanes), hessians_.resize(kTetBlocks * blocks_ * kTetLanes);
    const std::size_t tasks = chunk_count(blocks_, kBlocksInTask);
    sums_.resize(tasks), volumes_.resize(tasks);
    for_each_chunk(
        blocks_ * kTetLanes, kBlocksInTask * kTetLanes, [&](std::size_t, std::size_t first, std::size_t last) {
            for (std::size_t lane = first; lane < last; ++lane) {
                const std::size_t t = std::min(lane, tets - 1), block = lane / kTetLanes;
                const std::int32_t id = front.active[t];
                const TetShape shape = shape_of(model.forest.corners(id));
                double* to = &constants_[block * kTetLanes * lane_constants(isotropic_, viscous_) + lane % kTetLanes];
                const auto put = [&](double value) { *to = value, to += kTetLanes; };
                const auto put_tensor = [&](const Elasticity& tensor) {
                    if (isotropic_) return put(tensor(0, 1)), put(tensor(3, 3));
                    for (int I = 0; I < 6; ++I)
                        for (int J = I; J < 6; ++J) put(tensor(I, J));
                };
                for (std::size_t a = 1; a < 4; ++a) put(shape.g[a].x), put(shape.g[a].y), put(shape.g[a].z);
                put(lane < tets ? shape.volume : 0.0);
                put(lane < tets ? double(model.constants[std::size_t(id)].barrier) : 0.0);
                const auto material = std::size_t(model.material_of[std::size_t(id)]);
                put_tensor(model.elasticities[material]);
                if (viscous_) put_tensor(model.viscosities[material]);
                for (std::size_t a = 0; a < 4; ++a) corners_[block].node[a][lane % kTetLanes] = front.corners[t][a];
            }
        });
}

LaneTets ImplicitTets::lanes(std::span<const Vec3d> positions) const
{
    return {constants_.data(),    corners_.data(), start_.data(), plastic_.empty() ? nullptr : plastic_.data(),
            &positions.data()->x, per_h_,          barrier_};
}

ElementEnergy ImplicitTets::energy(std::span<const Vec3d> positions)
{
    if (laws_) {
        const double elastic = laws_->energy(positions, barrier_, false);
        return {elastic, viscous_ ? laws_->energy(positions, barrier_, true) - elastic : 0.0};
    }
    const LaneTets tets = lanes(positions);
    for_each_chunk(blocks_, kBlocksInTask, [&](std::size_t c, std::size_t first, std::size_t last) {
        volumes_[c] = {};
        sums_[c] = implicit_kernels().energy[isotropic_][viscous_](tets, first, last, volumes_[c]);
    });
    last_volumes_ = {};
    for (const Volumes& part : volumes_) {
        last_volumes_.smallest = std::min(last_volumes_.smallest, part.smallest);
        last_volumes_.inverted += part.inverted;
    }
    ElementEnergy sum;
    for (const ElementEnergy& part : sums_) sum.elastic += part.elastic, sum.viscous += part.viscous;
    return sum;
}

ElementEnergy ImplicitTets::find_slopes(std::span<const Vec3d> positions)
{
    if (laws_) {
        laws_->differentiate(positions, barrier_, viscous_, false);
        return energy(positions);
    }
    const LaneTets tets = lanes(positions);
    for_each_chunk(blocks_, kBlocksInTask, [&](std::size_t c, std::size_t first, std::size_t last) {
        sums_[c] = implicit_kernels().slopes[isotropic_][viscous_](tets, first, last, &gradients_.data()->x);
    });
    ElementEnergy sum;
    for (const ElementEnergy& part : sums_) sum.elastic += part.elastic, sum.viscous += part.viscous;
    return sum;
}

void ImplicitTets::differentiate(std::span<const Vec3d> positions)
{
    if (laws_) return laws_->differentiate(positions, barrier_, viscous_, true);
    const LaneTets tets = lanes(positions);
    for_each_chunk(blocks_, kBlocksInTask, [&](std::size_t, std::size_t first, std::size_t last) {
        implicit_kernels().differentiate[isotropic_][viscous_](tets, first, last, &gradients_.data()->x,
                                                               &hessians_.data()->c0.x);
    });
}

}  // namespace yawara::fem
