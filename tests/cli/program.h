// Runs the built program in a scratch folder and keeps what it said; scenes and meshes for it to work on.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace program {

namespace fs = std::filesystem;

/// A folder for one test case, empty at its start and gone at its end; the program runs in it.
class Scratch {
public:
    Scratch()
    {
        std::string name = (fs::temp_directory_path() / "yawara-test-XXXXXX").string();
        folder_ = mkdtemp(name.data());
    }
    ~Scratch() { fs::remove_all(folder_); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    fs::path operator/(const std::string& name) const { return folder_ / name; }
    std::string read(const std::string& name) const
    {
        std::ifstream file(folder_ / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }
    void write(const std::string& name, const std::string& text) const
    {
        fs::create_directories((folder_ / name).parent_path());
        std::ofstream(folder_ / name, std::ios::binary) << text;
    }

    struct Answer {
        int code = -1;  ///< exit code, or -signal
        std::string out, err;
    };

    /// Starts the program; `input` is its standard input.
    pid_t start(const std::vector<std::string>& arguments, const std::string& input = "") const
    {
        write(".in", input);
        const pid_t child = fork();
        if (child != 0) return child;
        std::vector<std::string> words{YAWARA_PROGRAM};
        words.insert(words.end(), arguments.begin(), arguments.end());
        std::vector<char*> argv;
        for (std::string& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        // Not freopen: that would print what the test program has buffered a second time.
        if (chdir(folder_.c_str()) != 0) _exit(126);
        dup2(open(".in", O_RDONLY), STDIN_FILENO);
        dup2(open(".out", O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
        dup2(open(".err", O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
        execv(argv[0], argv.data());
        _exit(127);
    }

    Answer wait(pid_t child) const
    {
        int status = 0;
        waitpid(child, &status, 0);
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), read(".out"), read(".err")};
    }

    Answer run(const std::vector<std::string>& arguments, const std::string& input = "") const
    {
        return wait(start(arguments, input));
    }

private:
    fs::path folder_;
};

/// A soft bar that falls on a floor: 3 x 2 x 2 cells, 36 particles, 60 tets.
inline std::string falling_bar(const std::string& alpha = "0.5")
{
    return R"({ "yawara": 1, "title": "Falling bar", "description": "A <bar> falls.", "frames": 12,
  "bodies": [ { "name": "bar", "solid": { "bar": { "size": [0.6, 0.4, 0.4], "cells": [3, 2, 2] } },
                "matching": { "alpha": )" +
           alpha + R"( }, "place": { "translate": [0, 0.05, 0] }, "spin": [0, 0, 2] } ],
  "obstacles": [ { "plane": {} } ] })";
}

/// A closed surface: a cube of edge 1 as twelve triangles.
inline std::string cube_obj()
{
    return "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
           "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 1 5 8 4\n";
}

inline bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

}  // namespace program
