// A kernel that destroys the CUDA context, like a faulty kernel.
#pragma once

namespace throng::test {

// Launches the kernel on its own stream. All later work on this device fails in this process.
void break_device();

}  // namespace throng::test
