// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shares kernels twice: before emission by the text of the fusion (the layers
// of a model), after it by the text of the kernel (fusions that differ in what
// a kernel gets as sizes).

#include "lowering/program/KernelCache.h"
#include "lowering/kernels/EmitKernels.h"

#include "lowering/builder/KernelAttributes.h"
#include "lowering/decisions/StreamStores.h"
#include "lowering/host/HostDialect.h"
#include "lowering/memory/PlanBuffers.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::pipeline {

namespace {

/// Results to write by non-temporal stores.
struct Streams {
  SmallVector<unsigned> results;
  DimExpr guard; ///< 1 where the sizes of a run make that worthwhile, else 0
};

} // namespace

/// All that emission depends on, without the names of values outside.
static std::string keyOf(graph::FusionOp fusion, graph::DimAnalysis &dims,
                         const AliasPattern &sharing, const Streams &streams) {
  std::string key;
  llvm::raw_string_ostream text(key);
  for (unsigned index : sharing)
    text << index << ' ';
  for (unsigned result : streams.results)
    text << '>' << result;
  llvm::SmallDenseMap<Value, unsigned> indices;
  for (Value input : fusion.getInputs()) {
    text << '\n' << indices.try_emplace(input, indices.size()).first->second;
    for (const graph::DimExpr &size : dims.dimsOf(input))
      text << ',' << size.str();
    auto type = cast<RankedTensorType>(input.getType());
    if (type.getRank() == 0 && type.getElementType().isInteger(64))
      text << '=' << dims.scalar(input).str();
  }
  text << '\n';
  fusion->print(text, OpPrintingFlags().useLocalScope());
  return key;
}

/// Pointers of a launch that share bytes with another one, where one of the two
/// is written.
static void markAliases(const kernels::Launch &launch, graph::FusionOp fusion,
                        const AliasPattern &sharing) {
  unsigned inputs = fusion.getInputs().size(),
           results = fusion->getNumResults();
  // Each count has a cell of its own.
  unsigned next = sharing.size();
  SmallVector<unsigned> buffers;
  for (const kernels::PointerArg &pointer : launch.pointers) {
    if (pointer.kind == kernels::PointerArg::Count) {
      buffers.push_back(next++);
      continue;
    }
    unsigned base = pointer.kind == kernels::PointerArg::Operand ? 0
                    : pointer.kind == kernels::PointerArg::Result
                        ? inputs
                        : inputs + results;
    buffers.push_back(sharing[base + pointer.index]);
  }
  UnitAttr unit = UnitAttr::get(fusion.getContext());
  func::FuncOp kernel = launch.kernel;
  for (unsigned x = 0; x < launch.pointers.size(); ++x)
    for (unsigned y = 0; y < launch.pointers.size(); ++y)
      if (x != y && buffers[x] == buffers[y] &&
          (launch.pointers[x].kind != kernels::PointerArg::Operand ||
           launch.pointers[y].kind != kernels::PointerArg::Operand))
        kernel.setArgAttr(x, kernels::mayAliasAttrName, unit);
}

/// What the schedule streams of the results that no later step reads: those
/// that do not share bytes with others, whose lines are in the caches already.
static Streams streamsOf(graph::FusionOp fusion, graph::DimAnalysis &dims,
                         const AliasPattern &sharing,
                         const llvm::SmallBitVector &unread,
                         const target::TargetModel &target) {
  Streams streams;
  streams.guard = decisions::streamingGuard(fusion.getScheduleAttr());
  if (streams.guard.isConstant(0))
    return {};
  unsigned inputs = fusion.getInputs().size();
  for (unsigned result : unread.set_bits())
    if (llvm::count(sharing, sharing[inputs + result]) == 1 &&
        decisions::mayStream(fusion, result, dims, target))
      streams.results.push_back(result);
  return streams;
}

/// Marks the stores of a result, unless a kernel reads it too.
static void streamResult(const kernels::KernelPlan &plan, unsigned result) {
  SmallVector<vector::StoreOp> stores;
  for (const kernels::Launch &launch : plan.launches)
    for (auto [index, pointer] : llvm::enumerate(launch.pointers)) {
      if (pointer.kind != kernels::PointerArg::Result ||
          pointer.index != result)
        continue;
      func::FuncOp kernel = launch.kernel;
      for (Operation *user : kernel.getArgument(index).getUsers())
        if (auto store = dyn_cast<vector::StoreOp>(user))
          stores.push_back(store);
        else if (!isa<vector::MaskedStoreOp, memref::StoreOp>(user))
          return;
    }
  for (vector::StoreOp store : stores)
    store.setNontemporal(true);
}

/// Copies of the kernels for the runs where `guard` is 1; the plan's own
/// kernels run where it is 0.
static kernels::KernelPlan variantOf(kernels::KernelPlan &plan,
                                     const DimExpr &guard) {
  kernels::KernelPlan variant = plan;
  llvm::SmallDenseMap<Operation *, func::FuncOp> copies;
  for (auto [own, other] : llvm::zip(plan.launches, variant.launches)) {
    func::FuncOp &copy = copies[own.kernel];
    if (!copy) {
      copy = own.kernel.clone();
      copy.setSymName((own.kernel.getSymName() + "_past").str());
      own.kernel->getBlock()->getOperations().insertAfter(
          own.kernel->getIterator(), copy);
    }
    other.kernel = copy;
    other.guard = other.guard * guard;
    own.guard = own.guard * (DimExpr(1) - guard);
  }
  return variant;
}

static void stream(kernels::KernelPlan &plan, const Streams &streams) {
  if (streams.results.empty())
    return;
  bool always = streams.guard.isConstant(1);
  kernels::KernelPlan streamed = always ? plan : variantOf(plan, streams.guard);
  for (unsigned result : streams.results)
    streamResult(streamed, result);
  if (!always)
    plan.launches.append(streamed.launches);
}

/// Marks a kernel and those whose addresses it takes.
static void markHostOnly(func::FuncOp kernel, ModuleOp kernels) {
  UnitAttr unit = UnitAttr::get(kernel.getContext());
  kernel->setAttr(host::hostOnlyAttrName, unit);
  kernel.walk([&](LLVM::AddressOfOp address) {
    StringRef name = address.getGlobalName();
    if (name.consume_back(kernels::taskSuffix))
      if (Operation *called = kernels.lookupSymbol(name))
        called->setAttr(host::hostOnlyAttrName, unit);
  });
}

/// The name under which an equal kernel is in the table already, or the
/// kernel's own.
StringAttr KernelCache::share(func::FuncOp kernel) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  StringAttr name = kernel.getSymNameAttr();
  kernel.setSymName("k");
  kernel->print(stream, OpPrintingFlags().useLocalScope());
  auto [found, isNew] = kernelByText.try_emplace(text, name);
  if (isNew)
    kernel.setSymNameAttr(name);
  else
    kernel.erase();
  return found->second;
}

FailureOr<SharedPlan> KernelCache::planOf(graph::FusionOp fusion,
                                          graph::DimAnalysis &dims,
                                          const AliasPattern &sharing,
                                          const llvm::SmallBitVector &unread) {
  Streams streams = streamsOf(fusion, dims, sharing, unread, target);
  std::string key = keyOf(fusion, dims, sharing, streams);
  if (auto found = planByFusion.find(key); found != planByFusion.end())
    return found->second;
  std::string name = "k" + std::to_string(emitted++) + "_" +
                     stringifyEnum(fusion.getKind()).str();
  FailureOr<kernels::KernelPlan> plan =
      kernels::emitKernels(fusion, dims, target, kernels, name);
  if (failed(plan))
    return failure();
  SharedPlan shared{{},
                    std::move(plan->scratchBytes),
                    std::move(plan->counts),
                    std::move(plan->capacityBytes),
                    plan->hostOnly};
  stream(*plan, streams);
  // One function may be launched several times: it is marked for all before its
  // text is compared.
  for (kernels::Launch &launch : plan->launches) {
    markAliases(launch, fusion, sharing);
    if (plan->hostOnly)
      markHostOnly(launch.kernel, kernels);
  }
  llvm::SmallDenseMap<Operation *, StringAttr> names;
  for (kernels::Launch &launch : plan->launches) {
    auto [found, isNew] = names.try_emplace(launch.kernel);
    if (isNew)
      found->second = share(launch.kernel);
    shared.launches.push_back({found->second, std::move(launch.pointers),
                               std::move(launch.sizes), std::move(launch.tasks),
                               launch.costPerTask, std::move(launch.guard)});
  }
  return planByFusion[key] = std::move(shared);
}

} // namespace zenith::pipeline
