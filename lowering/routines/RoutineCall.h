// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel whose body is a call of a routine of the runtime
// (runtime/routines/Routines.h): its arguments are a struct on the stack, which
// is filled by the names of its fields (runtime/RoutineArguments.h).

#ifndef ZENITH_LOWERING_ROUTINES_ROUTINECALL_H
#define ZENITH_LOWERING_ROUTINES_ROUTINECALL_H

#include "lowering/builder/EmissionContext.h"
#include "lowering/builder/KernelBuilder.h"
#include "runtime/RoutineArguments.h"
#include "runtime/RoutineScratch.h"
#include <initializer_list>
#include <type_traits>
#include <utility>

namespace zenith::kernels {

class ElementEmitter;

/// The words of a C struct all of whose fields are one word; those that are not
/// set are 0.
template <typename Struct> class StructWords {
public:
  StructWords() : words(sizeof(Struct) / sizeof(int64_t)) {}

  /// Memory, an address as an index, or an index; null stands for 0.
  template <typename Field> void set(Field Struct::*field, mlir::Value value) {
    static_assert(sizeof(Field) == sizeof(int64_t));
    Struct layout{};
    auto *begin = reinterpret_cast<const char *>(&layout);
    auto *at = reinterpret_cast<const char *>(&(layout.*field));
    words[size_t(at - begin) / sizeof(int64_t)] = value;
  }
  llvm::ArrayRef<mlir::Value> get() const { return words; }

private:
  static_assert(std::is_standard_layout_v<Struct> &&
                sizeof(Struct) % sizeof(int64_t) == 0);
  llvm::SmallVector<mlir::Value> words;
};

/// What does not depend on the routine: the kernel and the values that fields
/// take. A null value is a null pointer.
class RoutineKernel {
public:
  KernelBuilder kernel;

  /// Memory of a value of the body.
  mlir::Value operand(mlir::Value value);
  /// Memory of the result that `value` is yielded as; null where it is not.
  mlir::Value result(mlir::Value value);
  mlir::Value scratch(unsigned index);
  /// The bits of a scalar of the body.
  mlir::Value bits(mlir::Value scalar);
  /// Code of a value's element type.
  mlir::Value dtype(mlir::Value value);
  mlir::Value number(int64_t value) { return kernel.index(value); }
  mlir::Value number(const graph::DimExpr &value) { return kernel.size(value); }
  /// The address of an array of the words.
  mlir::Value array(llvm::ArrayRef<mlir::Value> words);

protected:
  RoutineKernel(const EmissionContext &context, llvm::StringRef routine,
                llvm::StringRef suffix);
  mlir::FailureOr<Launch> finish(mlir::Value arguments, graph::DimExpr tasks,
                                 double costPerTask);

private:
  std::string routine;
  bool failed = false;
};

/// A call with a struct of `Arguments`, whose struct_size it sets.
template <typename Arguments> class RoutineCall : public RoutineKernel {
public:
  /// A kernel of the fusion; `suffix` tells several of one fusion apart.
  RoutineCall(const EmissionContext &context, llvm::StringRef routine,
              llvm::StringRef suffix = "")
      : RoutineKernel(context, routine, suffix) {
    set(&Arguments::struct_size, int64_t(sizeof(Arguments)));
  }

  template <typename Field> void set(Field Arguments::*field, mlir::Value v) {
    words.set(field, v);
  }
  template <typename Field> void set(Field Arguments::*field, int64_t value) {
    words.set(field, number(value));
  }
  template <typename Field>
  void set(Field Arguments::*field, const graph::DimExpr &value) {
    words.set(field, number(value));
  }
  void
  set(std::initializer_list<std::pair<int64_t Arguments::*, graph::DimExpr>>
          sizes) {
    for (const auto &[field, value] : sizes)
      set(field, value);
  }
  template <typename Field>
  void set(Field Arguments::*field, llvm::ArrayRef<mlir::Value> values) {
    words.set(field, array(values));
  }

  /// Calls, and ends the kernel. Fails where an operand is not in memory.
  mlir::FailureOr<Launch> finish(graph::DimExpr tasks, double costPerTask) {
    return RoutineKernel::finish(array(words.get()), std::move(tasks),
                                 costPerTask);
  }

private:
  StructWords<Arguments> words;
};

/// A call of one of several steps of an op: of routine OP_STEP.
template <typename Arguments>
RoutineCall<Arguments> stepCall(const EmissionContext &context,
                                llvm::StringRef op, llvm::StringRef step) {
  return RoutineCall<Arguments>(context, (op + "_" + step).str(),
                                ("_" + step).str());
}

/// The plan, with a last launch of one task that adds up what slots counted
/// into the result `count`.
template <typename Arguments>
mlir::FailureOr<KernelPlan>
endWithSum(KernelPlan plan, RoutineCall<Arguments> sum, mlir::Value count) {
  constexpr double cost = 100;
  sum.set(&Arguments::count, sum.result(count));
  if (!addLaunch(plan, sum.finish(1, cost)))
    return mlir::failure();
  return plan;
}

/// A zenith_inner_kernel for a kernel whose scratch buffers `written` and
/// `read` the routine provides; a null value and a diagnostic where it has too
/// many pointers.
mlir::Value innerKernel(RoutineKernel &call, const Launch &launch,
                        unsigned written, unsigned read);

/// Bytes of an element in memory.
int64_t elementBytesOf(mlir::Value value);

/// Elements of a value as rows along dimension `dim`, divided among slots.
struct RowLayout {
  RowLayout(graph::DimAnalysis &dims, mlir::Value value, int64_t dim);
  graph::DimExpr rows, length, distance, slots;
};

/// Slots for `count` units of work of `cost` each: enough to share, few enough
/// to be worth a task.
graph::DimExpr slotsFor(const graph::DimExpr &count, double cost);
/// Units of work of a slot, or how many are usual where only a run knows.
double unitsOfSlot(const graph::DimExpr &count, const graph::DimExpr &slots);

/// Exact bytes of each result of a fusion, with `bound` in place of dimensions
/// that depend on data.
llvm::SmallVector<graph::DimExpr> resultBytes(graph::FusionOp fusion,
                                              graph::DimAnalysis &dims,
                                              const graph::DimExpr &bound);

/// Says that dimension 0 of the first of `results` that is yielded is count 0,
/// at most `bound`, and gives the pointer to the count; null where none is.
mlir::Value countDataRows(RoutineKernel &call, KernelPlan &plan,
                          mlir::ValueRange results,
                          const EmissionContext &context,
                          const graph::DimExpr &bound);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_ROUTINES_ROUTINECALL_H
