// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled and linked program: entries with their arguments and results,
// parameters, the memory report.

#ifndef ZENITH_LOWERING_PIPELINE_EXECUTABLE_H
#define ZENITH_LOWERING_PIPELINE_EXECUTABLE_H

#include "lowering/cpu/CompileKernels.h"
#include "lowering/cpu/JITLibrary.h"
#include "lowering/memory/MemoryReport.h"
#include "lowering/opencl/EmitOpenCL.h"
#include "runtime/ABI.h"
#include "runtime/Parameters.h"

namespace mlir {
class ModuleOp;
}
namespace zenith::graph {
class ParamOp;
}

namespace zenith::pipeline {

/// The part of a compiled program that an OpenCL device runs.
struct DeviceProgram {
  opencl::OpenCLProgram program; ///< its kernels are the program's kernel table
  std::string buildOptions;
  int device = 0; ///< index of the device that it was compiled for
};

/// An argument or result of an entry.
struct ValueInfo {
  std::string name;  ///< public name; may be empty
  int32_t dtype = 0; ///< a zenith_dtype
  std::vector<graph::DimExpr>
      dims; ///< constants, named dimensions, expressions over them
  bool donatable = false; ///< of arguments: a result may take over its buffer
};

/// One way to run an entry.
struct EntryPlan {
  std::string program; ///< whose code it is
  memory::MemoryReport memory;
  zenith_entry_fn function = nullptr; ///< valid as long as the executable
};

/// An entry is the plan that takes the least time.
struct EntryInfo : EntryPlan {
  std::string name;
  std::vector<ValueInfo> arguments, results;
  /// Plans with less memory and more time, in this order, for sizes at which
  /// the budget has no room for the others.
  std::vector<EntryPlan> thriftier;

  /// The first plan that needs at most `budget` bytes, else the last; 0: no
  /// budget. All have the same results.
  const EntryPlan &planFor(const memory::DimValues &values,
                           int64_t budget) const;
};

class Executable {
public:
  /// Public entries in the order of the module; @prepare is not one of them.
  std::vector<EntryInfo> entries;
  std::vector<runtime::ParameterSpec>
      parameters;                      ///< in the order of the module
  std::vector<bool> parameterHasValue; ///< false: the caller must bind it
  /// Checksums that the program records of parameters in files, by name.
  std::map<std::string, uint64_t> checksums;
  std::vector<size_t> onlyForPrepare; ///< parameters that no entry reads
  std::vector<std::string> kernels;   ///< the kernel table of profiles
  /// Of each kernel, the nodes that its launches compute: names, else places.
  std::vector<std::vector<std::string>> kernelSources;
  int64_t derivedBytes = 0;          ///< arena of the derived parameters
  zenith_entry_fn prepare = nullptr; ///< null where the program has none
  bool hasPrepare = false;
  int64_t codeBytes = 0; ///< of the objects
  /// The kernels, where a device runs them.
  std::optional<DeviceProgram> device;

  /// The entry of that name, or null.
  const EntryInfo *find(llvm::StringRef name) const;
  /// The only entry, else "main", else null.
  const EntryInfo *defaultEntry() const;

  /// Links `objects`, the code of this executable, and finds the functions.
  llvm::Error link(std::vector<cpu::EmittedFile> objects,
                   const target::CPUTarget &target);
  /// What was linked.
  llvm::ArrayRef<cpu::EmittedFile> objects() const { return code; }

private:
  std::vector<cpu::EmittedFile> code;
  std::unique_ptr<cpu::JITLibrary> library;
};

/// All that a module which is through the kernels phase says about its
/// executable; without code as yet.
std::shared_ptr<Executable> describeExecutable(mlir::ModuleOp module);

/// Value of a parameter as its declaration says; without one, an empty source.
runtime::ParameterSource sourceOf(graph::ParamOp param);
/// The checksums that the module's parameters record, by name.
std::map<std::string, uint64_t> checksumsOf(mlir::ModuleOp module);

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PIPELINE_EXECUTABLE_H
