// The engine: everything needed to build and step elastic bodies. Files, meshing and pictures: see the headers below.
#pragma once

#include "yawara/active.h"
#include "yawara/body.h"
#include "yawara/collider.h"
#include "yawara/core.h"
#include "yawara/embedding.h"
#include "yawara/examples.h"
#include "yawara/fem.h"
#include "yawara/lattice.h"
#include "yawara/math.h"
#include "yawara/mesh.h"
#include "yawara/rotation.h"
#include "yawara/scene.h"
#include "yawara/section.h"
#include "yawara/stretch.h"
#include "yawara/tessellate.h"
#include "yawara/widths.h"
