// The messages of libtiff, which has handlers of the process only.
#pragma once

#include <string>

namespace throng {

// While it exists, the first error of libtiff on this thread becomes `fault`, unless that has a text already; nothing is
// written to standard error. For the length of one call, since several files may be open. No second one may exist on the
// thread.
class TiffFaults {
public:
    // warnings: they are faults, too. fault: must outlive it.
    TiffFaults(std::string& fault, bool warnings);
    ~TiffFaults();
    TiffFaults(const TiffFaults&) = delete;
    TiffFaults& operator=(const TiffFaults&) = delete;
};

}  // namespace throng
