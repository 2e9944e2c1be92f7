// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program while it is written, call by call.

#ifndef ZENITH_FRONTENDS_C_BUILDER_BUILDER_H
#define ZENITH_FRONTENDS_C_BUILDER_BUILDER_H

#include "frontends/c/Module.h"
#include "frontends/c/builder/BuilderOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include <deque>

/// An op whose regions are being written. They are its own once it is closed.
namespace zenith::c {
struct OpenOp {
  mlir::OperationName name;
  mlir::Location location;
  llvm::SmallVector<mlir::Value> operands;
  mlir::NamedAttrList attributes;
  llvm::SmallVector<mlir::Type> argumentTypes;
  mlir::Block *outer; ///< where the op will stand
  /// Stands there with the regions as long as they are written, since checks
  /// of ops in them look outwards.
  mlir::Operation *holder = nullptr;
};
} // namespace zenith::c

struct zenith_builder : zenith::c::Counted {
  explicit zenith_builder(zenith_context &context);

  zenith::c::Ref<zenith_context> context;
  std::shared_ptr<zenith::c::Program> program;
  mlir::OpBuilder builder;
  mlir::Location location;
  mlir::func::FuncOp function; ///< the open one
  bool hasOps = false;         ///< of it
  std::deque<zenith::c::OpenOp> open;
  std::vector<mlir::Value> values; ///< by number, from 1 on
  std::string typeText;
  int64_t calls = 0;
  bool isSpent = false;

  // The first error.
  zenith_code code = ZENITH_OK;
  zenith_reason reason = ZENITH_REASON_NONE;
  std::string message, place;

  /// A call: counts, does nothing after an error, and keeps what `call` gives.
  template <typename Call> void step(const std::string &name, Call call) {
    if (code != ZENITH_OK || isSpent)
      return;
    ++calls;
    zenith_status *status = zenith::c::guarded(call);
    if (!status)
      return;
    code = zenith_status_code(status);
    reason = zenith_status_reason(status);
    message = zenith_status_message(status);
    place = "call " + std::to_string(calls) + ": " + name;
    zenith_status_free(status);
  }

  /// The first result of a call; zeros all where it failed. Only now: callers
  /// may give the room of operands.
  zenith_value resultsOf(zenith_value *results, size_t count) const;
  zenith_value add(mlir::Value value);
  /// The value of a number that is visible here.
  zenith_status *find(zenith_value number, mlir::Value &value) const;
  zenith_status *find(const zenith_value *numbers, size_t count,
                      llvm::SmallVectorImpl<mlir::Value> &found) const;
  zenith_status *checkInFunction() const;
  /// Makes the op and checks it; the values of its results go to `results`.
  zenith_status *make(mlir::OperationState &state,
                      const char *const *resultTypes, zenith_value *results,
                      size_t resultCount);
  zenith_status *parseType(const char *text, mlir::Type &type) const;

private:
  zenith_status *resultTypesOf(mlir::OperationState &state,
                               const char *const *texts, size_t count);
};

#endif // ZENITH_FRONTENDS_C_BUILDER_BUILDER_H
