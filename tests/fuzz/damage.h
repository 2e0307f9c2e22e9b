// Damaged files, made from good ones by fixed rules: the same on every machine; and what may come of them.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yawara/core.h"

namespace fuzz {

/// Same numbers on every machine and library: only the raw engine is used.
class Dice {
public:
    explicit Dice(std::uint32_t seed) : engine_(seed) {}
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_()) % n; }

private:
    std::mt19937 engine_;
};

inline std::vector<std::string> damaged(const std::string& good, std::uint32_t seed)
{
    Dice dice(seed);
    std::vector<std::string> files;
    files.push_back("");
    for (std::size_t k = 1; k < 40; ++k) files.push_back(good.substr(0, good.size() * k / 40));
    for (std::size_t cut = 1; cut <= 12 && cut < good.size(); ++cut) files.push_back(good.substr(0, good.size() - cut));
    for (int k = 0; k < 60; ++k) {  // a flipped bit, or a few other bytes
        std::string file = good;
        const std::size_t changes = k < 30 ? 1 : 1 + dice.below(8);
        for (std::size_t c = 0; c < changes; ++c) {
            char& byte = file[dice.below(file.size())];
            byte = k % 2 == 0 ? static_cast<char>(byte ^ (1 << dice.below(8))) : static_cast<char>(dice.below(256));
        }
        files.push_back(file);
    }
    static const char* const kNumbers[] = {"nan",
                                           "inf",
                                           "-inf",
                                           "1e999",
                                           "-1",
                                           "0",
                                           "99999999999999999999",
                                           "2147483648",
                                           "4294967295",
                                           "18446744073709551615",
                                           "1e18",
                                           "-9223372036854775808",
                                           "0x10",
                                           "",
                                           "abc",
                                           "1.5",
                                           "3.",
                                           "1e-999",
                                           "100000000",
                                           "-2147483648"};
    std::vector<std::pair<std::size_t, std::size_t>> numbers;  // start and length of the runs of digits
    for (std::size_t i = 0; i < good.size();) {
        std::size_t end = i;
        while (end < good.size() && std::string_view("0123456789.-+e").find(good[end]) != std::string_view::npos) ++end;
        if (end > i) numbers.emplace_back(i, end - i);
        i = end + 1;
    }
    for (int k = 0; k < 100 && !numbers.empty(); ++k) {  // early numbers are counts: half of the changes go there
        const std::size_t some = k % 2 == 0 ? std::min<std::size_t>(numbers.size(), 24) : numbers.size();
        const auto [start, length] = numbers[dice.below(some)];
        files.push_back(std::string(good).replace(start, length, kNumbers[dice.below(std::size(kNumbers))]));
    }
    for (int k = 0; k < 24; ++k) {  // a piece taken out, doubled, or replaced by extreme bytes
        const std::size_t start = dice.below(good.size()), length = 1 + dice.below(40);
        std::string file = good;
        if (k % 4 == 0) file.erase(start, length);
        if (k % 4 == 1) file.insert(start, good.substr(start, length));
        if (k % 4 == 2) file.replace(start, length, std::string(std::min(length, good.size() - start), '\xFF'));
        if (k % 4 == 3) file.replace(start, length, std::string(std::min(length, good.size() - start), '\x7F'));
        files.push_back(file);
    }
    std::string noise(1000, '\0');
    for (char& byte : noise) byte = static_cast<char>(dice.below(256));
    files.push_back(noise);
    files.push_back(good.substr(0, std::min<std::size_t>(good.size(), 20)) + noise);
    files.push_back(good + noise);
    files.push_back(good + good);
    files.push_back(std::string(5000, '\n'));
    files.push_back(std::string(5000, '\0'));
    files.push_back(std::string(100000, '['));
    files.push_back(std::string(100000, '9'));
    return files;
}

inline double megabytes_used()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// Ours: with a reason, not too long, and not what a library throws.
inline bool is_ours(const yawara::Error& error)
{
    const std::string text = error.message();
    for (const char* foreign : {"exception", "std::", "bad_alloc", "openvdb", "basic_"})
        if (text.find(foreign) != std::string::npos) return false;
    return !error.what.empty() && text.size() < 500;
}

}  // namespace fuzz
