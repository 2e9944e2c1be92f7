// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fourier (FFT): lines along the last dimension first, then along the others in
// place; where the result is real, the others first.

#include "lowering/elements/ElementCodes.h"
#include "lowering/routines/RoutineCall.h"
#include "lowering/routines/RoutineKernels.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using zenith::graph::DimExpr;
using Kind = zenith::graph::FourierKind;

namespace zenith::kernels {

namespace {
using Arguments = zenith_fourier_arguments;

/// The plan of one transform.
class FourierPlan {
public:
  FourierPlan(graph::FourierOp op, graph::DimAnalysis &dims)
      : op(op), lengths(op.getLength()), real(op.getKind() == Kind::c2r),
        inverse(real || op.getKind() == Kind::c2c_inverse) {
    const graph::DimVector shape = dims.dimsOf(op.getOperand());
    batch = 1;
    for (const DimExpr &size : ArrayRef(shape).drop_back(lengths.size()))
      batch = batch * size;
    spectrum.assign(lengths.begin(), lengths.end());
    if (real || op.getKind() == Kind::r2c)
      spectrum.back() = lengths.back() / 2 + 1;
  }

  /// Distinct lengths: each has a table, in the scratch buffer of its index.
  SmallVector<int64_t> distinct() const {
    SmallVector<int64_t> found;
    for (int64_t length : lengths)
      if (!llvm::is_contained(found, length))
        found.push_back(length);
    return found;
  }
  /// The length of the padded convolution (Bluestein); 0 where all factors are
  /// small.
  static int64_t convolution(int64_t length) {
    constexpr int64_t mostFactor = 31;
    int64_t rest = length;
    for (int64_t factor = 2; factor <= mostFactor; ++factor)
      while (rest > 1 && rest % factor == 0)
        rest /= factor;
    return rest <= 1 ? 0 : int64_t(llvm::bit_ceil(uint64_t(2 * length - 1)));
  }
  DimExpr lines(unsigned dim) const {
    DimExpr count = batch;
    for (auto [d, size] : llvm::enumerate(spectrum))
      if (d != dim)
        count = count * size;
    return count;
  }
  DimExpr slots(unsigned dim) const {
    int64_t length = lengths[dim];
    DimExpr count = DimExpr::min(slotsFor(lines(dim), 50 * double(length)), 32);
    return length > (1 << 16) ? DimExpr::min(count, 4) : count;
  }
  bool isEmpty() const {
    return llvm::is_contained(lengths, 0) || llvm::is_contained(spectrum, 0);
  }
  SmallVector<DimExpr> scratch() const;
  FailureOr<KernelPlan> emit(const EmissionContext &context);

private:
  unsigned workBuffer() const { return distinct().size(); }
  FailureOr<Launch> emitTable(const EmissionContext &context, unsigned number);
  FailureOr<Launch> emitPass(const EmissionContext &context, unsigned dim,
                             bool firstPass);

  graph::FourierOp op;
  ArrayRef<int64_t> lengths;
  bool real, inverse;
  DimExpr batch;
  /// Sizes of the transformed dimensions where elements are complex.
  SmallVector<int64_t> spectrum;
};
} // namespace

SmallVector<DimExpr> FourierPlan::scratch() const {
  SmallVector<DimExpr> bytes;
  for (int64_t length : distinct())
    bytes.push_back(runtime::fourierTableBytes(length, convolution(length)));
  // Passes follow each other: one buffer is enough for all.
  DimExpr work = 0;
  for (unsigned dim = 0; dim < lengths.size(); ++dim)
    work = DimExpr::max(work, slots(dim) *
                                  runtime::fourierSlotBytes(
                                      lengths[dim], convolution(lengths[dim])));
  bytes.push_back(work);
  if (real && lengths.size() > 1) {
    int64_t each = elementBytesOf(op->getOperand(0));
    for (int64_t size : spectrum)
      each *= size;
    bytes.push_back(batch * each);
  }
  return bytes;
}

FailureOr<Launch> FourierPlan::emitTable(const EmissionContext &context,
                                         unsigned number) {
  int64_t length = distinct()[number];
  RoutineCall<Arguments> call(context, "fourier_table",
                              "_table" + std::to_string(number));
  call.set(&Arguments::length, length);
  call.set(&Arguments::inverse, int64_t(inverse));
  call.set(&Arguments::convolution, convolution(length));
  call.set(&Arguments::table, call.scratch(number));
  return call.finish(1, 50.0 * double(std::max(length, convolution(length))));
}

FailureOr<Launch> FourierPlan::emitPass(const EmissionContext &context,
                                        unsigned dim, bool firstPass) {
  unsigned last = lengths.size() - 1;
  bool toReal = real && dim == last;
  // Between passes: the result, or scratch where the result is real.
  bool throughScratch = real && last > 0;
  unsigned between = workBuffer() + 1;
  Type complexType = getElementTypeOrSelf(real ? op.getOperand().getType()
                                               : op.getResult().getType());
  int64_t length = lengths[dim];
  DimExpr distance = 1;
  for (int64_t size : ArrayRef(spectrum).drop_front(dim + 1))
    distance = distance * size;
  Type inputType = getElementTypeOrSelf(op.getOperand().getType()),
       resultType = getElementTypeOrSelf(op.getResult().getType());
  RoutineCall<Arguments> call(context, "fourier",
                              "_pass" + std::to_string(dim));
  call.set(&Arguments::input_dtype,
           elementCode(firstPass ? inputType : complexType));
  call.set(&Arguments::result_dtype,
           elementCode(toReal ? resultType : complexType));
  call.set(&Arguments::length, length);
  call.set(&Arguments::convolution, convolution(length));
  call.set(&Arguments::lines, lines(dim));
  call.set(&Arguments::distance, distance);
  call.set(&Arguments::input_length,
           firstPass && !real ? length : spectrum[dim]);
  call.set(&Arguments::result_length, toReal ? length : spectrum[dim]);
  call.set(&Arguments::hermitian, int64_t(toReal));
  call.set(&Arguments::divisor, inverse ? length : 1);
  call.set(&Arguments::slots, slots(dim));
  call.set(&Arguments::inverse, int64_t(inverse));
  Value memory =
      throughScratch ? call.scratch(between) : call.result(op.getResult());
  call.set(&Arguments::input,
           firstPass ? call.operand(op.getOperand()) : memory);
  call.set(&Arguments::result, toReal ? call.result(op.getResult()) : memory);
  SmallVector<int64_t> tables = distinct();
  call.set(&Arguments::table,
           call.scratch(llvm::find(tables, length) - tables.begin()));
  call.set(&Arguments::scratch, call.scratch(workBuffer()));
  double each =
      double(lines(dim).constant().value_or(64)) /
      double(std::max<int64_t>(1, slots(dim).constant().value_or(32)));
  return call.finish(slots(dim), each * 50 * double(length));
}

FailureOr<KernelPlan> FourierPlan::emit(const EmissionContext &context) {
  KernelPlan plan;
  auto add = [&](FailureOr<Launch> launch) {
    if (failed(launch))
      return false;
    plan.launches.push_back(std::move(*launch));
    return true;
  };
  if (isEmpty())
    return plan;
  for (unsigned number = 0; number < distinct().size(); ++number)
    if (!add(emitTable(context, number)))
      return failure();
  unsigned rank = lengths.size();
  SmallVector<unsigned> order;
  for (unsigned dim = 0; dim + 1 < rank; ++dim)
    order.push_back(dim);
  order.insert(real ? order.end() : order.begin(), rank - 1);
  for (auto [number, dim] : llvm::enumerate(order))
    if (!add(emitPass(context, dim, number == 0)))
      return failure();
  return plan;
}

SmallVector<DimExpr> fourierScratch(graph::FourierOp op,
                                    graph::DimAnalysis &dims) {
  return FourierPlan(op, dims).scratch();
}

FailureOr<KernelPlan> emitFourier(const EmissionContext &context,
                                  graph::FourierOp op) {
  return FourierPlan(op, context.dims).emit(context);
}

} // namespace zenith::kernels
