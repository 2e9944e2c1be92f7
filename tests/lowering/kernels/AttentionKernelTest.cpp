// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention against the interpreter: blocks of queries and keys with and
// without remainders, masks, few queries, operands behind movement, types.

#include "FusionText.h"
#include "KernelHarness.h"
#include "ir/tensor/Scalar.h"
#include "lowering/kernels/EmitKernels.h"
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace zenith;
using namespace mlir;
using zenith::testing::fusionText;

namespace {

Tensor uniform(RankedTensorType type, unsigned number, double low,
               double high) {
  std::mt19937 generator(number + 1);
  std::uniform_real_distribution<double> distribution(low, high);
  Tensor tensor(type);
  interpreter::ElementAccess access(type.getElementType());
  char *to = tensor.writable();
  for (int64_t i = 0; i < tensor.size(); ++i, to += access.bytes())
    access.store(to,
                 type.getElementType().isInteger(1)
                     ? interpreter::Scalar::ofSigned(generator() % 3 != 0)
                     : interpreter::Scalar::ofFloat(distribution(generator)));
  return tensor;
}

class AttentionKernel : public ::testing::Test {
protected:
  zenith::testing::KernelHarness harness{kernels::emitKernels};

  void SetUp() override {
    harness.tolerance = 2e-6;
    harness.fill = [](RankedTensorType type, unsigned number) {
      return uniform(type, number, -2, 2);
    };
  }

  /// [batch, length, features] each; `attributes` next to the scale, `mask`
  /// the element type of a mask or nothing.
  void check(int64_t batch, int64_t queries, int64_t keyCount, int64_t headSize,
             int64_t features, const std::string &attributes = "",
             const std::string &mask = "", const std::string &element = "f32",
             bool dynamic = false) {
    SCOPED_TRACE(std::to_string(queries) + " queries, " +
                 std::to_string(keyCount) + " keys");
    auto type = [&](int64_t rows, int64_t columns, const std::string &of,
                    bool dynamicColumns = false) {
      auto size = [](int64_t x, bool unknown) {
        return (unknown ? std::string("?") : std::to_string(x)) + "x";
      };
      return "tensor<" + size(batch, dynamic) + size(rows, dynamic) +
             size(columns, dynamicColumns) + of + ">";
    };
    std::string q = type(queries, headSize, element),
                k = type(keyCount, headSize, element),
                v = type(keyCount, features, element),
                m = type(queries, keyCount, mask, dynamic),
                r = type(queries, features, element);
    bool hasMask = !mask.empty();
    std::string body = "%r = graph.attention %q, %k, %v" +
                       std::string(hasMask ? ", %m" : "") +
                       " {scale = 0.3 : f64" + attributes + "} : (" + q + ", " +
                       k + ", " + v + (hasMask ? ", " + m : "") + ") -> " + r;
    std::vector<std::vector<int64_t>> shapes = {{batch, queries, headSize},
                                                {batch, keyCount, headSize},
                                                {batch, keyCount, features}};
    if (hasMask)
      shapes.push_back({batch, queries, keyCount});
    harness.check(fusionText("attention",
                             "%q: " + q + ", %k: " + k + ", %v: " + v +
                                 (hasMask ? ", %m: " + m : ""),
                             r, body),
                  shapes);
  }
};

TEST_F(AttentionKernel, Shapes) {
  check(2, 6, 16, 8, 16);
  check(1, 7, 5, 8, 16);
  check(3, 50, 33, 16, 16);
  check(2, 13, 300, 8, 24);
  check(1, 100, 513, 4, 5);
  check(2, 9, 17, 1, 1);
}

TEST_F(AttentionKernel, FewQueries) {
  for (int64_t queries : {1, 2, 4})
    check(2, queries, 37, 16, 16);
  check(2, 1, 600, 64, 64);
  check(1, 3, 20, 5, 70);
}

TEST_F(AttentionKernel, DynamicSizes) {
  for (int64_t queries : {1, 4, 5, 49})
    check(2, queries, 270, 8, 16, "", "", "f32", true);
  check(2, 30, 20, 8, 20, ", causal", "f32", "f32", true);
}

TEST_F(AttentionKernel, NothingToDo) {
  check(2, 5, 0, 8, 16);
  check(2, 0, 5, 8, 16);
  check(0, 5, 5, 8, 16);
  check(2, 1, 0, 8, 16, "", "", "f32", true);
}

TEST_F(AttentionKernel, Causal) {
  check(2, 60, 60, 8, 16, ", causal");
  check(2, 5, 300, 8, 16, ", causal");
  check(2, 3, 300, 8, 16, ", causal");
  // The first queries see no key: NaN, or zeros with a guard.
  check(2, 20, 9, 8, 16, ", causal");
  check(2, 20, 9, 8, 16, ", causal, guarded");
}

TEST_F(AttentionKernel, Masks) {
  check(2, 20, 300, 8, 16, "", "f32");
  check(2, 20, 300, 8, 16, "", "i1");
  check(2, 2, 21, 8, 16, ", removed = -1.0e9 : f64", "i1");
  check(2, 20, 30, 8, 16, ", causal", "i1");
}

/// Rows of -inf: NaN, and zeros with a guard; also where only the first block
/// of keys is removed.
TEST_F(AttentionKernel, RemovedRows) {
  harness.fill = [](RankedTensorType type, unsigned number) {
    Tensor tensor = uniform(type, number, -2, 2);
    if (number != 3)
      return tensor;
    int64_t keys = type.getShape().back();
    auto *to = reinterpret_cast<float *>(tensor.writable());
    for (int64_t i = 0; i < tensor.size(); ++i)
      if (int64_t row = i / keys;
          row % 3 == 0 || (row % 3 == 1 && i % keys < 290))
        to[i] = -std::numeric_limits<float>::infinity();
    return tensor;
  };
  check(1, 7, 310, 8, 16, "", "f32");
  check(1, 7, 310, 8, 16, ", guarded", "f32");
  check(1, 3, 310, 8, 16, ", guarded", "f32");
}

/// A removed key adds nothing, however large its values are.
TEST_F(AttentionKernel, RemovedKeys) {
  constexpr int64_t keys = 37, features = 16;
  harness.fill = [](RankedTensorType type, unsigned number) {
    Tensor tensor = uniform(type, number, -2, 2);
    if (number == 2) {
      auto *to = reinterpret_cast<float *>(tensor.writable());
      for (int64_t i = 0; i < tensor.size(); ++i)
        if (i / features % keys == 5)
          to[i] = 1e38f;
    } else if (number == 3) {
      for (int64_t i = 0; i < tensor.size(); ++i)
        tensor.writable()[i] = i % keys != 5;
    }
    return tensor;
  };
  for (int64_t queries : {2, 20})
    check(1, queries, keys, 8, features, "", "i1");
}

TEST_F(AttentionKernel, NaN) {
  harness.fill = [](RankedTensorType type, unsigned number) {
    Tensor tensor = uniform(type, number, -2, 2);
    auto *to = reinterpret_cast<float *>(tensor.writable());
    if (number == 0)
      to[3] = std::numeric_limits<float>::quiet_NaN();
    return tensor;
  };
  check(2, 9, 300, 8, 16);
  check(2, 9, 300, 8, 16, ", guarded");
}

TEST_F(AttentionKernel, Types) {
  check(2, 20, 30, 8, 16, "", "", "f64");
  check(2, 2, 30, 8, 16, "", "", "f64");
  harness.tolerance = 4e-3;
  check(2, 20, 30, 8, 16, "", "", "f16");
  check(2, 2, 30, 8, 16, "", "", "f16");
  harness.tolerance = 2e-2;
  check(2, 20, 30, 8, 16, ", causal", "bf16", "bf16");
  check(2, 20, 130, 64, 16, "", "", "bf16");
  check(2, 2, 30, 8, 16, "", "", "bf16");
}

/// Queries and keys that were rounded to bf16: whole blocks of pairs of
/// features, pairs beside them, an odd number; masks, which are added to scores
/// that are scaled; few queries of an unknown number.
TEST_F(AttentionKernel, PairsOfFeatures) {
  auto converted = [&](int64_t queries, int64_t keys, int64_t headSize,
                       const std::string &attributes, bool hasMask,
                       bool dynamic) {
    SCOPED_TRACE(std::to_string(queries) + "x" + std::to_string(keys) + "x" +
                 std::to_string(headSize));
    std::string features = std::to_string(headSize) + "x",
                q = "tensor<2x" + (dynamic ? "?" : std::to_string(queries)) +
                    "x" + features,
                k = "tensor<2x" + std::to_string(keys) + "x" + features,
                m = "tensor<" + std::to_string(keys) + "xf32>",
                all = "tensor<2x" + (dynamic ? "?" : std::to_string(queries)) +
                      "x" + std::to_string(keys) + "xf32>";
    std::string body = "%qw = graph.convert %q : " + q + "bf16> -> " + q +
                       "f32>\n%kw = graph.convert %k : " + k + "bf16> -> " + k +
                       "f32>\n";
    if (hasMask && dynamic)
      body += "%n = graph.dim %q, 1 : " + q + "bf16>\n";
    if (hasMask)
      body += "%w = graph.broadcast %m [2] " +
              std::string(dynamic ? "[%n] " : "") + ": " + m + " -> " + all +
              "\n";
    body += "%r = graph.attention %qw, %kw, %v" +
            std::string(hasMask ? ", %w" : "") + " {scale = 0.3 : f64" +
            attributes + "} : (" + q + "f32>, " + k + "f32>, " + k + "f32>" +
            (hasMask ? ", " + all : "") + ") -> " + q + "f32>";
    std::vector<std::vector<int64_t>> shapes = {
        {2, queries, headSize}, {2, keys, headSize}, {2, keys, headSize}};
    if (hasMask)
      shapes.push_back({keys});
    harness.check(fusionText("attention",
                             "%q: " + q + "bf16>, %k: " + k + "bf16>, %v: " +
                                 k + "f32>" + (hasMask ? ", %m: " + m : ""),
                             q + "f32>", body),
                  shapes);
    EXPECT_EQ(harness.emitted.find("_interleaved2") != std::string::npos,
              harness.target.bf16Pairs && headSize % 2 == 0);
  };
  for (int64_t headSize : {64, 38, 7})
    for (bool hasMask : {false, true}) {
      converted(20, 37, headSize, "", hasMask, false);
      converted(9, 300, headSize, ", causal", hasMask, false);
    }
  for (int64_t queries : {2, 50})
    for (bool hasMask : {false, true})
      converted(queries, 70, 32, "", hasMask, true);
}

TEST_F(AttentionKernel, OtherMachines) {
  for (unsigned lanes : {4u, 16u}) {
    harness.target.lanes = lanes;
    harness.target.nr = lanes == 4 ? 8 : 64;
    check(2, 20, 300, 24, 40, ", causal");
    check(2, 2, 300, 24, 40, "", "f32");
  }
}

/// The last panel of keys has as few vectors as hold them.
TEST_F(AttentionKernel, KeysOfTheLastPanel) {
  harness.target.lanes = 16;
  harness.target.nr = 64;
  auto emits = [&](const char *tile) {
    return harness.emitted.find(tile) != std::string::npos;
  };
  for (int64_t keys : {65, 96, 300})
    for (bool dynamic : {false, true}) {
      check(2, 20, keys, 24, 64, "", "", "f32", dynamic);
      check(2, 20, keys, 24, 64, ", causal", "f32", "f32", dynamic);
    }
  EXPECT_TRUE(emits("6x4x16") && emits("6x2x16") && emits("6x1x16"));
  check(2, 20, 128, 24, 64);
  EXPECT_TRUE(emits("5x4x16"));
  EXPECT_FALSE(emits("5x2x16"));
}

/// Few and many keys are two variants of one executable.
TEST_F(AttentionKernel, FewKeysOfAnyNumber) {
  harness.target.lanes = 16;
  harness.target.nr = 64;
  for (int64_t keys : {0, 1, 9, 32, 33, 70})
    for (int64_t queries : {2, 9, 50})
      check(2, queries, keys, 24, 40, "", "f32", "f32", true);
  check(2, 20, 20, 8, 64, ", causal", "", "f32", true);
  check(2, 20, 20, 8, 16, ", causal", "i1", "f64", true);
}

/// Tiles of one, two and four vectors; values packed and in place.
TEST_F(AttentionKernel, FewKeysOrFeatures) {
  for (unsigned lanes : {8u, 16u}) {
    harness.target.lanes = lanes;
    harness.target.nr = lanes == 8 ? 16 : 64;
    check(3, 21, 21, 8, 8);
    check(2, 24, 24, 32, 32, ", causal");
    check(2, 49, 49, 32, 32, "", "f32");
    check(1, 70, 12, 4, 3, "", "i1");
    check(1, 100, 600, 8, 20);
    check(2, 33, 7, 16, 40, "", "", "f64");
  }
}

/// A KV cache and new keys, for few queries and for more; an empty cache; masks
/// over all keys.
TEST_F(AttentionKernel, Pieces) {
  for (int64_t queries : {1, 3, 7})
    for (int64_t past : {0, 5, 600}) {
      std::string q = "tensor<2x" + std::to_string(queries) + "x16xf32>",
                  p = "tensor<2x?x16xf32>", n = "tensor<2x3x16xf32>",
                  m = "tensor<2x" + std::to_string(queries) + "x?xf32>",
                  signature = "(" + p + ", " + n + ") -> " + p;
      harness.check(
          fusionText("attention",
                     "%q: " + q + ", %kp: " + p + ", %kn: " + n +
                         ", %vp: " + p + ", %vn: " + n + ", %m: " + m,
                     q,
                     "%k = graph.concat 1, %kp, %kn : " + signature +
                         "\n%v = graph.concat 1, %vp, %vn : " + signature +
                         "\n%r = graph.attention %q, %k, %v, %m {scale = 0.3 : "
                         "f64, causal} : (" +
                         q + ", " + p + ", " + p + ", " + m + ") -> " + q),
          {{2, queries, 16},
           {2, past, 16},
           {2, 3, 16},
           {2, past, 16},
           {2, 3, 16},
           {2, queries, past + 3}});
    }
}

/// Heads in the middle, two query heads for each key head, results merged
/// again.
TEST_F(AttentionKernel, Movement) {
  std::string q = "tensor<?x?x24xf32>", k = "tensor<?x2x?x8xf32>",
              r = "tensor<?x?x48xf32>";
  for (int64_t queries : {1, 21})
    harness.check(
        fusionText("attention",
                   "%q: " + q + ", %k: " + k + ", %v: " + k + ", %x: " + r, r,
                   R"(
    %b = graph.dim %q, 0 : tensor<?x?x24xf32>
    %s = graph.dim %q, 1 : tensor<?x?x24xf32>
    %t = graph.dim %k, 2 : tensor<?x2x?x8xf32>
    %n = graph.slice %q [0, 0, 8] [%b, %s, 16] [1, 1, 1] : tensor<?x?x24xf32> -> tensor<?x?x16xf32>
    %h = graph.reshape %n [%b, %s] : tensor<?x?x16xf32> -> tensor<?x?x2x8xf32>
    %w = graph.broadcast %h [0, 1, 2, 4] [%b, %s] : tensor<?x?x2x8xf32> -> tensor<?x?x2x3x8xf32>
    %j = graph.reshape %w [%b, %s] : tensor<?x?x2x3x8xf32> -> tensor<?x?x6x8xf32>
    %qh = graph.transpose %j [0, 2, 1, 3] : tensor<?x?x6x8xf32> -> tensor<?x6x?x8xf32>
    %kb = graph.broadcast %k [0, 1, 3, 4] [%b, %t] : tensor<?x2x?x8xf32> -> tensor<?x2x3x?x8xf32>
    %kh = graph.reshape %kb [%b, %t] : tensor<?x2x3x?x8xf32> -> tensor<?x6x?x8xf32>
    %vb = graph.broadcast %v [0, 1, 3, 4] [%b, %t] : tensor<?x2x?x8xf32> -> tensor<?x2x3x?x8xf32>
    %vh = graph.reshape %vb [%b, %t] : tensor<?x2x3x?x8xf32> -> tensor<?x6x?x8xf32>
    %a = graph.attention %qh, %kh, %vh {scale = 0.5 : f64} : (tensor<?x6x?x8xf32>, tensor<?x6x?x8xf32>, tensor<?x6x?x8xf32>) -> tensor<?x6x?x8xf32>
    %xr = graph.reshape %x [%b, %s] : tensor<?x?x48xf32> -> tensor<?x?x6x8xf32>
    %xh = graph.transpose %xr [0, 2, 1, 3] : tensor<?x?x6x8xf32> -> tensor<?x6x?x8xf32>
    %e = graph.add %a, %xh : tensor<?x6x?x8xf32>
    %o = graph.transpose %e [0, 2, 1, 3] : tensor<?x6x?x8xf32> -> tensor<?x?x6x8xf32>
    %r = graph.reshape %o [%b, %s] : tensor<?x?x6x8xf32> -> tensor<?x?x48xf32>)"),
        {{2, queries, 24}, {2, 2, 19, 8}, {2, 2, 19, 8}, {2, queries, 48}});
}

} // namespace
