// Handlers of Python's signals, such as Ctrl-C, during long calls without the interpreter's lock.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <future>
#include <system_error>

namespace throng::python {

// Runs work() on another thread, if one can be made, and returns after it. On this thread, the handlers of Python's
// signals run meanwhile.
// Returns false if one has raised an exception, which is then set; stop() is called at that time, once. Rethrows what
// work() throws. Work runs without the interpreter's lock, which it may acquire, because this thread never waits with it.
// Then it must neither keep the lock while it waits, nor return with an exception of Python that is set.
template <class Work, class Stop>
[[nodiscard]] bool run_with_signals(const Work& work, const Stop& stop) {
    std::future<void> done;
    try {
        done = std::async(std::launch::async, work);
    } catch (const std::system_error&) {  // no thread can be made: handlers wait for the end
        const pybind11::gil_scoped_release unlocked;
        work();
        return true;
    }
    bool interrupted = false;
    for (bool waits = true; waits;) {
        {
            const pybind11::gil_scoped_release unlocked;
            waits = done.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready;
        }
        if (!waits || interrupted || PyErr_CheckSignals() == 0) continue;
        interrupted = true;
        stop();
    }
    done.get();
    return !interrupted;
}

}  // namespace throng::python
