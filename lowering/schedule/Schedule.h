// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dialect sched: the attributes that say what kernels will do, and the values
// of their keys.

#ifndef ZENITH_LOWERING_SCHEDULE_SCHEDULE_H
#define ZENITH_LOWERING_SCHEDULE_SCHEDULE_H

#include "ir/GraphOps.h"
#include "ir/dims/DimExpr.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/Hashing.h"
#include <tuple>

namespace zenith::sched {

enum class Store { Plain, Streaming };
/// How results are stored: those numbered `results` past the caches, or all
/// where these are null.
struct Stores {
  Store how = Store::Plain;
  mlir::DenseI64ArrayAttr results;
  Stores(Store how = Store::Plain, mlir::DenseI64ArrayAttr results = {})
      : how(how), results(results) {}
  bool operator==(const Stores &other) const {
    return how == other.how && results == other.results;
  }
  bool operator!=(const Stores &other) const { return !(*this == other); }
  bool areStreaming(unsigned result) const {
    return how == Store::Streaming &&
           (!results ||
            llvm::is_contained(results.asArrayRef(), int64_t(result)));
  }
};
enum class ScatterBy { Destination, Sort };

/// How an operand of a product comes.
struct Operand {
  enum Form : unsigned {
    Open,    ///< left to shapes and target
    Rows,    ///< where it lies, along its rows
    Panels,  ///< packed in memory, in panels of `width` columns
    Widened, ///< so, of a narrower type: each task widens blocks of panels; A:
             ///< from a wider copy, which a launch of its own makes
    Copied,  ///< each task copies blocks of panels of `width` columns
    Dots,    ///< where it lies, contiguous along K
    Padded,  ///< from a copy with padding, which a launch of its own makes
    Transposed, ///< A: from a copy along K, which a launch of its own makes
    Local       ///< by tiles in local memory, with `pad` elements after a row
  } form = Open;
  int64_t width = 0, depth = 1, pad = 0;
  auto key() const {
    return std::make_tuple(unsigned(form), width, depth, pad);
  }
  bool operator==(const Operand &other) const { return key() == other.key(); }
};
struct Operands {
  Operand a, b;
  bool operator==(const Operands &other) const {
    return a == other.a && b == other.b;
  }
  bool operator!=(const Operands &other) const { return !(*this == other); }
};

/// How a task goes through K; kernels::GemmSchedule says what each does.
struct KLoop {
  enum Kind : unsigned { Open, Whole, Panels, Tiles, Packed, Short, Sweep };
  Kind kind = Open;
  /// Sweep: panels whose accumulators are in registers. Packed: k that a copy
  /// of rows of A asks memory for ahead; 0: left to the target.
  int64_t step = 0;
  bool operator==(const KLoop &other) const {
    return kind == other.kind && step == other.step;
  }
  bool operator!=(const KLoop &other) const { return !(*this == other); }
  /// Whether `decided` has what this one says.
  bool agreesWith(const KLoop &decided) const {
    return kind == Open ||
           (kind == decided.kind && (!step || step == decided.step));
  }
};

/// `count` neighbouring tasks along panels or rows; 0: none.
struct Joined {
  enum Along : unsigned { Panels, Rows };
  Along along = Panels;
  int64_t count = 0;
  bool operator==(const Joined &other) const {
    return along == other.along && count == other.count;
  }
  bool operator!=(const Joined &other) const { return !(*this == other); }
};

/// What a kernel asks memory for before it reads it.
struct Prefetch {
  enum Kind : unsigned {
    Open, ///< left to shapes and target
    None,
    Lines, ///< a little ahead of B, by tiles of at least `number` rows
    Panel, ///< a tile's share of what follows this panel of B
    Rows   ///< what is read `number` rows, or steps of rows, later
  } kind = Open;
  int64_t number = 0;
  int64_t ahead = 0; ///< Lines: how far, in bytes; 0: left to the target
  bool operator==(const Prefetch &other) const {
    return kind == other.kind && number == other.number && ahead == other.ahead;
  }
  bool operator!=(const Prefetch &other) const { return !(*this == other); }
  /// Whether `decided` has what this one says.
  bool agreesWith(const Prefetch &decided) const {
    Prefetch own = *this;
    if (!ahead)
      own.ahead = decided.ahead;
    return kind == Open || own == decided;
  }
};
/// Of the tiles of a product, and of those of half panels that the last rows of
/// many are left to.
struct Prefetches {
  Prefetch tiles, rest;
  bool operator==(const Prefetches &other) const {
    return tiles == other.tiles && rest == other.rest;
  }
  bool operator!=(const Prefetches &other) const { return !(*this == other); }
};

/// What the lanes of a pooling or depthwise convolution run along.
enum class WindowForm { Open, Channels, Rows, Planes, Interleaved, Dots };

struct ConvForm {
  enum Kind : unsigned { Open, Direct, Indirect, Winograd, Depthwise };
  Kind kind = Open;
  int64_t results = 0; ///< Winograd: results of a tile in one dimension
  WindowForm window = WindowForm::Open; ///< Depthwise
  bool operator==(const ConvForm &other) const {
    return kind == other.kind && results == other.results &&
           window == other.window;
  }
  bool operator!=(const ConvForm &other) const { return !(*this == other); }
};

/// A matrix instruction m16n8k16 on this element type; null: none.
struct Fragment {
  mlir::Type element;
  bool operator==(const Fragment &other) const {
    return element == other.element;
  }
  bool operator!=(const Fragment &other) const { return !(*this == other); }
};

inline llvm::hash_code hash_value(const Stores &stores) {
  return llvm::hash_combine(unsigned(stores.how),
                            mlir::hash_value(mlir::Attribute(stores.results)));
}
inline llvm::hash_code hash_value(const Operand &operand) {
  return llvm::hash_value(operand.key());
}
inline llvm::hash_code hash_value(const Operands &operands) {
  return llvm::hash_combine(operands.a, operands.b);
}
inline llvm::hash_code hash_value(const KLoop &loop) {
  return llvm::hash_combine(unsigned(loop.kind), loop.step);
}
inline llvm::hash_code hash_value(const Joined &joined) {
  return llvm::hash_combine(unsigned(joined.along), joined.count);
}
inline llvm::hash_code hash_value(const Prefetch &prefetch) {
  return llvm::hash_combine(unsigned(prefetch.kind), prefetch.number,
                            prefetch.ahead);
}
inline llvm::hash_code hash_value(const Prefetches &prefetches) {
  return llvm::hash_combine(prefetches.tiles, prefetches.rest);
}
inline llvm::hash_code hash_value(const ConvForm &form) {
  return llvm::hash_combine(unsigned(form.kind), form.results,
                            unsigned(form.window));
}
inline llvm::hash_code hash_value(const Fragment &fragment) {
  return mlir::hash_value(fragment.element);
}

mlir::AsmPrinter &operator<<(mlir::AsmPrinter &printer, const Stores &stores);
mlir::AsmPrinter &operator<<(mlir::AsmPrinter &printer, ScatterBy by);
mlir::AsmPrinter &operator<<(mlir::AsmPrinter &printer, WindowForm form);
mlir::AsmPrinter &operator<<(mlir::AsmPrinter &printer,
                             const Operands &operands);
mlir::AsmPrinter &operator<<(mlir::AsmPrinter &printer, const KLoop &loop);
mlir::AsmPrinter &operator<<(mlir::AsmPrinter &printer, const Joined &joined);
mlir::AsmPrinter &operator<<(mlir::AsmPrinter &printer,
                             const Prefetch &prefetch);
mlir::AsmPrinter &operator<<(mlir::AsmPrinter &printer,
                             const Prefetches &prefetches);
mlir::AsmPrinter &operator<<(mlir::AsmPrinter &printer, const ConvForm &form);
mlir::AsmPrinter &operator<<(mlir::AsmPrinter &printer,
                             const Fragment &fragment);

} // namespace zenith::sched

namespace zenith::graph {
mlir::AsmPrinter &operator<<(mlir::AsmPrinter &printer, RunOn on);
} // namespace zenith::graph

namespace mlir {
#define ZENITH_SCHEDULE_KEY(type)                                              \
  template <> struct FieldParser<type> {                                       \
    static FailureOr<type> parse(AsmParser &parser);                           \
  };
ZENITH_SCHEDULE_KEY(zenith::graph::RunOn)
ZENITH_SCHEDULE_KEY(zenith::sched::Stores)
ZENITH_SCHEDULE_KEY(zenith::sched::ScatterBy)
ZENITH_SCHEDULE_KEY(zenith::sched::WindowForm)
ZENITH_SCHEDULE_KEY(zenith::sched::Operands)
ZENITH_SCHEDULE_KEY(zenith::sched::KLoop)
ZENITH_SCHEDULE_KEY(zenith::sched::Joined)
ZENITH_SCHEDULE_KEY(zenith::sched::Prefetch)
ZENITH_SCHEDULE_KEY(zenith::sched::Prefetches)
ZENITH_SCHEDULE_KEY(zenith::sched::ConvForm)
ZENITH_SCHEDULE_KEY(zenith::sched::Fragment)
#undef ZENITH_SCHEDULE_KEY
} // namespace mlir

#include "lowering/schedule/ScheduleDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "lowering/schedule/ScheduleAttrs.h.inc"

namespace zenith::sched {

/// The kinds that a fusion may have, by name; the first is the one that shapes
/// and target choose where nothing stands against it.
llvm::SmallVector<llvm::StringRef, 2> kindsOf(graph::FusionOp fusion);

/// The schedule itself; of a choice, its last variant. Variants of elements and
/// reductions differ in their stores only.
mlir::Attribute lastVariant(mlir::Attribute schedule);

/// A schedule that is no choice, and when a run takes it.
struct GuardedVariant {
  mlir::Attribute schedule;
  graph::DimExpr guard; ///< 1 where a run takes it, else 0
};
/// The schedule itself, or the variants of a choice, at most one of whose
/// guards holds.
llvm::SmallVector<GuardedVariant, 2> guardedVariants(mlir::Attribute schedule);
/// Whether a guard of a choice names a size that depends on data: such names
/// are those of one analysis.
bool guardsNameData(mlir::Attribute schedule);

/// The key `tasks`; null where it is left out.
mlir::StringAttr givenTasks(mlir::Attribute schedule);

/// The text of a schedule, on one line.
std::string textOf(mlir::Attribute schedule);

} // namespace zenith::sched

#endif // ZENITH_LOWERING_SCHEDULE_SCHEDULE_H
