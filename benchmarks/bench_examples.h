// The step with examples against the plain matching step, against its own plain twin, and beside the paper's table.
#pragma once

#include <string>
#include <vector>

namespace yawara::bench {

/// ms per step at the paper's sizes, one example, one group.
struct ExampleTableRow {
    std::string model;
    int vertices = 0;
    double plain = 0, with_examples = 0;
    double paper_plain = 0, paper_projection = 0, paper_total = 0;
};

/// ns per vertex and step on a bar of 20,000.
struct ExampleCosts {
    double plain = 0;       ///< no examples
    double one = 0;         ///< one example, one group
    double one_fitted = 0;  ///< the same with the rotation of the paper: projection alone, no second rotation
    double three = 0;       ///< three examples, one group
    double three_each = 0;  ///< three examples, every region its own group
    double twin = 0;        ///< three examples, one group, plain Eigen
};

struct ExamplesBench {
    std::vector<ExampleTableRow> table;
    ExampleCosts costs;
};
ExamplesBench bench_examples(double seconds);

/// Largest distance between the fast step and its twin after some steps, as a share of the bar's length.
double check_examples();

}  // namespace yawara::bench
