// throng anonymize --review: a person decides about the uncertain tracks of a report, and the file is written again.
#pragma once

#include "app/commands/anonymize_setup.h"
#include "app/options/command.h"
#ifdef TH_WITH_UI
#include "ui/review/review_window.h"
#endif

namespace throng {

#ifdef TH_WITH_UI
// Returns what the window of a review needs, without tracks if there is nothing to review. Throws as
// run_anonymize_review.
[[nodiscard]] ui::ReviewOptions make_review(AnonymizeArguments arguments, const CommonOptions& common);
#endif

// Opens the window for one file of the report, until it is closed. Input, output and settings are those of the report;
// the input may be named where it is now, and --out where the new output goes. Returns the exit status. Throws
// Error(usage) for a report of another version or of another file, Error(input) for an input that is missing or has
// changed, Error(unavailable) without a display.
int run_anonymize_review(AnonymizeArguments arguments, const CommonOptions& common);

}  // namespace throng
