// Any bytes are requests or are refused, whatever the pieces in which they come; forms lie within their request.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/serve/access.h"
#include "core/serve/http_message.h"
#include "tests/fuzz/input.h"

namespace {

std::size_t read_requests(const std::string& bytes, std::size_t piece) {
    using namespace throng;
    HttpLimits limits;
    limits.body_bytes = 256;
    limits.target_bytes = 128;  // below the next one, as in the defaults
    limits.head_bytes = 512;
    AccessRules rules;
    rules.token = "0123456789abcdef";
    RequestReader reader(limits);
    std::size_t sum = 0;
    std::string waiting;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        waiting += bytes.substr(at, piece);
        while (reader.advance(waiting) == RequestReader::State::complete) {
            const HttpRequest request = reader.take();
            sum += request.path.size() + request.body.size() + request.headers.size() + 1;
            if (check_access(rules, request)) ++sum;
            if (const auto parts = form_parts(request)) {
                for (const FormPart& part : *parts) {
                    const char* begin = request.body.data();
                    if (part.content.data() < begin ||
                        part.content.data() + part.content.size() > begin + request.body.size()) {
                        std::abort();
                    }
                }
            }
            if (waiting.empty()) break;
        }
        if (reader.held() > limits.body_bytes) std::abort();
        if (reader.state() == RequestReader::State::failed) {
            return sum * 1000 + static_cast<std::size_t>(reader.failure().status);
        }
    }
    return sum;
}

}  // namespace

TH_FUZZ(http) {
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    if (read_requests(bytes, size + 1) != read_requests(bytes, 1)) std::abort();
    return 0;
}
