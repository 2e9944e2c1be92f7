// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shares kernels twice: before emission by the text of the fusion (the layers
// of a model), after it by the ops of the kernel (fusions that differ in what a
// kernel gets as sizes). A kernel for sizes that may differ also serves where
// they are known to be equal: with a batch and a mask of their own names, the
// first layer of a model has two batches, all later ones the broadcast of both.

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
static Streams streamsOf(graph::FusionOp fusion, const AliasPattern &sharing,
                         const llvm::SmallBitVector &unread) {
  auto said = decisions::streamedResults(fusion.getScheduleAttr());
  if (said.guard.isConstant(0))
    return {};
  Streams streams{{}, said.guard};
  unsigned inputs = fusion.getInputs().size();
  for (unsigned result : unread.set_bits())
    if (llvm::count(sharing, sharing[inputs + result]) == 1 &&
        said.stores.areStreaming(result))
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

/// What two kernels that may be equal agree in: the ops, without their
/// operands.
static llvm::hash_code shapeOf(func::FuncOp kernel) {
  llvm::hash_code hash = 0;
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    hash =
        llvm::hash_combine(hash, OperationEquivalence::computeHash(
                                     op, OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::IgnoreLocations));
  });
  return hash;
}

/// Whether `known` computes what `kernel` does, and which size of `kernel` each
/// of its own is then: `known` may tell sizes apart that are one in `kernel`.
static std::optional<SmallVector<std::optional<unsigned>>>
sizesAs(func::FuncOp known, unsigned knownSizes, func::FuncOp kernel,
        const kernels::Launch &launch) {
  unsigned pointers = launch.pointers.size(), sizes = launch.sizes.size();
  Block &knownEntry = known.getBody().front();
  Block &entry = kernel.getBody().front();
  if (knownEntry.getNumArguments() != pointers + knownSizes + 2 ||
      knownEntry.getOperations().size() != entry.getOperations().size() ||
      known->getDiscardableAttrDictionary() !=
          kernel->getDiscardableAttrDictionary())
    return std::nullopt;
  for (unsigned index = 0; index < pointers; ++index)
    if (knownEntry.getArgument(index).getType() !=
            entry.getArgument(index).getType() ||
        known.getArgAttrDict(index) != kernel.getArgAttrDict(index))
      return std::nullopt;
  SmallVector<std::optional<unsigned>> sizeOf(knownSizes);
  DenseMap<Value, Value> equal;
  auto mark = [&](Value left, Value right) { equal[left] = right; };
  for (unsigned index = 0; index < pointers; ++index)
    mark(knownEntry.getArgument(index), entry.getArgument(index));
  for (unsigned index = 0; index < 2; ++index)
    mark(knownEntry.getArgument(pointers + knownSizes + index),
         entry.getArgument(pointers + sizes + index));
  auto check = [&](Value left, Value right) {
    auto argument = dyn_cast<BlockArgument>(left);
    bool isSize =
        argument && argument.getOwner() == &knownEntry && !equal.contains(left);
    if (!isSize)
      return success(equal.lookup(left) == right);
    auto other = dyn_cast<BlockArgument>(right);
    if (!other || other.getOwner() != &entry ||
        other.getArgNumber() < pointers ||
        other.getArgNumber() >= pointers + sizes)
      return failure();
    std::optional<unsigned> &size = sizeOf[argument.getArgNumber() - pointers];
    unsigned number = other.getArgNumber() - pointers;
    if (!size)
      size = number;
    return success(*size == number);
  };
  for (auto [left, right] : llvm::zip(knownEntry, entry))
    if (!OperationEquivalence::isEquivalentTo(
            &left, &right, check, mark, OperationEquivalence::IgnoreLocations))
      return std::nullopt;
  return sizeOf;
}

/// The kernel of the table that computes what the launch's kernel does, which
/// then goes; or the launch's own, which is in the table from then on.
KernelCache::SharedKernel KernelCache::share(const kernels::Launch &launch) {
  func::FuncOp kernel = launch.kernel;
  SmallVector<KnownKernel> &alike = kernelsByShape[shapeOf(kernel)];
  for (KnownKernel &known : alike)
    if (auto sizes = sizesAs(known.kernel, known.sizes, kernel, launch)) {
      kernel.erase();
      return {known.kernel.getSymNameAttr(), std::move(*sizes)};
    }
  alike.push_back({kernel, unsigned(launch.sizes.size())});
  return {kernel.getSymNameAttr(),
          llvm::to_vector_of<std::optional<unsigned>>(
              llvm::seq<unsigned>(launch.sizes.size()))};
}

FailureOr<SharedPlan> KernelCache::planOf(graph::FusionOp fusion,
                                          graph::DimAnalysis &dims,
                                          const AliasPattern &sharing,
                                          const llvm::SmallBitVector &unread) {
  Streams streams = streamsOf(fusion, sharing, unread);
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
  llvm::SmallDenseMap<Operation *, SharedKernel> known;
  for (kernels::Launch &launch : plan->launches) {
    auto [found, isNew] = known.try_emplace(launch.kernel);
    if (isNew)
      found->second = share(launch);
    // A size that the kernel does not read can be any.
    SmallVector<DimExpr> sizes;
    for (std::optional<unsigned> size : found->second.sizes)
      sizes.push_back(size ? launch.sizes[*size] : DimExpr(0));
    shared.launches.push_back({found->second.name, std::move(launch.pointers),
                               std::move(sizes), std::move(launch.tasks),
                               launch.costPerTask, std::move(launch.guard)});
  }
  return planByFusion[key] = std::move(shared);
}

} // namespace zenith::pipeline
