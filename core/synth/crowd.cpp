#include "core/synth/crowd.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/synth/backdrop.h"
#include "core/synth/canvas.h"
#include "core/synth/layout.h"
#include "core/synth/person.h"
#include "core/synth/rows.h"

namespace throng {
namespace {

constexpr float kGrain =
    2.2F;  // levels of luma; the standard deviation of the sum of four uniform values is 0.58 of it

// Returns the fraction of the face's oval that is inside the image and not hidden by `before`, by sampling.
float visible_part(const synth::Pose& pose, const CrowdOptions& image, const std::vector<const synth::Shape*>& before) {
    constexpr int kGrid = 16;
    constexpr float kStep = 2.0F / kGrid;
    int inside = 0;
    int seen = 0;
    for (int row = 0; row < kGrid; ++row) {
        const float v = (static_cast<float>(row) + 0.5F) * kStep - 1.0F;
        const float y = pose.y + 0.50F * pose.size * v;
        const float step = 0.42F * pose.size * kStep;
        const float first = pose.x - 0.42F * pose.size + 0.5F * step;
        float hidden[kGrid + synth::kRowSlack] = {};
        for (const synth::Shape* shape : before) synth::cover_samples(*shape, first, step, y, kGrid, hidden);
        for (int column = 0; column < kGrid; ++column) {
            const float u = (static_cast<float>(column) + 0.5F) * kStep - 1.0F;
            if (u * u + v * v > 1.0F) continue;
            ++inside;
            const float x = first + static_cast<float>(column) * step;
            const bool in_image =
                x >= 0.0F && x < static_cast<float>(image.width) && y >= 0.0F && y < static_cast<float>(image.height);
            if (in_image && hidden[column] <= 0.5F) ++seen;
        }
    }
    return static_cast<float>(seen) / static_cast<float>(inside);
}

}  // namespace

class Crowd::Impl {
public:
    Impl(const CrowdOptions& options, int threads)
        : options_(checked(options)),
          threads_(threads > 0 ? threads : cpu_cores()),
          layout_(options),
          backdrop_(options, threads_),
          grain_(options.seed, kGrain) {}

    const CrowdOptions& options() const { return options_; }

    Frame frame(std::int64_t n) const {
        WritableFrame image = pool_.take(PixelFormat::yuv420p, options_.width, options_.height);
        draw(n, image);
        return std::move(image).finish();
    }

    void draw(std::int64_t n, WritableFrame& image) const {
        FrameInfo& info = image.info();
        if (info.format != PixelFormat::yuv420p || info.width != options_.width || info.height != options_.height) {
            throw Error(ErrorKind::internal, "the crowd requires a yuv420p image of its own size");
        }
        info.range = ColorRange::limited;
        info.matrix = ColorMatrix::bt709;
        info.index = n;
        info.pts = seconds(n);

        std::vector<synth::Shape> shapes;
        shapes.reserve(64 + 80 * static_cast<std::size_t>(options_.faces));
        backdrop_.moving(seconds(n), shapes);
        for (const int person : layout_.back_to_front()) add_person(person, seconds(n), shapes);
        synth::paint(backdrop_.still(), shapes, grain_, n, threads_, image);
    }

    std::vector<CrowdFace> truth(std::int64_t n) const;

private:
    static const CrowdOptions& checked(const CrowdOptions& options) {
        check_options(options);
        return options;
    }

    double seconds(std::int64_t n) const { return static_cast<double>(n) / options_.fps; }
    bool in_image(const Box& box) const {
        return box.x < static_cast<float>(options_.width) && box.y < static_cast<float>(options_.height) &&
               box.x + box.w > 0 && box.y + box.h > 0;
    }
    bool covered(int person) const { return options_.uncover >= 0 && person >= options_.uncover; }

    // Adds the bounded shapes of a person and, if requested, of the black rectangle over the face.
    void add_person(int person, double seconds, std::vector<synth::Shape>& shapes) const {
        const synth::Pose pose = layout_.pose(person, seconds);
        const std::size_t first = shapes.size();
        draw_person(synth::looks_of(options_.seed, pose.identity), pose, backdrop_.light(pose, seconds), shapes);
        if (covered(person)) shapes.push_back(synth::cover(pose));
        for (std::size_t i = first; i < shapes.size(); ++i) shapes[i].bound(options_.width, options_.height);
    }

    CrowdOptions options_;
    int threads_;
    synth::Layout layout_;
    synth::Backdrop backdrop_;
    synth::Grain grain_;
    mutable FramePool pool_;
};

std::vector<CrowdFace> Crowd::Impl::truth(std::int64_t n) const {
    // From front to back, so that everything that may hide a face is already in `solids`.
    std::vector<synth::Shape> solids;
    std::vector<CrowdFace> faces;
    std::vector<synth::Shape> own;
    const auto& order = layout_.back_to_front();
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
        const synth::Pose pose = layout_.pose(*it, seconds(n));
        own.clear();
        add_person(*it, seconds(n), own);

        CrowdFace face;
        face.person = pose.identity;
        face.box = face_box(pose);
        if (!covered(*it)) {
            std::vector<const synth::Shape*> near;
            for (const synth::Shape& s : solids) {
                if (static_cast<float>(s.x0) < face.box.x + face.box.w && static_cast<float>(s.x1) > face.box.x &&
                    static_cast<float>(s.y0) < face.box.y + face.box.h && static_cast<float>(s.y1) > face.box.y) {
                    near.push_back(&s);
                }
            }
            face.visible = visible_part(pose, options_, near);
            const bool walking = options_.motion == CrowdMotion::walk;
            face.ignore = face.visible < (walking ? kVisibleWalkingFace : kVisibleFace);
            if (walking ? in_image(face.box) : face.visible >= kHiddenFace) faces.push_back(face);
        }
        std::copy_if(own.begin(), own.end(), std::back_inserter(solids), [](const synth::Shape& s) { return s.solid; });
    }
    std::sort(faces.begin(), faces.end(), [](const CrowdFace& a, const CrowdFace& b) { return a.person < b.person; });
    return faces;
}

Crowd::Crowd(const CrowdOptions& options, int threads) : impl_(std::make_unique<Impl>(options, threads)) {}
Crowd::~Crowd() = default;
const CrowdOptions& Crowd::options() const noexcept {
    return impl_->options();
}
Frame Crowd::frame(std::int64_t n) const {
    return impl_->frame(n);
}
void Crowd::draw(std::int64_t n, WritableFrame& image) const {
    impl_->draw(n, image);
}
std::vector<CrowdFace> Crowd::truth(std::int64_t n) const {
    return impl_->truth(n);
}

}  // namespace throng
