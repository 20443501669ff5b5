#include "core/base/one_class.h"

#include "core/base/error.h"

namespace throng {

void reject_two_classes(const std::string& place) {
    throw Error(ErrorKind::input, "has people and their faces, and only one of them can be read", place,
                "detect them one by one: throng detect --detector person, or cnn");
}

}  // namespace throng
