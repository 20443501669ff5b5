// The run of an archive with --segment: first the parts of videos, then whole files and the joining of parts.
#pragma once

#include <vector>

#include "app/options/archive_command.h"
#include "app/options/command.h"

namespace throng {

// Processes the shard's parts of all videos, then its files that are not divided, then joins the videos whose parts
// are all there, whichever shards made them. So the last of all shards to finish its parts finds all of them there. If
// two of them do, a lock lets one join a video. A video that waits for parts of other shards is reported, and is no
// failure.
//
// options: complete for the files of the list, but for workers. Returns the exit status; throws as run_archive_command
// does.
[[nodiscard]] int run_segmented(std::vector<WorkItem> list, const ArchiveOptions& options,
                                const ArchiveArguments& arguments, const ArchiveWork& work,
                                const CommonOptions& common);

}  // namespace throng
