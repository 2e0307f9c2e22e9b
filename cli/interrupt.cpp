// The one global of the program: a flag that a signal handler may touch.
#include "interrupt.h"

#include <unistd.h>
#include <csignal>
#include <initializer_list>

namespace yawara::cli {

namespace {

volatile std::sig_atomic_t g_signals = 0;

void on_signal(int)
{
    if (g_signals > 0) _exit(130);
    g_signals = 1;
}

}  // namespace

void watch_for_interrupts()
{
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

bool interrupted()
{
    return g_signals > 0;
}

}  // namespace yawara::cli
