// Small picture files for the tests of skins.
#pragma once

#include <string>

#include "io/base64.h"

namespace picture_files {

inline std::string decoded(const char* code)
{
    return yawara::io::Base64Reader(code).read(10'000);
}

/// 2 x 2 pixels: red and green above blue and white.
inline std::string four_colors_png()
{
    return decoded("iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEklEQVR42mP4z8DAAMIM/4EAAB/uBfvxq7p3AAAAAElFTkSuQmCC");
}

/// One pixel: a normal that does not lean.
inline std::string upright_png()
{
    return decoded("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mNoaPgPAAODAgA+WCglAAAAAElFTkSuQmCC");
}

/// 8 x 8 pixels of (200, 100, 50).
inline std::string brown_jpeg()
{
    return decoded(
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMUFRUVDA8XGBYU"
        "GBIUFRT/2wBDAQMEBAUEBQkFBQkUDQsNFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBT/wAARCAAIAAgD"
        "AREAAhEBAxEB/8QAFAABAAAAAAAAAAAAAAAAAAAABP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/xAAVAQEBAAAAAAAAAAAAAAAAAAAHCP/EABQRAQAA"
        "AAAAAAAAAAAAAAAAAAD/2gAMAwEAAhEDEQA/ACA9SD//2Q==");
}

}  // namespace picture_files
