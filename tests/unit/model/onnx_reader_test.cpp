#include "core/model/onnx_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <tuple>

#include "core/base/error.h"
#include "core/detect/detector_kinds.h"
#include "core/model/onnx.pb.h"
#include "tests/support/onnx_maker.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

using onnx::ModelProto;
using onnx::TensorProto;

TensorProto& constant_of(ModelProto& model, const std::string& name) {
    for (TensorProto& tensor : *model.mutable_graph()->mutable_initializer()) {
        if (tensor.name() == name) return tensor;
    }
    std::abort();
}

onnx::AttributeProto& attribute_of(onnx::NodeProto& node, const std::string& name) {
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
        if (attribute.name() == name) return attribute;
    }
    std::abort();
}

TEST(OnnxReader, ReadsYunet) {
    const Network network = parse_onnx(test::bytes_of(test::tiny_yunet(1)), "m.onnx");
    EXPECT_EQ(network.head.family, HeadFamily::yunet);
    EXPECT_TRUE(network.head.has_landmarks);
    EXPECT_FALSE(network.input.rgb);
    EXPECT_EQ(network.input.width, 64);
    ASSERT_EQ(network.head.levels.size(), 3U);
    EXPECT_EQ(network.head.levels[2].stride, 32);
    EXPECT_EQ(input_multiple(network), 32);
    // Activations are part of their layers, and no layer after the heads remains.
    for (const NetworkLayer& layer : network.layers) EXPECT_EQ(layer.name.find("Relu"), std::string::npos);
    EXPECT_EQ(network.layers.size() + 1, network.tensors.size());
}

TEST(OnnxReader, ReadsUltraFaceAndItsPriors) {
    const Network network = parse_onnx(test::bytes_of(test::tiny_ultraface(1)), "m.onnx");
    EXPECT_EQ(network.head.family, HeadFamily::ultraface);
    EXPECT_TRUE(network.input.rgb);
    EXPECT_FLOAT_EQ(network.head.center_variance, 0.1F);
    EXPECT_FLOAT_EQ(network.head.size_variance, 0.2F);
    ASSERT_EQ(network.head.levels.size(), 2U);
    ASSERT_EQ(network.head.levels[1].priors.size(), 2U);
    EXPECT_FLOAT_EQ(network.head.levels[1].priors[1].width, 48);
    EXPECT_FLOAT_EQ(network.head.levels[1].priors[1].height, 48);
}

TEST(OnnxReader, ReadsRetinaFace) {
    ModelProto model = test::tiny_retinaface(1);
    const Network network = parse_onnx(test::bytes_of(model), "m.onnx");
    EXPECT_EQ(network.head.family, HeadFamily::retinaface);
    EXPECT_TRUE(network.head.has_landmarks);
    EXPECT_FALSE(network.input.rgb);
    EXPECT_EQ(network.input.mean, (std::array<float, 3>{104, 117, 123}));
    ASSERT_EQ(network.head.levels.size(), 3U);
    EXPECT_EQ(network.head.levels[1].stride, 16);
    EXPECT_EQ(network.head.levels[1].priors, (std::vector<Prior>{{64, 64}, {128, 128}}));
    EXPECT_FLOAT_EQ(network.head.center_variance, 0.1F);
    EXPECT_EQ(network.layers.front().activation, Activation::leaky);
    // Exporters name the outputs differently and list them in another order.
    model.mutable_graph()->mutable_output()->SwapElements(0, 2);
    EXPECT_EQ(parse_onnx(test::bytes_of(model), "m.onnx"), network);
    // Larger variants of the network have no slope.
    attribute_of(test::node_of(model, "stem"), "alpha").set_f(0);
    EXPECT_EQ(parse_onnx(test::bytes_of(model), "m.onnx").layers.front().activation, Activation::relu);
}

// Space to depth is part of the first convolution, and one class remains of the last ones.
TEST(OnnxReader, ReadsYoloxForOneClass) {
    ModelProto model = test::tiny_yolox(1);
    const Network network = parse_onnx(test::bytes_of(model), "m.onnx", 2);
    EXPECT_EQ(network.head.family, HeadFamily::yolox);
    EXPECT_FALSE(network.head.has_landmarks);
    EXPECT_FALSE(network.input.rgb);
    EXPECT_EQ(network.input.padding, 114.0F);
    EXPECT_EQ(input_multiple(network), 32);
    const NetworkLayer& stem = network.layers.front();
    EXPECT_EQ(stem.kernel, 6);
    EXPECT_EQ(stem.stride, 2);
    EXPECT_EQ(stem.padding, 2);
    // Phase 1 has odd rows and even columns: its tap (1, 2) is row 3, column 4.
    EXPECT_EQ(stem.weights[3 * 6 + 4], constant_of(model, "stem.x.w").float_data(3 * 9 + 1 * 3 + 2));
    for (const NetworkLayer& layer : network.layers) {
        if (layer.output != network.head.levels[0].score) continue;
        const TensorProto& scores = constant_of(model, "up8.head.score.x.w");
        EXPECT_EQ(layer.weights, std::vector<float>(scores.float_data().begin() + 32, scores.float_data().end()));
    }
    const auto silu = [](const Network& of) {
        return std::count_if(of.layers.begin(), of.layers.end(),
                             [](const NetworkLayer& layer) { return layer.activation == Activation::silu; });
    };
    EXPECT_EQ(silu(network), 17);
    EXPECT_EQ(network.layers.size(), 34U);
    // A map that is read before its activation, too, is activated in a layer of its own.
    test::node_of(model, "at8").set_input(1, "b.x");
    const Network apart = parse_onnx(test::bytes_of(model), "m.onnx");
    EXPECT_EQ(silu(apart), 17);
    EXPECT_EQ(apart.layers.size(), 35U);
    // Another name of that map changes nothing.
    onnx::NodeProto& same = *model.mutable_graph()->add_node();
    same.set_op_type("Identity");
    same.add_input("b.x");
    same.add_output("same");
    for (onnx::NodeProto& node : *model.mutable_graph()->mutable_node()) {
        if (node.output(0) == "at8" || node.output(0) == "same") continue;
        std::replace(node.mutable_input()->begin(), node.mutable_input()->end(), std::string("b.x"),
                     std::string("same"));
    }
    EXPECT_EQ(parse_onnx(test::bytes_of(model), "m.onnx").layers.size(), 35U);
    try {
        static_cast<void>(parse_onnx(test::bytes_of(model), "m.onnx", 3));
        ADD_FAILURE() << "has no such class";
    } catch (const Error& error) {
        EXPECT_EQ(error.problem().text(), "has 3 classes, from 0 on; 3 is none of them");
    }
}

// The file decides what is found; the kind of the detector says what the results call it.
TEST(OnnxReader, RejectsAModelOfAnotherDetector) {
    const test::ScratchDir dir;
    for (const auto& [kind, other, model] : {std::tuple{DetectorId::cnn, DetectorId::person, test::tiny_yolox(1)},
                                             {DetectorId::person, DetectorId::cnn, test::tiny_yunet(1)}}) {
        DetectorParams params = detector_kind(kind).params;
        params.model = (dir.path() / "m.onnx").string();
        std::ofstream(params.model, std::ios::binary) << test::bytes_of(model);
        try {
            static_cast<void>(read_network(params));
            ADD_FAILURE() << detector_kind(kind).name;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::usage);
            EXPECT_EQ(error.problem().text(), "finds " + std::string(detector_kind(other).finds) + ", not " +
                                                  std::string(detector_kind(kind).finds));
            EXPECT_NE(std::string(error.what()).find(detector_kind(other).name), std::string::npos) << error.what();
        }
        params.kind = other;
        EXPECT_NO_THROW(static_cast<void>(read_network(params)));
    }
}

TEST(OnnxReader, FoldsBatchNorms) {
    ModelProto model = test::tiny_ultraface(3);
    const float scale = constant_of(model, "stem.s").float_data(0);
    const float variance = constant_of(model, "stem.v").float_data(0);
    const float weight = constant_of(model, "stem.w").float_data(0);
    const Network network = parse_onnx(test::bytes_of(model), "m.onnx");
    EXPECT_NEAR(network.layers.front().weights.front(), weight * scale / std::sqrt(variance + 1e-5F), 1e-6);
    EXPECT_EQ(network.layers.front().activation, Activation::relu);
    EXPECT_EQ(network.layers.size(), 8U);
}

TEST(OnnxReader, KeepsAMapThatIsReadBeforeItsActivation) {
    // The sum of two strides reads at16 before and after a Relu.
    ModelProto model = test::tiny_yunet(2);
    onnx::NodeProto& relu = *model.mutable_graph()->add_node();
    relu.set_op_type("Relu");
    relu.add_input("sum");
    relu.add_output("rectified");
    test::node_of(model, "cls_16.1").set_input(0, "rectified");
    const Network network = parse_onnx(test::bytes_of(model), "m.onnx");
    int identities = 0;
    for (const NetworkLayer& layer : network.layers) {
        const bool plain = layer.kind == LayerKind::convolution && layer.kernel == 1 && layer.groups == 8;
        identities += plain && layer.activation == Activation::relu;
    }
    EXPECT_EQ(identities, 1);
}

TEST(OnnxReader, AcceptsNodesInAnyOrder) {
    ModelProto model = test::tiny_yunet(4);
    auto& nodes = *model.mutable_graph()->mutable_node();
    std::reverse(nodes.begin(), nodes.end());
    EXPECT_EQ(parse_onnx(test::bytes_of(model), "m.onnx").layers.size(),
              parse_onnx(test::bytes_of(test::tiny_yunet(4)), "m.onnx").layers.size());
}

// With random weights, and the published ones if they are available.
TEST(OnnxReader, ReadsModelsForInputsOfSeveralSizes) {
    std::vector<Network> networks{parse_onnx(test::bytes_of(test::tiny_yunet(5)), "yunet"),
                                  parse_onnx(test::bytes_of(test::tiny_ultraface(5)), "ultraface"),
                                  parse_onnx(test::bytes_of(test::tiny_yolox(5)), "yolox"),
                                  parse_onnx(test::bytes_of(test::tiny_retinaface(5)), "retinaface")};
    if (const auto data = test::data_dir()) {
        for (const char* name :
             {"yunet_n_320_320", "yunet_n_640_640", "yunet_n_dynamic", "yunet_s_320_320", "version-RFB-320",
              "version-RFB-320_simplified", "version-RFB-640", "yolox_nano", "retinaface_mobilenet025"}) {
            networks.push_back(read_onnx(*data / "models" / (std::string(name) + ".onnx")));
            EXPECT_GE(networks.back().head.levels.size(), 3U) << name;
        }
    }
    for (const Network& network : networks) {
        for (const std::int32_t side : {64, 192, 640}) {
            const auto sizes = resolve_sizes(network, side, side);
            ASSERT_EQ(sizes.size(), network.tensors.size());
            for (const HeadLevel& level : network.head.levels) {
                EXPECT_EQ(sizes.at(static_cast<std::size_t>(level.score)).width, side / level.stride);
            }
        }
    }
}

struct Rejection {
    const char* name;
    std::function<std::string()> bytes;
    const char* message;
};

template <class Change>
std::function<std::string()> changed(Change change, ModelProto (*make)(std::uint64_t) = test::tiny_yunet) {
    return [change, make] {
        ModelProto model = make(7);
        change(model);
        return test::bytes_of(model);
    };
}

class OnnxRejects : public ::testing::TestWithParam<Rejection> {};

TEST_P(OnnxRejects, WithProblemAndLocation) {
    try {
        static_cast<void>(parse_onnx(GetParam().bytes(), "bad.onnx"));
        FAIL() << "was accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_NE(std::string(error.what()).find(GetParam().message), std::string::npos) << error.what();
        EXPECT_NE(error.where().text().find("bad.onnx"), std::string::npos) << error.where();
    }
}

INSTANTIATE_TEST_SUITE_P(
    Onnx, OnnxRejects,
    ::testing::Values(
        Rejection{"Nothing", [] { return std::string(); }, "is empty"},
        Rejection{"Text", [] { return std::string("hello, this is no model at all"); }, "not an ONNX model"},
        Rejection{"Cascade", [] { return std::string("<?xml version=\"1.0\"?><opencv_storage>"); }, "XML"},
        Rejection{"LfsPointer", [] { return std::string("version https://git-lfs.github.com/spec/v1\noid sha256:8f"); },
               "Git LFS pointer"},
        Rejection{"Truncated",
               [] {
                   const std::string whole = test::bytes_of(test::tiny_yunet(7));
                   return whole.substr(0, whole.size() / 2);
               },
               "truncated"},
        Rejection{"ExternalData", changed([](ModelProto& m) {
                   constant_of(m, "stem.w").set_data_location(TensorProto::EXTERNAL);
               }),
               "external data"},
        Rejection{"Cycle", changed([](ModelProto& m) { test::node_of(m, "stem.c").set_input(0, "sum"); }), "cycle"},
        Rejection{"NothingWrites", changed([](ModelProto& m) { test::node_of(m, "sum").set_input(0, "ghost"); }), "ghost"},
        Rejection{"WrittenTwice", changed([](ModelProto& m) { test::node_of(m, "sum").set_output(0, "up"); }),
               "also written elsewhere"},
        Rejection{"DataTooShort", changed([](ModelProto& m) { constant_of(m, "stem.w").mutable_float_data()->RemoveLast(); }),
               "contains 215 numbers, but its shape requires 216"},
        Rejection{"MoreThanMemory", changed([](ModelProto& m) {
                   constant_of(m, "stem.w").set_dims(0, std::int64_t{1} << 40);
               }),
               "larger than any weight"},
        Rejection{"NegativeDimension", changed([](ModelProto& m) { constant_of(m, "stem.w").set_dims(0, -16); }),
               "negative dimension"},
        Rejection{"WrongChannels", changed([](ModelProto& m) {
                   test::node_of(m, "b.c").set_input(1, "stem.w");
               }),
               "do not fit its input"},
        Rejection{"OldOpset", changed([](ModelProto& m) { m.mutable_opset_import(0)->set_version(3); }), "operator set 3"},
        Rejection{"FutureOpset", changed([](ModelProto& m) { m.mutable_opset_import(0)->set_version(99); }),
               "operator set 99"},
        Rejection{"UnknownOperator", changed([](ModelProto& m) { test::node_of(m, "stem").set_op_type("Elu"); }),
               "operator Elu is not supported"},
        Rejection{"OtherDomain", changed([](ModelProto& m) { test::node_of(m, "stem").set_domain("com.acme"); }),
               "com.acme.Relu"},
        Rejection{"OpenChannels", changed([](ModelProto& m) {
                   auto& shape = *m.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
                   shape.mutable_dim(1)->set_dim_param("c");
               }),
               "unresolved shape"},
        Rejection{"ShapeOfNothing", changed([](ModelProto& m) { test::node_of(m, "cls_8.r").set_input(1, "sum"); }),
               "not constant"},
        Rejection{"StrideOfNothing", changed([](ModelProto& m) {
                   attribute_of(test::node_of(m, "stem.c"), "strides").set_ints(0, 0);
                   attribute_of(test::node_of(m, "stem.c"), "strides").set_ints(1, 0);
               }),
               "of 0"},
        Rejection{"HugeInput", changed([](ModelProto& m) {
                   auto& shape = *m.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
                   shape.mutable_dim(2)->set_dim_value(1 << 30);
               }),
               "too large for memory"},
        Rejection{"NotFinite", changed([](ModelProto& m) {
                   constant_of(m, "stem.w").set_float_data(0, std::numeric_limits<float>::infinity());
               }),
               "not finite"},
        Rejection{"Classifier", changed([](ModelProto& m) {
                   m.mutable_graph()->clear_output();
                   auto& output = *m.mutable_graph()->add_output();
                   output.set_name("sum");
                   auto& tensor = *output.mutable_type()->mutable_tensor_type();
                   tensor.mutable_shape()->add_dim()->set_dim_value(1);
                   tensor.mutable_shape()->add_dim()->set_dim_value(1000);
               }),
               "image classifier with 1000 classes"},
        Rejection{"OtherDecoding",
               [] {
                   ModelProto model = test::tiny_ultraface(7);
                   test::node_of(model, "high").set_op_type("Mul");
                   return test::bytes_of(model);
               },
               "differently from UltraFace"},
        Rejection{"OtherSlope", changed([](ModelProto& m) {
                   attribute_of(test::node_of(m, "stem"), "alpha").set_f(0.2F);
               }, test::tiny_retinaface),
               "bad.onnx, LeakyRelu stem: has the slope 0.2"},
        Rejection{"LandmarksOfOneLevelMissing", changed([](ModelProto& m) {
                   test::node_of(m, "output2").set_input(2, "at32.head0.rows");
               }, test::tiny_retinaface),
               "Concat output2"},
        Rejection{"LogitsWithoutSoftmax", changed([](ModelProto& m) {
                   test::node_of(m, "output1").set_op_type("Identity");
               }, test::tiny_retinaface),
               "RetinaFace's layout: rows of 2 through a softmax"},
        Rejection{"OtherProduct", changed([](ModelProto& m) { test::node_of(m, "stem").set_input(1, "stem.x"); },
                                          test::tiny_yolox),
               "SiLU"},
        Rejection{"EveryThirdRow", changed([](ModelProto& m) {
                   constant_of(m, "two").set_raw_data(std::string("\3\0\0\0\0\0\0\0", 8));
               }, test::tiny_yolox),
               "every second row or column"},
        Rejection{"PhaseOfRowsOnly", changed([](ModelProto& m) {
                   test::node_of(m, "phases").set_input(3, "phase3.rows");
               }, test::tiny_yolox),
               "otherwise than YOLOX"},
        Rejection{"PhasesInALayer", changed([](ModelProto& m) { test::node_of(m, "phases").set_op_type("Relu"); },
                                            test::tiny_yolox),
               "bad.onnx, Relu phases"},
        Rejection{"PhasesOfPhases", changed([](ModelProto& m) {
                   std::string before = "phases";
                   for (const std::string name : {"all4", "all16", "all64"}) {
                       onnx::NodeProto& node = *m.mutable_graph()->add_node();
                       node = test::node_of(m, "phases");
                       node.set_output(0, name);
                       for (std::string& input : *node.mutable_input()) input = before;
                       before = name;
                   }
                   test::node_of(m, "stem.x").set_input(0, before);
               }, test::tiny_yolox),
               "more parts of a map"},
        Rejection{"CellsInRows", changed([](ModelProto& m) {
                   test::node_of(m, "up8.head.columns").set_input(1, "at32.head.wrong");
                   *m.mutable_graph()->add_initializer() = constant_of(m, "at32.head.shape");
                   m.mutable_graph()->mutable_initializer(m.graph().initializer_size() - 1)->set_name("at32.head.wrong");
                   const std::int64_t shape[] = {1, -1, 8};
                   constant_of(m, "at32.head.wrong").set_raw_data(shape, sizeof(shape));
               }, test::tiny_yolox),
               "one column per cell"},
        Rejection{"ClassesBeforeTheBox", changed([](ModelProto& m) {
                   for (const char* head : {"up8.head", "up16.head", "at32.head"}) {
                       test::node_of(m, head).mutable_input()->SwapElements(0, 2);
                   }
               }, test::tiny_yolox),
               "YOLOX's layout"},
        Rejection{"DecodedBoxes", changed([](ModelProto& m) { test::node_of(m, "output").set_op_type("Exp"); },
                                          test::tiny_yolox),
               "such as YOLO"}),
    [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace throng
