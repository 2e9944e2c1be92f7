// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the primitives of MLIR bytecode from memory. The first failure is kept:
// from then on every read gives zero or nothing, so that a reader may check
// once per item. Counts are checked against the remaining bytes before memory
// is allocated for them.

#ifndef ZENITH_FRONTENDS_STABLEHLO_BYTECODE_BYTECODECURSOR_H
#define ZENITH_FRONTENDS_STABLEHLO_BYTECODE_BYTECODECURSOR_H

#include "ir/Error.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <optional>

namespace zenith::stablehlo {

/// The first thing that went wrong in an artifact.
struct ArtifactStatus {
  std::optional<Error> error;

  bool failed() const { return error.has_value(); }
  void invalid(uint64_t offset, const llvm::Twine &message);
  void unsupported(const llvm::Twine &message);
};

class BytecodeCursor {
public:
  /// `offset` is the position of `bytes` in the whole artifact.
  BytecodeCursor(llvm::StringRef bytes, uint64_t offset, ArtifactStatus &status)
      : bytes(bytes), start(offset), status(status) {}

  bool ok() const { return !status.failed(); }
  bool atEnd() const { return at == bytes.size() || status.failed(); }
  uint64_t offset() const { return start + at; }
  uint64_t left() const { return bytes.size() - at; }

  uint8_t byte();
  uint64_t varint();
  int64_t signedVarint();
  /// Value and flag.
  std::pair<uint64_t, bool> flaggedVarint();
  /// A count of items of at least one byte each.
  uint64_t count();
  llvm::StringRef take(uint64_t size);
  llvm::StringRef terminatedString();
  llvm::APInt integer(unsigned width);
  /// An index below `end`; `what` names the indexed thing in errors.
  uint64_t index(uint64_t end, const char *what);
  /// Fails unless everything has been read.
  void expectEnd(const char *what);
  void fail(const llvm::Twine &message) { status.invalid(offset(), message); }

private:
  llvm::StringRef bytes;
  uint64_t start, at = 0;
  ArtifactStatus &status;
};

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_BYTECODE_BYTECODECURSOR_H
