// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large data leaves a message and comes back byte for byte; malformed wire data
// is refused.
#include "frontends/onnx/model/ONNXWire.h"

#include <gtest/gtest.h>

using namespace zenith;
using namespace zenith::onnx;

/// A length-delimited field.
static std::string field(int number, const std::string &payload) {
  std::string out;
  for (uint64_t value : {uint64_t(number) << 3 | 2, uint64_t(payload.size())}) {
    for (; value >= 128; value >>= 7)
      out.push_back(char(value | 128));
    out.push_back(char(value));
  }
  return out + payload;
}

static std::string modelWithWeights(const std::string &raw) {
  std::string tensor =
      std::string("\x08\x05\x10\x01", 4) + field(8, "w") + field(9, raw);
  return std::string("\x08\x08", 2) +
         field(7, field(2, "graph name") + field(5, tensor));
}

TEST(ONNXWire, DetachAndAttachAreInverse) {
  std::string model =
      modelWithWeights(std::string(5000, 'q')) + field(8, field(1, ""));
  auto detached = detachLargeData(model, WireMessage::Model);
  ASSERT_TRUE(detached);
  ASSERT_EQ(detached->blobs.size(), 1u);
  EXPECT_LT(detached->bytes.size(), 100u);
  EXPECT_EQ(model.substr(detached->blobs[0].offset, detached->blobs[0].length),
            std::string(5000, 'q'));
  std::vector<files::ByteRange> blobs = {
      files::ByteRange::fromMemory(std::string(5000, 'q'))};
  std::string again;
  ASSERT_TRUE(writeAttached(detached->bytes, WireMessage::Model, blobs,
                            [&](std::string_view part) {
                              again += part;
                              return noError();
                            }));
  EXPECT_EQ(again, model);
}

TEST(ONNXWire, SmallDataStays) {
  std::string model = modelWithWeights(std::string(1023, 'q'));
  auto detached = detachLargeData(model, WireMessage::Model);
  ASSERT_TRUE(detached);
  EXPECT_TRUE(detached->blobs.empty());
}

TEST(ONNXWire, ForgedIndexIsDropped) {
  std::string forged =
      std::string("\xf8\xff\xff\xff\x0f\x00", 6); // detached_index = 0
  auto detached = detachLargeData(forged, WireMessage::Tensor);
  ASSERT_TRUE(detached);
  EXPECT_TRUE(detached->bytes.empty());
}

TEST(ONNXWire, MalformedIsRefused) {
  for (const std::string &bytes :
       {std::string("\x0a\x05"), std::string("\x0b"), std::string("\xff"),
        std::string("\x02\x00", 2),
        std::string("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
        std::string(11, '\xff'), std::string("\x09\x00\x00", 3)})
    EXPECT_FALSE(detachLargeData(bytes, WireMessage::Model));
}

TEST(ONNXWire, DeepNestingIsRefused) {
  std::string graph;
  for (int i = 0; i < 60; ++i) // graph in attribute in node in graph
    graph = field(1, field(5, field(6, graph)));
  auto detached = detachLargeData(field(7, graph), WireMessage::Model);
  ASSERT_FALSE(detached);
  EXPECT_NE(detached.error().text.find("nested deeper"), std::string::npos);
}
