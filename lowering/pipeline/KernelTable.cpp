// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shares kernels twice: before emission by the text of the fusion (the layers
// of a model), after it by the text of the kernel (fusions that differ in what
// a kernel gets as sizes).

#include "lowering/pipeline/KernelTable.h"

#include "lowering/cpu/ConvertKernelsToLLVM.h"
#include "lowering/pipeline/HostDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace zenith::pipeline {

/// Everything that emission may look at, without the names of values outside.
static std::string keyOf(graph::FusionOp fusion, graph::DimAnalysis &dims,
                         const AliasPattern &sharing) {
  std::string key;
  llvm::raw_string_ostream text(key);
  for (unsigned number : sharing)
    text << number << ' ';
  llvm::SmallDenseMap<Value, unsigned> numbers;
  for (Value input : fusion.getInputs()) {
    text << '\n' << numbers.try_emplace(input, numbers.size()).first->second;
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
  // Counts are cells of their own.
  unsigned next = sharing.size();
  SmallVector<unsigned> numbers;
  for (const kernels::PointerArg &pointer : launch.pointers) {
    if (pointer.kind == kernels::PointerArg::Count) {
      numbers.push_back(next++);
      continue;
    }
    unsigned base = pointer.kind == kernels::PointerArg::Operand ? 0
                    : pointer.kind == kernels::PointerArg::Result
                        ? inputs
                        : inputs + results;
    numbers.push_back(sharing[base + pointer.index]);
  }
  UnitAttr unit = UnitAttr::get(fusion.getContext());
  func::FuncOp kernel = launch.kernel;
  for (unsigned x = 0; x < launch.pointers.size(); ++x)
    for (unsigned y = 0; y < launch.pointers.size(); ++y)
      if (x != y && numbers[x] == numbers[y] &&
          (launch.pointers[x].kind != kernels::PointerArg::Operand ||
           launch.pointers[y].kind != kernels::PointerArg::Operand))
        kernel.setArgAttr(x, cpu::mayAliasAttrName, unit);
}

/// Marks a kernel and those whose addresses it takes.
static void markHostOnly(func::FuncOp kernel, ModuleOp kernels) {
  UnitAttr unit = UnitAttr::get(kernel.getContext());
  kernel->setAttr(host::hostOnlyAttrName, unit);
  kernel.walk([&](LLVM::AddressOfOp address) {
    StringRef name = address.getGlobalName();
    if (name.consume_back(cpu::taskSuffix))
      if (Operation *called = kernels.lookupSymbol(name))
        called->setAttr(host::hostOnlyAttrName, unit);
  });
}

/// The name under which an equal kernel is in the table already, or the
/// kernel's own.
StringAttr KernelTable::share(func::FuncOp kernel) {
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

FailureOr<SharedPlan> KernelTable::planOf(graph::FusionOp fusion,
                                          graph::DimAnalysis &dims,
                                          const AliasPattern &sharing) {
  std::string key = keyOf(fusion, dims, sharing);
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
                               launch.costPerTask});
  }
  return planByFusion[key] = std::move(shared);
}

} // namespace zenith::pipeline
