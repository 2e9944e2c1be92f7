// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that is not compiled: a module with an MLIR context of its own.

#ifndef ZENITH_FRONTENDS_C_MODULE_H
#define ZENITH_FRONTENDS_C_MODULE_H

#include "frontends/c/Context.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace zenith::c {

/// What handles of one module share. MLIR contexts are not safe for threads, so
/// whoever reads or copies the module holds the lock.
struct Program {
  std::unique_ptr<mlir::MLIRContext> mlir;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string folder; ///< where paths of parameters start; absolute
  std::mutex mutex;
};

/// A copy in a context of its own; null where it cannot be read back.
std::shared_ptr<Program> copyOf(Program &program);

/// Absolute path of a folder; "" is the current one.
std::string absoluteFolder(const std::string &folder);

} // namespace zenith::c

struct zenith_module : zenith::c::Counted {
  zenith_module(zenith_context &context,
                std::shared_ptr<zenith::c::Program> program)
      : context(&context), program(std::move(program)) {}
  zenith::c::Ref<zenith_context> context;
  const std::shared_ptr<zenith::c::Program> program;
};

void release(zenith_module *module) noexcept;

#endif // ZENITH_FRONTENDS_C_MODULE_H
