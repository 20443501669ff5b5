#include "core/video/tiff_faults.h"

#include <tiffio.h>

#include <array>
#include <cstdio>
#include <mutex>

namespace throng {
namespace {

// Where the messages of this thread go; null while it does not read a TIFF file here.
thread_local std::string* tiff_fault = nullptr;
thread_local bool warnings_are_faults = false;
TIFFErrorHandlerExt other_errors = nullptr;  // of the program that this library is in
TIFFErrorHandlerExt other_warnings = nullptr;

void note_tiff_fault(const char* format, va_list arguments) {
    if (!tiff_fault->empty()) return;
    std::array<char, 256> text{};
    static_cast<void>(std::vsnprintf(text.data(), text.size(), format, arguments));
    *tiff_fault = text.data();
}

void on_tiff_error(thandle_t handle, const char* module, const char* format, va_list arguments) {
    if (tiff_fault != nullptr) return note_tiff_fault(format, arguments);
    if (other_errors != nullptr) other_errors(handle, module, format, arguments);
}

void on_tiff_warning(thandle_t handle, const char* module, const char* format, va_list arguments) {
    if (tiff_fault == nullptr) {
        if (other_warnings != nullptr) other_warnings(handle, module, format, arguments);
    } else if (warnings_are_faults) {
        note_tiff_fault(format, arguments);
    }
}

// libtiff before 4.5 has handlers of the process only. The other pair of handlers, which OpenCV sets, prints.
void set_tiff_handlers() {
    static std::once_flag once;
    std::call_once(once, [] {
        TIFFSetErrorHandler(nullptr);
        TIFFSetWarningHandler(nullptr);
        other_errors = TIFFSetErrorHandlerExt(on_tiff_error);
        other_warnings = TIFFSetWarningHandlerExt(on_tiff_warning);
    });
}

}  // namespace

TiffFaults::TiffFaults(std::string& fault, bool warnings) {
    set_tiff_handlers();
    tiff_fault = &fault;
    warnings_are_faults = warnings;
}

TiffFaults::~TiffFaults() {
    tiff_fault = nullptr;
}

}  // namespace throng
