// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages are read where they lie and written around ranges that are not
// copied; malformed wire data is refused with its place.
#include "frontends/onnx/model/MessageReader.h"
#include "frontends/onnx/model/MessageWriter.h"
#include "frontends/onnx/model/ONNXFields.h"
#include "frontends/onnx/model/ONNXModel.h"

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

/// A TensorProto of bytes.
static std::string byteTensor(const std::string &raw) {
  std::string count;
  protozero::add_varint_to_buffer(&count, raw.size());
  return "\x08" + count + "\x10\x02" + field(8, "w") + field(9, raw);
}

static Result<Tensor> parse(const std::string &bytes) {
  return parseTensor(files::ByteSource::fromMemory(bytes));
}

TEST(ONNXMessage, LargeDataStaysInTheMessage) {
  for (size_t size : {1023, 1024}) {
    auto source =
        files::ByteSource::fromMemory(byteTensor(std::string(size, 'q')));
    auto tensor = parseTensor(source);
    ASSERT_TRUE(tensor) << tensor.error().text;
    EXPECT_EQ(tensor->data.view(), std::string(size, 'q'));
    EXPECT_EQ(tensor->data.source == source, size == 1024);
  }
}

TEST(ONNXMessage, RangesAreWrittenInPlace) {
  auto range = files::ByteRange::fromMemory(std::string(5000, 'q'));
  MessageWriter<TensorField> tensor;
  tensor.add(TensorField::Name, std::string("w"));
  tensor.add(TensorField::RawData, range);
  MessageWriter<GraphField> graph;
  graph.add(GraphField::Name, std::string("g"));
  graph.add(GraphField::Initializer, tensor.take());
  graph.add(GraphField::Initializer, MessageBytes());
  MessageBytes message = graph.take();
  EXPECT_LT(message.bytes.size(), 100u);
  std::string written;
  ASSERT_TRUE(message.write([&](std::string_view part) {
    written += part;
    return noError();
  }));
  EXPECT_EQ(written.size(), message.size());
  EXPECT_EQ(written,
            field(2, "g") +
                field(5, field(8, "w") + field(9, std::string(5000, 'q'))) +
                field(5, ""));
}

TEST(ONNXMessage, RepeatedNumbersComePackedOrNot) {
  std::string type("\x10\x07", 2), minusOne(9, '\xff');
  std::string one = "\x08\x02" + type + "\x38\x05\x38" + minusOne + "\x01";
  std::string packed =
      field(1, "\x02") + type + field(7, "\x05" + minusOne + "\x01");
  for (const std::string &bytes : {one, packed}) {
    auto tensor = parse(bytes);
    ASSERT_TRUE(tensor) << tensor.error().text;
    const int64_t expected[] = {5, -1};
    EXPECT_EQ(tensor->data.view(),
              std::string_view(reinterpret_cast<const char *>(expected), 16));
  }
}

TEST(ONNXMessage, AFieldOfAnotherWireTypeIsUnknown) {
  // The name as a number, a dimension as fixed32, both unknown.
  std::string odd("\x40\x05\x0d\x01\x02\x03\x04", 7);
  auto tensor = parse(byteTensor("abc") + odd);
  ASSERT_TRUE(tensor) << tensor.error().text;
  EXPECT_EQ(tensor->name, "w");
  EXPECT_EQ(tensor->dims, std::vector<int64_t>{3});
}

TEST(ONNXMessage, MalformedIsRefused) {
  for (const std::string &bytes :
       {std::string("\x0a\x05"), std::string("\x0b"), std::string("\xff"),
        std::string("\x02\x00", 2),
        std::string("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
        std::string(11, '\xff'), std::string("\x09\x00\x00", 3)}) {
    auto model = parseModel(files::ByteSource::fromMemory(bytes));
    ASSERT_FALSE(model);
    EXPECT_NE(model.error().text.find("at bytes 0 to " +
                                      std::to_string(bytes.size())),
              std::string::npos)
        << model.error().text;
  }
}

TEST(ONNXMessage, KindsOfAttributesAreAnyNumber) {
  std::string minusOne = std::string(9, '\xff') + "\x01";
  for (const std::string &kind : {std::string("\x65"), minusOne}) {
    std::string attribute = field(1, "a") + "\xa0\x01" + kind;
    auto model = parseModel(files::ByteSource::fromMemory(
        field(7, field(1, field(4, "Add") + field(5, attribute)))));
    ASSERT_TRUE(model) << model.error().text;
    EXPECT_EQ(model->graph.nodes[0].attributes[0].kind,
              kind == minusOne ? -1 : 101);
  }
}

TEST(ONNXMessage, DeepNestingIsRefused) {
  std::string graph;
  for (int i = 0; i < 60; ++i) // graph in attribute in node in graph
    graph =
        field(1, field(5, std::string("\xa0\x01\x05", 3) + field(6, graph)));
  auto model = parseModel(files::ByteSource::fromMemory(field(7, graph)));
  ASSERT_FALSE(model);
  EXPECT_NE(model.error().text.find("nested deeper"), std::string::npos)
      << model.error().text;
}
