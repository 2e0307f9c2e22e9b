#include <doctest/doctest.h>

#include "core/id_table.h"

using namespace yawara;

TEST_CASE("an id finds its thing wherever it has moved to")
{
    IdTable<BodyId> table;
    const BodyId a = table.add(), b = table.add(), c = table.add();
    CHECK(table.index(a) == 0);
    CHECK(table.index(c) == 2);
    table.remove(0);
    CHECK(table.index(b) == 0);
    CHECK(table.index(c) == 1);
    REQUIRE(table.ids().size() == 2);
    CHECK(table.ids()[0] == b);
    CHECK(table.ids()[1] == c);
}

TEST_CASE("an id of something removed names nothing, also when its slot is used again")
{
    IdTable<BodyId> table;
    const BodyId old = table.add();
    table.remove(0);
    CHECK_FALSE(table.index(old));
    const BodyId next = table.add();
    CHECK(next.slot == old.slot);
    CHECK(next != old);
    CHECK_FALSE(table.index(old));
    CHECK(table.index(next) == 0);
}

TEST_CASE("an id made by default names nothing")
{
    IdTable<BodyId> table;
    table.add();
    CHECK_FALSE(table.index(BodyId{}));
}
