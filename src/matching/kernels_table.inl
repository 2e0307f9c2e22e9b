// The kernels of kernels.inl and box_kernels.inl as one table, included behind them in every namespace.

constexpr BoxKernels kBoxKernels{box_sum,        box_moment,     box_spread,     box_row_moment, box_row_spread,
                                 box_row_sum,    box_enter,      box_slide,      box_enter_back, box_slide_back,
                                 box_mask,       box_add_masked, box_load_row,   box_store_row,  box_moments,
                                 box_rotate};

constexpr Kernels table(const char* name)
{
    return {name, kBoxKernels, moments, rotate, observe, observe_turned, project, blend, hull, ways, mismatch};
}
