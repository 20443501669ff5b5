// A kernel that breaks the context for good, as a faulty one would.
#pragma once

namespace throng::test {

// On a stream of its own; nothing that follows on this device works any more in this process.
void break_device();

}  // namespace throng::test
