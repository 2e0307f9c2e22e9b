// Ctrl-C and SIGTERM ask for an early, orderly end: loops look at interrupted() between frames and finish their files.
#pragma once

namespace yawara::cli {

/// From here on the first signal only raises a flag; the second ends the program at once.
void watch_for_interrupts();
bool interrupted();

}  // namespace yawara::cli
