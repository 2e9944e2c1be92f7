// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds a protobuf message around large byte ranges that it does not copy:
// they are streamed from where they lie when the message is written.
#ifndef ZENITH_FRONTENDS_ONNX_MODEL_MESSAGEWRITER_H
#define ZENITH_FRONTENDS_ONNX_MODEL_MESSAGEWRITER_H

#include "frontends/files/MappedBytes.h"
#include <functional>
#include <protozero/pbf_builder.hpp>
#include <string>
#include <vector>

namespace zenith::onnx {

/// Bytes of a message, with ranges that belong between them.
struct MessageBytes {
  struct Blob {
    uint64_t at; ///< stands before bytes[at]
    files::ByteRange range;
  };
  std::string bytes;
  std::vector<Blob> blobs;

  /// Of the whole message, the ranges included.
  uint64_t size() const;
  /// Hands the message to `write` part by part.
  Status write(const std::function<Status(std::string_view)> &write) const;
};

/// Appends fields in the order of the calls; the bytes are deterministic.
template <typename Fields> class MessageWriter {
public:
  void add(Fields field, const std::string &value) {
    protozero::pbf_builder<Fields>(message.bytes).add_bytes(field, value);
  }
  void add(Fields field, float value) {
    protozero::pbf_builder<Fields>(message.bytes).add_float(field, value);
  }
  void add(Fields field, int64_t value) {
    protozero::pbf_builder<Fields>(message.bytes).add_int64(field, value);
  }
  template <typename Values> void addEach(Fields field, const Values &values) {
    for (const auto &value : values)
      add(field, value);
  }
  /// A range of bytes that is written from where it lies.
  void add(Fields field, const files::ByteRange &range) {
    addHeader(field, range.length);
    message.blobs.push_back({message.bytes.size(), range});
  }
  void add(Fields field, const MessageBytes &nested) {
    addHeader(field, nested.size());
    for (const MessageBytes::Blob &blob : nested.blobs)
      message.blobs.push_back({message.bytes.size() + blob.at, blob.range});
    message.bytes += nested.bytes;
  }

  MessageBytes take() { return std::move(message); }

private:
  void addHeader(Fields field, uint64_t length) {
    constexpr uint32_t lengthDelimited = 2;
    protozero::add_varint_to_buffer(&message.bytes,
                                    uint64_t(field) << 3 | lengthDelimited);
    protozero::add_varint_to_buffer(&message.bytes, length);
  }

  MessageBytes message;
};

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_MODEL_MESSAGEWRITER_H
