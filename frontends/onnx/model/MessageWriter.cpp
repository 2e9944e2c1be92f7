// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The total of a message with ranges in it, and its parts in order.
#include "frontends/onnx/model/MessageWriter.h"

using namespace zenith;
using namespace zenith::onnx;

uint64_t MessageBytes::size() const {
  uint64_t total = bytes.size();
  for (const Blob &blob : blobs)
    total += blob.range.length;
  return total;
}

Status MessageBytes::write(
    const std::function<Status(std::string_view)> &write) const {
  std::string_view rest = bytes;
  uint64_t written = 0;
  Status status = noError();
  for (const Blob &blob : blobs) {
    status = write(rest.substr(written, blob.at - written));
    if (status)
      status = write(blob.range.view());
    if (!status)
      return status;
    written = blob.at;
  }
  return write(rest.substr(written));
}
