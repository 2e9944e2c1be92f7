// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words of --quantize, ranges from histograms, and how codes lie in bytes.

#include "passes/quantize/WeightCodes.h"

#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::quantize;

TEST(QuantizationScheme, ReadsKeys) {
  auto scheme = parseScheme("int8:activations=s8,symmetric=true,per-channel="
                            "false,calibration=percentile,percentile=99.5");
  ASSERT_TRUE(bool(scheme));
  EXPECT_EQ(scheme->kind, QuantizationScheme::Kind::Int8);
  EXPECT_TRUE(scheme->signedActivations);
  EXPECT_TRUE(scheme->symmetric);
  EXPECT_FALSE(scheme->perChannel);
  EXPECT_EQ(scheme->range, QuantizationScheme::Range::Percentile);
  EXPECT_EQ(scheme->percentile, 99.5);
  auto blocks = parseScheme("int4-weights:block=128,form=qdq");
  ASSERT_TRUE(bool(blocks));
  EXPECT_TRUE(blocks->isBlockwise());
  EXPECT_EQ(blocks->block, 128);
  EXPECT_EQ(blocks->blockBits(), 4u);
  EXPECT_TRUE(blocks->asQDQ);
  EXPECT_TRUE(bool(parseScheme("int8-dynamic:activations=u8,block=32")));
}

TEST(QuantizationScheme, NamesMistakes) {
  const std::pair<const char *, const char *> mistakes[] = {
      {"int3", "'int3' is no scheme; known are int8, int8-dynamic"},
      {"int8:blocks=32", "'blocks' is no key; known are activations, block"},
      {"int4-weights:block=33", "expected a power of two from 16 to 256"},
      {"int4-weights:block=512", "got '512'"},
      {"int8:symmetric=yes", "expected true or false"},
      {"int8:calibration=kl", "minmax, percentile, entropy, mse"},
      {"int8:percentile=101", "got '101'"},
      {"int8:activations=u8,activations=s8", "'activations' is given twice"},
      {"int8:form=", "form: got '', expected nbits or qdq"},
      {"int8:block=64",
       "block=64 says nothing for int8, only for int8-weights"},
      {"int8-dynamic:activations=s8", "says nothing for int8-dynamic"},
      {"f8-weights:per-channel=false", "only for int8, int8-dynamic"},
  };
  for (auto [text, words] : mistakes) {
    auto scheme = parseScheme(text);
    ASSERT_FALSE(bool(scheme)) << text;
    EXPECT_EQ(scheme.error().code, ErrorCode::Usage);
    EXPECT_NE(scheme.error().text.find(words), std::string::npos)
        << scheme.error().text;
  }
  EXPECT_EQ(parseScheme("int8:ops=all").error().code, ErrorCode::Unsupported);
}

static ActivationStatistics statisticsOf(llvm::ArrayRef<float> values) {
  ActivationStatistics statistics;
  statistics.low = {INFINITY};
  statistics.high = {-INFINITY};
  for (float value : values) {
    statistics.low[0] = std::min(statistics.low[0], value);
    statistics.high[0] = std::max(statistics.high[0], value);
    statistics.histogram.add(value);
  }
  return statistics;
}

TEST(Histogram, KeepsCountsWhileItGrows) {
  Histogram histogram;
  for (float value : {0.1f, -0.2f, 100.0f, -3.0f, 0.0f})
    histogram.add(value);
  double count = 0, sum = 0;
  histogram.forEachBin([&](double value, double here) {
    count += here;
    sum += value * here;
  });
  EXPECT_EQ(count, 5);
  EXPECT_NEAR(sum, 96.9, 5 * histogram.binWidth());
}

TEST(RangeOfActivation, ByMethod) {
  std::vector<float> values;
  for (int i = -5000; i <= 5000; ++i)
    values.push_back(float(i) / 5000);
  values.push_back(50);
  ActivationStatistics statistics = statisticsOf(values);
  auto rangeBy = [&](const char *text) {
    return rangeOfActivation(statistics, *parseScheme(text));
  };
  ActivationRange whole = rangeBy("int8");
  EXPECT_EQ(whole.low, -1);
  EXPECT_EQ(whole.high, 50);
  for (const char *text :
       {"int8:calibration=percentile,percentile=99", "int8:calibration=mse",
        "int8:calibration=entropy"}) {
    ActivationRange range = rangeBy(text);
    EXPECT_LE(range.high, 50) << text;
    EXPECT_GE(range.high, 0) << text;
    EXPECT_GE(range.low, -1) << text;
    EXPECT_LE(range.low, 0) << text;
  }
  EXPECT_NEAR(rangeBy("int8:calibration=percentile,percentile=99").high, 0.99,
              0.05);
}

// Zero is a code of its own, also where all values are positive.
TEST(RangeOfActivation, HoldsZero) {
  ActivationStatistics statistics = statisticsOf({2, 3, 4});
  ActivationRange range = rangeOfActivation(statistics, *parseScheme("int8"));
  EXPECT_EQ(range.low, 0);
  EXPECT_EQ(range.high, 4);
}

TEST(BlockCodes, PackLowBitsFirst) {
  MLIRContext context;
  BlockCodes codes;
  codes.n = 2;
  codes.k = 3;
  codes.block = 2;
  codes.bits = 4;
  codes.codes = {1, 2, 3, 15, 0, 9};
  codes.scales = {1, 2, 0.5f, 4};
  codes.zeros = {1, 2, 3, 8};
  auto bytesOf = [](const Tensor &tensor) {
    auto *bytes = reinterpret_cast<const uint8_t *>(tensor.bytes());
    return std::vector<int>(bytes, bytes + tensor.byteSize());
  };
  Tensor packed = codes.packedCodes(&context);
  EXPECT_EQ(packed.shape(), llvm::ArrayRef<int64_t>({2, 2, 1}));
  EXPECT_EQ(bytesOf(packed), (std::vector<int>{0x21, 0x03, 0x0f, 0x09}));
  EXPECT_EQ(bytesOf(codes.packedZeros(&context)),
            (std::vector<int>{0x21, 0x83}));
  EXPECT_EQ(codes.scaleTensor(&context).shape(),
            llvm::ArrayRef<int64_t>({2, 2}));
}
