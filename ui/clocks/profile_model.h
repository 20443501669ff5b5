// List model of the clock profiles, for the selector.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <vector>

#include "core/clocks/clock_controller.h"
#include "ui/models/row_model.h"

namespace throng::ui {

class ProfileModel : public throng::ui::RowModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the clocks")

public:
    explicit ProfileModel(QObject* parent = nullptr);

    // Resets the model only if the set of profiles has changed.
    void update(const std::vector<ResolvedProfile>& profiles);

private:
    [[nodiscard]] std::size_t size() const override { return profiles_.size(); }

    std::vector<ResolvedProfile> profiles_;
};

// Returns the profiles without those that set the same clocks as another one, which would be two buttons for one step.
// The lowest and the highest clock keep their names.
[[nodiscard]] std::vector<ResolvedProfile> distinct_profiles(const std::vector<ResolvedProfile>& profiles);
// Returns true if both set the same clocks; a profile that is unavailable equals none.
[[nodiscard]] bool sets_same_clocks(const ResolvedProfile& a, const ResolvedProfile& b);

// Returns a title that fits on a small button: "Auto" for "Automatic", "Max" for "Maximum".
[[nodiscard]] QString short_name(const ClockProfile& profile);

// Returns "612 MHz" or "1300.5 MHz"; a dash for no value.
[[nodiscard]] QString megahertz(const std::optional<Hertz>& hertz);

}  // namespace throng::ui
