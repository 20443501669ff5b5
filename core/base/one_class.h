// Lines of results that hold people and their faces, for readers of one class.
#pragma once

#include <string>

namespace throng {

// Throws Error(input), which names the place: file and line.
[[noreturn]] void reject_two_classes(const std::string& place);

// Rejects a line of `detect --detector face+person`, which has an object of faces beside the people: who reads one class
// would leave the faces out and take people for faces. In lines of ground truth, faces are a list.
template <class Json>
void check_one_class(const Json& line, const std::string& place) {
    const auto faces = line.find("faces");
    if (faces != line.end() && faces->is_object()) reject_two_classes(place);
}

}  // namespace throng
