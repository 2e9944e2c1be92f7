// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program with its parameters bound, ready to run any number of times.

#ifndef ZENITH_LOWERING_PIPELINE_SESSION_H
#define ZENITH_LOWERING_PIPELINE_SESSION_H

#include "ir/tensor/Tensor.h"
#include "lowering/pipeline/Executable.h"
#include "runtime/RunContext.h"
#include <map>

namespace mlir {
class MLIRContext;
}

namespace zenith::pipeline {

class DeviceSession;

struct SessionOptions {
  std::string baseDir; ///< where relative names of parameter files start
  int threads = 0;     ///< 0 = the cores that the process was granted
  int64_t maxMemoryBytes =
      0; ///< budget of arena and results together; 0 = none
  runtime::SpillOptions spill; ///< for sets that exceed the budget
  /// For values that the program keeps in a file at times.
  runtime::SpillOptions offload;
  /// Compares the bytes of parameters in files with the checksums that the
  /// program records.
  bool verifyFiles = true;
  /// Values for parameters by name, instead of those of the module.
  std::map<std::string, runtime::ParameterSource> parameters;
};

/// One run at a time; several sessions of one executable may run at once.
/// Errors are LLVMErrors with the codes of the runtime: 2 arguments or
/// parameters don't fit, 5 memory, 6 the run failed.
class Session {
public:
  /// Binds parameters and runs @prepare.
  static llvm::Expected<std::unique_ptr<Session>>
  create(std::shared_ptr<const Executable> executable,
         const SessionOptions &options = {});

  const Executable &executable() const { return *program; }

  /// Runs an entry on row-major tensors. Results view memory of the session's
  /// pool and keep it alive; their types are made in `context`. Results may lie
  /// in copies of donated arguments.
  llvm::Expected<std::vector<Tensor>> run(const EntryInfo &entry,
                                          llvm::ArrayRef<Tensor> arguments,
                                          mlir::MLIRContext *context);

  /// The same, where results may lie in the donated arguments themselves: these
  /// are results of the session or copies, and nobody else reads them.
  llvm::Expected<std::vector<Tensor>> runTaking(const EntryInfo &entry,
                                                std::vector<Tensor> arguments,
                                                mlir::MLIRContext *context);

  /// Runs an entry on tensors of the ABI. Results with data and dims are
  /// written there; a static program then allocates nothing. Others are
  /// allocated and the caller's: runContext().release().
  llvm::Error run(const EntryInfo &entry,
                  const std::vector<zenith_tensor> &arguments,
                  std::vector<zenith_tensor> &results);

  /// Gives a parameter another value of its type, and computes the derived
  /// parameters again.
  llvm::Error rebind(const std::string &name, runtime::ParameterSource source);

  /// For memory use, profiles, cancellation.
  runtime::RunContext &runContext() { return *context; }
  /// Null for programs that run on the host.
  DeviceSession *device() { return onDevice.get(); }
  int64_t derivedBytes() const { return program->derivedBytes; }
  /// Milliseconds that binding and @prepare took.
  double prepareMilliseconds() const { return prepareTime; }

  ~Session();

private:
  Session(std::shared_ptr<const Executable> program,
          const SessionOptions &options);
  /// `takes`: arguments may be overwritten.
  llvm::Expected<std::vector<Tensor>>
  runTensors(const EntryInfo &entry, llvm::ArrayRef<Tensor> arguments,
             bool takes, mlir::MLIRContext *types);
  llvm::Error verifyParameter(const std::string &name, uint64_t checksum);
  llvm::Error prepare();
  const EntryPlan &planFor(const EntryInfo &entry,
                           llvm::ArrayRef<zenith_tensor> arguments);

  std::shared_ptr<const Executable> program;
  int64_t budget; ///< as SessionOptions has it
  std::shared_ptr<runtime::RunContext> context;
  std::unique_ptr<DeviceSession> onDevice;
  runtime::Parameters parameters;
  double prepareTime = 0;
};

/// A zenith_tensor that views `tensor`; `tensor` must outlive it.
zenith_tensor viewTensor(const Tensor &tensor);

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PIPELINE_SESSION_H
