// Masks passwords, user names and tokens in messages and logs.
#pragma once

#include <string>
#include <string_view>

namespace throng {

// Returns the text with "***" in place of the user name and password of every URL, also of one without a correct scheme
// (me:secret@host), and of the values of keys that name a secret: password=…, user-pw="…", ?token=…,
// &X-Amz-Signature=…. Keys are matched case-insensitively by their last word: "access_key" is a secret, "monkey" is
// not. "code" is a secret only as a whole key of a URL's query. A key may be percent-encoded.
[[nodiscard]] std::string mask_credentials(std::string_view text);

}  // namespace throng
