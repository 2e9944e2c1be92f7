// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What readers of a whole program rely on and no verifier of a single op knows:
// signatures of functions, calls, and that all ops are GraphIR's.

#ifndef ZENITH_IR_PROGRAM_PROGRAMCHECKS_H
#define ZENITH_IR_PROGRAM_PROGRAMCHECKS_H

#include "ir/Error.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <cstdint>
#include <optional>

namespace zenith::graph {

/// A limit of a function with all its calls inlined, since chains of functions
/// that call the next one twice grow exponentially.
inline constexpr int64_t mostInlinedOps = 1 << 20;

/// True for the element types of GraphIR.
bool isElementType(mlir::Type type);

/// The public name of an argument, else the one that its location gives; empty
/// where neither does.
std::string nameOfArgument(mlir::func::FuncOp function, unsigned index);

/// Whether calls of the function are kept until programs have been derived: it
/// has a rule of its own, or is to be derived.
bool keepsCalls(mlir::Operation *function);

/// The first mistake in a signature: tensors of other elements (signature_c5),
/// two arguments of one name, in public functions also by their locations
/// (signature_c6), a result whose named dimensions
/// are provably not those of the returned value (signature_c7). Code Invalid.
std::optional<Error> checkSignatures(mlir::ModuleOp module);

/// The first call that no compiled program can make: of itself, of a function
/// without a body, or one that makes its caller too large; or of a routine that
/// there is none of, also where nobody reads its results. Code Unsupported.
std::optional<Error> checkCalls(mlir::ModuleOp module);

/// The first op that is neither GraphIR nor a function's. Modules with host
/// programs, which hold kernels, have no foreign ops. Code Unsupported.
std::optional<Error> checkOps(mlir::ModuleOp module);

} // namespace zenith::graph

#endif // ZENITH_IR_PROGRAM_PROGRAMCHECKS_H
