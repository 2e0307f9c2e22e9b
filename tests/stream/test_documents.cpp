// The open document: which edits are taken, which are taken back, and what is kept of unsaved work.
#include <doctest/doctest.h>

#include "scratch.h"
#include "stream/documents.h"

using namespace yawara;
using namespace yawara::stream;

namespace {

struct Opened {
    Scratch scratch;
    Documents documents{Journal::open(scratch.path).value(), scratch.path};

    Opened()
    {
        OpenedScene scene;
        scene.content = {{"title", "Two"}, {"a", 1}, {"b", 1}, {"bodies", Json::array()}};
        scene.file = scratch.path / "two.json";
        scene.roots = {scratch.path};
        (void)documents.open(scene, nullptr, "");
    }
    void set(const char* key, int value, bool live, const std::string& merge = "")
    {
        Json next = documents.content();
        next[key] = value;
        (void)documents.apply(std::string("Set ") + key, merge, next, EditSender{7, value}, live);
    }
    int value(const char* key) const { return documents.content().at(key).get<int>(); }
};

}  // namespace

TEST_CASE("a message meets the open document in its newest state, and no other")
{
    Opened opened;
    Documents& documents = opened.documents;
    const std::string id = documents.id();
    CHECK(documents.meets(id, 0));
    CHECK(documents.meets(id, std::nullopt));
    opened.set("a", 2, false);
    CHECK(documents.meets(id, 0).error().what == "the scene was changed elsewhere meanwhile");
    CHECK(documents.meets(id, 1));
    (void)documents.open(documents.opened(), nullptr, "");
    CHECK(documents.meets(id, 0).error().what == "this scene is no longer open");
    CHECK(documents.meets(documents.id(), 0));
}

TEST_CASE("a build that fails takes back the newest edit that needed one, and undo is as it was before that")
{
    Opened opened;
    Documents& documents = opened.documents;
    opened.set("a", 2, false);
    opened.set("b", 5, false);
    opened.set("c", 9, true);
    const auto taken = documents.take_back();
    REQUIRE(taken);
    CHECK(taken->label == "Set b");
    CHECK(taken->from->client == 7);
    CHECK(taken->from->edit == 5);
    CHECK(opened.value("a") == 2);
    CHECK(opened.value("b") == 1);
    CHECK(opened.value("c") == 9);
    CHECK(documents.document().undo_label() == "Set c");
    CHECK(documents.revision() == 4);
    CHECK(documents.has_unbuilt());
    CHECK(documents.take_back()->label == "Set a");
    CHECK(opened.value("c") == 9);
    CHECK_FALSE(documents.take_back());
}

TEST_CASE("of a drag only the last value is taken back when it cannot be built")
{
    Opened opened;
    opened.set("a", 2, false, "drag");
    opened.documents.all_is_built();
    opened.set("a", 3, false, "drag");
    REQUIRE(opened.documents.take_back());
    CHECK(opened.value("a") == 2);
    CHECK(opened.documents.document().undone()["a"] == 1);
}

TEST_CASE("what was saved before it was taken back is not what the file holds")
{
    Opened opened;
    opened.set("a", 2, false);
    REQUIRE(opened.documents.save());
    CHECK(opened.documents.document().is_saved());
    REQUIRE(opened.documents.take_back());
    CHECK(opened.value("a") == 1);
    CHECK_FALSE(opened.documents.document().is_saved());
}

TEST_CASE("unsaved work is found among the recent documents, with all that opening it needs, until it is forgotten")
{
    Opened opened;
    Documents& documents = opened.documents;
    CHECK_FALSE(*documents.keep_unsaved());
    opened.set("a", 2, false);
    opened.set("b", 3, false);
    REQUIRE(*documents.keep_unsaved());
    const auto recent = documents.recent().list();
    REQUIRE(recent.size() == 1);
    CHECK(recent[0].title == "Two");
    CHECK(recent[0].edits == 2);
    const auto work = documents.recent().find(recent[0].name);
    REQUIRE(work);
    CHECK(work->content == documents.content());
    CHECK(work->opened.content["a"] == 1);
    CHECK(work->opened.file == opened.scratch.path / "two.json");
    CHECK_FALSE(work->opened.read_only);
    CHECK(documents.recent().uses(opened.scratch.path));
    CHECK_FALSE(documents.recent().uses(opened.scratch.path / "elsewhere"));
    CHECK_FALSE(documents.recent().forget("../recent"));
    CHECK(documents.recent().forget(recent[0].name));
    CHECK(documents.recent().list().empty());
    CHECK_FALSE(documents.recent().find(recent[0].name));
}

TEST_CASE("a recent document that was not written to its end is passed over")
{
    Scratch scratch;
    scratch.write("recent/00000000000000000001/work.json", R"({"yawara_recent": 1, "content": {"ti)");
    scratch.write("recent/00000000000000000002.part/work.json", "{}");
    CHECK(RecentDocuments(scratch.path / "recent").list().empty());
}
