// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled program, or one for the interpreter, and what callers can ask it.

#ifndef ZENITH_FRONTENDS_C_EXECUTABLE_H
#define ZENITH_FRONTENDS_C_EXECUTABLE_H

#include "frontends/c/Module.h"
#include "lowering/pipeline/Compile.h"

namespace zenith::c {

/// An argument, result or parameter with the texts that getters lend.
struct Value {
  std::string name;
  zenith_dtype dtype = 0;
  std::vector<int64_t> dims; ///< -1 = dynamic
  std::vector<graph::DimExpr> exprs;
  std::vector<std::string> texts;
  std::vector<const char *> textPointers;
  bool hasDefault = false, isDonatable = false;
  /// False where a dimension depends on data.
  bool isKnown = true;
};

/// A dimension of a run: a constant, a named dimension, or an expression.
struct DimRule {
  enum Kind { Constant, Symbol, Expression } kind = Constant;
  int64_t value = 0; ///< constant, or number of the symbol
};

struct Entry {
  const pipeline::EntryInfo *info = nullptr;
  std::vector<Value> inputs, outputs;
  std::vector<std::string> symbols; ///< named dimensions, of inputs first
  std::vector<std::vector<DimRule>> inputRules, outputRules;
};

} // namespace zenith::c

struct zenith_executable : zenith::c::Counted {
  zenith_executable(zenith_context &context) : context(&context) {}
  zenith::c::Ref<zenith_context> context;
  std::shared_ptr<const zenith::pipeline::Executable> program;
  /// What the interpreter runs; null for compiled programs.
  std::shared_ptr<zenith::c::Program> interpreted;
  std::string target; ///< of the code, as CPUTarget parses it
  std::string folder; ///< where relative paths of parameters start
  int64_t maxMemory = 0;
  std::vector<zenith::c::Entry> entries;
  std::vector<zenith::c::Value> parameters;
  std::vector<std::string> remarks; ///< each as JSON
  zenith::pipeline::CompileTimes times;

  /// Null where there is no such entry; without a name the only one, else
  /// "main".
  const zenith::c::Entry *find(const char *name) const;
  /// Why find() gave null.
  zenith_status *unknownEntry(const char *name) const;
};

void release(zenith_executable *executable) noexcept;

namespace zenith::c {

/// Fills entries and parameters from the program.
void describeValues(zenith_executable &executable);

/// Bytes of a formula under sizes of the entry's symbols; -1 where it depends
/// on data.
int64_t evaluate(const graph::DimExpr &expr, const Entry &entry,
                 llvm::ArrayRef<int64_t> sizes);

/// What a run with these sizes runs, under the budget of the executable.
const pipeline::EntryPlan &planFor(const zenith_executable &executable,
                                   const Entry &entry,
                                   llvm::ArrayRef<int64_t> sizes);

/// Arena and results of one run of a plan; -1 where data decides.
int64_t peakBytes(const pipeline::EntryPlan &plan, const Entry &entry,
                  llvm::ArrayRef<int64_t> sizes);

/// The description of a module that the interpreter runs.
std::shared_ptr<pipeline::Executable>
describeInterpreted(mlir::ModuleOp module);

} // namespace zenith::c

#endif // ZENITH_FRONTENDS_C_EXECUTABLE_H
