// Messages of HTTP/1.1: reads requests of untrusted clients, however they are cut into pieces, and formats answers.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/serve/limits.h"

namespace throng {

struct HttpRequest {
    std::string method;                                        // "GET"
    std::string path;                                          // decoded, without the query: "/streams/1/mjpeg"
    std::map<std::string, std::string> query;                  // decoded; of equal keys, the last one
    std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
    std::string body;
    bool keep_alive = true;

    // Returns the value of the first header of this name, given in lower case; empty without one.
    [[nodiscard]] std::string_view header(std::string_view name) const;
    // Returns the value of a cookie; empty without one.
    [[nodiscard]] std::string_view cookie(std::string_view name) const;
    // Returns the value of a key of the query; empty without one.
    [[nodiscard]] std::string_view parameter(const std::string& key) const;
};

struct HttpResponse {
    int status = 200;
    std::string type = "application/json";
    std::string body;
    std::vector<std::pair<std::string, std::string>> headers{};
};

// Returns an answer {"error":"..."} with this text.
[[nodiscard]] HttpResponse error_response(int status, std::string_view text);

// Returns the status line and the headers, with the empty line. has_length: the body's length is sent; otherwise the
// end of the connection ends the body.
[[nodiscard]] std::string format_head(const HttpResponse& response, bool keep_alive, bool has_length);

// Reads one request after the other. Whatever is ambiguous is rejected, so that no two programs understand it
// differently: bare line feeds, folded headers, several lengths, a length beside chunks.
class RequestReader {
public:
    explicit RequestReader(const HttpLimits& limits) : limits_(limits) {}

    enum class State { head, body, complete, failed };
    // Takes bytes of the request from the front of `bytes`, which may hold the next one, too.
    State advance(std::string& bytes);
    [[nodiscard]] State state() const noexcept { return state_; }

    // complete: returns the request; the next one begins.
    [[nodiscard]] HttpRequest take();
    // failed: the answer. Nothing more can be read.
    [[nodiscard]] const HttpResponse& failure() const noexcept { return failure_; }
    // Returns true once if the client waits for permission to send the body (Expect: 100-continue).
    [[nodiscard]] bool take_expectation() { return std::exchange(expects_, false); }
    // Returns the bytes of the body that are held.
    [[nodiscard]] std::size_t held() const noexcept { return request_.body.size(); }

private:
    State fail(int status, std::string_view text);
    bool read_head(std::string& bytes);
    bool parse_request_line(std::string_view line);
    bool end_head();
    bool parse_target(std::string_view target);
    bool parse_header(std::string_view line);
    bool choose_body();
    bool read_chunks(std::string& bytes);

    const HttpLimits& limits_;
    State state_ = State::head;
    HttpRequest request_;
    HttpResponse failure_;
    std::size_t searched_ = 0;  // bytes of the line in which no end was found
    std::size_t head_size_ = 0;
    bool expects_ = false;
    bool chunked_ = false;
    std::size_t missing_ = 0;  // bytes of the body, or of the chunk with its line end
    enum class Chunk { size, data, trailer } chunk_ = Chunk::size;
};

// A part of a multipart/form-data body.
struct FormPart {
    std::string name;
    std::string_view content;  // in the body of the request
};

// Returns the parts of a form, at most 32; nothing if the body is no complete form.
[[nodiscard]] std::optional<std::vector<FormPart>> form_parts(const HttpRequest& request);

}  // namespace throng
