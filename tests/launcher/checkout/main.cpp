// Tells where it was started and with what, and exits with the number after "exit". Asked to accept what tests find, it
// leaves a note of that.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

int main(int count, char** arguments)
{
    std::cout << "version 1 in " << std::filesystem::current_path().string();
    for (int k = 1; k < count; ++k) std::cout << " [" << arguments[k] << "]";
    std::cout << "\n";
    if (std::getenv("YAWARA_ACCEPT_GOLDEN")) std::ofstream("accepted") << "yes\n";
    return count == 3 && !std::strcmp(arguments[1], "exit") ? std::atoi(arguments[2]) : 0;
}
