// Lets no result depend on the models that the user of this machine has fetched: no network is installed unless a test
// names a folder. tests/CMakeLists.txt links this into every test program.
#include <cstdlib>

extern "C" {
extern const bool throng_test_own_models;
const bool throng_test_own_models = [] {
    ::setenv("XDG_DATA_HOME", "/dev/null/throng-tests", 1);  // neither exists nor can be made
    ::unsetenv("THRONG_MODELS");
    return true;
}();
}
