// tinygltf without what it could do with pictures and files: one place for how it is configured.
#pragma once

#include <fstream>  // missing in tiny_gltf.h

#define TINYGLTF_NO_STB_IMAGE
#define TINYGLTF_NO_STB_IMAGE_WRITE
#define TINYGLTF_NO_EXTERNAL_IMAGE
#define TINYGLTF_NO_FS
#include <tiny_gltf.h>
