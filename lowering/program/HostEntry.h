// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the code of one entry: prologue with sizes and checks, then its steps.
// Programs that control steps run become part of the same function: their
// arguments are values, and a loop over scalars is a loop over registers.

#ifndef ZENITH_LOWERING_PROGRAM_HOSTENTRY_H
#define ZENITH_LOWERING_PROGRAM_HOSTENTRY_H

#include "lowering/host/HostDialect.h"
#include "lowering/program/SizeCode.h"
#include "llvm/IR/Module.h"
#include <map>

namespace zenith::pipeline {

class HostEntry {
public:
  /// Declares the entry in `module`; `kernels` numbers the kernel table,
  /// `kept` says for each graph.param whether an entry other than @prepare
  /// reads it.
  /// With `deviceKernels` the kernels run on the context's device, but for
  /// those that only the host can run.
  HostEntry(host::ProgramOp program, llvm::Module &module,
            const llvm::StringMap<int64_t> &kernels,
            const std::vector<bool> &kept, bool deviceKernels);
  llvm::Error build();

private:
  /// Where bytes are: a pointer; on a device a buffer handle and an offset.
  struct Bytes {
    llvm::Value *base = nullptr, *offset = nullptr;
  };
  using Extents = llvm::SmallVector<llvm::Value *>;
  /// What a control step passes: a number, or bytes and their extents.
  struct Passed {
    llvm::Value *number = nullptr;
    Bytes bytes;
    Extents extents;
  };
  /// A program while its steps are emitted.
  struct Frame {
    host::ProgramOp program;
    bool isNested = false;
    std::vector<Bytes> arguments, results, slots;
    std::vector<llvm::Value *> resultData; ///< on the host, of entries
    Bytes arena;
    std::vector<llvm::Value *> cells; ///< host memory
    std::vector<Bytes> deviceCells, constants;
    llvm::AllocaInst *pointers = nullptr, *sizeArray = nullptr;
    std::vector<Passed> yielded; ///< one per result
  };
  /// Memory for nested arenas whose size depends on data, kept through a step.
  struct Reserve {
    llvm::AllocaInst *base = nullptr, *bytes = nullptr;
  };

  // Prologue (HostPrologue.cpp).
  void checkArguments();
  llvm::Error bindSymbols();
  void bindScalars();
  bool solveDimension(const graph::DimExpr &expr, llvm::Value *actual);
  void checkDimension(unsigned argument, unsigned axis,
                      const graph::DimExpr &expr);
  void computeSizes(host::ProgramOp whole);
  void computeSizes(mlir::Operation *op);
  void settleSizes();
  void checkGuards();
  void takeArguments();
  void takeConstants();
  void takeResults();
  void takeResult(unsigned index, llvm::Value *bytes);
  void setExtents(unsigned index);
  void takeArena();
  void prepareFrame();

  // Steps (HostSteps.cpp).
  void runSteps();
  void step(mlir::Operation *op);
  void launch(host::LaunchOp op);
  void launchOnHost(host::LaunchOp op);
  void storeSizes(host::LaunchOp op);
  /// Estimates of flops and bytes of a launch, 0 where they depend on it.
  struct Work {
    llvm::Value *flops, *bytes;
  };
  Work workOf(host::LaunchOp op);
  void launchTaken(host::LaunchOp op, Work work);
  void reportWork(host::LaunchOp op, Work work);
  void copy(host::CopyOp op);
  void writeScalar(host::ScalarOp op);
  void take(host::AllocOp op);
  void fetch(host::FetchOp op);
  void check(host::AssertOp op);
  void yield(host::YieldOp op);
  Bytes at(host::BufferAttr buffer);
  Bytes shifted(Bytes bytes, llvm::Value *offset);
  llvm::Value *extended(llvm::Value *number, mlir::Type type);
  Bytes takeBytes(llvm::Value *bytes);
  void dropBytes(llvm::Value *owner);
  void copyBytes(Bytes to, Bytes from, llvm::Value *bytes);

  // Arithmetic on scalars (ScalarCode.cpp).
  void evaluate(host::EvalOp op);
  llvm::Value *arithmetic(llvm::StringRef opcode,
                          llvm::ArrayRef<llvm::Value *> x, mlir::Type from,
                          mlir::Type type);
  llvm::Value *quotient(llvm::StringRef opcode, llvm::Value *x, llvm::Value *y,
                        bool isUnsigned);
  llvm::Value *wrapped(llvm::Value *number, mlir::Type type);

  // Control (ControlCode.cpp).
  Passed passed(mlir::Attribute argument);
  std::vector<Passed> passedAll(mlir::ArrayAttr arguments);
  host::ProgramOp programOf(mlir::Attribute name);
  /// Emits a nested program; results without bytes are the program's to take.
  std::vector<Passed> run(host::ProgramOp callee,
                          llvm::ArrayRef<Passed> arguments,
                          llvm::ArrayRef<Bytes> results, Bytes arena,
                          const Reserve &reserve);
  void bindArguments(host::ProgramOp callee, llvm::ArrayRef<Passed> arguments);
  Reserve makeReserve(mlir::ArrayAttr callees, host::BufferAttr arena);
  Bytes arenaFor(host::ProgramOp callee, Bytes arena, const Reserve &reserve);
  void freeReserve(const Reserve &reserve);
  void branch(host::IfOp op);
  llvm::Value *branchIndex(host::IfOp op);
  struct Carried;
  void loop(host::WhileOp op);
  std::vector<Carried> startCarried(host::WhileOp op);
  void openHeader(llvm::MutableArrayRef<Carried> carried,
                  llvm::BasicBlock *before);
  void closeBody(host::WhileOp op, llvm::MutableArrayRef<Carried> carried,
                 llvm::ArrayRef<Passed> next, llvm::BasicBlock *header);
  void endCarried(host::WhileOp op, llvm::MutableArrayRef<Carried> carried);
  void bindOutcome(mlir::Attribute outcome, const Passed &value);
  void acceptAllocated(host::OutcomeAttr outcome, Bytes bytes,
                       llvm::Value *size);
  llvm::Value *bytesOfExtents(host::ValueAttr value, const Extents &extents);
  void checkCancel();
  void reportProgress(llvm::ArrayRef<Carried> carried);

  // Devices (DeviceSteps.cpp).
  llvm::Value *deviceBuffer(int32_t deviceClass, int64_t index,
                            llvm::Value *bytes);
  void upload(int64_t index, Bytes to, llvm::Value *from, llvm::Value *bytes);
  void download(int64_t index, llvm::Value *to, Bytes from, llvm::Value *bytes);
  void uploadArguments();
  void launchOnDevice(host::LaunchOp op);
  void launchWithCopies(host::LaunchOp op);
  void downloadResults();

  void releaseParameters(mlir::Operation *op);

  // Vocabulary.
  llvm::Value *call(llvm::StringRef name, llvm::Type *result,
                    llvm::ArrayRef<llvm::Value *> arguments);
  void failUnlessOK(llvm::Value *code);
  void failWhere(llvm::Value *condition, const std::string &what,
                 llvm::function_ref<llvm::Value *()> status);
  void failWithStatus(llvm::Value *condition);
  void failIfNull(llvm::Value *data);
  void failIf(llvm::Value *condition, int32_t code, const std::string &message);
  llvm::Value *field(llvm::Value *base, int64_t offset, llvm::Type *type);
  llvm::Value *argument(unsigned index);
  llvm::Value *result(unsigned index);
  llvm::Value *dimension(unsigned argument, unsigned axis);
  llvm::Value *text(llvm::StringRef string);
  llvm::AllocaInst *room(llvm::Type *type, uint64_t count, const char *name);
  llvm::BasicBlock *block(const char *name = "");
  host::ValueAttr describe(mlir::ArrayAttr values, unsigned index) const {
    return mlir::cast<host::ValueAttr>(values[index]);
  }

  host::ProgramOp program; ///< the entry
  llvm::Module &module;
  const llvm::StringMap<int64_t> &kernels;
  const std::vector<bool> &kept;
  bool deviceKernels;
  llvm::LLVMContext &context;
  llvm::IRBuilder<> builder;
  llvm::Type *pointerType, *i64, *i32;
  llvm::Function *function;
  llvm::BasicBlock *entry, *failed;
  llvm::PHINode *failure;
  std::unique_ptr<SizeCode> sizes;
  Frame *frame = nullptr;
  llvm::Value *profiled = nullptr, *cancelFlag = nullptr;
  int64_t loops = 0; ///< of the entry itself
  std::map<int64_t, mlir::Operation *>
      lastReaders; ///< of parameters, in @prepare
  std::map<mlir::Operation *, std::vector<Bytes>> constants,
      deviceCells; ///< by program
  std::map<std::string, llvm::Value *> strings;
  std::map<std::string, llvm::BasicBlock *> failures; ///< by what went wrong
};

/// Bytes of an argument or result.
graph::DimExpr bytesOf(host::ValueAttr value);

/// Largest amount of work (flops and bytes, as LaunchOp counts) that the
/// caller's thread does alone: waking others would take longer.
inline constexpr double serialWork = 150000;

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PROGRAM_HOSTENTRY_H
