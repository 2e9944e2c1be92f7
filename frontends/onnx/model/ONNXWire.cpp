// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the protobuf wire format of ONNX messages: five wire types, lengths
// checked against the enclosing message.
#include "frontends/onnx/model/ONNXWire.h"

#include <fmt/format.h>
#include <limits>

using namespace zenith;
using namespace zenith::onnx;

namespace {

constexpr uint32_t rawDataField = 9;
constexpr uint32_t detachedField = 536870911;

enum WireType : uint32_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

struct Field {
  uint32_t number = 0, type = 0;
  std::string_view whole;   // key and payload
  std::string_view payload; // of Bytes: what the length counts
  uint64_t value = 0;       // of Varint
};

/// Reads fields one after the other.
class FieldReader {
public:
  explicit FieldReader(std::string_view bytes) : bytes(bytes) {}
  bool atEnd() const { return bytes.empty(); }

  bool next(Field &field) {
    std::string_view start = bytes;
    uint64_t key;
    if (!varint(key) || key > std::numeric_limits<uint32_t>::max() || key < 8)
      return false;
    field.number = key >> 3;
    field.type = key & 7;
    switch (field.type) {
    case Varint:
      if (!varint(field.value))
        return false;
      break;
    case Fixed64:
    case Fixed32:
      if (!take(field.type == Fixed64 ? 8 : 4, field.payload))
        return false;
      break;
    case Bytes: {
      uint64_t length;
      if (!varint(length) || !take(length, field.payload))
        return false;
      break;
    }
    default: // groups, which ONNX never had
      return false;
    }
    field.whole = start.substr(0, start.size() - bytes.size());
    return true;
  }

private:
  bool take(uint64_t length, std::string_view &out) {
    if (length > bytes.size())
      return false;
    out = bytes.substr(0, length);
    bytes.remove_prefix(length);
    return true;
  }

  bool varint(uint64_t &value) {
    value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (bytes.empty())
        return false;
      uint8_t byte = bytes.front();
      bytes.remove_prefix(1);
      if (shift < 64)
        value |= uint64_t(byte & 127) << shift;
      if (byte < 128)
        return true;
    }
    return false;
  }

  std::string_view bytes;
};

/// Which message the field `number` of `parent` holds, if it may contain
/// tensors.
WireMessage childMessage(WireMessage parent, uint32_t number) {
  struct Row {
    WireMessage parent;
    uint32_t number;
    WireMessage child;
  };
  static constexpr Row rows[] = {
      {WireMessage::Model, 7, WireMessage::Graph},
      {WireMessage::Model, 25, WireMessage::Function},
      {WireMessage::Graph, 1, WireMessage::Node},
      {WireMessage::Graph, 5, WireMessage::Tensor},
      {WireMessage::Graph, 15, WireMessage::SparseTensor},
      {WireMessage::Node, 5, WireMessage::Attribute},
      {WireMessage::Attribute, 5, WireMessage::Tensor},
      {WireMessage::Attribute, 6, WireMessage::Graph},
      {WireMessage::Attribute, 10, WireMessage::Tensor},
      {WireMessage::Attribute, 11, WireMessage::Graph},
      {WireMessage::SparseTensor, 1, WireMessage::Tensor},
      {WireMessage::SparseTensor, 2, WireMessage::Tensor},
      {WireMessage::Function, 7, WireMessage::Node},
      {WireMessage::Function, 11, WireMessage::Attribute}};
  for (const Row &row : rows)
    if (row.parent == parent && row.number == number)
      return row.child;
  return WireMessage::None;
}

void appendVarint(std::string &out, uint64_t value) {
  for (; value >= 128; value >>= 7)
    out.push_back(char(value | 128));
  out.push_back(char(value));
}

void appendKey(std::string &out, uint32_t number, WireType type) {
  appendVarint(out, uint64_t(number) << 3 | type);
}

class Detacher {
public:
  Detacher(std::string_view file) : file(file) {}
  DetachedMessage result;

  Status run(std::string_view bytes, WireMessage kind, int depth) {
    if (depth > maxNesting)
      return invalid(
          fmt::format("messages are nested deeper than {}", maxNesting));
    FieldReader reader(bytes);
    Field field;
    while (!reader.atEnd()) {
      if (!reader.next(field))
        return invalid(fmt::format(
            "malformed or truncated protobuf message at bytes {} to {}",
            bytes.data() - file.data(),
            bytes.data() + bytes.size() - file.data()));
      if (Status status = copy(field, kind, depth); !status)
        return status;
    }
    return noError();
  }

private:
  Status copy(const Field &field, WireMessage kind, int depth) {
    std::string &out = result.bytes;
    if (kind == WireMessage::Model &&
        field.number == 20) // training info: no part of inference
      return noError();
    if (field.number == detachedField) // this file's own field
      return noError();
    WireMessage child = field.type == Bytes ? childMessage(kind, field.number)
                                            : WireMessage::None;
    if (kind == WireMessage::Tensor && field.number == rawDataField &&
        field.type == Bytes && field.payload.size() >= detachedBytes) {
      appendKey(out, detachedField, Varint);
      appendVarint(out, result.blobs.size());
      result.blobs.push_back(
          {uint64_t(field.payload.data() - file.data()), field.payload.size()});
      return noError();
    }
    if (child == WireMessage::None) {
      out.append(field.whole);
      return noError();
    }
    // An empty message takes two bytes of wire format and far more memory once
    // it is parsed.
    if (field.payload.empty() && child != WireMessage::Graph)
      return invalid(fmt::format("empty node, attribute or tensor at byte {}",
                                 field.payload.data() - file.data()));
    // The new length is known at the end only, so it gets five bytes: protobuf
    // reads varints of any width.
    appendKey(out, field.number, Bytes);
    size_t lengthAt = out.size();
    out.append(5, '\0');
    if (Status status = run(field.payload, child, depth + 1); !status)
      return status;
    uint64_t length = out.size() - lengthAt - 5;
    if (length > std::numeric_limits<int32_t>::max())
      return invalid("a message is larger than 2 GiB without its weights");
    for (int i = 0; i < 5; ++i, length >>= 7)
      out[lengthAt + i] = char((length & 127) | (i < 4 ? 128 : 0));
    return noError();
  }

  std::string_view file;
};

class Attacher {
public:
  Attacher(const std::vector<files::ByteRange> &blobs,
           const std::function<Status(std::string_view)> &write)
      : blobs(blobs), write(write) {}

  /// First walk: expanded length of every nested message, in the order in which
  /// the second walk meets them.
  uint64_t measure(std::string_view bytes, WireMessage kind) {
    uint64_t total = 0;
    FieldReader reader(bytes);
    for (Field field; !reader.atEnd() && reader.next(field);) {
      if (isDetached(field, kind)) {
        uint64_t length = blobs[field.value].length;
        total += header(rawDataField, length).size() + length;
      } else if (WireMessage child = childOf(field, kind);
                 child != WireMessage::None) {
        size_t slot = lengths.size();
        lengths.push_back(0);
        uint64_t length = measure(field.payload, child);
        lengths[slot] = length;
        total += header(field.number, length).size() + length;
      } else {
        total += field.whole.size();
      }
    }
    return total;
  }

  Status emit(std::string_view bytes, WireMessage kind) {
    FieldReader reader(bytes);
    for (Field field; !reader.atEnd() && reader.next(field);) {
      Status status = noError();
      if (isDetached(field, kind)) {
        const files::ByteRange &blob = blobs[field.value];
        status = write(header(rawDataField, blob.length));
        if (status)
          status = write(blob.view());
      } else if (WireMessage child = childOf(field, kind);
                 child != WireMessage::None) {
        status = write(header(field.number, lengths[next++]));
        if (status)
          status = emit(field.payload, child);
      } else {
        status = write(field.whole);
      }
      if (!status)
        return status;
    }
    return noError();
  }

private:
  bool isDetached(const Field &field, WireMessage kind) const {
    return kind == WireMessage::Tensor && field.number == detachedField &&
           field.type == Varint && field.value < blobs.size();
  }
  static WireMessage childOf(const Field &field, WireMessage kind) {
    return field.type == Bytes ? childMessage(kind, field.number)
                               : WireMessage::None;
  }
  static std::string header(uint32_t number, uint64_t length) {
    std::string out;
    appendKey(out, number, Bytes);
    appendVarint(out, length);
    return out;
  }

  const std::vector<files::ByteRange> &blobs;
  const std::function<Status(std::string_view)> &write;
  std::vector<uint64_t> lengths;
  size_t next = 0;
};

} // namespace

Result<DetachedMessage> zenith::onnx::detachLargeData(std::string_view bytes,
                                                      WireMessage root) {
  Detacher detacher(bytes);
  if (Status status = detacher.run(bytes, root, 0); !status)
    return status.error();
  return std::move(detacher.result);
}

Status zenith::onnx::writeAttached(
    std::string_view message, WireMessage root,
    const std::vector<files::ByteRange> &blobs,
    const std::function<Status(std::string_view)> &write) {
  Attacher attacher(blobs, write);
  uint64_t total = attacher.measure(message, root);
  if (total > std::numeric_limits<int32_t>::max())
    return invalid(fmt::format("the model takes {} bytes and an ONNX file "
                               "holds at most 2 GiB; write its weights as "
                               "external data",
                               total));
  return attacher.emit(message, root);
}
