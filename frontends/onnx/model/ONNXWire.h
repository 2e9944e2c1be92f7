// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes large tensor bytes out of a serialised ONNX message before protobuf
// sees it, and puts them back in when one is written: protobuf would copy a
// whole model, so it only ever meets the graph.
#ifndef ZENITH_FRONTENDS_ONNX_MODEL_ONNXWIRE_H
#define ZENITH_FRONTENDS_ONNX_MODEL_ONNXWIRE_H

#include "frontends/files/MappedBytes.h"
#include <functional>
#include <vector>

namespace zenith::onnx {

/// Messages that may contain tensors, directly or nested.
enum class WireMessage : uint8_t {
  None,
  Model,
  Graph,
  Node,
  Attribute,
  Tensor,
  SparseTensor,
  Function
};

/// raw_data of at least this many bytes is detached.
constexpr uint64_t detachedBytes = 1024;
/// Nesting at which a file counts as hostile; protobuf gets the same limit.
constexpr int maxNesting = 100;

/// A message without its large raw_data. A detached tensor holds, in field
/// `detached_index`, the position of its bytes in `blobs` (offsets into the
/// original message).
struct DetachedMessage {
  struct Blob {
    uint64_t offset, length;
  };
  std::string bytes;
  std::vector<Blob> blobs;
};

Result<DetachedMessage> detachLargeData(std::string_view bytes,
                                        WireMessage root);

/// The inverse, streaming: writes `message` with every `detached_index`
/// replaced by raw_data from `blobs`. Refuses more than 2 GiB, which no reader
/// of ONNX files accepts.
Status writeAttached(std::string_view message, WireMessage root,
                     const std::vector<files::ByteRange> &blobs,
                     const std::function<Status(std::string_view)> &write);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_MODEL_ONNXWIRE_H
