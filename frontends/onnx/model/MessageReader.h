// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads protobuf messages where they lie, field by field: nothing is copied
// that a caller does not ask for, so a model's weights stay in its file.
#ifndef ZENITH_FRONTENDS_ONNX_MODEL_MESSAGEREADER_H
#define ZENITH_FRONTENDS_ONNX_MODEL_MESSAGEREADER_H

#include "ir/Error.h"
#include <fmt/format.h>
#include <optional>
#include <protozero/pbf_message.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace zenith::onnx {

/// A field of the message whose field numbers are `Fields`. A field that comes
/// with another wire type than asked for is an unknown one, as in protobuf: it
/// is skipped, and the value that was to be set stays.
template <typename Fields> class Field {
public:
  explicit Field(protozero::pbf_message<Fields> &message) : message(message) {}

  Fields number() const { return message.tag(); }
  void skip() { message.skip(); }

  /// Of integers, enumerations and booleans.
  template <typename Integer> void readInteger(Integer &value) {
    if (comesAs(protozero::pbf_wire_type::varint))
      value = static_cast<Integer>(message.get_int64());
  }
  void read(float &value) {
    if (comesAs(protozero::pbf_wire_type::fixed32))
      value = message.get_float();
  }
  void read(std::string &value) {
    if (auto bytes = view())
      value = *bytes;
  }
  /// The bytes of a string or a nested message, within the message.
  std::optional<std::string_view> view() {
    if (!comesAs(protozero::pbf_wire_type::length_delimited))
      return std::nullopt;
    protozero::data_view bytes = message.get_view();
    return std::string_view(bytes.data(), bytes.size());
  }

  void append(std::vector<std::string> &values) {
    if (auto bytes = view())
      values.emplace_back(*bytes);
  }
  /// Repeated numbers come packed or one at a time.
  void append(std::vector<float> &values) {
    appendFixed(
        values, protozero::pbf_wire_type::fixed32,
        [&] { return message.get_packed_float(); },
        [&] { return message.get_float(); });
  }
  void append(std::vector<double> &values) {
    appendFixed(
        values, protozero::pbf_wire_type::fixed64,
        [&] { return message.get_packed_double(); },
        [&] { return message.get_double(); });
  }
  /// 32-bit integers, too: they are the low half of what stands on the wire.
  void append(std::vector<int64_t> &values) {
    appendFixed(
        values, protozero::pbf_wire_type::varint,
        [&] { return message.get_packed_int64(); },
        [&] { return message.get_int64(); });
  }

private:
  bool comesAs(protozero::pbf_wire_type type) {
    if (message.wire_type() == type)
      return true;
    message.skip();
    return false;
  }

  template <typename Value, typename Packed, typename Single>
  void appendFixed(std::vector<Value> &values, protozero::pbf_wire_type type,
                   Packed packed, Single single) {
    if (message.wire_type() == type) {
      values.push_back(single());
    } else if (comesAs(protozero::pbf_wire_type::length_delimited)) {
      auto range = packed();
      values.insert(values.end(), range.begin(), range.end());
    }
  }

  protozero::pbf_message<Fields> &message;
};

/// Walks the messages of one file.
class MessageReader {
public:
  /// Nesting at which a file counts as hostile.
  static constexpr int maxNesting = 100;

  /// `file` is where all messages lie; errors name offsets into it.
  explicit MessageReader(std::string_view file) : file(file) {}

  uint64_t offsetOf(std::string_view bytes) const {
    return bytes.data() - file.data();
  }

  /// Calls `visit(Field<Fields> &)` for each field of the message `bytes`;
  /// `visit` reads or skips the field. Fails where `visit` does, where the
  /// bytes are not a message and where messages are nested too deeply.
  template <typename Fields, typename Visit>
  Status read(std::string_view bytes, Visit visit) {
    if (depth > maxNesting)
      return invalid(
          fmt::format("messages are nested deeper than {}", maxNesting));
    ++depth;
    Status status = noError();
    try {
      protozero::pbf_message<Fields> message(bytes.data(), bytes.size());
      while (status && message.next()) {
        Field<Fields> field(message);
        status = visit(field);
      }
    } catch (const protozero::exception &) {
      status = invalid(fmt::format(
          "malformed or truncated protobuf message at bytes {} to {}",
          offsetOf(bytes), offsetOf(bytes) + bytes.size()));
    }
    --depth;
    return status;
  }

private:
  std::string_view file;
  int depth = 0;
};

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_MODEL_MESSAGEREADER_H
