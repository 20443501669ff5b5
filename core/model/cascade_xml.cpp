#include "core/model/cascade_xml.h"

#include <cmath>
#include <limits>
#include <pugixml.hpp>

#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/model/xml_reader.h"

namespace throng {
namespace {

// More than ten times the maximum of any published cascade.
constexpr std::size_t kMaxStages = 1000;
constexpr std::size_t kMaxNodes = 200000;

// Subtracted from every stage's threshold, in float32, as OpenCV does when it loads a cascade.
constexpr float kThresholdMargin = 1e-5F;

// Shared by both formats: appends parts to a model and limits its counts.
class CascadeBuilder {
public:
    CascadeBuilder(const std::string& name, const XmlReader& xml) : xml_(xml) { model_.name = name; }

    CascadeModel& model() { return model_; }

    void begin_stage(const pugi::xml_node& at, float threshold) {
        if (model_.stages.size() >= kMaxStages) xml_.fail(at, "too many stages");
        model_.stages.push_back({static_cast<std::int32_t>(model_.trees.size()), 0, threshold - kThresholdMargin});
    }

    void begin_tree() {
        ++model_.stages.back().tree_count;
        model_.trees.push_back(
            {static_cast<std::int32_t>(model_.nodes.size()), 0, static_cast<std::int32_t>(model_.leaves.size())});
    }

    void add_node(const pugi::xml_node& at, const CascadeNode& node) {
        if (model_.nodes.size() >= kMaxNodes) xml_.fail(at, "too many nodes");
        ++model_.trees.back().node_count;
        model_.nodes.push_back(node);
    }

    void add_leaf(const pugi::xml_node& at, float value) {
        if (model_.leaves.size() >= 2 * kMaxNodes) xml_.fail(at, "too many leaves");
        model_.leaves.push_back(value);
    }

    void end_tree(const pugi::xml_node& at) const {
        const CascadeTree& tree = model_.trees.back();
        const auto leaves = model_.leaves.size() - static_cast<std::size_t>(tree.first_leaf);
        if (leaves != static_cast<std::size_t>(tree.node_count) + 1) {
            xml_.fail(at, "a tree needs one leaf more than it has nodes");
        }
    }

    // <rects> of a Haar feature: up to three, each "x y w h weight".
    HaarFeature haar_feature(const pugi::xml_node& at) const {
        HaarFeature feature{};
        int count = 0;
        for (const pugi::xml_node& entry : xml_.child(at, "rects").children("_")) {
            if (count == kHaarRects) xml_.fail(entry, "a feature has at most three rectangles");
            NumberList numbers(xml_, entry);
            feature.rect[count] = rectangle(entry, numbers);
            feature.weight[count] = numbers.real();
            numbers.expect_end();
            ++count;
        }
        if (count == 0) xml_.fail(at, "a feature needs a rectangle");
        feature.tilted = at.child("tilted") && xml_.integer(at, "tilted") != 0 ? 1 : 0;
        return feature;
    }

    CascadeRect rectangle(const pugi::xml_node& at, NumberList& numbers) const {
        std::int32_t v[4];
        for (std::int32_t& value : v) {
            value = numbers.integer();
            if (value < 0 || value > kMaxWindow || value > std::numeric_limits<std::int16_t>::max()) {
                xml_.fail(at, "a rectangle extends beyond the window");
            }
        }
        return {static_cast<std::int16_t>(v[0]), static_cast<std::int16_t>(v[1]), static_cast<std::int16_t>(v[2]),
                static_cast<std::int16_t>(v[3])};
    }

    void add_feature(const pugi::xml_node& at, const HaarFeature& feature) {
        if (model_.haar.size() >= kMaxNodes) xml_.fail(at, "too many features");
        model_.haar.push_back(feature);
        model_.has_tilted |= feature.tilted != 0;
    }

private:
    CascadeModel model_;
    const XmlReader& xml_;
};

// opencv_traincascade: <stages> of <weakClassifiers> with <internalNodes> "left right feature threshold|subset" and
// <leafValues>; <features> are a separate list.
void read_new_format(const XmlReader& xml, const pugi::xml_node& root, CascadeBuilder& builder) {
    CascadeModel& model = builder.model();
    if (xml.text(root, "stageType") != "BOOST") xml.fail(root.child("stageType"), "only BOOST stages are supported");
    const auto kind = xml.text(root, "featureType");
    if (kind != "HAAR" && kind != "LBP") xml.fail(root.child("featureType"), "only HAAR and LBP are supported");
    model.kind = kind == "LBP" ? CascadeKind::lbp : CascadeKind::haar;
    const bool lbp = model.kind == CascadeKind::lbp;
    model.window_width = xml.integer(root, "width");
    model.window_height = xml.integer(root, "height");
    const auto parameters = xml.child(root, "featureParams");
    if (xml.integer(parameters, "maxCatCount") != (lbp ? 32 * kLbpWords : 0)) {
        xml.fail(parameters, "LBP requires 256 categories, HAAR none");
    }

    for (const pugi::xml_node& stage : xml.child(root, "stages").children("_")) {
        builder.begin_stage(stage, xml.real(stage, "stageThreshold"));
        for (const pugi::xml_node& weak : xml.child(stage, "weakClassifiers").children("_")) {
            builder.begin_tree();
            const auto inner = xml.child(weak, "internalNodes");
            for (NumberList numbers(xml, inner); !numbers.at_end();) {
                CascadeNode node{};
                node.left = numbers.integer();
                node.right = numbers.integer();
                node.feature = numbers.integer();
                if (!lbp) node.threshold = numbers.real();
                for (int word = 0; lbp && word < kLbpWords; ++word) {
                    model.subsets.push_back(static_cast<std::uint32_t>(numbers.integer()));
                }
                builder.add_node(inner, node);
            }
            const auto outer = xml.child(weak, "leafValues");
            for (NumberList numbers(xml, outer); !numbers.at_end();) builder.add_leaf(outer, numbers.real());
            builder.end_tree(weak);
        }
    }
    for (const pugi::xml_node& feature : xml.child(root, "features").children("_")) {
        if (!lbp) {
            builder.add_feature(feature, builder.haar_feature(feature));
            continue;
        }
        if (model.lbp.size() >= kMaxNodes) xml.fail(feature, "too many features");
        const auto rect = xml.child(feature, "rect");
        NumberList numbers(xml, rect);
        model.lbp.push_back({builder.rectangle(rect, numbers)});
        numbers.expect_end();
    }
}

// Reads a child of a node in the old format: <left_val>, a leaf, or <left_node>, a node's index in the tree.
std::int32_t read_old_child(const XmlReader& xml, const pugi::xml_node& node, const std::string& side,
                            CascadeBuilder& builder) {
    if (!node.child((side + "_val").c_str())) {
        const int index = xml.integer(node, (side + "_node").c_str());
        if (index < 1) xml.fail(node, "a node refers to a missing child");
        return index;
    }
    CascadeModel& model = builder.model();
    const auto leaf = static_cast<std::int32_t>(model.leaves.size()) - model.trees.back().first_leaf;
    builder.add_leaf(node, xml.real(node, (side + "_val").c_str()));
    return -leaf;
}

// opencv_haartraining: <stages> of <trees> of nodes, each with its feature.
void read_old_format(const XmlReader& xml, const pugi::xml_node& root, CascadeBuilder& builder) {
    CascadeModel& model = builder.model();
    model.kind = CascadeKind::haar;
    NumberList size(xml, xml.child(root, "size"));
    model.window_width = size.integer();
    model.window_height = size.integer();
    size.expect_end();
    for (const pugi::xml_node& stage : xml.child(root, "stages").children("_")) {
        builder.begin_stage(stage, xml.real(stage, "stage_threshold"));
        for (const pugi::xml_node& tree : xml.child(stage, "trees").children("_")) {
            builder.begin_tree();
            for (const pugi::xml_node& entry : tree.children("_")) {
                CascadeNode node{};
                node.feature = static_cast<std::int32_t>(model.haar.size());
                node.threshold = xml.real(entry, "threshold");
                builder.add_feature(entry, builder.haar_feature(xml.child(entry, "feature")));
                node.left = read_old_child(xml, entry, "left", builder);
                node.right = read_old_child(xml, entry, "right", builder);
                builder.add_node(entry, node);
            }
            builder.end_tree(tree);
        }
    }
}

}  // namespace

CascadeModel parse_cascade(std::string_view text, const std::string& name) {
    if (text.size() > kMaxCascadeFile) {
        throw Error(ErrorKind::input, "larger than 64 MiB, too large for a cascade", name);
    }
    // pugixml does not expand entities of a DOCTYPE. Cascades have no DOCTYPE, so one is rejected.
    pugi::xml_document document;
    const auto parsed = document.load_buffer(text.data(), text.size(), pugi::parse_default | pugi::parse_doctype);
    if (!parsed) {
        throw Error(ErrorKind::input, {"not XML: %1", parsed.description()},
                    name + ": byte " + std::to_string(parsed.offset),
                    {"name a cascade of OpenCV, or use %1 for a network", Setting{"detector", "cnn"}});
    }
    const XmlReader xml(name);
    for (const pugi::xml_node& node : document.children()) {
        if (node.type() == pugi::node_doctype) xml.fail(document, "has a document type, which cascades do not have");
    }
    const auto storage = document.child("opencv_storage");
    if (!storage) xml.fail(document, "has no element <opencv_storage>");
    const auto root = storage.find_child([](const pugi::xml_node& n) { return n.type() == pugi::node_element; });
    if (!root) xml.fail(storage, "is empty");

    CascadeBuilder builder(name, xml);
    root.child("stageType") ? read_new_format(xml, root, builder) : read_old_format(xml, root, builder);
    check_model(builder.model());
    return std::move(builder.model());
}

CascadeModel read_cascade(const std::filesystem::path& file) {
    const std::string name = file.string();
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) {
        throw Error(ErrorKind::input, "file not found", name, "check the path");
    }
    ReadOptions options;
    options.what = "cascade";
    options.max_bytes = kMaxCascadeFile;
    return parse_cascade(read_file(file, options), name);
}

}  // namespace throng
