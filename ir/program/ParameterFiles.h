// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program records of the files that its parameters lie in: paths, sizes,
// checksums.

#ifndef ZENITH_IR_PROGRAM_PARAMETERFILES_H
#define ZENITH_IR_PROGRAM_PARAMETERFILES_H

#include "ir/Error.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace zenith::graph {

class ParamOp;

/// On graph.param: bytes of the file as a whole, and the checksum of the
/// parameter's bytes, "xxh3:" and 16 hexadecimal digits. Programs without them
/// are as valid.
inline constexpr llvm::StringLiteral fileBytesAttrName = "graph.file_bytes";
inline constexpr llvm::StringLiteral checksumAttrName = "graph.checksum";

struct FileRecord {
  std::optional<int64_t> fileBytes;
  std::optional<uint64_t> checksum; ///< XXH3, 64 bits
};
FileRecord fileRecordOf(ParamOp param);

uint64_t checksumOf(llvm::StringRef bytes);
std::string checksumText(uint64_t checksum);
/// Nothing where the text is none that checksumText gives.
std::optional<uint64_t> parseChecksum(llvm::StringRef text);

/// An error of code Invalid at `path`, with what was found and what was
/// recorded, where these differ. `bytes` are the parameter's own; without
/// `verify` only the file's size is compared.
std::optional<Error> checkFile(llvm::StringRef parameter,
                               const FileRecord &record, int64_t fileBytes,
                               llvm::StringRef bytes, llvm::StringRef path,
                               bool verify);

/// Absolute, or relative to `folder`; an empty folder is the current one.
std::string pathIn(llvm::StringRef folder, llvm::StringRef file);

/// Records size and checksum of each external parameter that has no record and
/// whose file, relative to `folder`, can be read.
void recordFiles(mlir::ModuleOp module, llvm::StringRef folder);

/// Makes the paths of external parameters, relative to `from`, relative to
/// `to`.
void relocateFiles(mlir::ModuleOp module, llvm::StringRef from,
                   llvm::StringRef to);

} // namespace zenith::graph

#endif // ZENITH_IR_PROGRAM_PARAMETERFILES_H
