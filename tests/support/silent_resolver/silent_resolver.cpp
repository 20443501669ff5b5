// Simulates a name server that never answers for the host "silent.test". For LD_PRELOAD.
#include <dlfcn.h>
#include <netdb.h>
#include <unistd.h>

#include <cstring>

extern "C" __attribute__((visibility("default"))) int getaddrinfo(const char* host, const char* service,
                                                                  const addrinfo* hints, addrinfo** found) {
    const bool numeric = hints != nullptr && (hints->ai_flags & AI_NUMERICHOST) != 0;
    while (!numeric && host != nullptr && std::strcmp(host, "silent.test") == 0) ::pause();
    using Function = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "getaddrinfo"))(host, service, hints, found);
}
