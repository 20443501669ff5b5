// Simulates a name server that never answers for the host "silent.test". For LD_PRELOAD. Creates the file
// $SILENT_RESOLVER_ASKED, if there is such a variable, when it is asked.
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

extern "C" __attribute__((visibility("default"))) int getaddrinfo(const char* host, const char* service,
                                                                  const addrinfo* hints, addrinfo** found) {
    const bool numeric = hints != nullptr && (hints->ai_flags & AI_NUMERICHOST) != 0;
    if (!numeric && host != nullptr && std::strcmp(host, "silent.test") == 0) {
        if (const char* asked = std::getenv("SILENT_RESOLVER_ASKED")) ::close(::creat(asked, 0600));
        while (true) ::pause();
    }
    using Function = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "getaddrinfo"))(host, service, hints, found);
}
