// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All entries of a program in one LLVM module.

#include "lowering/program/LowerHostProgram.h"

#include "ir/GraphOps.h"
#include "ir/target/TargetModel.h"
#include "lowering/cpu/CPUMachine.h"
#include "lowering/program/HostEntry.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Target/TargetMachine.h"

namespace zenith::pipeline {

std::vector<std::string> kernelNames(mlir::ModuleOp module) {
  std::vector<std::string> names, hostOnly;
  if (auto kernels =
          module.lookupSymbol<mlir::ModuleOp>(host::kernelsModuleName))
    for (mlir::Operation &op : *kernels.getBody())
      if (auto symbol = mlir::dyn_cast<mlir::SymbolOpInterface>(op);
          symbol && symbol.isPublic())
        (op.hasAttr(host::hostOnlyAttrName) ? hostOnly : names)
            .push_back(symbol.getName().str());
  names.insert(names.end(), hostOnly.begin(), hostOnly.end());
  return names;
}

mlir::OwningOpRef<mlir::ModuleOp> kernelsFor(mlir::ModuleOp kernels,
                                             bool hostOnly) {
  mlir::OwningOpRef<mlir::ModuleOp> chosen = kernels.clone();
  auto dropUnless = [&](auto keeps) {
    bool dropped = false;
    for (mlir::Operation &op : llvm::make_early_inc_range(*chosen->getBody()))
      if (auto symbol = mlir::dyn_cast<mlir::SymbolOpInterface>(op);
          symbol && !keeps(symbol)) {
        op.erase();
        dropped = true;
      }
    return dropped;
  };
  dropUnless([&](mlir::SymbolOpInterface symbol) {
    return !symbol.isPublic() ||
           symbol->hasAttr(host::hostOnlyAttrName) == hostOnly;
  });
  // Private functions that only the dropped kernels called.
  while (dropUnless([&](mlir::SymbolOpInterface symbol) {
    return symbol.isPublic() || !symbol.symbolKnownUseEmpty(*chosen);
  }))
    ;
  return chosen;
}

std::vector<bool> parametersOfEntries(mlir::ModuleOp module) {
  auto params = module.getOps<graph::ParamOp>();
  std::vector<bool> read(std::distance(params.begin(), params.end()));
  for (host::ProgramOp program : module.getOps<host::ProgramOp>()) {
    if (program.getSymName() == graph::prepareFunctionName)
      continue;
    program->walk([&](mlir::Operation *op) {
      op->getAttrDictionary().walk([&](host::BufferAttr buffer) {
        if (buffer.getKind() == host::BufferKind::param)
          read[buffer.getIndex()] = true;
      });
    });
  }
  return read;
}

llvm::Expected<std::unique_ptr<llvm::Module>>
lowerHostPrograms(mlir::ModuleOp module, const target::CPUTarget &target,
                  llvm::LLVMContext &context) {
  auto machine = cpu::createMachine(target);
  if (!machine)
    return machine.takeError();
  auto lowered = std::make_unique<llvm::Module>("host", context);
  lowered->setTargetTriple(target.triple);
  lowered->setDataLayout((*machine)->createDataLayout());
  llvm::StringMap<int64_t> positions;
  for (const std::string &name : kernelNames(module))
    positions.try_emplace(name, positions.size());
  std::vector<bool> kept = parametersOfEntries(module);
  bool onDevice = target::modelOf(module).device;
  const mlir::SymbolTable programs(module);
  // Inner programs become part of the entries that run them.
  for (host::ProgramOp program : module.getOps<host::ProgramOp>())
    if (program.getInner())
      continue;
    else if (llvm::Error error = HostEntry(program, programs, *lowered,
                                           positions, kept, onDevice)
                                     .build())
      return error;
  return lowered;
}

} // namespace zenith::pipeline
