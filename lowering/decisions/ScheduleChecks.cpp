// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints of schedules that types and ops alone decide, but for products:
// kinds, groups, buffers and choices.

#include "lowering/decisions/ScheduleChecks.h"
#include "ir/ShapeChecks.h"
#include "ir/program/ProgramChecks.h"
#include "ir/target/TargetModel.h"
#include "lowering/builder/Guards.h"
#include "lowering/decisions/InPlace.h"
#include "lowering/decisions/ProductKeys.h"
#include "lowering/decisions/ScheduleKeys.h"
#include "lowering/schedule/ContractionSpace.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zenith::sched;

namespace zenith::decisions {

using kernels::Guard;

// MLIR has one, too.
using sched::ElementsAttr;

LogicalResult refuse(graph::FusionOp fusion, Constraint constraint,
                     const Twine &key, const Twine &got,
                     const Twine &expected) {
  return fusion.emitOpError("schedule: ")
         << key << ": got " << got << ", expected " << expected << " (sched_c"
         << unsigned(constraint) << ")";
}

static std::string listText(ArrayRef<StringRef> words) {
  return llvm::join(words, " or ");
}

LogicalResult checkKind(graph::FusionOp fusion, graph::Schedule schedule) {
  // sched_c1
  auto kinds = kindsOf(fusion);
  if (!llvm::is_contained(kinds, schedule.kind()))
    return refuse(fusion, KindFits, "kind", schedule.kind(), listText(kinds));
  // sched_c13
  bool isRoutine = isa<SortAttr, TopKAttr, SetAttr, RoutineAttr>(schedule);
  if (schedule.runsOn() == graph::RunOn::Host && !isRoutine)
    return refuse(fusion, HostRoutines, "on", "host",
                  "task or group for what is no routine");
  return success();
}

LogicalResult checkGroup(graph::FusionOp fusion, graph::Schedule schedule) {
  // sched_c2
  constexpr int64_t mostItems = 1024;
  DenseI64ArrayAttr group = keysOf(schedule).group;
  bool isGroup = schedule.runsOn() == graph::RunOn::Group;
  if (isGroup != bool(group))
    return refuse(fusion, GroupSize, "group", group ? "sizes" : "none",
                  isGroup ? "sizes along x, y and z with on = group"
                          : "none but with on = group");
  if (!group)
    return success();
  int64_t items = 1;
  for (int64_t size : group.asArrayRef())
    items = size < 1 || size > mostItems ? 0 : items * size;
  if (group.size() != 3 || items < 1 || items > mostItems)
    return refuse(fusion, GroupSize, "group",
                  graph::listText(group.asArrayRef()),
                  "three sizes, together 1 to 1024 items");
  // sched_c12
  auto target = target::targetOf(fusion);
  if (target && target.getModel().maxGroup &&
      items > target.getModel().maxGroup)
    return refuse(fusion, ModelLimits, "group", Twine(items) + " items",
                  "at most " + Twine(target.getModel().maxGroup));
  return success();
}

/// Sizes of keys: at least `least` where they are given.
static LogicalResult checkSize(graph::FusionOp fusion, StringRef key,
                               int64_t value, int64_t least = 0) {
  return value >= least
             ? success()
             : refuse(fusion, TileSizes, key, Twine(value),
                      "at least " + Twine(std::max<int64_t>(least, 1)));
}

/// sched_c3: lanes are reduced by halves.
static LogicalResult checkItem(graph::FusionOp fusion, int64_t item) {
  constexpr int64_t mostVectors = 16;
  return item >= 1 && item <= mostVectors && llvm::isPowerOf2_64(uint64_t(item))
             ? success()
             : refuse(fusion, TileSizes, "item", Twine(item),
                      "a power of two, at most " + Twine(mostVectors));
}

static LogicalResult checkTile(graph::FusionOp fusion, DenseI64ArrayAttr tile,
                               int64_t lanes) {
  // sched_c3
  if (tile &&
      (tile.size() != 2 ||
       llvm::any_of(tile.asArrayRef(), [](int64_t size) { return size < 1; })))
    return refuse(fusion, TileSizes, "tile", graph::listText(tile.asArrayRef()),
                  "rows and columns, both positive");
  // sched_c6
  constexpr int64_t mostLanes = 64;
  if (lanes < 0 || lanes > mostLanes ||
      (lanes && !llvm::isPowerOf2_64(uint64_t(lanes))))
    return refuse(fusion, LaneCount, "lanes", Twine(lanes),
                  "a power of two, at most 64");
  if (tile && lanes && tile[1] % lanes != 0)
    return refuse(fusion, LaneCount, "lanes", Twine(lanes),
                  "a divisor of " + Twine(tile[1]) + " columns");
  return success();
}

/// sched_c3: sums are joined by halves.
static LogicalResult checkSums(graph::FusionOp fusion, DenseI64ArrayAttr sums) {
  constexpr int64_t mostSums = 16;
  if (!sums || llvm::all_of(sums.asArrayRef(), [](int64_t count) {
        return count >= 1 && count <= mostSums &&
               llvm::isPowerOf2_64(uint64_t(count));
      }))
    return success();
  return refuse(fusion, TileSizes, "sums", graph::listText(sums.asArrayRef()),
                "powers of two, at most " + Twine(mostSums));
}

/// sched_c3: offsets so far ahead are numbers of any type of index.
static LogicalResult checkAhead(graph::FusionOp fusion, StringRef key,
                                int64_t bytes) {
  constexpr int64_t most = 1 << 20;
  return bytes >= 0 && bytes <= most
             ? success()
             : refuse(fusion, TileSizes, key, Twine(bytes),
                      "1 to " + Twine(most) + " bytes ahead");
}

LogicalResult checkPrefetch(graph::FusionOp fusion, const Prefetch &prefetch) {
  constexpr int64_t most = 1 << 16;
  bool counts =
      prefetch.kind == Prefetch::Lines || prefetch.kind == Prefetch::Rows;
  if (counts ? prefetch.number < 1 || prefetch.number > most
             : prefetch.number != 0)
    return refuse(fusion, TileSizes, "prefetch", Twine(prefetch.number),
                  "1 to " + Twine(most) +
                      " for lines and rows, and only there");
  if (prefetch.ahead && prefetch.kind != Prefetch::Lines)
    return refuse(fusion, TileSizes, "prefetch", Twine(prefetch.ahead),
                  "bytes ahead for lines only");
  return checkAhead(fusion, "prefetch", prefetch.ahead);
}

LogicalResult checkLoops(graph::FusionOp fusion, graph::Schedule schedule) {
  auto size = [&](StringRef key, int64_t value, int64_t least = 0) {
    return checkSize(fusion, key, value, least);
  };
  auto blocked = [&](auto kind) -> LogicalResult {
    return failure(failed(size("block", kind.getBlock())) ||
                   failed(checkItem(fusion, kind.getItem())) ||
                   failed(checkTile(fusion, kind.getTile(), kind.getLanes())));
  };
  auto ordering = [&](auto kind) -> LogicalResult {
    return failure(failed(size("digits", kind.getDigits())) ||
                   failed(size("block", kind.getBlock())) ||
                   failed(size("keep", kind.getKeep())));
  };
  return llvm::TypeSwitch<Attribute, LogicalResult>(schedule)
      .Case([&](ReduceAttr reduce) {
        return failure(failed(size("rows", reduce.getRows())) ||
                       failed(checkAhead(fusion, "ahead", reduce.getAhead())) ||
                       failed(size("keep", reduce.getKeep())) ||
                       failed(size("slots", reduce.getSlots())) ||
                       failed(size("chunk", reduce.getChunk())) ||
                       failed(size("together", reduce.getTogether())) ||
                       failed(checkSums(fusion, reduce.getSums())) ||
                       failed(checkPrefetch(fusion, reduce.getPrefetch())) ||
                       failed(checkItem(fusion, reduce.getItem())) ||
                       failed(checkTile(fusion, {}, reduce.getLanes())));
      })
      .Case([&](AttentionAttr attention) -> LogicalResult {
        if (failed(size("rows", attention.getRows())) ||
            failed(size("keys", attention.getKeys())) ||
            failed(size("in_place", attention.getInPlace())) ||
            failed(size("split", attention.getSplit(), 1)) ||
            failed(
                checkTile(fusion, attention.getTile(), attention.getLanes())))
          return failure();
        // sched_c3
        DenseI64ArrayAttr tile = attention.getTile();
        // Maxima and sums of a row of scores halve a tile's columns.
        if (tile && !llvm::isPowerOf2_64(uint64_t(tile[1])))
          return refuse(fusion, TileSizes, "tile",
                        graph::listText(tile.asArrayRef()),
                        "a power of two of columns");
        if (tile &&
            (attention.getRows() % tile[0] || attention.getKeys() % tile[1]))
          return refuse(
              fusion, TileSizes, "rows, keys",
              graph::listText({attention.getRows(), attention.getKeys()}),
              "multiples of the tile");
        // sched_c7
        Operands operands = attention.getOperands();
        for (const Operand &operand : {operands.a, operands.b})
          if ((operand.form != Operand::Open && operand.form != Operand::Rows &&
               operand.form != Operand::Copied) ||
              operand.width < 0 || operand.depth != 1 || operand.pad != 0)
            return refuse(fusion, OperandForms, "operands", textOf(attention),
                          "rows or copied");
        return success();
      })
      .Case([&](WindowAttr window) -> LogicalResult {
        // sched_c3; the phase knows how many sizes a form has.
        for (auto [key, sizes] :
             {std::pair(StringRef("tile"), window.getTile()),
              std::pair(StringRef("block"), window.getBlock())})
          if (sizes && llvm::any_of(sizes.asArrayRef(),
                                    [](int64_t size) { return size < 1; }))
            return refuse(fusion, TileSizes, key,
                          graph::listText(sizes.asArrayRef()),
                          "positive sizes");
        return failure(failed(size("keep", window.getKeep())) ||
                       failed(checkItem(fusion, window.getItem())) ||
                       failed(checkTile(fusion, {}, window.getLanes())));
      })
      .Case([&](ScatterAttr scatter) {
        return failure(failed(size("parts", scatter.getParts())) ||
                       failed(blocked(scatter)));
      })
      .Case([&](ElementsAttr elements) {
        return failure(failed(size("piece", elements.getPiece())) ||
                       failed(blocked(elements)));
      })
      .Case<ScanAttr>(blocked)
      .Case<SortAttr, TopKAttr, SetAttr>(ordering)
      .Default([](Attribute) { return success(); });
}

/// Texts of expressions: null where one is none.
static std::optional<SmallVector<graph::DimExpr>> exprsOf(ArrayAttr texts) {
  SmallVector<graph::DimExpr> exprs;
  for (Attribute text : texts ? texts.getValue() : ArrayRef<Attribute>()) {
    auto string = dyn_cast<StringAttr>(text);
    auto expr = string ? graph::DimExpr::parse(string.str()) : std::nullopt;
    if (!expr)
      return std::nullopt;
    exprs.push_back(*expr);
  }
  return exprs;
}

static LogicalResult checkShares(graph::FusionOp fusion, ArrayAttr shares) {
  // sched_c10
  auto fail = [&](const Twine &got, const Twine &expected) {
    return refuse(fusion, SharedOperands, "shares", got, expected);
  };
  for (Attribute pair : shares ? shares.getValue() : ArrayRef<Attribute>()) {
    auto numbers = dyn_cast<ArrayAttr>(pair);
    auto number = [&](unsigned index) -> std::optional<int64_t> {
      auto value = dyn_cast<IntegerAttr>(numbers[index]);
      return value ? std::optional(value.getInt()) : std::nullopt;
    };
    if (!numbers || numbers.size() != 2 || !number(0) || !number(1))
      return fail(textOf(pair), "[result, operand]");
    int64_t result = *number(0), operand = *number(1);
    if (result < 0 || result >= fusion->getNumResults() || operand < 0 ||
        operand >= int64_t(fusion.getInputs().size()))
      return fail(textOf(pair), "a result below " +
                                    Twine(fusion->getNumResults()) +
                                    " and an operand below " +
                                    Twine(fusion.getInputs().size()));
    if (!mayShareBytes(fusion, unsigned(operand), unsigned(result)))
      return fail(textOf(pair), "an operand of the result's type, each element "
                                "of which the task that writes it has read");
  }
  return success();
}

/// Whether a name is one that analysis gives: of a dimension without a name, or
/// of a size that depends on data.
static bool isGivenName(StringRef name) {
  return name.starts_with("%") || name.starts_with("arg");
}

/// A name in `expr` that is none of the enclosing function; empty where there
/// is none.
static std::string unknownName(graph::FusionOp fusion,
                               const graph::DimExpr &expr) {
  auto function = fusion->getParentOfType<func::FuncOp>();
  if (!function)
    return "";
  llvm::StringSet<> known;
  auto learn = [&](ArrayAttr dims) {
    for (Attribute dim : dims ? dims.getValue() : ArrayRef<Attribute>())
      if (auto text = dyn_cast<StringAttr>(dim))
        if (auto size = graph::DimExpr::parse(text.str()))
          size->evaluate([&](const std::string &name) {
            known.insert(name);
            return std::optional<int64_t>(1);
          });
  };
  for (unsigned index = 0; index < function.getNumArguments(); ++index)
    learn(function.getArgAttrOfType<ArrayAttr>(index, graph::dimsAttrName));
  for (unsigned index = 0; index < function.getNumResults(); ++index)
    learn(function.getResultAttrOfType<ArrayAttr>(index, graph::dimsAttrName));
  std::string unknown;
  expr.evaluate([&](const std::string &name) {
    if (!known.contains(name) && !isGivenName(name))
      unknown = name;
    return std::optional<int64_t>(1);
  });
  return unknown;
}

LogicalResult checkTasks(graph::FusionOp fusion, graph::Schedule schedule) {
  // sched_c8
  StringAttr tasks = keysOf(schedule).tasks;
  if (!tasks)
    return success();
  auto fail = [&](const Twine &expected) {
    return refuse(fusion, TaskCount, "tasks", textOf(tasks), expected);
  };
  auto count = graph::DimExpr::parse(tasks.str());
  if (!count)
    return fail("an expression over dimensions");
  if (std::string name = unknownName(fusion, *count); !name.empty())
    return fail("dimensions that the function names, not '" + name + "'");
  Operation *anchor = kernels::contractionAnchor(fusion);
  auto type = anchor ? cast<RankedTensorType>(anchor->getResult(0).getType())
                     : RankedTensorType();
  if (!type || !type.hasStaticShape())
    return success();
  graph::DimVector sizes(type.getShape().begin(), type.getShape().end());
  auto demanded = groupTasks(fusion, schedule, sizes);
  if (demanded && *demanded != *count)
    return fail("\"" + demanded->str() + "\"");
  return success();
}

LogicalResult checkBuffers(graph::FusionOp fusion, graph::Schedule schedule) {
  ScheduleKeys keys = keysOf(schedule);
  // sched_c9
  auto scratch = exprsOf(keys.scratch);
  if (!scratch)
    return refuse(fusion, ScratchBytes, "scratch", textOf(keys.scratch),
                  "expressions over dimensions");
  bool needsNone =
      isa<ElementsAttr, WindowAttr, ScanAttr, ScatterAttr>(schedule);
  if (needsNone && !scratch->empty())
    return refuse(fusion, ScratchBytes, "scratch", textOf(keys.scratch),
                  "none for " + schedule.kind());
  return checkShares(fusion, keys.shares);
}

LogicalResult checkChoice(graph::FusionOp fusion, ChoiceAttr choice) {
  // sched_c11
  ArrayRef<Attribute> guards = choice.getGuards().getValue(),
                      variants = choice.getVariants().getValue();
  auto fail = [&](const Twine &got, const Twine &expected) {
    return refuse(fusion, ChoiceForm, "choice", got, expected);
  };
  for (auto [index, guard] : llvm::enumerate(guards)) {
    StringRef text = cast<StringAttr>(guard).getValue();
    bool isLast = index + 1 == guards.size();
    if (kernels::isElse(text) != isLast)
      return fail("guard \"" + text + "\"",
                  isLast ? "else for the last variant"
                         : "a comparison, else for the last variant only");
    if (isLast)
      break;
    auto parsed = Guard::parse(text);
    if (!parsed)
      return fail("guard \"" + text + "\"",
                  "a comparison of expressions over dimensions");
    for (const graph::DimExpr &side : {parsed->lower, parsed->upper})
      if (std::string name = unknownName(fusion, side); !name.empty())
        return fail("'" + name + "'", "a dimension that the function names");
  }
  if (guards.empty())
    return fail("no variant", "else for the last variant");
  ScheduleKeys first = keysOf(variants.front());
  for (Attribute variant : variants) {
    auto schedule = dyn_cast<graph::Schedule>(variant);
    if (!schedule || isa<ChoiceAttr>(variant))
      return fail(textOf(variant), "a schedule that is no choice");
    if (failed(checkSchedule(fusion, schedule)))
      return failure();
    ScheduleKeys own = keysOf(variant);
    if (own.scratch != first.scratch || own.shares != first.shares)
      return fail("variants of different scratch or shares",
                  "those of the fusion in all");
  }
  return success();
}

LogicalResult checkSchedule(graph::FusionOp fusion, graph::Schedule schedule) {
  if (auto choice = dyn_cast<ChoiceAttr>(schedule))
    return checkChoice(fusion, choice);
  return failure(failed(checkKind(fusion, schedule)) ||
                 failed(checkGroup(fusion, schedule)) ||
                 failed(checkProduct(fusion, schedule)) ||
                 failed(checkLoops(fusion, schedule)) ||
                 failed(checkTasks(fusion, schedule)) ||
                 failed(checkBuffers(fusion, schedule)));
}

} // namespace zenith::decisions
