// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of operators of com.microsoft, checked against ONNX Runtime.
#include "NodeEvaluation.h"

#include <gtest/gtest.h>

using namespace zenith::onnx;

namespace {

Node fused(Node node) { return inDomain("com.microsoft", std::move(node)); }

std::vector<double> evaluateFused(Node node, const std::vector<Tensor> &inputs,
                                  size_t result = 0) {
  return evaluate(fused(std::move(node)), inputs, {}, 1, result);
}

Tensor bytes(std::string name, std::vector<int64_t> dims,
             std::vector<uint8_t> values) {
  return tensorOf<uint8_t>(std::move(name), DataType::UInt8, std::move(dims),
                           std::move(values));
}

Tensor signedBytes(std::string name, std::vector<int64_t> dims,
                   std::vector<int8_t> values) {
  return tensorOf<int8_t>(std::move(name), DataType::Int8, std::move(dims),
                          std::move(values));
}

Tensor words(std::string name, std::vector<int64_t> dims,
             std::vector<int32_t> values) {
  return tensorOf<int32_t>(std::move(name), DataType::Int32, std::move(dims),
                           std::move(values));
}

Tensor scaled(Tensor tensor, float factor) {
  std::string_view view = tensor.data.view();
  std::vector<float> values(view.size() / sizeof(float));
  std::memcpy(values.data(), view.data(), view.size());
  for (float &value : values)
    value *= factor;
  return floats(tensor.name, tensor.dims, values);
}

} // namespace

TEST(ImportFused, MatMul) {
  expectNear(evaluateFused(makeNode("FusedMatMul", {"x", "y"}, {"z"},
                                    {intAttribute("transB", 1),
                                     floatAttribute("alpha", 0.5f)}),
                           {ramp("x", {2, 3}), ramp("y", {2, 3})}),
             {2.90625, -7.125, -7.125, 18.9375});
  // The first dimension goes before the last one: as without transBatchA.
  EXPECT_EQ(evaluateFused(makeNode("FusedMatMul", {"x", "y"}, {"z"},
                                   {intAttribute("transBatchA", 1)}),
                          {ramp("x", {1, 1, 3}), ramp("y", {1, 3, 2})}),
            evaluateFused(makeNode("FusedMatMul", {"x", "y"}, {"z"}),
                          {ramp("x", {1, 1, 3}), ramp("y", {1, 3, 2})}));
}

namespace {

/// MatMulNBits of a ramp [2, k] with weights [k, 2].
std::vector<double> multiplied(int64_t k, int64_t bits, int64_t block,
                               std::vector<Tensor> weights,
                               std::vector<std::string> more = {}) {
  std::vector<std::string> names = {"x", "b", "s"};
  names.insert(names.end(), more.begin(), more.end());
  weights.insert(weights.begin(), ramp("x", {2, k}));
  return evaluateFused(
      makeNode("MatMulNBits", names, {"z"},
               {intAttribute("K", k), intAttribute("N", 2),
                intAttribute("bits", bits), intAttribute("block_size", block)}),
      weights);
}

} // namespace

// Codes lie low bits first; the last block is padded; a row's zero points start
// a byte. The values are those of the formula (code - zero) * scale.
TEST(ImportFused, MatMulNBits) {
  Tensor one = scaled(ramp("x", {2, 3}), 1);
  std::string_view raw = one.data.view();
  std::vector<float> x(6);
  std::memcpy(x.data(), raw.data(), raw.size());
  auto expected = [&](std::vector<double> first, std::vector<double> second) {
    std::vector<double> sums;
    for (int row = 0; row < 2; ++row)
      for (const std::vector<double> &column : {first, second}) {
        double sum = 0;
        for (int k = 0; k < 3; ++k)
          sum += x[row * 3 + k] * column[k];
        sums.push_back(sum);
      }
    return sums;
  };
  // Blocks of two: codes 1, 2 | 3 and 15, 0 | 9.
  Tensor packed = bytes("b", {2, 2, 1}, {0x21, 0xf3, 0x0f, 0x79});
  Tensor scales = floats("s", {2, 2}, {1, 2, 0.5f, 4});
  expectNear(multiplied(3, 4, 2, {packed, scales}),
             expected({-7, -6, -10}, {3.5, -4, 4}));
  expectNear(multiplied(3, 4, 2,
                        {packed, scales, bytes("z", {2}, {0x21, 0x83})}, {"z"}),
             expected({0, 1, 2}, {6, -1.5, 4}));
  expectNear(
      multiplied(3, 4, 2,
                 {packed, scales, floats("z", {2, 2}, {0.5f, 1, 2, 8.5f})},
                 {"z"}),
      expected({0.5, 1.5, 4}, {6.5, -1, 2}));
  expectNear(multiplied(3, 4, 2, {packed, scales, floats("c", {2}, {10, 20})},
                        {"", "", "c"}),
             [&] {
               std::vector<double> sums = expected({-7, -6, -10}, {3.5, -4, 4});
               for (size_t i = 0; i < sums.size(); ++i)
                 sums[i] += i % 2 ? 20 : 10;
               return sums;
             }());
  Tensor whole = bytes("b", {2, 2, 2}, {130, 126, 128, 0, 0, 255, 3, 7});
  expectNear(multiplied(3, 8, 2, {whole, scales}),
             expected({2, -2, 0}, {-64, 63.5, -500}));
  expectNear(multiplied(3, 8, 2,
                        {whole, scales, bytes("z", {2, 2}, {0, 1, 255, 3})},
                        {"z"}),
             expected({130, 126, 254}, {-127.5, 0, 0}));
}

TEST(ImportFused, Activations) {
  std::vector<Tensor> inputs = {ramp("x", {2, 3}), ramp("y", {3})};
  expectNear(evaluateFused(makeNode("BiasGelu", {"x", "y"}, {"z"}), inputs),
             {0.841345, -0.015524, 3.999873, -0.027505, 2.222495, -0.027505});
  expectNear(evaluateFused(makeNode("FastGelu", {"x", "y"}, {"z"}), inputs),
             {0.841192, -0.015084, 3.99993, -0.027201, 2.222799, -0.027201});
}

TEST(ImportFused, Norms) {
  expectNear(evaluateFused(
                 makeNode("SkipLayerNormalization", {"x", "y", "g"}, {"z"},
                          {floatAttribute("epsilon", 0.5f)}),
                 {ramp("x", {2, 1, 3}), ramp("y", {1, 1, 3}), ramp("g", {3})}),
             {0.030317, 1.515848, 2.304088, -0.33541, -1.677051, -1.341641});
  std::vector<Tensor> embedding = {words("i", {1, 2}, {1, 0}),
                                   ramp("w", {2, 3}),
                                   ramp("p", {2, 3}),
                                   ramp("g", {3}),
                                   ramp("b", {3}),
                                   words("m", {1, 2}, {1, 0})};
  Node embed = makeNode("EmbedLayerNormalization",
                        {"i", "", "w", "p", "", "g", "b", "m"}, {"z", "k"},
                        {floatAttribute("epsilon", 0.5f)});
  expectNear(evaluateFused(embed, embedding),
             {0.16459, -2.927051, 0.658359, 0.16459, -2.927051, 0.658359});
  EXPECT_EQ(evaluateFused(embed, embedding, 1), std::vector<double>{1});
}

TEST(ImportFused, Attention) {
  std::vector<Tensor> inputs = {scaled(ramp("x", {1, 2, 2}), 0.1f),
                                scaled(ramp("w", {2, 6}), 0.1f),
                                scaled(ramp("b", {6}), 0.1f)};
  expectNear(evaluateFused(makeNode("Attention", {"x", "w", "b"}, {"z"},
                                    {intAttribute("num_heads", 1),
                                     intAttribute("unidirectional", 1)}),
                           inputs),
             {0.2675, -0.336875, 0.233681, -0.303056});
  inputs.push_back(words("m", {1, 2}, {1, 0}));
  expectNear(evaluateFused(makeNode("Attention", {"x", "w", "b", "m"}, {"z"},
                                    {intAttribute("num_heads", 1)}),
                           inputs),
             {0.2675, -0.336875, 0.2675, -0.336875});
}

TEST(ImportFused, QuantizedGemm) {
  expectNear(
      evaluateFused(makeNode("QGemm", {"a", "as", "az", "b", "bs", "bz", "c"},
                             {"z"}, {intAttribute("transB", 1)}),
                    {bytes("a", {2, 3}, {130, 120, 125, 100, 140, 110}),
                     floats("as", {}, {0.02f}), bytes("az", {}, {120}),
                     signedBytes("b", {2, 3}, {3, -2, 1, 5, 4, -6}),
                     floats("bs", {}, {0.01f}), signedBytes("bz", {}, {0}),
                     words("c", {2}, {40, -60})}),
      {0.015, -0.008, -0.014, -0.004});
}

TEST(ImportFused, QuantizedElements) {
  Tensor a = bytes("a", {3}, {130, 100, 255}),
         b = bytes("b", {3}, {10, 200, 90}), as = floats("as", {}, {0.02f}),
         az = bytes("az", {}, {120}), bs = floats("bs", {}, {0.03f}),
         bz = bytes("bz", {}, {100}), ys = floats("ys", {}, {0.06f}),
         yz = bytes("yz", {}, {110});
  EXPECT_EQ(evaluateFused(
                makeNode("QLinearAdd",
                         {"a", "as", "az", "b", "bs", "bz", "ys", "yz"}, {"z"}),
                {a, as, az, b, bs, bz, ys, yz}),
            (std::vector<double>{68, 153, 150}));
  EXPECT_EQ(
      evaluateFused(makeNode("QLinearConcat",
                             {"ys", "yz", "a", "as", "az", "b", "bs", "bz"},
                             {"z"}, {intAttribute("axis", 0)}),
                    {ys, yz, a, as, az, b, bs, bz}),
      (std::vector<double>{113, 103, 155, 65, 160, 105}));
  EXPECT_EQ(
      evaluateFused(
          makeNode("QLinearSigmoid", {"a", "as", "az", "ys", "yz"}, {"z"}),
          {a, as, az, floats("ys", {}, {1.0f / 256}), bytes("yz", {}, {0})}),
      (std::vector<double>{141, 103, 240}));
  EXPECT_EQ(evaluateFused(makeNode("QLinearGlobalAveragePool",
                                   {"a", "as", "az", "ys", "yz"}, {"z"}),
                          {bytes("a", {1, 1, 2, 2}, {130, 100, 7, 251}), as, az,
                           floats("ys", {}, {0.01f}), bytes("yz", {}, {128})}),
            std::vector<double>{132});
}

TEST(ImportFused, QuantizedLSTM) {
  std::vector<int8_t> weights;
  for (int value = -4; value < 4; ++value)
    weights.push_back(int8_t(9 * value));
  expectNear(
      evaluateFused(
          makeNode("DynamicQuantizeLSTM",
                   {"x", "w", "r", "", "", "", "", "", "ws", "wz", "rs", "rz"},
                   {"y"}, {intAttribute("hidden_size", 1)}),
          {ramp("x", {3, 1, 2}), signedBytes("w", {1, 2, 4}, weights),
           signedBytes("r", {1, 1, 4}, {10, -20, 30, -40}),
           floats("ws", {1}, {0.01f}), signedBytes("wz", {1}, {0}),
           floats("rs", {1}, {0.02f}), signedBytes("rz", {1}, {0})}),
      {-0.072114, -0.085141, -0.051798});
}
