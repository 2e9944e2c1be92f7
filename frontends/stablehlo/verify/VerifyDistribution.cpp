// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints of StableHLO ops between devices and with the host.

#include "frontends/stablehlo/verify/VerifyChecks.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

// Groups over mesh axes name a mesh of the module.
static LogicalResult checkMesh(Operation *op) {
  auto text = dyn_cast_or_null<TextAttr>(op->getAttr("replica_groups"));
  if (!text)
    return success();
  llvm::StringRef spec = text.getText();
  size_t at = spec.contains("axis_ref") ? spec.find('@') : spec.npos;
  if (at == llvm::StringRef::npos)
    return success();
  llvm::StringRef name = spec.drop_front(at + 1).take_while([](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$' || c == '-';
  });
  if (!SymbolTable::lookupNearestSymbolFrom(
          op, StringAttr::get(op->getContext(), name)))
    return op->emitOpError("replica_groups: mesh symbol '")
           << name << "' not found";
  return success();
}

static LogicalResult checkGroups(Operation *op, bool sameSize,
                                 std::optional<int64_t> size = std::nullopt) {
  bool global = bool(op->getAttr("use_global_device_ids"));
  if (failed(checkMesh(op)))
    return failure();
  return checkReplicaGroups(op, sameSize, global, size);
}

static int64_t channelOf(Operation *op) {
  auto channel = op->getAttrOfType<ChannelHandleAttr>("channel_handle");
  return channel ? channel.getHandle() : 0;
}

// Devices are counted globally only with a channel.
static LogicalResult checkGlobalIds(Operation *op) {
  if (op->getAttr("use_global_device_ids") && channelOf(op) <= 0)
    return op->emitOpError("channel_id must be positive when "
                           "useGlobalDeviceIds is set but got: ")
           << channelOf(op);
  return success();
}

// all_gather_c1 to all_gather_c6
static LogicalResult checkAllGather(Operation *op) {
  int64_t dim = integerOf(op, "all_gather_dim");
  if (failed(checkAtLeast(op, "all_gather_dim", 0)))
    return failure();
  if (op->getNumOperands() == 0)
    return op->emitOpError("must have have at least one operand");
  if (op->getNumOperands() != op->getNumResults())
    return op->emitOpError("requires the same number of operands and results");
  if (op->getAttr("use_global_device_ids") && channelOf(op) < 0)
    return op->emitOpError(
        "channel_id cannot be negative when useGlobalDeviceIds is set");
  if (failed(checkGroups(op, true)))
    return failure();
  for (auto [operand, result] :
       llvm::zip(op->getOperands(), op->getResults())) {
    RankedTensorType from = tensorOf(operand), to = tensorOf(result);
    if (dim >= from.getRank())
      return op->emitOpError("all_gather_dim must be a valid index of operand");
    if (!elementsAgree(from, to))
      return op->emitOpError("requires the same element type for all operands "
                             "and results");
    if (from.getRank() != to.getRank())
      return op->emitOpError("operand and result must have the same rank");
    for (int64_t i = 0; i < from.getRank(); ++i)
      if (i != dim && !dimsAgree(from.getDimSize(i), to.getDimSize(i)))
        return op->emitOpError("operand and result should have the same shape "
                               "except for the dimension size at "
                               "'all_gather_dim'");
    int64_t m = from.getDimSize(dim), n = to.getDimSize(dim);
    if (ShapedType::isDynamic(m) || ShapedType::isDynamic(n))
      continue;
    if (m == 0)
      return op->emitOpError("dimension size of operand at 'all_gather_dim' "
                             "cannot be zero");
    if (n % m)
      return op->emitOpError("result gather dimension has size ")
             << n << ", expected to be a multiple of operand gather dimension "
             << "size " << m;
  }
  return success();
}

// The region reduces scalars of each operand; results may be wider.
static LogicalResult checkReduceRegion(Operation *op, Value operand,
                                       Region &region) {
  RankedTensorType type = tensorOf(operand);
  RankedTensorType init = RankedTensorType::get({}, type.getElementType());
  return checkReducer(op, region, type, init, {});
}

static LogicalResult checkAllReduce(Operation *op) {
  if (op->getNumOperands() == 0)
    return op->emitOpError("must have have at least one operand");
  if (op->getNumOperands() != op->getNumResults())
    return op->emitOpError("requires the same number of operands and results");
  if (failed(checkGroups(op, false)) || failed(checkGlobalIds(op)))
    return failure();
  SmallVector<Type> inferred;
  for (Value operand : op->getOperands()) {
    if (failed(checkReduceRegion(op, operand, op->getRegion(0))))
      return failure();
    inferred.push_back(tensorOf(operand).clone(
        getElementTypeOrSelf(returnTypes(op->getRegion(0))->front())));
  }
  return checkResults(op, inferred);
}

// reduce_scatter_c1 to reduce_scatter_c9
static LogicalResult checkReduceScatter(Operation *op) {
  RankedTensorType operand = tensorOf(op->getOperand(0)),
                   result = tensorOf(op->getResult(0));
  if (failed(checkAtLeast(op, "scatter_dimension", 0)) ||
      failed(checkGroups(op, true)))
    return failure();
  int64_t dim = integerOf(op, "scatter_dimension");
  if (operand.getRank() != result.getRank())
    return op->emitOpError("operand and result should have same rank");
  if (dim >= operand.getRank())
    return op->emitOpError("scatter dim should be less than operand/result "
                           "rank");
  if (failed(checkGlobalIds(op)))
    return failure();
  int64_t m = operand.getDimSize(dim), n = result.getDimSize(dim);
  if (m == 0)
    return op->emitOpError("operand dimension size at scatter_dimension cannot "
                           "be zero");
  if (n == 0)
    return op->emitOpError("result dimension size at scatter_dimension cannot "
                           "be zero");
  if (!ShapedType::isDynamic(m) && !ShapedType::isDynamic(n) && m % n)
    return op->emitOpError("operand scatter dimension has size ")
           << m << ", expected to be a multiple of result scatter dimension "
           << "size " << n;
  for (int64_t i = 0; i < operand.getRank(); ++i)
    if (i != dim && !dimsAgree(operand.getDimSize(i), result.getDimSize(i)))
      return op->emitOpError("non scatter dimensions should be same for "
                             "operand (")
             << operand.getDimSize(i) << ") and result ("
             << result.getDimSize(i) << ")";
  if (failed(checkReduceRegion(op, op->getOperand(0), op->getRegion(0))))
    return failure();
  return checkResults(op, Type(result.clone(getElementTypeOrSelf(
                              returnTypes(op->getRegion(0))->front()))));
}

// all_to_all_c1 to all_to_all_c9
static LogicalResult checkAllToAll(Operation *op) {
  for (llvm::StringRef name : {"split_dimension", "concat_dimension"})
    if (failed(checkAtLeast(op, name, 0)))
      return failure();
  if (failed(checkAtLeast(op, "split_count", 1)))
    return failure();
  if (op->getNumOperands() == 0)
    return op->emitOpError("must have have at least one operand");
  if (op->getNumOperands() != op->getNumResults())
    return op->emitOpError("requires the same number of operands and results");
  for (auto [i, pair] :
       llvm::enumerate(llvm::zip(op->getOperandTypes(), op->getResultTypes())))
    if (!elementsAgree(std::get<0>(pair), std::get<1>(pair)))
      return op->emitOpError("requires the same element type for operand and "
                             "result at index ")
             << i;
  int64_t split = integerOf(op, "split_dimension"),
          concat = integerOf(op, "concat_dimension"),
          count = integerOf(op, "split_count");
  if (failed(checkGroups(op, true, count)))
    return failure();
  SmallVector<Type> inferred;
  for (RankedTensorType type : tensorsOf(op->getOperands())) {
    for (auto [name, dim] :
         {std::pair<llvm::StringRef, int64_t>{"split_dimension", split},
          {"concat_dimension", concat}})
      if (dim >= type.getRank())
        return op->emitOpError("AllToAll ")
               << name << " " << dim << " is out-of-bounds for input rank "
               << type.getRank();
    Integers dims(type.getShape());
    if (!ShapedType::isDynamic(dims[split])) {
      if (dims[split] % count)
        return op->emitOpError("split dimension has size ")
               << dims[split] << ", expected to be a multiple of split_count "
               << count;
      dims[split] /= count;
    }
    dims[concat] = productOf(dims[concat], count);
    inferred.push_back(RankedTensorType::get(dims, type.getElementType()));
  }
  return checkResults(op, inferred);
}

// collective_permute_c1 to collective_permute_c5
static LogicalResult checkPermute(Operation *op) {
  auto pairs = op->getAttrOfType<DenseIntElementsAttr>("source_target_pairs");
  llvm::ArrayRef<int64_t> shape = pairs.getShapedType().getShape();
  if (shape.size() != 2)
    return op->emitOpError("expect source_target_pairs attribute to be of rank "
                           "2, but got rank ")
           << shape.size();
  if (shape[1] != 2)
    return op->emitOpError("expect source_target_pairs attribute of shape (N, "
                           "2), but got (")
           << listText(shape) << ")";
  Integers list = integersOf(op, "source_target_pairs"), sides[2];
  for (auto [i, id] : llvm::enumerate(list)) {
    if (id < 0)
      return op->emitOpError(
          "replica ids in source_target_pairs must be >= 0.");
    sides[i % 2].push_back(id);
  }
  for (unsigned i : {0u, 1u})
    if (hasDuplicates(sides[i]))
      return op->emitOpError("duplicate ")
             << (i ? "targets" : "sources") << " not allowed.";
  return checkResults(op, op->getOperand(0).getType());
}

// The last operand names the sender of each other one.
static FailureOr<ValueRange> dataOperands(Operation *op) {
  llvm::StringRef name = op->getName().stripDialect();
  ValueRange operands = op->getOperands();
  Attribute flag = op->getAttr("has_dynamic_root");
  auto boolean = dyn_cast_or_null<BoolAttr>(flag);
  bool dynamic = flag && (!boolean || boolean.getValue());
  if (!dynamic) {
    if (operands.empty())
      return op->emitOpError() << name << " requires at least one data operand";
    return operands;
  }
  if (operands.size() < 2)
    return op->emitOpError() << name
                             << " with has_dynamic_root=true requires at least "
                                "two operands (data + root)";
  RankedTensorType root = tensorOf(operands.back());
  if (root.getRank() != 1 || !root.getElementType().isSignlessInteger(32))
    return op->emitOpError("last operand of ")
           << name << " with has_dynamic_root=true must be a rank-1 i32 tensor";
  int64_t count = operands.size() - 1;
  if (!dimsAgree(root.getDimSize(0), count))
    return op->emitOpError("last operand of ")
           << name
           << " with has_dynamic_root=true must have the same number of "
              "elements as data operands ("
           << count << "), but got " << root.getDimSize(0);
  return operands.drop_back();
}

static LogicalResult checkCollectiveBroadcast(Operation *op) {
  FailureOr<ValueRange> data = dataOperands(op);
  if (failed(data) || failed(checkGroups(op, true)))
    return failure();
  return checkResults(op, llvm::to_vector(TypeRange(*data)));
}

static LogicalResult checkCollectiveReduce(Operation *op) {
  FailureOr<ValueRange> data = dataOperands(op);
  if (failed(data) || failed(checkGroups(op, false)) ||
      failed(checkGlobalIds(op)))
    return failure();
  SmallVector<Type> inferred;
  for (Value operand : *data) {
    if (failed(checkReduceRegion(op, operand, op->getRegion(0))))
      return failure();
    inferred.push_back(tensorOf(operand).clone(
        getElementTypeOrSelf(returnTypes(op->getRegion(0))->front())));
  }
  return checkResults(op, inferred);
}

// infeed_c1 to infeed_c3 and recv_c2 to recv_c3: tensors, then a token.
static LogicalResult checkReceived(Operation *op) {
  TypeRange types = op->getResultTypes();
  if (types.empty())
    return op->emitOpError("result is expected to be at least of size 1, but "
                           "got ")
           << types.size();
  if (!isa<TokenType>(types.back()))
    return op->emitOpError("last element of result types is expected to be of "
                           "token type, but got ")
           << types.back();
  for (Type type : types.drop_back())
    if (!isa<TensorType>(type))
      return op->emitOpError("all elements of result types, except the last "
                             "element, are expected to be of tensor type, but "
                             "got ")
             << type;
  auto layout = op->getAttrOfType<ArrayAttr>("layout");
  if (!layout)
    return success();
  if (layout.size() != types.size() - 1)
    return op->emitOpError("layout-attribute size must be ")
           << types.size() - 1
           << " (which is the number of op-results - 1 (for token result)), "
              "but got "
           << layout.size();
  for (Attribute child : layout) {
    auto list = dyn_cast<ArrayAttr>(child);
    if (!list)
      return op->emitOpError("layout-attribute expected to have elements of "
                             "type array, but got ")
             << child;
    for (Attribute leaf : list)
      if (!isa<IntegerAttr>(leaf))
        return op->emitOpError("layout-attribute's leaf elements are expected "
                               "to be of type integer, but got ")
               << leaf;
  }
  return success();
}

// send_c1, recv_c1: the channel's type says who talks to whom.
static LogicalResult checkChannelType(Operation *op) {
  auto channel = op->getAttrOfType<ChannelHandleAttr>("channel_handle");
  auto host = op->getAttrOfType<BoolAttr>("is_host_transfer");
  bool send = op->getName().stripDialect() == "send";
  int64_t wanted = !host || !host.getValue() ? 1 : send ? 2 : 3;
  if (channel && channel.getType() != wanted)
    return op->emitOpError("channel_type should be ")
           << (wanted == 1   ? "DEVICE_TO_DEVICE"
               : wanted == 2 ? "DEVICE_TO_HOST"
                             : "HOST_TO_DEVICE")
           << " when is_host_transfer is " << (wanted == 1 ? "false" : "true");
  return send ? success() : checkReceived(op);
}

static LogicalResult checkAsyncStart(Operation *op) {
  Block &block = op->getRegion(0).front();
  static constexpr llvm::StringLiteral allowed[] = {"all_gather",
                                                    "all_reduce",
                                                    "all_to_all",
                                                    "reduce_scatter",
                                                    "collective_permute",
                                                    "collective_broadcast",
                                                    "slice",
                                                    "dynamic_slice",
                                                    "dynamic_update_slice",
                                                    "collective_reduce"};
  if (block.getOperations().size() != 2 ||
      !llvm::is_contained(allowed, block.front().getName().stripDialect()))
    return op->emitOpError("region must contain a collective or slice "
                           "operation");
  if (op->getNumOperands() != block.getNumArguments())
    return op->emitOpError("number of operands (")
           << op->getNumOperands()
           << ") must match number of region arguments ("
           << block.getNumArguments() << ")";
  for (BlockArgument argument : block.getArguments()) {
    Type type = op->getOperand(argument.getArgNumber()).getType();
    if (type != argument.getType())
      return op->emitOpError("operand type ")
             << type << " at index " << argument.getArgNumber()
             << " must match region argument type " << argument.getType();
  }
  SmallVector<Type> types =
      llvm::to_vector(returnTypes(op->getRegion(0)).value_or(TypeRange()));
  return checkResults(op, Type(FutureType::get(op->getContext(), types)));
}

static LogicalResult checkAsyncDone(Operation *op) {
  auto future = dyn_cast<FutureType>(op->getOperand(0).getType());
  if (!future)
    return op->emitOpError("operand must be a future");
  return checkResults(op, llvm::to_vector(future.getTypes()));
}

OpCheck zenith::stablehlo::distributionCheck(llvm::StringRef name) {
  return llvm::StringSwitch<OpCheck>(name)
      .Case("all_gather", checkAllGather)
      .Case("all_reduce", checkAllReduce)
      .Case("reduce_scatter", checkReduceScatter)
      .Case("all_to_all", checkAllToAll)
      .Case("collective_permute", checkPermute)
      .Case("collective_broadcast", checkCollectiveBroadcast)
      .Case("collective_reduce", checkCollectiveReduce)
      .Case("infeed", checkReceived)
      .Cases("send", "recv", checkChannelType)
      .Case("async_start", checkAsyncStart)
      .Case("async_done", checkAsyncDone)
      .Default(nullptr);
}
