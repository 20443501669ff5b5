// Lets one call of the C library fail, for LD_PRELOAD. Counts calls below a folder only, so that the loader and the
// libraries start as ever.
//   THRONG_FAULT=CALL:NUMBER:EFFECT   the call with this number, from 1, has the effect; "EFFECT+": all from it on, too
//   THRONG_FAULT_UNDER=FOLDER         absolute, without links
//   THRONG_FAULT_MARK=FILE            is made when the fault happens
//   THRONG_FAULT_TRACE=FILE           gets the functions that led to the fault, for addr2line or c++filt
//   THRONG_FAULT_LOG=FILE             gets a line per kind of call at the end: name and number of calls
// CALL: open, create, read, write, fsync, rename, unlink, mkdir, truncate; thread counts everywhere; memory counts
// allocations of the size of frames from the first open on. The clock of the day is left out: results do not depend on it.
// EFFECT: a number of errno; short (half of the bytes); kill and stop (SIGKILL, SIGSTOP, then the call).
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

enum Call {
    open_call,
    create_call,
    read_call,
    write_call,
    fsync_call,
    rename_call,
    unlink_call,
    mkdir_call,
    truncate_call,
    thread_call,
    memory_call,
    kCalls
};
constexpr const char* kNames[kCalls] = {"open",   "create", "read",     "write",  "fsync", "rename",
                                        "unlink", "mkdir",  "truncate", "thread", "memory"};
constexpr std::size_t kSizeOfFrames = 16 << 10;  // bytes: at least

std::atomic<long> counts[kCalls];

template <class F>
F* next(F* /*type*/, const char* name) {
    return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}

// The fault of this process, read once.
struct Fault {
    int call = -1;
    long number = 0;
    const char* effect = "";
    bool lasting = false;
    const char* folder = nullptr;
    char text[64] = {};

    Fault() {
        folder = std::getenv("THRONG_FAULT_UNDER");
        const char* wanted = std::getenv("THRONG_FAULT");
        if (wanted == nullptr || folder == nullptr) return;
        std::strncpy(text, wanted, sizeof text - 1);
        char* at = std::strchr(text, ':');
        if (at == nullptr) return;
        *at = 0;
        char* end = nullptr;
        number = std::strtol(at + 1, &end, 10);
        if (*end != ':') return;
        effect = end + 1;
        lasting = effect[std::strlen(effect) - 1] == '+';
        for (int i = 0; i < kCalls; ++i) {
            if (std::strcmp(kNames[i], text) == 0) call = i;
        }
    }
};

const Fault& fault() {
    static const Fault the;
    return the;
}

bool below(const char* path) {
    const char* folder = fault().folder;
    if (folder == nullptr || path == nullptr) return false;
    char full[PATH_MAX];
    if (path[0] != '/') {
        if (::getcwd(full, sizeof full) == nullptr) return false;
        return std::strncmp(full, folder, std::strlen(folder)) == 0;
    }
    return std::strncmp(path, folder, std::strlen(folder)) == 0;
}

bool below(int file) {
    if (fault().folder == nullptr || file < 0) return false;
    char link[32];
    char path[PATH_MAX];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t length = ::readlink(link, path, sizeof path - 1);
    if (length <= 0) return false;
    path[length] = 0;
    return path[0] == '/' && below(path);
}

// Makes the file that an environment variable names. Returns it, or -1.
int made_file(const char* variable) {
    const char* path = std::getenv(variable);
    if (path == nullptr) return -1;
    return next(static_cast<int (*)(const char*, int, mode_t)>(nullptr), "open")(path, O_WRONLY | O_CREAT, 0600);
}

// Makes the files that say that the fault has happened, and where.
void mark() {
    if (const int file = made_file("THRONG_FAULT_MARK"); file >= 0) ::close(file);
    const int file = made_file("THRONG_FAULT_TRACE");
    if (file < 0) return;
    void* callers[64];
    ::backtrace_symbols_fd(callers, ::backtrace(callers, 64), file);
    ::close(file);
}

// Counts a call. Returns the error that it must have, 0 for none, or -1 if it may take half of its bytes only.
int fails(Call call) {
    const long number = ++counts[call];
    const Fault& the = fault();
    if (the.call != call || (the.lasting ? number < the.number : number != the.number)) return 0;
    mark();
    if (std::strncmp(the.effect, "short", 5) == 0) return -1;
    if (std::strncmp(the.effect, "kill", 4) == 0) ::kill(::getpid(), SIGKILL);
    if (std::strncmp(the.effect, "stop", 4) == 0) ::kill(::getpid(), SIGSTOP);
    return std::atoi(the.effect);
}

// Returns how much of the data a call may take.
template <class Size>
Size taken(Size size, int error) {
    return error < 0 && size > 1 ? size / 2 : size;
}

struct Log {
    ~Log() {
        const char* path = std::getenv("THRONG_FAULT_LOG");
        std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "w");
        if (file == nullptr) return;
        for (int i = 0; i < kCalls; ++i) std::fprintf(file, "%s %ld\n", kNames[i], counts[i].load());
        std::fclose(file);
    }
} log_at_end;

Call kind_of(int flags) {
    return (flags & O_ACCMODE) == O_RDONLY ? open_call : create_call;
}

mode_t mode_of(int flags, va_list list) {
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0;
}

}  // namespace

// Streams of the C library keep the error, and callers ask ferror. Interruptions and short calls are the library's.
static bool stream_fails(Call call, std::FILE* file) {
    const int error = below(::fileno(file)) ? fails(call) : 0;
    if (error <= 0 || error == EINTR) return false;
    file->_flags |= _IO_ERR_SEEN;
    errno = error;
    return true;
}

#define EXPORT extern "C" __attribute__((visibility("default")))
// Returns from the call with the error, if it must fail.
#define FAIL(call, is_counted, failed)                \
    const int error = (is_counted) ? fails(call) : 0; \
    if (error > 0) {                                  \
        errno = error;                                \
        return failed;                                \
    }

#define OPEN(name)                                                                                      \
    EXPORT int name(const char* path, int flags, ...) {                                                 \
        va_list list;                                                                                   \
        va_start(list, flags);                                                                          \
        const mode_t mode = mode_of(flags, list);                                                       \
        va_end(list);                                                                                   \
        FAIL(kind_of(flags), below(path), -1)                                                           \
        return next(static_cast<int (*)(const char*, int, mode_t)>(nullptr), #name)(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

#define OPEN_AT(name)                                                                                                \
    EXPORT int name(int folder, const char* path, int flags, ...) {                                                  \
        va_list list;                                                                                                \
        va_start(list, flags);                                                                                       \
        const mode_t mode = mode_of(flags, list);                                                                    \
        va_end(list);                                                                                                \
        FAIL(kind_of(flags), below(path), -1)                                                                        \
        return next(static_cast<int (*)(int, const char*, int, mode_t)>(nullptr), #name)(folder, path, flags, mode); \
    }
OPEN_AT(openat)
OPEN_AT(openat64)

#define FOPEN(name)                                                                                               \
    EXPORT std::FILE* name(const char* path, const char* mode) {                                                  \
        FAIL(mode[0] == 'r' && std::strchr(mode, '+') == nullptr ? open_call : create_call, below(path), nullptr) \
        return next(static_cast<std::FILE* (*)(const char*, const char*)>(nullptr), #name)(path, mode);           \
    }
FOPEN(fopen)
FOPEN(fopen64)

EXPORT ssize_t read(int file, void* bytes, size_t size) {
    FAIL(read_call, below(file), -1)
    return next(static_cast<ssize_t (*)(int, void*, size_t)>(nullptr), "read")(file, bytes, taken(size, error));
}

EXPORT ssize_t __read_chk(int file, void* bytes, size_t size, size_t /*capacity*/) {
    return read(file, bytes, size);
}

#define PREAD(name)                                                                                               \
    EXPORT ssize_t name(int file, void* bytes, size_t size, off_t at) {                                           \
        FAIL(read_call, below(file), -1)                                                                          \
        return next(static_cast<ssize_t (*)(int, void*, size_t, off_t)>(nullptr), #name)(file, bytes,             \
                                                                                         taken(size, error), at); \
    }
PREAD(pread)
PREAD(pread64)

EXPORT size_t fread(void* bytes, size_t size, size_t count, std::FILE* file) {
    if (stream_fails(read_call, file)) return 0;
    return next(static_cast<size_t (*)(void*, size_t, size_t, std::FILE*)>(nullptr), "fread")(bytes, size, count, file);
}

EXPORT ssize_t write(int file, const void* bytes, size_t size) {
    FAIL(write_call, below(file), -1)
    return next(static_cast<ssize_t (*)(int, const void*, size_t)>(nullptr), "write")(file, bytes, taken(size, error));
}

EXPORT ssize_t writev(int file, const iovec* parts, int count) {
    FAIL(write_call, below(file), -1)
    return next(static_cast<ssize_t (*)(int, const iovec*, int)>(nullptr), "writev")(file, parts, taken(count, error));
}

#define PWRITE(name)                                                                            \
    EXPORT ssize_t name(int file, const void* bytes, size_t size, off_t at) {                   \
        FAIL(write_call, below(file), -1)                                                       \
        return next(static_cast<ssize_t (*)(int, const void*, size_t, off_t)>(nullptr), #name)( \
            file, bytes, taken(size, error), at);                                               \
    }
PWRITE(pwrite)
PWRITE(pwrite64)

EXPORT size_t fwrite(const void* bytes, size_t size, size_t count, std::FILE* file) {
    if (stream_fails(write_call, file)) return 0;
    return next(static_cast<size_t (*)(const void*, size_t, size_t, std::FILE*)>(nullptr), "fwrite")(bytes, size, count,
                                                                                                     file);
}

#define ONE_FILE(name, call)                                          \
    EXPORT int name(int file) {                                       \
        FAIL(call, below(file), -1)                                   \
        return next(static_cast<int (*)(int)>(nullptr), #name)(file); \
    }
ONE_FILE(fsync, fsync_call)
ONE_FILE(fdatasync, fsync_call)

#define TRUNCATE(name)                                                             \
    EXPORT int name(int file, off_t size) {                                        \
        FAIL(truncate_call, below(file), -1)                                       \
        return next(static_cast<int (*)(int, off_t)>(nullptr), #name)(file, size); \
    }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

#define TWO_PATHS(name)                                                                        \
    EXPORT int name(const char* from, const char* to) {                                        \
        FAIL(rename_call, below(to), -1)                                                       \
        return next(static_cast<int (*)(const char*, const char*)>(nullptr), #name)(from, to); \
    }
TWO_PATHS(rename)
TWO_PATHS(link)

EXPORT int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
    FAIL(rename_call, below(to), -1)
    return next(static_cast<int (*)(int, const char*, int, const char*, unsigned)>(nullptr), "renameat2")(
        from_folder, from, to_folder, to, flags);
}

#define ONE_PATH(name)                                                        \
    EXPORT int name(const char* path) {                                       \
        FAIL(unlink_call, below(path), -1)                                    \
        return next(static_cast<int (*)(const char*)>(nullptr), #name)(path); \
    }
ONE_PATH(unlink)
ONE_PATH(remove)

EXPORT int mkdir(const char* path, mode_t mode) {
    FAIL(mkdir_call, below(path), -1)
    return next(static_cast<int (*)(const char*, mode_t)>(nullptr), "mkdir")(path, mode);
}

EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) {
    if (const int error = fails(thread_call); error > 0) return error;
    return next(static_cast<int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>(nullptr),
                "pthread_create")(thread, attributes, run, argument);
}

// Returns true if the allocation must fail.
static bool lacks_memory(size_t size) {
    if (size < kSizeOfFrames || counts[open_call] == 0 || fails(memory_call) <= 0) return false;
    errno = ENOMEM;
    return true;
}

extern "C" void* __libc_malloc(size_t);
extern "C" void* __libc_calloc(size_t, size_t);
extern "C" void* __libc_realloc(void*, size_t);
extern "C" void* __libc_memalign(size_t, size_t);

EXPORT void* malloc(size_t size) {
    return lacks_memory(size) ? nullptr : __libc_malloc(size);
}
EXPORT void* calloc(size_t count, size_t size) {
    return lacks_memory(count * size) ? nullptr : __libc_calloc(count, size);
}
EXPORT void* realloc(void* old, size_t size) {
    return lacks_memory(size) ? nullptr : __libc_realloc(old, size);
}
EXPORT void* memalign(size_t alignment, size_t size) {
    return lacks_memory(size) ? nullptr : __libc_memalign(alignment, size);
}
EXPORT void* aligned_alloc(size_t alignment, size_t size) {
    return memalign(alignment, size);
}
EXPORT int posix_memalign(void** memory, size_t alignment, size_t size) {
    void* const made = memalign(alignment, size);
    if (made == nullptr && size > 0) return ENOMEM;
    *memory = made;
    return 0;
}
