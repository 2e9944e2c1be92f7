// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Named tensors in one mapped file: the .safetensors format.

#ifndef ZENITH_FRONTENDS_TENSORS_SAFETENSORS_H
#define ZENITH_FRONTENDS_TENSORS_SAFETENSORS_H

#include "frontends/files/MappedBytes.h"
#include "ir/tensor/Tensor.h"
#include "llvm/Support/Error.h"
#include <map>

namespace zenith::tensors {

class Safetensors {
public:
  /// Maps the file and checks its header: types, shapes and byte ranges.
  static llvm::Expected<Safetensors> open(const std::string &path,
                                          mlir::MLIRContext *context);

  /// Sorted by name; the tensors view the mapped file.
  const std::map<std::string, Tensor> &tensors() const { return entries; }
  /// The tensor of that name; null if there is none.
  const Tensor *find(llvm::StringRef name) const;
  /// The position of that tensor's bytes in the file.
  uint64_t offsetOf(const std::string &name) const { return offsets.at(name); }
  /// False where the bytes came from a pipe: then they are in memory only.
  bool isMapped() const { return mapped; }

private:
  std::map<std::string, Tensor> entries;
  std::map<std::string, uint64_t> offsets;
  bool mapped = false;
};

/// Writes tensors in the order of their names; the file appears complete or not
/// at all.
llvm::Error writeSafetensors(const std::string &path,
                             const std::map<std::string, Tensor> &tensors);

} // namespace zenith::tensors

#endif // ZENITH_FRONTENDS_TENSORS_SAFETENSORS_H
