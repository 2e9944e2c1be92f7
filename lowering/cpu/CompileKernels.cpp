// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hands kernels to their threads as bytecode: MLIR contexts are not shared, so
// threads don't wait for each other.

#include "lowering/cpu/CompileKernels.h"
#include "lowering/builder/KernelAttributes.h"

#include "ir/target/CPUTarget.h"
#include "lowering/cpu/ConvertKernelsToLLVM.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>

using namespace mlir;

namespace zenith::cpu {

/// Kernels per module: enough to spread the fixed cost of a module, few enough
/// to keep all threads busy.
static constexpr unsigned kernelsPerModule = 16;
/// Ops after which a module is closed early, so that a run of large kernels is
/// spread over modules; and ops from which on a small program has more than one
/// module.
static constexpr unsigned opsPerModule = 6000, fewestOpsPerModule = 400;

unsigned defaultCompileThreads() {
  return llvm::hardware_concurrency().compute_thread_count();
}

void parallelJobs(unsigned count, unsigned threads,
                  llvm::function_ref<void(unsigned)> body) {
  std::atomic<unsigned> next{0};
  auto work = [&] {
    for (unsigned job = next++; job < count; job = next++)
      body(job);
  };
  std::vector<std::thread> helpers;
  for (unsigned i = 1; i < std::min(threads, count); ++i)
    helpers.emplace_back(work);
  work();
  for (std::thread &helper : helpers)
    helper.join();
}

/// Adds the functions that `function` calls, directly or through others.
static void collectCallees(func::FuncOp function, ModuleOp kernels,
                           llvm::SetVector<Operation *> &found) {
  function.walk([&](func::CallOp call) {
    if (auto callee = kernels.lookupSymbol<func::FuncOp>(call.getCallee());
        callee && found.insert(callee))
      collectCallees(callee, kernels, found);
  });
  // The task function of another kernel, declared where its address is taken.
  function.walk([&](LLVM::AddressOfOp address) {
    if (auto task =
            kernels.lookupSymbol<LLVM::LLVMFuncOp>(address.getGlobalName()))
      found.insert(task);
  });
}

namespace {
/// Kernels divided among modules.
struct Deal {
  llvm::SmallVector<llvm::SmallVector<func::FuncOp>> groups;
  /// Functions that kernels call have modules of their own, which all others
  /// link to. A single module has copies of what it calls.
  bool sharesCallees;
};
} // namespace

static unsigned opsOf(llvm::ArrayRef<func::FuncOp> functions) {
  unsigned ops = 0;
  for (func::FuncOp function : functions)
    function.walk([&](Operation *) { ++ops; });
  return ops;
}

/// Divides `functions` among modules in order. A small program becomes several
/// modules too, so that several threads compile it; the division doesn't depend
/// on their number.
static void
dealFunctions(llvm::ArrayRef<func::FuncOp> functions,
              llvm::SmallVectorImpl<llvm::SmallVector<func::FuncOp>> &groups) {
  constexpr unsigned parts = 4;
  unsigned most =
      std::clamp(opsOf(functions) / parts, fewestOpsPerModule, opsPerModule);
  unsigned ops = most + 1;
  for (func::FuncOp function : functions) {
    if (ops > most || groups.back().size() == kernelsPerModule) {
      groups.emplace_back();
      ops = 0;
    }
    ops += opsOf(function);
    groups.back().push_back(function);
  }
}

static Deal dealKernels(ModuleOp kernels) {
  llvm::SmallVector<func::FuncOp> called, callers;
  for (func::FuncOp function : kernels.getOps<func::FuncOp>())
    if (!function.isPrivate())
      callers.push_back(function);
    else if (!function.isDeclaration())
      called.push_back(function);
  Deal deal;
  dealFunctions(callers, deal.groups);
  // One kernel may call many micro-kernels, which then are most of a program.
  deal.sharesCallees =
      deal.groups.size() > 1 || opsOf(called) >= 2 * fewestOpsPerModule;
  if (deal.sharesCallees) {
    // Shared functions come first: micro-kernels take longest.
    llvm::SmallVector<llvm::SmallVector<func::FuncOp>> all;
    dealFunctions(called, all);
    llvm::append_range(all, deal.groups);
    deal.groups = std::move(all);
  }
  return deal;
}

/// A module of `group` and the functions that it calls, as bytecode.
static std::string writeGroup(llvm::ArrayRef<func::FuncOp> group,
                              bool sharesCallees, ModuleOp kernels) {
  llvm::SetVector<Operation *> called;
  for (func::FuncOp function : group)
    collectCallees(function, kernels, called);
  for (func::FuncOp function : group)
    called.remove(function);
  OwningOpRef<ModuleOp> part = ModuleOp::create(kernels.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(part->getBody());
  // Without its region a function is a declaration.
  for (Operation *function : called)
    if (auto callee = dyn_cast<func::FuncOp>(function); callee && sharesCallees)
      builder.insert(callee->cloneWithoutRegions());
    else
      builder.clone(*function);
  for (func::FuncOp function : group) {
    Operation *definition = builder.clone(*function);
    if (function.isPrivate())
      definition->setAttr(kernels::sharedAttrName, builder.getUnitAttr());
  }
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  // Writing to a string cannot fail.
  (void)writeBytecodeToFile(*part, stream);
  return bytes;
}

/// Kernels that are in the LLVM dialect already stay one module.
static std::string writeConverted(ModuleOp kernels) {
  OwningOpRef<ModuleOp> copy = kernels.clone();
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  (void)writeBytecodeToFile(*copy, stream);
  return bytes;
}

static std::vector<std::string> writeGroups(ModuleOp kernels) {
  if (kernels.getOps<func::FuncOp>().empty() &&
      !kernels.getOps<LLVM::LLVMFuncOp>().empty())
    return {writeConverted(kernels)};
  Deal deal = dealKernels(kernels);
  std::vector<std::string> modules;
  for (llvm::ArrayRef<func::FuncOp> group : deal.groups)
    modules.push_back(writeGroup(group, deal.sharesCallees, kernels));
  return modules;
}

static llvm::Error failure(const std::string &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

static llvm::Expected<std::string> compileGroup(const std::string &bytecode,
                                                unsigned number,
                                                const target::CPUTarget &target,
                                                EmitKind emit) {
  DialectRegistry registry;
  registerKernelDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  std::string errors;
  ScopedDiagnosticHandler collect(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      errors += (errors.empty() ? "" : "; ") + diagnostic.str();
    return success();
  });
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  Block block;
  if (failed(readBytecodeFile(llvm::MemoryBufferRef(bytecode, "kernels"),
                              &block, config)) ||
      block.empty())
    return failure("kernels don't read back: " + errors);
  ModuleOp kernels = cast<ModuleOp>(block.front());
  if (failed(convertKernelsToLLVM(kernels)))
    return failure("kernels don't convert to LLVM: " + errors);
  llvm::LLVMContext llvmContext;
  auto module = translateKernels(kernels, target, llvmContext,
                                 "kernels" + std::to_string(number));
  if (!module)
    return failure(llvm::toString(module.takeError()) +
                   (errors.empty() ? "" : ": ") + errors);
  return emitModule(**module, target, emit);
}

static llvm::Expected<std::string> compileExtra(const ModuleBuilder &build,
                                                const target::CPUTarget &target,
                                                EmitKind emit) {
  llvm::LLVMContext context;
  llvm::Expected<std::unique_ptr<llvm::Module>> module = build(context);
  if (!module)
    return module.takeError();
  return emitModule(**module, target, emit, /*optimize=*/false);
}

llvm::Expected<std::vector<EmittedFile>>
compileKernels(ModuleOp kernels, const target::CPUTarget &target,
               const KernelCompileOptions &options) {
  std::vector<std::string> modules = writeGroups(kernels);
  unsigned extra = options.extraModule ? 1 : 0;
  std::vector<EmittedFile> files(modules.size() + extra);
  std::vector<std::string> errors(files.size());
  auto compileOne = [&](unsigned job) {
    if (options.stopped && options.stopped()) {
      errors[job] = "the compilation was stopped";
      return;
    }
    bool isExtra = job < extra;
    files[job].name =
        isExtra ? "host" : "kernels" + std::to_string(job - extra);
    auto bytes = isExtra
                     ? compileExtra(options.extraModule, target, options.emit)
                     : compileGroup(modules[job - extra], job - extra, target,
                                    options.emit);
    if (bytes)
      files[job].bytes = std::move(*bytes);
    else
      errors[job] = llvm::toString(bytes.takeError());
  };
  // Large modules first, so that none of them begins when all others end.
  std::vector<unsigned> order(files.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(
      order.begin() + extra, order.end(), [&](unsigned x, unsigned y) {
        return modules[x - extra].size() > modules[y - extra].size();
      });
  parallelJobs(files.size(),
               options.threads ? options.threads : defaultCompileThreads(),
               [&](unsigned position) { compileOne(order[position]); });
  for (const std::string &error : errors)
    if (!error.empty())
      return failure(error);
  return files;
}

} // namespace zenith::cpu
