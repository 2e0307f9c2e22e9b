// The kernels of kernels.inl and the box_*.inl as one table, included behind them in every namespace.

constexpr BoxKernels kBoxKernels{.sum = box_sum,
                                 .moment = box_moment,
                                 .spread = box_spread,
                                 .row_moment = box_row_moment,
                                 .row_spread = box_row_spread,
                                 .row_sum = box_row_sum,
                                 .planes = {box_enter, box_slide, box_three},
                                 .planes_back = {box_enter_back, box_slide_back, box_three_back},
                                 .add_chosen = box_add_chosen,
                                 .sum_in_row = box_sum_in_row,
                                 .sum_out_row = box_sum_out_row,
                                 .take_off_sums = box_take_off_sums,
                                 .take_off_displacements = box_take_off_displacements,
                                 .mask = box_mask,
                                 .add_masked = box_add_masked,
                                 .load_row = box_load_row,
                                 .store_row = box_store_row,
                                 .moments = box_moments,
                                 .rotate = box_rotate};

constexpr Kernels table(const char* name)
{
    return {name,           kBoxKernels, moments, rotate, observe, observe_products,
            observe_turned, project,     blend,   hull,   displacements, mismatch};
}
