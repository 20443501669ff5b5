// Setup of a session: factories of sources, backends and outputs, and the initial settings. The program provides it.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/count/count_plan.h"
#include "core/detect/detector_kinds.h"
#include "core/pipeline/pipeline.h"
#include "ui/clocks/clocks.h"
#include "ui/models/camera_model.h"
#include "ui/race/race_row.h"
#include "ui/session/recorder.h"

namespace throng::ui {

struct BackendChoice {
    std::shared_ptr<Backend> backend;
    Message why;  // one line: why this backend was selected
};

// The functions are called on other threads and may throw Error.
struct SessionSetup {
    // A stop request cancels the call: another source was opened, or the window is closed.
    std::function<std::unique_ptr<VideoSource>(const std::string& spec, const std::stop_token& stop)> open_source;
    std::function<BackendChoice(const DetectorParams&)> make_backend;  // called for each source that is opened
    std::function<std::vector<CameraInfo>()> list_cameras;
    MakeRecording make_recording;
    RunRace race_suppression, race_detector;  // empty: without these bars
    // Makes the program's own output sinks of a source that is open; none for one that is no part of the outputs. Null if
    // there is nothing to write. source_number: from 1; of a wall, that of its tile. is_first: no source has outputs yet.
    using MakeSinks = std::function<std::vector<std::shared_ptr<ResultSink>>(const SourceInfo& source,
                                                                             int source_number, bool is_first)>;
    MakeSinks make_sinks;
    // Called when a source that has outputs is lost and will be opened again; may be empty.
    std::function<void(int source_number)> expect_again;
    bool sinks_hide_faces = false;                               // the sinks of make_sinks hide faces
    bool sinks_store_images = false;                             // and write videos or images
    std::function<std::shared_ptr<ResultSink>()> make_observer;  // of each source's results; may be empty
    bool measures = false;  // playback goes on in a minimized window: the board is measured meanwhile
    PipelineSettings settings;
    bool detector_chosen = true;  // false: settings have the default one, and a hint may name a better one
    // Nothing of the detection was configured: a network that is installed becomes the default if it is fast enough.
    bool try_network = false;
    bool draw_tracks = false;  // boxes and ids of tracks instead of detections; needs settings.tracking
    // Detector kind that finds the faces of a camera in a kiosk, whatever a visitor chooses for display.
    DetectorId hides_by = DetectorId::haar;
    std::string count_file;  // lines and zones: read from and saved to; empty: none
    CountPlan count_plan;    // of that file
    PipelineOptions playback;
    ClockSetup clocks;
    std::vector<std::string> detectors = words_of(kDetectorNames);  // to choose from
};

}  // namespace throng::ui
