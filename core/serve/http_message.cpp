#include "core/serve/http_message.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <nlohmann/json.hpp>

#include "core/base/json_text.h"

namespace throng {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::size_t kMaxChunkLine = 256;
constexpr std::size_t kMaxMethodAndVersion = 32;
constexpr std::size_t kMaxFormParts = 32;

std::string_view reason_of(int status) {
    switch (status) {
        case 200: return "OK";
        case 400: return "Bad Request";
        case 401: return "Unauthorized";
        case 403: return "Forbidden";
        case 404: return "Not Found";
        case 405: return "Method Not Allowed";
        case 408: return "Request Timeout";
        case 413: return "Content Too Large";
        case 414: return "URI Too Long";
        case 415: return "Unsupported Media Type";
        case 429: return "Too Many Requests";
        case 431: return "Request Header Fields Too Large";
        case 500: return "Internal Server Error";
        case 501: return "Not Implemented";
        case 503: return "Service Unavailable";
        case 505: return "HTTP Version Not Supported";
        default: return "Unknown";
    }
}

bool is_http_digit(char c) {
    return c >= '0' && c <= '9';
}

// RFC 9110, 5.6.2.
bool is_token(std::string_view text) {
    const auto allowed = [](char c) {
        return is_http_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
    };
    return !text.empty() && std::all_of(text.begin(), text.end(), allowed);
}

std::string lowered(std::string_view text) {
    std::string result(text);
    for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return result;
}

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Returns nothing for an incomplete escape, and for a zero byte, which ends names of files.
std::optional<std::string> unescaped(std::string_view text, bool plus_is_blank) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '+' && plus_is_blank) {
            result += ' ';
        } else if (text[i] != '%') {
            result += text[i];
        } else {
            unsigned value = 0;
            if (i + 2 >= text.size()) return std::nullopt;
            const char* end = text.data() + i + 3;
            if (std::from_chars(text.data() + i + 1, end, value, 16).ptr != end || value == 0) return std::nullopt;
            result += static_cast<char>(value);
            i += 2;
        }
    }
    return result;
}

// Returns nothing for text that is not a whole number.
std::optional<std::size_t> size_of(std::string_view text, int base) {
    std::size_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (text.empty() || end != text.data() + text.size() || failure != std::errc()) return std::nullopt;
    return value;
}

// Returns the value of key="value" or key=value in "form-data; name=…".
std::string_view header_parameter(std::string_view header, std::string_view key) {
    const std::string lower = lowered(header);
    for (std::size_t at = lower.find(key); at != std::string::npos; at = lower.find(key, at + 1)) {
        const std::size_t value = at + key.size() + 1;
        const bool begins = at > 0 && (header[at - 1] == ' ' || header[at - 1] == ';' || header[at - 1] == '\t');
        if (!begins || value >= header.size() || header[value - 1] != '=') continue;
        if (header[value] == '"') return header.substr(value + 1, header.find('"', value + 1) - value - 1);
        return trimmed(header.substr(value, header.find(';', value) - value));
    }
    return {};
}

}  // namespace

std::string_view HttpRequest::header(std::string_view name) const {
    const auto found = std::find_if(headers.begin(), headers.end(), [&](const auto& h) { return h.first == name; });
    return found == headers.end() ? std::string_view() : found->second;
}

std::string_view HttpRequest::cookie(std::string_view name) const {
    std::string_view rest = header("cookie");
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(';'), rest.size());
        const std::string_view pair = trimmed(rest.substr(0, end));
        if (pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=') {
            return pair.substr(name.size() + 1);
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return {};
}

std::string_view HttpRequest::parameter(const std::string& key) const {
    const auto found = query.find(key);
    return found == query.end() ? std::string_view() : found->second;
}

HttpResponse error_response(int status, std::string_view text) {
    const nlohmann::ordered_json body = {{"error", text}};
    return {status, "application/json", json_text(body) + "\n"};
}

std::string format_head(const HttpResponse& response, bool keep_alive, bool has_length) {
    std::string head =
        fmt::format("HTTP/1.1 {} {}\r\nDate: {:%a, %d %b %Y %H:%M:%S GMT}\r\nServer: throng\r\nContent-Type: {}\r\n",
                    response.status, reason_of(response.status), fmt::gmtime(std::time(nullptr)), response.type);
    if (has_length) head += fmt::format("Content-Length: {}\r\n", response.body.size());
    head += keep_alive ? "Connection: keep-alive\r\n" : "Connection: close\r\n";
    // Images and counts are of this moment; nobody else embeds, guesses or stores them.
    head +=
        "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
        "Cross-Origin-Resource-Policy: same-origin\r\n";
    for (const auto& [name, value] : response.headers) head += fmt::format("{}: {}\r\n", name, value);
    return head + "\r\n";
}

RequestReader::State RequestReader::fail(int status, std::string_view text) {
    failure_ = error_response(status, text);
    return state_ = State::failed;
}

RequestReader::State RequestReader::advance(std::string& bytes) {
    if (state_ == State::head && !read_head(bytes)) return state_;
    if (state_ != State::body) return state_;
    if (chunked_) {
        if (!read_chunks(bytes)) return state_;
    } else {
        const std::size_t taken = std::min(missing_, bytes.size());
        request_.body.append(bytes, 0, taken);
        bytes.erase(0, taken);
        missing_ -= taken;
        if (missing_ > 0) return state_;
    }
    expects_ = false;
    return state_ = State::complete;
}

HttpRequest RequestReader::take() {
    HttpRequest request = std::exchange(request_, {});
    state_ = State::head;
    searched_ = head_size_ = 0;
    chunked_ = expects_ = false;
    return request;
}

// Returns true if the head is complete and valid. Goes line by line, so that the outcome does not depend on the pieces.
bool RequestReader::read_head(std::string& bytes) {
    std::size_t at = 0;
    const auto keep_rest = [&](bool result) { return bytes.erase(0, at), result; };
    for (;;) {
        const std::size_t line_feed = bytes.find('\n', at + searched_);
        const std::size_t size = std::min(line_feed, bytes.size()) - at;
        const bool is_first = request_.method.empty();
        if (is_first && size > limits_.target_bytes + kMaxMethodAndVersion)
            return fail(414, "too long an address"), false;
        if (head_size_ + size > limits_.head_bytes) return fail(431, "the headers are too long"), false;
        if (line_feed == std::string::npos) {
            searched_ = size;
            return keep_rest(false);
        }
        searched_ = 0;
        if (size == 0 || bytes[line_feed - 1] != '\r') {
            return fail(400, "lines must end with a carriage return and a line feed"), false;
        }
        const std::string line = bytes.substr(at, size - 1);
        at = line_feed + 1;
        head_size_ += size + 1;
        if (line.empty() && is_first) continue;  // allowed before a request (RFC 9112, 2.2)
        if (line.empty()) return keep_rest(end_head());
        if (!(is_first ? parse_request_line(line) : parse_header(line))) return keep_rest(false);
    }
}

bool RequestReader::parse_request_line(std::string_view line) {
    const std::size_t method_end = std::min(line.find(' '), line.size());
    const std::size_t target_end = std::min(line.find(' ', method_end + 1), line.size());
    request_.method = line.substr(0, method_end);
    const std::string_view version = line.substr(std::min(target_end + 1, line.size()));
    if (!is_token(request_.method) || !version.starts_with("HTTP/")) return fail(400, "not an HTTP request"), false;
    if (version != "HTTP/1.1" && version != "HTTP/1.0") return fail(505, "use HTTP/1.1"), false;
    request_.keep_alive = version == "HTTP/1.1";
    return parse_target(line.substr(method_end + 1, target_end - method_end - 1));
}

bool RequestReader::end_head() {
    const auto hosts = std::count_if(request_.headers.begin(), request_.headers.end(),
                                     [](const auto& header) { return header.first == "host"; });
    if (hosts > 1 || (hosts == 0 && request_.keep_alive)) return fail(400, "one header Host is required"), false;
    const std::string connection = lowered(request_.header("connection"));
    request_.keep_alive = request_.keep_alive ? connection.find("close") == std::string::npos
                                              : connection.find("keep-alive") != std::string::npos;
    return choose_body();
}

bool RequestReader::parse_target(std::string_view target) {
    if (target.empty() || target.front() != '/') return fail(400, "the address must begin with /"), false;
    target = target.substr(0, target.find('#'));
    const std::size_t question = std::min(target.find('?'), target.size());
    const std::optional<std::string> path = unescaped(target.substr(0, question), false);
    if (!path) return fail(400, "the address has an invalid escape"), false;
    request_.path = *path;
    std::string_view rest = target.substr(std::min(question + 1, target.size()));
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('&'), rest.size());
        const std::string_view pair = rest.substr(0, end);
        const std::size_t equals = std::min(pair.find('='), pair.size());
        const auto key = unescaped(pair.substr(0, equals), true);
        const auto value = unescaped(pair.substr(std::min(equals + 1, pair.size())), true);
        if (!key || !value) return fail(400, "the address has an invalid escape"), false;
        request_.query[*key] = *value;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return true;
}

bool RequestReader::parse_header(std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return fail(400, "invalid header"), false;
    const std::string_view value = trimmed(line.substr(colon + 1));
    const auto is_control = [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return (byte < 0x20 && c != '\t') || byte == 0x7f;
    };
    if (std::any_of(value.begin(), value.end(), is_control)) return fail(400, "invalid header"), false;
    if (request_.headers.size() >= limits_.num_headers) return fail(431, "too many headers"), false;
    request_.headers.emplace_back(lowered(line.substr(0, colon)), value);
    return true;
}

bool RequestReader::choose_body() {
    const auto number_of = [this](std::string_view name) {
        return std::count_if(request_.headers.begin(), request_.headers.end(),
                             [&](const auto& header) { return header.first == name; });
    };
    const bool has_length = number_of("content-length") > 0;
    const bool has_coding = number_of("transfer-encoding") > 0;
    if (number_of("content-length") > 1 || (has_length && has_coding)) {
        return fail(400, "the length of the body is ambiguous"), false;
    }
    missing_ = 0;
    if (has_coding) {
        if (lowered(request_.header("transfer-encoding")) != "chunked") {
            return fail(501, "the only transfer encoding is chunked"), false;
        }
        chunked_ = true;
        chunk_ = Chunk::size;
    } else if (has_length) {
        const std::string_view text = request_.header("content-length");
        const bool digits = !text.empty() && std::all_of(text.begin(), text.end(), is_http_digit);
        if (!digits) return fail(400, "invalid Content-Length"), false;
        const std::optional<std::size_t> length = size_of(text, 10);
        if (!length || *length > limits_.body_bytes) return fail(413, "the body is too large"), false;
        missing_ = *length;
    }
    expects_ = lowered(request_.header("expect")) == "100-continue";
    state_ = State::body;
    return true;
}

// Returns true after the last chunk.
bool RequestReader::read_chunks(std::string& bytes) {
    std::size_t at = 0;
    const auto keep_rest = [&](bool result) { return bytes.erase(0, at), result; };
    for (;;) {
        if (chunk_ == Chunk::data) {
            const std::size_t taken = std::min(missing_ > 2 ? missing_ - 2 : 0, bytes.size() - at);
            request_.body.append(bytes, at, taken);
            at += taken;
            missing_ -= taken;
            if (missing_ > 2 || bytes.size() - at < 2) return keep_rest(false);
            if (bytes.compare(at, 2, kLineEnd) != 0) return fail(400, "invalid chunk"), false;
            at += 2;
            chunk_ = Chunk::size;
        }
        const std::size_t end = bytes.find(kLineEnd, at);
        const std::size_t most = kMaxChunkLine + (end == std::string::npos ? 1 : 0);  // with half a line end
        if (std::min(end, bytes.size()) - at > most) return fail(400, "invalid chunk"), false;
        if (end == std::string::npos) return keep_rest(false);
        const std::string_view line(bytes.data() + at, end - at);
        at = end + 2;
        if (chunk_ == Chunk::trailer) {
            if (line.empty()) return keep_rest(true);
            // Trailers are not used; they count as bytes of the body so that they end.
            missing_ += line.size() + 2;
            if (missing_ > limits_.head_bytes) return fail(431, "the trailers are too long"), false;
            continue;
        }
        const std::optional<std::size_t> size = size_of(trimmed(line.substr(0, line.find(';'))), 16);
        if (!size) return fail(400, "invalid chunk"), false;
        if (*size > limits_.body_bytes - request_.body.size()) return fail(413, "the body is too large"), false;
        chunk_ = *size == 0 ? Chunk::trailer : Chunk::data;
        missing_ = *size == 0 ? 0 : *size + 2;
    }
}

std::optional<std::vector<FormPart>> form_parts(const HttpRequest& request) {
    const std::string_view type = request.header("content-type");
    const std::string_view boundary = header_parameter(type, "boundary");
    if (!lowered(type).starts_with("multipart/form-data") || boundary.empty()) return std::nullopt;
    const std::string delimiter = "\r\n--" + std::string(boundary);
    const std::string_view body = request.body;
    std::vector<FormPart> parts;
    // The first delimiter may stand at the very beginning, without the line end before it.
    std::size_t at = body.starts_with(std::string_view(delimiter).substr(2)) ? 0 : body.find(delimiter);
    if (at == std::string_view::npos) return std::nullopt;
    at += delimiter.size() - (at == 0 && body.starts_with("--") ? 2 : 0);
    while (!body.substr(at).starts_with("--")) {
        const std::size_t head = body.find(kLineEnd, at);
        const std::size_t content = head == std::string_view::npos ? head : body.find("\r\n\r\n", head);
        const std::size_t end = content == std::string_view::npos ? content : body.find(delimiter, content + 2);
        if (end == std::string_view::npos || parts.size() == kMaxFormParts) return std::nullopt;
        FormPart part;
        part.content = body.substr(content + 4, end > content + 4 ? end - content - 4 : 0);
        for (std::size_t line = head + 2; line < content + 2;) {
            const std::size_t line_end = body.find(kLineEnd, line);
            const std::string_view text = body.substr(line, line_end - line);
            if (lowered(text.substr(0, 20)) == "content-disposition:") part.name = header_parameter(text, "name");
            line = line_end + 2;
        }
        parts.push_back(std::move(part));
        at = end + delimiter.size();
    }
    return parts;
}

}  // namespace throng
