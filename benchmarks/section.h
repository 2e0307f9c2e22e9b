// One part of the benchmark: what is compared, how it is checked, measured and told. A new part is one more entry in
// main.cpp.
#pragma once

#include <nlohmann/json.hpp>

namespace yawara::bench {

struct BenchOptions {
    bool quick = false;
    double seconds = 6;  ///< on each size
};

struct Section {
    const char* name;  ///< for --only, and the key in the JSON
    bool (*check)();   ///< results only, never the clock; says what it found
    nlohmann::json (*measure)(const BenchOptions& options);
    void (*print)(const nlohmann::json& measured);
};

extern const Section kMatchingSection;
extern const Section kExamplesSection;
extern const Section kActiveSection;
extern const Section kContactSection;
extern const Section kFemSection;
extern const Section kImplicitSection;
extern const Section kLatticeSection;
extern const Section kLimitsSection;
extern const Section kCvgSection;
extern const Section kEditSection;
extern const Section kPaintSection;
extern const Section kPictureSection;
extern const Section kPoseSection;
extern const Section kStepSection;
extern const Section kStreamSection;
extern const Section kSweepSection;
extern const Section kWorldSection;

}  // namespace yawara::bench
