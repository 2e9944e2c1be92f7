// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step or validation that runs, compiled or interpreted, on state that it
// keeps in place.

#ifndef ZENITH_FRONTENDS_TRAINING_STEPSESSION_H
#define ZENITH_FRONTENDS_TRAINING_STEPSESSION_H

#include "frontends/training/BuildStep.h"
#include "frontends/training/TrainOptions.h"
#include "llvm/Support/JSON.h"

namespace zenith::pipeline {
class Executable;
class Session;
struct EntryInfo;
} // namespace zenith::pipeline

namespace zenith::training {

/// Values that go from step to step, in the order of BuiltStep::state. Steps
/// write into them.
class StateValues {
public:
  size_t size() const { return slots.size(); }
  const Tensor &operator[](size_t index) const { return slots[index].tensor; }
  /// Adds a copy of a value, at an address that suits kernels.
  void add(const Tensor &value);
  void set(size_t index, const Tensor &value);
  /// Copies, by index.
  std::vector<Tensor> snapshot() const;

private:
  friend class StepSession;
  struct Slot {
    Tensor tensor;
    std::shared_ptr<const void> owner;
  };
  static Slot copyOf(const Tensor &value);

  std::vector<Slot> slots;
};

/// The last phase that a step needs to be a program without functions to
/// derive, whose types are those that it computes in.
std::string phaseOfStep(mlir::ModuleOp step,
                        const pipeline::CompileOptions &options);

class StepSession {
public:
  /// `frozen` are the parameters that the program still reads by name.
  static llvm::Expected<std::unique_ptr<StepSession>>
  create(BuiltStep step, const TrainOptions &options,
         std::map<std::string, Tensor> frozen);
  ~StepSession();

  const BuiltStep &step() const { return built; }

  /// Runs on the state and a batch; gives the figures. With results for the
  /// state it moves on.
  llvm::Expected<std::vector<Tensor>> run(StateValues &state,
                                          llvm::ArrayRef<Tensor> batch);

  /// The first op whose result is not finite, on values from before the step:
  /// its name and place; empty where there is none.
  llvm::Expected<std::string> firstNonFinite(llvm::ArrayRef<Tensor> state,
                                             llvm::ArrayRef<Tensor> batch);

  /// What lives when in the arena of a step; nothing where it is interpreted.
  std::optional<llvm::json::Object> memoryTimeline() const;

  /// JSON of the planned memory of a step by class.
  std::string memoryReport() const;

private:
  StepSession() = default;
  llvm::Error compile(const TrainOptions &options);
  llvm::Expected<std::vector<Tensor>>
  interpret(llvm::ArrayRef<Tensor> arguments,
            std::function<void(mlir::Operation *, llvm::ArrayRef<Tensor>)>
                onResult = {});
  llvm::Expected<std::vector<Tensor>> runCompiled(StateValues &state,
                                                  llvm::ArrayRef<Tensor> batch);

  BuiltStep built;
  std::map<std::string, Tensor> frozen;
  /// The module with its gradients filled in, for the interpreter.
  mlir::OwningOpRef<mlir::ModuleOp> derived;
  std::shared_ptr<const pipeline::Executable> program;
  const pipeline::EntryInfo *entry = nullptr;
  std::shared_ptr<pipeline::Session> session;
};

} // namespace zenith::training

#endif // ZENITH_FRONTENDS_TRAINING_STEPSESSION_H
