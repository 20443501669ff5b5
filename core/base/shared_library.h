// Shared libraries that are loaded when they are first used. A library in the program's own list costs time and memory at
// each start, with all that it needs, and must be installed: FFmpeg's devices and filters need 60 more.
#pragma once

#include <initializer_list>
#include <string>

namespace throng {

// A loaded library, until this object is destroyed. Its functions may be called as long.
class SharedLibrary {
public:
    SharedLibrary() = default;  // none
    // name: a name that the loader searches ("libavfilter.so.8"), or a file with its folder. Never throws: see problem().
    explicit SharedLibrary(std::string name);
    SharedLibrary(SharedLibrary&& other) noexcept;
    SharedLibrary& operator=(SharedLibrary&& other) noexcept;
    ~SharedLibrary();

    [[nodiscard]] explicit operator bool() const noexcept { return handle_ != nullptr; }
    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    // Returns why it is not loaded, in the words of the loader, which name the file. Empty if it is.
    [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

    // The library stays loaded when this object is destroyed.
    void keep_loaded() noexcept { handle_ = nullptr; }

    // Returns the first of these functions that the library has, otherwise null.
    template <class Function>
    [[nodiscard]] Function* find(std::initializer_list<const char*> names) const noexcept {
        for (const char* symbol : names) {
            if (void* found = address(symbol)) return reinterpret_cast<Function*>(found);
        }
        return nullptr;
    }

    // Returns a function of a library that the program cannot do without here. Throws Error(unavailable) that names the
    // library, for example to install it.
    template <class Function>
    [[nodiscard]] Function* require(const char* symbol) const {
        if (void* found = address(symbol)) return reinterpret_cast<Function*>(found);
        throw_missing(symbol);
    }

private:
    [[nodiscard]] void* address(const char* symbol) const noexcept;
    [[noreturn]] void throw_missing(const char* symbol) const;

    std::string name_;
    std::string problem_ = "no library";
    void* handle_ = nullptr;
};

// Returns where a module of this program is ("throng-cuda.so"): next to the program or shared library that contains this
// code, or in the folder of libraries where it is installed. Empty if it is in none of them.
[[nodiscard]] std::string find_module(const std::string& file);

// Loads a module of this program for the rest of the process, and returns the table that it exports as `symbol`. The first
// member of a table is the version of its module and of the headers that it was built of, as text (module_version.h).
// Returns null with the reason if the module cannot be used.
// what: "CUDA module".
[[nodiscard]] const void* load_module(const std::string& path, const char* symbol, const char* what,
                                      std::string& reason);

}  // namespace throng
