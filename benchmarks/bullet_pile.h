// The pile in Bullet: soft bodies with volume by pose matching, links along the edges, vertex-face contact.
#pragma once

#include <memory>

#include "pile.h"

namespace yawara::bench {

class BulletPile {
public:
    explicit BulletPile(const Pile& pile);
    ~BulletPile();
    void step();

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace yawara::bench
