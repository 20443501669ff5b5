// Any bytes as a script of scenes are read or rejected with an Error(usage).
#include <cstdint>

#include "core/base/error.h"
#include "tests/fuzz/input.h"
#include "ui/scenes/scene_script.h"

TH_FUZZ(scenes) {
    using namespace throng;
    try {
        const ui::SceneScript script = ui::parse_scenes(fuzz::text_of(data, size), "fuzz.toml");
        fuzz::require(!script.scenes.empty() && !ui::text_in(script.scenes.front().text, {}).isEmpty());
    } catch (const Error& error) {
        fuzz::require(error.kind() == ErrorKind::usage);
    }
    return 0;
}
