// Files that are replaced as a whole or not at all.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include "interrupted_writes.h"
#include "yawara/replace_file.h"

using namespace yawara;
using namespace interrupted_writes;
namespace fs = std::filesystem;

namespace {

struct Folder {
    fs::path path = fs::temp_directory_path() / ("yawara-replace-" + std::to_string(getpid()));
    Folder() { fs::create_directories(path); }
    ~Folder() { fs::remove_all(path); }
    std::string read(const char* name) const { return finished_files(path)[name]; }
    std::size_t count() const { return std::size_t(std::distance(fs::directory_iterator(path), {})); }
};

}  // namespace

TEST_CASE("a file is replaced by its new content, and nothing stays beside it")
{
    const Folder folder;
    REQUIRE(replace_file(folder.path / "a.txt", "old"));
    REQUIRE(replace_file(folder.path / "a.txt", "new and longer"));
    CHECK(folder.read("a.txt") == "new and longer");
    CHECK(folder.count() == 1);
}

TEST_CASE("a full disk leaves the older file, nothing beside it, and says why")
{
    const Folder folder;
    REQUIRE(replace_file(folder.path / "a.txt", "old"));
    {
        const SmallDisk disk(1000);
        const Status written = replace_file(folder.path / "a.txt", std::string(5000, 'x'));
        REQUIRE_FALSE(written);
        CHECK(written.error().message().find("a.txt: cannot be written: File too large") != std::string::npos);
    }
    CHECK(folder.read("a.txt") == "old");
    CHECK(folder.count() == 1);
}

TEST_CASE("a program that is killed while it replaces a file leaves the old or the new one")
{
    const Folder folder;
    const std::string one(3'000'000, '1'), two(2'000'000, '2');
    REQUIRE(replace_file(folder.path / "a.txt", one));
    for (const int milliseconds : {1, 3, 7, 12, 20}) {
        do_and_kill(
            [&] {
                (void)replace_file(folder.path / "a.txt", two);
                (void)replace_file(folder.path / "a.txt", one);
            },
            milliseconds);
        const std::string left = folder.read("a.txt");
        CHECK((left == one || left == two));
    }
}

TEST_CASE("a link stays a link, and the file it leads to is replaced")
{
    const Folder folder;
    fs::create_directories(folder.path / "far");
    REQUIRE(replace_file(folder.path / "far/a.txt", "old"));
    fs::create_symlink("far/a.txt", folder.path / "link.txt");
    REQUIRE(replace_file(folder.path / "link.txt", "new"));
    CHECK(fs::is_symlink(folder.path / "link.txt"));
    CHECK(folder.read("far/a.txt") == "new");
}

TEST_CASE("a device is written to and stays a device")
{
    REQUIRE(replace_file("/dev/null", "nothing"));
    CHECK(fs::is_character_file("/dev/null"));
    if (fs::exists("/dev/full")) CHECK_FALSE(replace_file("/dev/full", "much"));
}

TEST_CASE("who may read a file stays as it was")
{
    const Folder folder;
    REQUIRE(replace_file(folder.path / "secret", "old"));
    fs::permissions(folder.path / "secret", fs::perms::owner_read | fs::perms::owner_write);
    REQUIRE(replace_file(folder.path / "secret", "new"));
    CHECK(fs::status(folder.path / "secret").permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("folders and missing folders are refused")
{
    const Folder folder;
    CHECK_FALSE(replace_file(folder.path, "x"));
    CHECK_FALSE(replace_file(folder.path / "missing" / "a.txt", "x"));
    CHECK_FALSE(replace_file("", "x"));
}

TEST_CASE("a series takes the place of an older one at its end")
{
    const Folder folder;
    REQUIRE(replace_file(folder.path / "1.txt", "old 1"));
    auto series = UnfinishedFolder::create(folder.path, "txt").value();
    REQUIRE(replace_file(series.path() / "1.txt", "new 1"));
    REQUIRE(replace_file(series.path() / "2.txt", "new 2"));
    CHECK(folder.read("1.txt") == "old 1");
    REQUIRE(series.put_in_place());
    CHECK(folder.read("1.txt") == "new 1");
    CHECK(folder.read("2.txt") == "new 2");
}
