// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text, equality and constraints of target models, and where a module has its.

#include "ir/target/TargetModel.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <type_traits>
#include <vector>

using namespace mlir;

namespace zenith::target {

/// All fields as numbers, in order.
static std::vector<double> numbersOf(const TargetModel &model) {
  std::vector<double> numbers;
  forEachField(model, [&](StringRef, auto field) {
    numbers.push_back(static_cast<double>(field));
  });
  return numbers;
}

bool TargetModel::operator==(const TargetModel &other) const {
  return numbersOf(*this) == numbersOf(other);
}

llvm::hash_code hash_value(const TargetModel &model) {
  llvm::hash_code hash(0);
  for (double number : numbersOf(model))
    hash = llvm::hash_combine(hash, llvm::bit_cast<uint64_t>(number));
  return hash;
}

TargetModel onDevice(TargetModel model) {
  model.device = true;
  // Instructions that kernels call by name are those of processors.
  model.avx2 = model.avx512 = model.vnni = model.bf16Pairs = model.vbmi = false;
  model.calls = model.prefetches = model.stackArrays = model.wideLoads = false;
  model.shuffles = model.laneBranches = model.maskBits = false;
  model.tileVariants = model.coreCaches = model.outOfOrder = false;
  model.cheapMasks = model.longConversions = model.libraryDoubles = true;
  // Elements cannot be read several at once.
  model.kInterleave = 1;
  return model;
}

StringRef wordOf(Kind kind) { return kind == Kind::CPU ? "cpu" : "gpu"; }

std::optional<Kind> kindOf(StringRef word) {
  if (word == wordOf(Kind::CPU))
    return Kind::CPU;
  return word == wordOf(Kind::GPU) ? std::optional(Kind::GPU) : std::nullopt;
}

static ParseResult parseField(AsmParser &parser, bool &field) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  field = word == "true";
  if (field || word == "false")
    return success();
  return parser.emitError(loc)
         << "got '" << word << "', expected true or false";
}

static ParseResult parseField(AsmParser &parser, double &field) {
  return parser.parseFloat(field);
}

static ParseResult parseField(AsmParser &parser, Kind &field) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  if (std::optional<Kind> kind = kindOf(word))
    return field = *kind, success();
  return parser.emitError(loc) << "got '" << word << "', expected cpu or gpu";
}

template <typename Integer>
static ParseResult parseField(AsmParser &parser, Integer &field) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t value = 0;
  if (parser.parseInteger(value))
    return failure();
  field = Integer(value);
  if (value >= 0 && int64_t(field) == value)
    return success();
  return parser.emitError(loc) << "got " << value << ", expected a count";
}

/// Today's name of a field that an earlier version wrote as `name`.
static StringRef currentName(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .Case("vector_registers", "registers")
      .Case("line_bytes", "line")
      .Case("shared_cache_bytes", "cache_bytes")
      .Default(name);
}

static ParseResult parseValue(AsmParser &parser, SMLoc loc, StringRef name,
                              TargetModel &model) {
  // One word for what a device lacks.
  if (name == "printed") {
    bool printed = false;
    ParseResult result = parseField(parser, printed);
    if (printed)
      model = onDevice(model);
    return result;
  }
  bool known = false;
  ParseResult result = success();
  forEachField(model, [&](StringRef field, auto &value) {
    if (currentName(name) == field)
      known = true, result = parseField(parser, value);
  });
  if (known)
    return result;
  return parser.emitError(loc) << "'" << name << "' is no field of a target";
}

ParseResult parseTargetModel(AsmParser &parser, TargetModel &model) {
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual() ||
        parseValue(parser, loc, name, model))
      return failure();
  }
  return success();
}

static void printField(AsmPrinter &printer, bool field) {
  printer << (field ? "true" : "false");
}

static void printField(AsmPrinter &printer, double field) {
  printer.printFloat(llvm::APFloat(field));
}

static void printField(AsmPrinter &printer, Kind field) {
  printer << wordOf(field);
}

static void printField(AsmPrinter &printer, unsigned field) {
  printer << field;
}

static void printField(AsmPrinter &printer, int64_t field) { printer << field; }

void printTargetModel(AsmPrinter &printer, const TargetModel &model) {
  forEachField(model, [&](StringRef name, auto field) {
    printer << ", " << name << " = ";
    printField(printer, field);
  });
}

StringRef missingFrom(const TargetModel &machine, const TargetModel &wanted) {
  if (machine.device != wanted.device)
    return "device";
  std::vector<bool> has;
  forEachField(machine, [&](StringRef, auto field) {
    has.push_back(static_cast<bool>(field));
  });
  StringRef missing;
  size_t position = 0;
  forEachField(wanted, [&](StringRef name, auto wants) {
    bool granted = has[position++];
    if constexpr (std::is_same_v<decltype(wants), bool>)
      if (missing.empty() && wants && !granted)
        missing = name;
  });
  return missing;
}

namespace {
/// Checks the constraints of a model in order, and keeps the first fault.
struct FaultFinder {
  std::optional<FieldFault> fault;

  template <typename Number>
  void require(bool holds, StringRef field, Number got, StringRef expected,
               StringRef constraint) {
    if (holds || fault)
      return;
    fault = FieldFault{field, "", expected.str(), constraint};
    llvm::raw_string_ostream(fault->got) << got;
  }
  template <typename Number>
  void requirePositive(StringRef field, Number got, StringRef constraint) {
    require(got > 0, field, got, "more than 0", constraint);
  }
};
} // namespace

static void checkVectors(const TargetModel &model, FaultFinder &finder) {
  finder.require(llvm::isPowerOf2_64(model.lanes) && model.lanes <= 64, "lanes",
                 model.lanes, "a power of two up to 64", "target_c1");
  finder.require(model.nr != 0 && model.lanes != 0 &&
                     model.nr % model.lanes == 0,
                 "nr", model.nr, "a multiple of lanes", "target_c2");
  finder.require(model.mr != 0, "mr", model.mr, "at least 1", "target_c2");
  finder.require(llvm::is_contained({1u, 2u, 4u}, model.kInterleave),
                 "k_interleave", model.kInterleave, "1, 2 or 4", "target_c3");
}

static void checkCaches(const TargetModel &model, FaultFinder &finder) {
  finder.require(llvm::isPowerOf2_64(uint64_t(model.lineBytes)), "line",
                 model.lineBytes, "a power of two", "target_c4");
  finder.require(model.l1Bytes > 0 && model.l2Bytes >= model.l1Bytes &&
                     model.l3Bytes >= model.l2Bytes,
                 "l2_bytes", model.l2Bytes,
                 "at least l1_bytes and at most l3_bytes", "target_c4");
  finder.require(model.l1Ways > 0 && model.l1Bytes % model.l1Ways == 0,
                 "l1_ways", model.l1Ways, "a divisor of l1_bytes", "target_c4");
}

static void checkThroughputs(const TargetModel &model, FaultFinder &finder) {
  finder.require(model.registers != 0, "registers", model.registers,
                 "at least 1", "target_c5");
  finder.require(model.units != 0, "units", model.units, "at least 1",
                 "target_c5");
  finder.requirePositive("memory_bytes_per_cycle", model.memoryBytesPerCycle,
                         "target_c5");
  finder.requirePositive("vector_fmas_per_cycle", model.vectorFmasPerCycle,
                         "target_c5");
  finder.requirePositive("f32_gflops", model.f32Gflops, "target_c5");
  finder.requirePositive("gbps", model.gbps, "target_c5");
  finder.requirePositive("task_us", model.taskUs, "target_c5");
  forEachField(model, [&](StringRef name, auto field) {
    finder.require(static_cast<double>(field) >= 0, name,
                   static_cast<double>(field), "at least 0", "target_c5");
  });
}

static void checkGroups(const TargetModel &model, FaultFinder &finder) {
  finder.require(model.maxGroup >= 1, "max_group", model.maxGroup, "at least 1",
                 "target_c6");
  finder.require(llvm::isPowerOf2_64(model.subgroup), "subgroup",
                 model.subgroup, "a power of two", "target_c6");
  finder.require(model.kind == Kind::CPU || model.device, "kind", "gpu",
                 "cpu where kernels run in this process", "target_c6");
  finder.require(!model.device ||
                     (!model.avx2 && !model.avx512 && !model.vnni &&
                      !model.bf16Pairs && !model.vbmi),
                 "device", "true",
                 "false beside instruction sets of processors", "target_c6");
}

std::optional<FieldFault> faultOf(const TargetModel &model) {
  FaultFinder finder;
  checkVectors(model, finder);
  checkCaches(model, finder);
  checkThroughputs(model, finder);
  checkGroups(model, finder);
  return finder.fault;
}

graph::TargetAttr targetOf(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto target = op->getAttrOfType<graph::TargetAttr>(targetAttrName))
      return target;
  return nullptr;
}

TargetModel modelOf(Operation *op) {
  graph::TargetAttr target = targetOf(op);
  return target ? target.getModel() : TargetModel();
}

} // namespace zenith::target

namespace zenith::graph {

LogicalResult
TargetAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                   StringRef, target::TargetModel model) {
  auto fault = target::faultOf(model);
  if (!fault)
    return success();
  return emitError() << "target " << fault->field << ": got " << fault->got
                     << ", expected " << fault->expected << " ("
                     << fault->constraint << ")";
}

} // namespace zenith::graph
