// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random bits against those that XLA's RngBitGenerator gives for the same
// states (measured with JAX on a CPU): every width, odd sizes, counters that
// run over.

#include "EvaluateText.h"
#include <gtest/gtest.h>

using namespace zenith::interpreter;

static std::string randomBits(const std::string &algorithm,
                              const std::string &state,
                              const std::string &bits) {
  std::string stateType = std::count(state.begin(), state.end(), ',') == 2
                              ? "tensor<3xui64>"
                              : "tensor<2xui64>";
  return evaluateBody(
      "  %s, %b = graph.random_bits " + algorithm + ", %0 : " + stateType +
          " -> " + stateType + ", " + bits + "\n  return %s, %b",
      stateType + ", " + bits, {"dense<" + state + "> : " + stateType});
}

static const char *const state = "[81985529216486895, 18364758544493064720]";
static const char *const lastCounter = "[5, 18446744073709551615]";
static const char *const wideState =
    "[81985529216486895, 18446744073709551615, 1234605616436508552]";

TEST(EvalRandom, Threefry) {
  EXPECT_EQ(randomBits("threefry", state, "tensor<5xui8>"),
            "dense<[81985529216486895, 18364758544493064723]> : tensor<2xui64>"
            "\ndense<[127, 17, 2, 46, 78]> : tensor<5xui8>");
  EXPECT_EQ(randomBits("threefry", state, "tensor<3x3xui16>"),
            "dense<[81985529216486895, 18364758544493064726]> : tensor<2xui64>"
            "\ndense<[[41855, 19714, 9806], [53521, 16430, 55930], [1448, "
            "8720, 39544]]> : tensor<3x3xui16>");
  EXPECT_EQ(randomBits("threefry", state, "tensor<3x4xui32>"),
            "dense<[81985529216486895, 18364758544493064726]> : tensor<2xui64>"
            "\ndense<[[2933171071, 288411921, 3284946178, 2039365678], "
            "[2934253134, 2961824378, 1236338088, 2936704409], [3907330576, "
            "3723051394, 4037253752, 3709374182]]> : tensor<3x4xui32>");
  EXPECT_EQ(randomBits("threefry", lastCounter, "tensor<ui32>"),
            "dense<[5, 0]> : tensor<2xui64>\ndense<3818595097> : tensor<ui32>");
  EXPECT_EQ(randomBits("threefry", lastCounter, "tensor<3xui64>"),
            "dense<[5, 2]> : tensor<2xui64>\ndense<[5699853503226913561, "
            "1356859863320810339, 8853074403113563486]> : tensor<3xui64>");
}

TEST(EvalRandom, Philox) {
  EXPECT_EQ(randomBits("philox", state, "tensor<5xui8>"),
            "dense<[81985529216486895, 18364758544493064722]> : tensor<2xui64>"
            "\ndense<[66, 181, 2, 23, 25]> : tensor<5xui8>");
  EXPECT_EQ(randomBits("philox", state, "tensor<3x4xui32>"),
            "dense<[81985529216486895, 18364758544493064723]> : tensor<2xui64>"
            "\ndense<[[516242754, 3483603125, 4062402306, 3877632279], "
            "[3410436889, 3598874490, 2694609816, 810459017], [2674122057, "
            "1041996903, 1564717775, 516835227]]> : tensor<3x4xui32>");
  EXPECT_EQ(randomBits("philox", wideState, "tensor<3x3xui16>"),
            "dense<[81985529216486895, 2, 1234605616436508553]> : "
            "tensor<3xui64>\ndense<[[61620, 30267, 36247], [58375, 23494, "
            "35364], [40002, 24833, 26277]]> : tensor<3x3xui16>");
  EXPECT_EQ(randomBits("philox", wideState, "tensor<3xui64>"),
            "dense<[81985529216486895, 1, 1234605616436508553]> : "
            "tensor<3xui64>\ndense<[17954011386425438388, "
            "14292705611448880535, 8556709707615460294]> : tensor<3xui64>");
}

TEST(EvalRandom, SignedBitsAndNone) {
  EXPECT_EQ(randomBits("threefry", state, "tensor<2xi8>"),
            "dense<[81985529216486895, 18364758544493064721]> : tensor<2xui64>"
            "\ndense<[127, 17]> : tensor<2xi8>");
  for (std::string algorithm : {"threefry", "philox"})
    EXPECT_EQ(randomBits(algorithm, state, "tensor<3x0xui32>"),
              "dense<[81985529216486895, 18364758544493064720]> : "
              "tensor<2xui64>\ndense<> : tensor<3x0xui32>");
}
