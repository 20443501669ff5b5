#include "core/model/onnx_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>

#include "core/base/error.h"
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
                                  parse_onnx(test::bytes_of(test::tiny_ultraface(5)), "ultraface")};
    if (const auto data = test::data_dir()) {
        for (const char* name : {"yunet_n_320_320", "yunet_n_640_640", "yunet_n_dynamic", "yunet_s_320_320",
                                 "version-RFB-320", "version-RFB-320_simplified", "version-RFB-640"}) {
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
std::function<std::string()> changed(Change change) {
    return [change] {
        ModelProto model = test::tiny_yunet(7);
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
               "differently from UltraFace"}),
    [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace throng
