// A port of this machine alone, for the servers of tests.
#pragma once

namespace throng::test {

// Listens on any free port of 127.0.0.1. Closed by the destructor.
class LoopbackListener {
public:
    LoopbackListener();  // throws std::runtime_error
    ~LoopbackListener();
    LoopbackListener(const LoopbackListener&) = delete;
    LoopbackListener& operator=(const LoopbackListener&) = delete;

    [[nodiscard]] int file() const noexcept { return file_; }
    [[nodiscard]] int port() const noexcept { return port_; }

private:
    int file_ = -1;
    int port_ = 0;
};

}  // namespace throng::test
