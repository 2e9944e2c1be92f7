// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be wrong with the arguments of a run.

#include "frontends/c/RunCall.h"

#include "frontends/c/StructReading.h"

using namespace zenith;
using namespace zenith::c;

namespace {
/// An argument or result in messages, which have its text when they are made:
/// a run without errors makes no string.
struct ValueName {
  const char *kind; ///< "input" or "output"
  size_t index;
  const Value &value;
  std::string text() const {
    return value.name.empty() ? kind + (" " + std::to_string(index))
                              : kind + (" '" + value.name + "'");
  }
};
} // namespace

static bool isAligned(const zenith_array &array) {
  uintptr_t unit =
      uintptr_t(std::min<int64_t>(zenith_dtype_bytes(array.dtype), 8));
  return reinterpret_cast<uintptr_t>(array.data) % unit == 0;
}

/// True where a run must copy the elements of an input.
static bool needsPacking(const zenith_array &array) {
  return !isAligned(array) ||
         !isRowMajor(array.rank, array.dims, array.strides);
}

static zenith_status *wrongDim(const ValueName &name, int32_t axis, int64_t got,
                               int64_t expected) {
  std::string wanted = std::to_string(expected);
  const std::string &text = name.value.texts[size_t(axis)];
  return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_DIM,
                 name.text() + ": dimension " + std::to_string(axis) + " is " +
                     std::to_string(got) + ", expected " + wanted +
                     (text.empty() || text == wanted ? "" : " (" + text + ")"),
                 name.value.name);
}

/// Type and rank of an array against those of the signature.
static zenith_status *checkType(const ValueName &name,
                                const zenith_array &array) {
  const Value &value = name.value;
  if (array.dtype != value.dtype)
    return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_DTYPE,
                   name.text() + ": got " + zenith_dtype_name(array.dtype) +
                       ", expected " + zenith_dtype_name(value.dtype),
                   value.name);
  if (size_t(array.rank) != value.dims.size())
    return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_RANK,
                   name.text() + ": got rank " + std::to_string(array.rank) +
                       ", expected " + std::to_string(value.dims.size()),
                   value.name);
  return nullptr;
}

static zenith_status *copyNeeded(const ValueName &name) {
  return usage(ZENITH_REASON_COPY_NEEDED,
               name.text() + " cannot be used in place: a copy is needed",
               name.value.name);
}

zenith_status *RunCall::checkInput(const zenith_session &session, size_t index,
                                   const zenith_array *array) {
  const Value &value = entry->inputs[index];
  ValueName name{"input", index, value};
  if (!array)
    return nullPointer(name.text().c_str());
  if (array->context.get() != session.context.get())
    return usage(ZENITH_REASON_WRONG_CONTEXT,
                 name.text() + " belongs to another context", value.name);
  if (zenith_status *status = checkType(name, *array))
    return status;
  for (int32_t axis = 0; axis < array->rank; ++axis) {
    const DimRule &rule = entry->inputRules[index][size_t(axis)];
    int64_t got = array->dims[axis];
    if (rule.kind == DimRule::Symbol && sizes[size_t(rule.value)] < 0)
      sizes[size_t(rule.value)] = got;
    int64_t expected = rule.kind == DimRule::Constant ? rule.value
                       : rule.kind == DimRule::Symbol
                           ? sizes[size_t(rule.value)]
                           : got; // compiled code compares expressions
    if (got != expected)
      return wrongDim(name, axis, got, expected);
  }
  if ((options.flags & ZENITH_RUN_NO_COPIES) && needsPacking(*array))
    return copyNeeded(name);
  return nullptr;
}

zenith_status *RunCall::checkOutput(const zenith_session &session, size_t index,
                                    const zenith_array *array) const {
  const Value &value = entry->outputs[index];
  ValueName name{"output", index, value};
  if (array->context.get() != session.context.get())
    return usage(ZENITH_REASON_WRONG_CONTEXT,
                 name.text() + " belongs to another context", value.name);
  if (!array->isWritable)
    return usage(ZENITH_REASON_NONE,
                 name.text() + " is borrowed: it cannot be written",
                 value.name);
  if (zenith_status *status = checkType(name, *array))
    return status;
  if (!isRowMajor(array->rank, array->dims, array->strides))
    return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_STRIDES,
                   name.text() + " has gaps or another order, expected "
                                 "row-major",
                   value.name);
  for (int32_t axis = 0; axis < array->rank && value.isKnown; ++axis) {
    const DimRule &rule = entry->outputRules[index][size_t(axis)];
    int64_t expected = rule.kind == DimRule::Constant ? rule.value
                       : rule.kind == DimRule::Symbol
                           ? sizes[size_t(rule.value)]
                           : evaluate(value.exprs[size_t(axis)], *entry, sizes);
    if (expected >= 0 && array->dims[axis] != expected)
      return wrongDim(name, axis, array->dims[axis], expected);
  }
  if ((options.flags & ZENITH_RUN_NO_COPIES) &&
      (!isAligned(*array) || !value.isKnown))
    return copyNeeded(name);
  return nullptr;
}

namespace {
/// Where the elements of an array are; an empty one is nowhere.
struct ByteRange {
  explicit ByteRange(const zenith_array *array) {
    if (!array)
      return;
    start = reinterpret_cast<uintptr_t>(array->data);
    end = start + uintptr_t(spanOf(*array));
  }
  bool overlaps(const ByteRange &other) const {
    return start < end && other.start < other.end && start < other.end &&
           other.start < end;
  }
  uintptr_t start = 0, end = 0;
};
} // namespace

zenith_status *RunCall::checkOverlaps(zenith_array *const *inputs,
                                      zenith_array *const *outputs) const {
  const size_t count = entry->outputs.size();
  if (!outputs || llvm::none_of(llvm::ArrayRef(outputs, count),
                                [](auto *array) { return array; }))
    return nullptr;
  auto rangesOf = [](zenith_array *const *arrays, size_t count) {
    return llvm::SmallVector<ByteRange, 16>(arrays, arrays + count);
  };
  auto written = rangesOf(outputs, count);
  auto read = rangesOf(inputs, entry->inputs.size());
  for (size_t i = 0; i < written.size(); ++i) {
    ValueName name{"output", i, entry->outputs[i]};
    for (size_t j = 0; j < i; ++j)
      if (written[i].overlaps(written[j]))
        return usage(ZENITH_REASON_NONE, name.text() +
                                             " shares bytes with output " +
                                             std::to_string(j));
    for (size_t j = 0; j < read.size(); ++j) {
      if (!written[i].overlaps(read[j]))
        continue;
      // A donated buffer may be where its result goes, as a whole.
      bool isDonated = (options.flags & ZENITH_RUN_DONATE) &&
                       entry->inputs[j].isDonatable && inputs[j]->isWritable &&
                       inputs[j]->data == outputs[i]->data;
      if (!isDonated)
        return usage(ZENITH_REASON_NONE,
                     name.text() + " shares bytes with " +
                         ValueName{"input", j, entry->inputs[j]}.text());
    }
  }
  return nullptr;
}

static zenith_status *wrongCount(const char *what, size_t got,
                                 size_t expected) {
  return usage(ZENITH_REASON_WRONG_COUNT, "got " + std::to_string(got) + " " +
                                              what + ", expected " +
                                              std::to_string(expected));
}

static zenith_status *checkOptions(const zenith_run_options &options) {
  if (options.flags & ~(ZENITH_RUN_NO_COPIES | ZENITH_RUN_DONATE))
    return usage(ZENITH_REASON_NONE,
                 "flags: got " + std::to_string(options.flags) +
                     ", of which this library knows 1 and 2");
  if (options.threads < 0)
    return usage(ZENITH_REASON_NONE, "threads: got " +
                                         std::to_string(options.threads) +
                                         ", expected at least 0");
  if (reinterpret_cast<uintptr_t>(options.arena) % 64)
    return usage(ZENITH_REASON_NONE, "arena is not aligned to 64 bytes");
  if (options.report && !isSized(options.report))
    return usage(ZENITH_REASON_VERSION, "report has no struct_size");
  return interruption(options.cancel, options.deadline);
}

/// A budget that only the sizes of this run exceed.
static zenith_status *checkBudget(const zenith_session &session,
                                  const RunCall &call) {
  int64_t most = session.executable->maxMemory;
  int64_t peak = most ? peakBytes(*call.plan, *call.entry, call.sizes) : -1;
  if (peak <= most)
    return nullptr;
  return failure(ZENITH_OUT_OF_MEMORY, ZENITH_REASON_BUDGET,
                 "the run takes " + std::to_string(peak) +
                     " bytes at its peak, the budget is " +
                     std::to_string(most));
}

zenith_status *RunCall::check(const zenith_session &session,
                              const zenith_run_options *given,
                              zenith_array *const *inputs, size_t inputCount,
                              zenith_array *const *outputs,
                              size_t outputCount) {
  if (zenith_status *status = readStruct(given, options))
    return status;
  entry = session.executable->find(options.entry);
  if (!entry)
    return session.executable->unknownEntry(options.entry);
  if (inputCount != entry->inputs.size())
    return wrongCount("inputs", inputCount, entry->inputs.size());
  if (outputCount != entry->outputs.size())
    return wrongCount("outputs", outputCount, entry->outputs.size());
  if (inputCount && !inputs)
    return nullPointer("inputs");
  if (zenith_status *status = checkOptions(options))
    return status;
  sizes.assign(entry->symbols.size(), -1);
  for (size_t i = 0; i < inputCount; ++i)
    if (zenith_status *status = checkInput(session, i, inputs[i]))
      return status;
  for (size_t i = 0; outputs && i < outputCount; ++i)
    if (outputs[i])
      if (zenith_status *status = checkOutput(session, i, outputs[i]))
        return status;
  if (zenith_status *status = checkOverlaps(inputs, outputs))
    return status;
  plan = &planFor(*session.executable, *entry, sizes);
  return checkBudget(session, *this);
}
