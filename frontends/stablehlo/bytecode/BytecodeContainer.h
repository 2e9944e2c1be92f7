// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sections of an MLIR bytecode file (versions 0 to 6) that holds a
// StableHLO portable artifact: names, offsets of attributes and types, the
// program's bytes. Nothing is interpreted here.

#ifndef ZENITH_FRONTENDS_STABLEHLO_BYTECODE_BYTECODECONTAINER_H
#define ZENITH_FRONTENDS_STABLEHLO_BYTECODE_BYTECODECONTAINER_H

#include "frontends/stablehlo/bytecode/BytecodeCursor.h"
#include <vector>

namespace zenith::stablehlo {

/// Version of StableHLO, from the producer's name.
struct ArtifactVersion {
  unsigned major = 0, minor = 0, patch = 0;

  /// "1.13.7"; nothing for other texts.
  static std::optional<ArtifactVersion> parse(llvm::StringRef text);
  std::string text() const;
  friend bool operator<(const ArtifactVersion &a, const ArtifactVersion &b) {
    return std::tie(a.major, a.minor, a.patch) <
           std::tie(b.major, b.minor, b.patch);
  }
};

/// A part of the artifact and its offset.
struct BytecodePart {
  llvm::StringRef bytes;
  uint64_t offset = 0;
};

/// An attribute or type that has not been read yet.
struct BytecodeEntry {
  BytecodePart part;
  llvm::StringRef dialect;
  bool custom = false; ///< else text
};

struct BytecodeOpName {
  llvm::StringRef dialect, name;
};

struct BytecodeContainer {
  uint64_t version = 0; ///< of the bytecode format
  ArtifactVersion artifact;
  std::vector<llvm::StringRef> strings;
  std::vector<BytecodeOpName> ops;
  std::vector<BytecodeEntry> attributes, types;
  std::vector<BytecodePart> properties;
  BytecodePart program;
};

/// Whether the bytes are MLIR bytecode written by StableHLO.
bool isPortableArtifact(llvm::StringRef bytes);

/// The container refers to `bytes`. Failures are in `status`.
BytecodeContainer readContainer(llvm::StringRef bytes, ArtifactStatus &status);

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_BYTECODE_BYTECODECONTAINER_H
