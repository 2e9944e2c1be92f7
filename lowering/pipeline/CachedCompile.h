// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cache of one compilation: returns the executable of an earlier equal one,
// or keeps this one's.

#ifndef ZENITH_LOWERING_PIPELINE_CACHEDCOMPILE_H
#define ZENITH_LOWERING_PIPELINE_CACHEDCOMPILE_H

#include "lowering/pipeline/CacheStore.h"
#include "lowering/pipeline/CompileOptions.h"
#include "lowering/pipeline/Executable.h"
#include "lowering/pipeline/ExecutableImage.h"
#include "lowering/pipeline/Remarks.h"

namespace zenith::pipeline {

struct TargetChoice;

/// Remarks of the topic "cache" say what was found and kept.
class CachedCompile {
public:
  /// Makes the key of `module`, which nothing has changed yet. Errors are those
  /// of CacheStore::open.
  static llvm::Expected<CachedCompile> open(mlir::ModuleOp module,
                                            const CompileOptions &options,
                                            const TargetChoice &target);

  /// The executable of an earlier compilation, with the parameter values of
  /// `module`; nullopt where there is none.
  std::optional<ExecutableImage> find(mlir::ModuleOp module);
  void keep(const Executable &executable,
            llvm::ArrayRef<cpu::EmittedFile> objects);

private:
  CachedCompile(CacheStore store, CacheKey key,
                std::function<void(const Remark &)> sink)
      : store(std::move(store)), key(std::move(key)), sink(std::move(sink)) {}
  void remark(remarks::Code code, llvm::ArrayRef<remarks::Value> values);

  CacheStore store;
  CacheKey key;
  std::function<void(const Remark &)> sink;
};

/// Why `key` is not among the entries: the parts in which the nearest one
/// differs.
std::string explainDifference(const CacheKey &key,
                              llvm::ArrayRef<CacheEntry> entries);

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PIPELINE_CACHEDCOMPILE_H
