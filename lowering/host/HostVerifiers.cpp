// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints of attributes, programs and straight-line steps, as HostAttrs.td
// and HostOps.td number them.

#include "lowering/host/HostDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace zenith::host {

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

static bool isDims(ArrayAttr dims) {
  return llvm::all_of(dims, llvm::IsaPred<graph::DimAttr>);
}

//===- Attributes -----------------------------------------------------------===

LogicalResult BufferAttr::verify(EmitError emitError, BufferKind kind,
                                 int64_t index, graph::DimAttr offset) {
  if (index < 0)
    return emitError() << "buffer index: got " << index
                       << ", expected at least 0 (buffer_c1)";
  bool hasOffset = kind == BufferKind::arena || kind == BufferKind::derived ||
                   kind == BufferKind::file;
  if (!hasOffset && !offset.getExpr().isConstant(0))
    return emitError() << "buffer offset: got " << offset << " in a "
                       << stringifyEnum(kind) << ", expected 0 (buffer_c2)";
  return success();
}

LogicalResult ValueAttr::verify(EmitError emitError, StringRef name,
                                RankedTensorType type, ArrayAttr dims) {
  if (int64_t(dims.size()) != type.getRank() || !isDims(dims))
    return emitError() << "value dims: got " << dims << " of " << type
                       << ", expected one expression per dimension (value_c1)";
  for (auto [d, size] : llvm::enumerate(type.getShape()))
    if (!ShapedType::isDynamic(size) &&
        !graph::exprOf(dims[d]).isConstant(size))
      return emitError() << "value dims: got " << dims[d] << " for dimension "
                         << d << " of " << type << ", expected " << size
                         << " (value_c2)";
  return success();
}

LogicalResult ArgumentAttr::verify(EmitError emitError, BufferAttr buffer,
                                   ArrayAttr dims) {
  if (!isDims(dims))
    return emitError() << "argument dims: got " << dims
                       << ", expected dimension expressions (argument_c1)";
  return success();
}

LogicalResult OutcomeAttr::verify(EmitError emitError, BufferAttr buffer,
                                  ArrayAttr dims, graph::DimAttr bytes,
                                  BufferAttr second, bool allocated) {
  if (!isDims(dims))
    return emitError() << "outcome dims: got " << dims
                       << ", expected dimension expressions (outcome_c1)";
  bool isOwn = buffer.getKind() == BufferKind::slot ||
               buffer.getKind() == BufferKind::result;
  if (allocated && (second || !isOwn))
    return emitError() << "outcome buffer: got " << buffer
                       << (second ? " and a second one" : "")
                       << ", expected a slot or result alone for what is "
                          "allocated inside (outcome_c2)";
  return success();
}

/// The first buffer that names an argument or a result which the function
/// around `op` does not have; null where all exist.
static BufferAttr missingBuffer(Operation *op, ArrayAttr buffers) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  if (!function)
    return nullptr;
  for (auto buffer :
       llvm::make_filter_range(buffers, llvm::IsaPred<BufferAttr>)) {
    auto named = cast<BufferAttr>(buffer);
    int64_t index = named.getIndex();
    if ((named.getKind() == BufferKind::argument &&
         index >= function.getNumArguments()) ||
        (named.getKind() == BufferKind::result &&
         index >= function.getNumResults()))
      return named;
  }
  return nullptr;
}

/// Attributes that the plan phase leaves on ops of other dialects.
LogicalResult HostDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  auto expect = [&](bool holds, StringRef what) -> LogicalResult {
    if (holds)
      return success();
    return op->emitOpError()
           << name << ": got " << value << ", expected " << what;
  };
  if (name == arenaAttrName || name == activationsAttrName ||
      name == flopsAttrName || name == bytesAttrName)
    return expect(isa<graph::DimAttr>(value), "#graph.dim");
  if (name == nestedArenaAttrName)
    return expect(isa<BufferAttr>(value), "#host.buffer");
  if (name == deallocsAttrName || name == donationsAttrName ||
      name == inPlaceAttrName)
    return expect(isa<DenseI64ArrayAttr>(value), "an array of i64");
  auto buffers = dyn_cast<ArrayAttr>(value);
  if (BufferAttr missing = buffers ? missingBuffer(op, buffers) : nullptr)
    return op->emitOpError() << name << ": got " << missing
                             << ", which the function does not have";
  if (name == scratchAttrName)
    return expect(buffers && llvm::all_of(buffers, llvm::IsaPred<BufferAttr>),
                  "an array of #host.buffer");
  if (name == buffersAttrName)
    return expect(
        buffers && buffers.size() == op->getNumResults() &&
            llvm::all_of(buffers, llvm::IsaPred<BufferAttr, UnitAttr>),
        "#host.buffer or unit for each result");
  return success();
}

//===- Programs -------------------------------------------------------------===

static bool isScalarInteger(Type type) {
  return type.isInteger() && type.getIntOrFloatBitWidth() <= 64;
}

static LogicalResult verifyScalars(ProgramOp program) {
  std::optional<ArrayAttr> scalars = program.getScalars();
  if (!scalars)
    return success();
  ArrayAttr arguments = program.getArguments();
  if (scalars->size() != arguments.size())
    return program.emitOpError("scalars: got ")
           << scalars->size() << " names for " << arguments.size()
           << " arguments (program_c1)";
  for (auto [name, argument] : llvm::zip(*scalars, arguments)) {
    RankedTensorType type = cast<ValueAttr>(argument).getType();
    if (!cast<StringAttr>(name).empty() &&
        (type.getRank() != 0 || !isScalarInteger(type.getElementType())))
      return program.emitOpError("scalars: got ")
             << name << " for an argument of type " << type
             << ", expected a scalar of integers (program_c1)";
  }
  return success();
}

static LogicalResult verifyDonations(ProgramOp program) {
  std::optional<ArrayRef<int64_t>> pairs = program.getDonations();
  if (!pairs)
    return success();
  bool holds = pairs->size() % 2 == 0;
  for (auto [position, index] : llvm::enumerate(*pairs)) {
    ArrayAttr values =
        position % 2 ? program.getArguments() : program.getResults();
    holds &= index >= 0 && index < int64_t(values.size());
  }
  if (!holds)
    return program.emitOpError("donations: got [")
           << *pairs << "], expected pairs of a result and an argument that "
           << "exist (program_c2)";
  return success();
}

/// Buffers of the steps name arguments, results and constants that exist; what
/// inner programs find shared depends on who runs them (SharedScopes.h).
static LogicalResult verifyBuffers(ProgramOp program, Operation &step) {
  BufferAttr missing;
  step.getAttrDictionary().walk([&](BufferAttr buffer) {
    std::optional<size_t> count;
    if (buffer.getKind() == BufferKind::argument)
      count = program.getArguments().size();
    else if (buffer.getKind() == BufferKind::result)
      count = program.getResults().size();
    else if (buffer.getKind() == BufferKind::constant)
      count = program.getConstants().size();
    bool isShared = buffer.getKind() == BufferKind::shared;
    if ((count && size_t(buffer.getIndex()) >= *count) ||
        (isShared && !program.getInner()))
      missing = buffer;
  });
  if (missing)
    return step.emitOpError("buffer: got ")
           << missing << ", which the program does not have ("
           << (missing.getKind() == BufferKind::shared ? "program_c7"
                                                       : "program_c6")
           << ")";
  return success();
}

LogicalResult ProgramOp::verify() {
  if (failed(verifyScalars(*this)) || failed(verifyDonations(*this)))
    return failure();
  if (std::optional<DictionaryAttr> classes = getClasses())
    for (NamedAttribute part : *classes)
      if (!isa<graph::DimAttr>(part.getValue()))
        return emitOpError("classes: got ")
               << part.getValue() << " for " << part.getName()
               << ", expected #graph.dim (program_c3)";
  for (Attribute constant : getConstants())
    if (!isa<ElementsAttr>(constant))
      return emitOpError("constants: got ")
             << constant << ", expected elements (program_c4)";
  for (Operation &step : getBody().front()) {
    if (!isa<HostDialect>(step.getDialect()) ||
        isa<ProgramOp, BranchOp, LoopOp, SharedOp>(step))
      return step.emitOpError("is not a step of a program (program_c5)");
    if (failed(verifyBuffers(*this, step)))
      return failure();
  }
  return success();
}

//===- Steps ----------------------------------------------------------------===

LogicalResult LaunchOp::verify() {
  double cost = getCost().convertToDouble();
  if (!getCost().isFinite() || cost < 0)
    return emitOpError("cost: got ")
           << cost << ", expected a finite one that is not negative "
           << "(launch_c1)";
  size_t pointers = getPointers().size();
  std::optional<ArrayAttr> bytes = getPointerBytes();
  if (bytes ? bytes->size() != pointers : getHostOnly())
    return emitOpError("pointer_bytes: got ")
           << (bytes ? bytes->size() : 0) << " sizes for " << pointers
           << " pointers (launch_c2)";
  for (int64_t index : getWritten().value_or(ArrayRef<int64_t>()))
    if (index < 0 || index >= int64_t(pointers))
      return emitOpError("written: got ")
             << index << " of " << pointers << " pointers (launch_c3)";
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel = dyn_cast_or_null<FunctionOpInterface>(
      symbols.lookupNearestSymbolFrom(*this, getKernelAttr()));
  if (!kernel || getKernel().getRootReference() != kernelsModuleName)
    return emitOpError("kernel: got ")
           << getKernel() << ", expected a function of module @"
           << kernelsModuleName << " (launch_c4)";
  size_t expected = getPointers().size() + getSizes().size() + 2;
  if (kernel.getNumArguments() != expected)
    return emitOpError("kernel: got ")
           << kernel.getNumArguments() << " arguments of " << getKernel()
           << ", expected " << expected
           << ": the pointers, the sizes and the range of tasks (launch_c4)";
  return success();
}

static bool isReadOnly(BufferAttr buffer) {
  return buffer.getKind() == BufferKind::param ||
         buffer.getKind() == BufferKind::constant ||
         buffer.getKind() == BufferKind::shared;
}

BufferAttr bytesOfTransfer(CopyOp copy) {
  if (copy.getSource().getKind() == BufferKind::file)
    return copy.getTarget();
  return copy.getTarget().getKind() == BufferKind::file ? copy.getSource()
                                                        : BufferAttr();
}

LogicalResult CopyOp::verify() {
  if (isReadOnly(getTarget()))
    return emitOpError("target: got ")
           << getTarget() << ", expected memory that may be written (copy_c1)";
  auto program = cast<ProgramOp>((*this)->getParentOp());
  BufferAttr bytes = bytesOfTransfer(*this);
  if (!bytes || bytes.getKind() == BufferKind::arena)
    return success();
  bool isPassed = bytes.getKind() == BufferKind::argument ||
                  bytes.getKind() == BufferKind::result;
  if (!program.getInner() || !isPassed)
    return emitOpError("got ")
           << bytes << " beside the file, expected a part of the arena"
           << (program.getInner() ? ", an argument or a result" : "")
           << " (copy_c2)";
  return success();
}

LogicalResult AwaitOp::verify() {
  auto program = cast<ProgramOp>((*this)->getParentOp());
  uint64_t started = 0;
  BufferAttr last;
  for (Operation &step : llvm::make_range(program.getBody().front().begin(),
                                          Block::iterator(*this)))
    if (auto copy = dyn_cast<CopyOp>(step))
      if (BufferAttr bytes = bytesOfTransfer(copy);
          bytes && ++started == getCopies())
        last = bytes;
  if (last != getBuffer())
    return emitOpError("got copy ")
           << getCopies() << " of " << started << " with " << getBuffer()
           << ", expected the buffer of a copy that was started (await_c1)";
  return success();
}

LogicalResult ScalarOp::verify() {
  if (!isScalarInteger(getType()))
    return emitOpError("type: got ")
           << getType()
           << ", expected an integer of at most 64 bits (scalar_c1)";
  if (isReadOnly(getTarget()))
    return emitOpError("target: got ")
           << getTarget()
           << ", expected memory that may be written (scalar_c2)";
  return success();
}

LogicalResult AllocOp::verify() {
  if (getTarget().getKind() != BufferKind::slot &&
      getTarget().getKind() != BufferKind::result)
    return emitOpError("target: got ")
           << getTarget() << ", expected a slot or a result (alloc_c1)";
  if (!getReuses())
    return success();
  auto program = cast<ProgramOp>((*this)->getParentOp());
  int64_t index = getTarget().getIndex();
  if (getTarget().getKind() != BufferKind::result || !program.getInner() ||
      index >= int64_t(program.getArguments().size()))
    return emitOpError("reuses: got ")
           << getTarget()
           << ", expected a result of an inner program that has an argument of "
              "its index (alloc_c2)";
  return success();
}

/// True where `step` leaves memory in `slot`.
static bool allocates(Operation &step, int64_t slot) {
  auto isSlot = [&](BufferAttr buffer) {
    return buffer.getKind() == BufferKind::slot && buffer.getIndex() == slot;
  };
  if (auto alloc = dyn_cast<AllocOp>(step))
    return isSlot(alloc.getTarget());
  bool found = false;
  step.getAttrDictionary().walk([&](OutcomeAttr outcome) {
    found |= outcome.getAllocated() && isSlot(outcome.getBuffer());
  });
  return found;
}

LogicalResult DeallocOp::verify() {
  for (Operation *step = (*this)->getPrevNode(); step;
       step = step->getPrevNode()) {
    if (allocates(*step, getSlot()))
      return success();
    auto earlier = dyn_cast<DeallocOp>(step);
    if (earlier && earlier.getSlot() == getSlot())
      break;
  }
  return emitOpError("slot: got ")
         << getSlot() << ", which no earlier step allocates (dealloc_c1)";
}

LogicalResult FetchOp::verify() {
  if (getSymbol().empty())
    return emitOpError("symbol: got an empty one (fetch_c1)");
  if (!isScalarInteger(getType()))
    return emitOpError("type: got ")
           << getType()
           << ", expected an integer of at most 64 bits (fetch_c2)";
  return success();
}

/// Inputs of an op that the host computes; none for other ops.
static std::optional<size_t> inputCount(StringRef opcode) {
  if (opcode.consume_front("compare."))
    return graph::symbolizeCompareDirection(opcode) ? std::optional<size_t>(2)
                                                    : std::nullopt;
  return llvm::StringSwitch<std::optional<size_t>>(opcode)
      .Cases("add", "sub", "mul", "max", "min", 2)
      .Cases("div", "rem", "floor_mod", 2)
      .Cases("and", "or", "xor", 2)
      .Cases("not", "neg", "abs", "sign", "convert", 1)
      .Case("select", 3)
      .Default(std::nullopt);
}

LogicalResult EvalOp::verify() {
  if (getSymbol().empty())
    return emitOpError("symbol: got an empty one (eval_c1)");
  std::optional<size_t> count = inputCount(getOpcode());
  if (!count)
    return emitOpError("opcode: got \"")
           << getOpcode() << "\", which the host does not compute (eval_c2)";
  if (*count != getInputs().size())
    return emitOpError("inputs: got ")
           << getInputs().size() << ", expected " << *count << " for \""
           << getOpcode() << "\" (eval_c2)";
  for (Type type : {getFrom(), getType()})
    if (!isScalarInteger(type))
      return emitOpError("type: got ")
             << type << ", expected an integer of at most 64 bits (eval_c3)";
  return success();
}

LogicalResult GuardOp::verify() {
  if (getMessage().empty())
    return emitOpError("message: got an empty one (guard_c1)");
  return success();
}

LogicalResult YieldOp::verify() {
  auto program = cast<ProgramOp>((*this)->getParentOp());
  if (getValues().size() != program.getResults().size())
    return emitOpError("values: got ")
           << getValues().size() << " for " << program.getResults().size()
           << " results (yield_c1)";
  for (auto [value, result] :
       llvm::zip(getValues(), program.getResults().getAsRange<ValueAttr>())) {
    auto extents = dyn_cast<ArrayAttr>(value);
    bool holds =
        extents ? isDims(extents) && extents.size() == result.getDims().size()
                : isa<graph::DimAttr, UnitAttr>(value);
    if (!holds)
      return emitOpError("values: got ")
             << value << " for " << result.getType()
             << ", expected an expression, one per dimension, or unit "
             << "(yield_c2)";
  }
  if ((*this)->getNextNode())
    return emitOpError("is followed by another step (yield_c3)");
  return success();
}

} // namespace zenith::host
