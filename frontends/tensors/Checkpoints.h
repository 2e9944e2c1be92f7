// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checkpoints of a training in one folder: whole or not there, checked before
// they are used.

#ifndef ZENITH_FRONTENDS_TENSORS_CHECKPOINTS_H
#define ZENITH_FRONTENDS_TENSORS_CHECKPOINTS_H

#include "ir/tensor/Tensor.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace zenith::tensors {

/// What a checkpoint keeps: tensors by name, and the manifest without what the
/// folder itself adds (format, files).
struct Checkpoint {
  int64_t step = 0;
  llvm::json::Object manifest;
  std::map<std::string, Tensor> tensors;
  std::string folder; ///< of one that was read
};

/// One training's folder of checkpoints, locked as long as this lives.
///
/// A checkpoint is written under another name by a thread of its own, synced,
/// and renamed: a `step-*` folder is whole or not there. Older ones go only
/// after that.
class Checkpoints {
public:
  struct Options {
    int64_t keep = 3; ///< newest ones that stay
    /// The member of "metrics" whose smallest value stays, too; empty: none.
    std::string best;
  };

  /// Makes the folder, locks it, and removes what dead processes left. Errors:
  /// Usage where another process has the lock, with its pid; Invalid where the
  /// folder cannot be made.
  static llvm::Expected<std::unique_ptr<Checkpoints>>
  open(const std::string &folder, const Options &options);
  ~Checkpoints();

  /// Starts to write; waits for the write before it. Errors are those of that
  /// one, of code Run.
  llvm::Error save(Checkpoint checkpoint);
  /// Waits for the last write.
  llvm::Error finish();
  /// The error of a write that has ended, if it failed; waits for nothing.
  bool hasFailed() const;

private:
  Checkpoints(std::string folder, Options options, int lock);

  struct Writer;
  std::unique_ptr<Writer> writer;
};

/// The newest checkpoint of `folder` that is whole and of a known format:
/// nothing where there is none at all. One that is damaged is passed over, and
/// `warn` gets why and the name of its folder. Invalid where there are some and
/// none is good.
llvm::Expected<std::optional<Checkpoint>>
readNewestCheckpoint(const std::string &folder, mlir::MLIRContext *context,
                     const std::function<void(const std::string &)> &warn);

/// Whether the folder has a checkpoint, whole or not.
bool hasCheckpoints(const std::string &folder);

/// The shortest decimal that reads back.
std::string shortestDecimal(double value);
std::string shortestDecimal(float value);

} // namespace zenith::tensors

#endif // ZENITH_FRONTENDS_TENSORS_CHECKPOINTS_H
