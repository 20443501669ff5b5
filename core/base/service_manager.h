// Reports to the service manager that started the process (sd_notify(3), sd-daemon(3)).
#pragma once

#include <chrono>
#include <string_view>

namespace throng {

// Sends one datagram to the service manager's socket. Does nothing if $NOTIFY_SOCKET is not set. Thread-safe.
void notify_service_manager(std::string_view message);

// Returns the time within which the service manager expects a report of this process ($WATCHDOG_USEC, $WATCHDOG_PID);
// zero: it expects none.
[[nodiscard]] std::chrono::milliseconds watchdog_period();

// Returns whether standard error is the journal ($JOURNAL_STREAM), which takes the priority of a line from "<4>" before it.
[[nodiscard]] bool writes_to_journal();

}  // namespace throng
