// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of a session, one after the other, on rows of the host's arrays.

#ifndef ZENITH_FRONTENDS_C_TRAINING_TRAININGLOOP_H
#define ZENITH_FRONTENDS_C_TRAINING_TRAININGLOOP_H

#include "frontends/c/Array.h"
#include "frontends/c/Executable.h"
#include "frontends/c/Session.h"
#include "frontends/tensors/Checkpoints.h"

namespace zenith::c {

/// A host's list of arrays by name.
struct NamedArrays {
  const zenith_named_array *const *list = nullptr;
  size_t count = 0;

  /// Null where no array has this name.
  zenith_array *find(const std::string &name) const;
};

class TrainingLoop {
public:
  explicit TrainingLoop(zenith_session &session) : session(session) {}

  /// Finds the entries, runs "init" and checks the arrays.
  zenith_status *start(const NamedArrays &data, const NamedArrays &labels);

  int64_t step() const { return done; }
  /// One step, and what is said of it.
  zenith_status *advance(int64_t total, zenith_record_fn record, void *user);

  /// The state as tensors of a checkpoint, and back.
  tensors::Checkpoint save() const;
  zenith_status *load(const tensors::Checkpoint &checkpoint);
  /// Makes the state's parameters those of the session; nothing where a step
  /// has failed in the middle and the state is lost.
  zenith_status *rebind() const;

  mlir::MLIRContext *types() { return &context; }

private:
  zenith_status *checkNames(const NamedArrays &arrays,
                            const std::string &prefix) const;
  zenith_status *addColumn(size_t input, zenith_array *array);
  zenith_status *makeBatch(ArrayList &batch);
  zenith_status *run(const char *entry, const ArrayList &inputs,
                     ArrayList &outputs) const;
  zenith_status *checkFigures(const ArrayList &figures) const;
  std::string line(const ArrayList &figures) const;
  const Value &figure(size_t index) const { return program->outputs[index]; }
  bool isParameter(const std::string &name) const;
  /// "params/NAME" of a parameter, else the name itself.
  std::string checkpointName(size_t state) const;

  zenith_session &session;
  mutable mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  const Entry *program = nullptr;
  ArrayList state;
  std::vector<zenith_array *> columns; ///< by the step's inputs after the state
  int64_t batches = 0;                 ///< that the arrays have
  int64_t done = 0;
  bool isWhole = false; ///< the state is that after `done` steps
};

} // namespace zenith::c

#endif // ZENITH_FRONTENDS_C_TRAINING_TRAININGLOOP_H
