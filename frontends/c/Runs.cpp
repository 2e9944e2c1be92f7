// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs: arrays become tensors of the ABI, results become arrays.

#include "frontends/c/RunCall.h"

#include "frontends/c/StructReading.h"

using namespace zenith;
using namespace zenith::c;

namespace {
/// The tensors of one run, and how many bytes were copied for them.
class Tensors {
public:
  Tensors(const RunCall &call, RunState &state, zenith_context &context)
      : call(call), state(state), context(context) {}

  zenith_status *prepare(zenith_array *const *inputs, zenith_array **outputs);
  /// Makes arrays of results; new ones are in `made` until all are there.
  zenith_status *deliver(zenith_array *const *inputs, zenith_array **outputs);

  llvm::SmallVector<zenith_tensor, 8> arguments, results;
  int64_t copies = 0, copiedBytes = 0;

private:
  zenith_status *pack(const zenith_array &array, zenith_tensor &argument);
  zenith_status *move(size_t index, zenith_array &output);
  zenith_status *make(size_t index, zenith_array *const *inputs);

  const RunCall &call;
  RunState &state;
  zenith_context &context;
  llvm::SmallVector<int64_t, 32> resultDims;
  llvm::SmallVector<Ref<zenith_array>, 16> made; ///< by result, where not given
};
} // namespace

zenith_status *Tensors::pack(const zenith_array &array,
                             zenith_tensor &argument) {
  int64_t bytes = zenith_array_bytes(&array);
  void *packed = state.scratch(std::max<int64_t>(bytes, 1));
  if (!packed)
    return state.error();
  packElements(viewOf(array), static_cast<char *>(packed));
  ++copies;
  copiedBytes += bytes;
  argument.data = packed;
  argument.strides = nullptr;
  argument.capacity = bytes;
  return nullptr;
}

static bool isAligned(const void *data, zenith_dtype dtype) {
  return reinterpret_cast<uintptr_t>(data) %
             uintptr_t(std::min<int64_t>(zenith_dtype_bytes(dtype), 8)) ==
         0;
}

zenith_status *Tensors::prepare(zenith_array *const *inputs,
                                zenith_array **outputs) {
  bool donates = call.options.flags & ZENITH_RUN_DONATE;
  for (size_t i = 0; i < call.entry->inputs.size(); ++i) {
    const zenith_array &array = *inputs[i];
    zenith_tensor argument = {};
    argument.struct_size = sizeof(argument);
    argument.dtype = array.dtype;
    argument.rank = array.rank;
    argument.data = array.data;
    argument.dims = array.dims;
    argument.capacity = array.capacity;
    if (!isRowMajor(array.rank, array.dims, array.strides) ||
        !isAligned(array.data, array.dtype)) {
      if (zenith_status *status = pack(array, argument))
        return status;
    } else if (donates && array.isWritable &&
               call.entry->inputs[i].isDonatable) {
      argument.flags = ZENITH_TENSOR_DONATED;
    }
    arguments.push_back(argument);
  }
  size_t dims = 0;
  for (const Value &value : call.entry->outputs)
    dims += value.dims.size();
  resultDims.resize(dims + 1);
  made.resize(call.entry->outputs.size());
  dims = 0;
  for (size_t i = 0; i < call.entry->outputs.size(); ++i) {
    const Value &value = call.entry->outputs[i];
    zenith_tensor result = {};
    result.struct_size = sizeof(result);
    result.dims = resultDims.data() + dims;
    dims += value.dims.size();
    // What depends on data needs room for its upper bound, so it moves later.
    if (outputs[i] && value.isKnown &&
        isAligned(outputs[i]->data, value.dtype)) {
      result.data = outputs[i]->data;
      result.capacity = outputs[i]->capacity;
    } else if (!outputs[i] && value.dims.empty()) {
      // The element of a scalar lies in its array.
      made[i] = Ref<zenith_array>::taking(
          makeArray(context, value.dtype, 0, nullptr));
      if (!made[i])
        return noMemory();
      result.data = made[i]->data = made[i]->dims;
      result.capacity = made[i]->capacity = zenith_array::scalarBytes;
    }
    results.push_back(result);
  }
  return nullptr;
}

/// Copies a result to an array of the caller's that it could not be written to.
zenith_status *Tensors::move(size_t index, zenith_array &output) {
  const zenith_tensor &result = results[index];
  int64_t bytes = bytesOf(result.dtype, result.rank, result.dims);
  if (bytes > output.capacity)
    return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_DIM,
                   "output " + std::to_string(index) + " has room for " +
                       std::to_string(output.capacity) +
                       " bytes, the result has " + std::to_string(bytes),
                   call.entry->outputs[index].name);
  if (bytes > 0)
    std::memcpy(output.data, result.data, size_t(bytes));
  std::copy(result.dims, result.dims + result.rank, output.dims);
  ++copies;
  copiedBytes += bytes;
  return nullptr;
}

zenith_status *Tensors::make(size_t index, zenith_array *const *inputs) {
  const zenith_tensor &result = results[index];
  if (made[index])
    return nullptr;
  Ref<zenith_array> array = Ref<zenith_array>::taking(
      makeArray(context, result.dtype, result.rank, result.dims));
  if (!array)
    return noMemory();
  array->data = result.data;
  array->capacity = result.capacity;
  if (result.flags & ZENITH_TENSOR_TOOK_DONATION) {
    for (size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i].data == result.data)
        // Not what it views in turn, or a loop's arrays would be a chain.
        array->base =
            inputs[i]->base ? inputs[i]->base : Ref<zenith_array>(inputs[i]);
  } else {
    array->block = state.takeBlock(result.data);
  }
  made[index] = std::move(array);
  return nullptr;
}

zenith_status *Tensors::deliver(zenith_array *const *inputs,
                                zenith_array **outputs) {
  for (size_t i = 0; i < results.size(); ++i) {
    zenith_status *status = nullptr;
    if (!outputs[i])
      status = make(i, inputs);
    else if (results[i].data != outputs[i]->data)
      status = move(i, *outputs[i]);
    if (status)
      return status;
  }
  for (size_t i = 0; i < results.size(); ++i)
    if (made[i])
      outputs[i] = made[i].take();
  return nullptr;
}

namespace {
/// Gives a state back to its session when a run ends.
class StateOfRun {
public:
  StateOfRun(zenith_session &session, RunState *state)
      : session(session), state(state) {}
  ~StateOfRun() {
    state->end();
    session.giveBack(state);
  }

private:
  zenith_session &session;
  RunState *state;
};
} // namespace

zenith_status *RunCall::runWith(zenith_context &context, RunState &state,
                                zenith_array *const *inputs,
                                zenith_array **outputs) const {
  bool isMeasured = options.report != nullptr;
  int64_t calls = isMeasured ? Memory::callsOfThread() : 0;
  int64_t began = isMeasured ? zenith_now() : 0;
  // Compiled code asks for as much; the number is for what is said of it.
  int64_t needed = isMeasured || options.arena
                       ? evaluate(plan->memory.arena(), *entry, sizes)
                       : -1;
  if (options.arena && needed > options.arena_bytes)
    return usage(ZENITH_REASON_ARENA_TOO_SMALL,
                 "the arena has " + std::to_string(options.arena_bytes) +
                     " bytes, the run needs " + std::to_string(needed));
  state.begin(options, needed);
  Tensors tensors(*this, state, context);
  zenith_status *status = tensors.prepare(inputs, outputs);
  if (!status)
    status = state.run(*entry, *plan, tensors.arguments, tensors.results);
  if (!status)
    status = tensors.deliver(inputs, outputs);
  if (isMeasured) {
    zenith_run_report report = {};
    report.copies = tensors.copies;
    report.copied_bytes = tensors.copiedBytes;
    report.arena_bytes = state.arenaBytes();
    report.pool_peak_bytes = state.poolPeak();
    report.allocations = Memory::callsOfThread() - calls;
    report.run_ns = std::max<int64_t>(zenith_now() - began, 1);
    writeStruct(options.report, report);
  }
  return status;
}

zenith_status *RunCall::run(zenith_session &session,
                            zenith_array *const *inputs,
                            zenith_array **outputs) const {
  zenith_status *status = nullptr;
  RunState *state = session.acquire(options.cancel, options.deadline, status);
  if (!state)
    return status;
  StateOfRun ends(session, state);
  session.context->runs.fetch_add(1, std::memory_order_relaxed);
  return runWith(*session.context, *state, inputs, outputs);
}

zenith_status *zenith_run(zenith_session *session,
                          const zenith_run_options *options,
                          zenith_array *const *inputs, size_t inputCount,
                          zenith_array **outputs, size_t outputCount) noexcept {
  return guarded([&]() -> zenith_status * {
    if (!session)
      return nullPointer("session");
    if (outputCount && !outputs)
      return nullPointer("outputs");
    RunCall call;
    if (zenith_status *status = call.check(*session, options, inputs,
                                           inputCount, outputs, outputCount))
      return status;
    return call.run(*session, inputs, outputs);
  });
}

zenith_status *zenith::c::runEntry(zenith_session &session,
                                   const zenith_run_options &options,
                                   const ArrayList &inputs,
                                   ArrayList &outputs) {
  llvm::SmallVector<zenith_array *, 16> given,
      made(zenith_executable_count(session.executable.get(), options.entry,
                                   ZENITH_ROLE_OUTPUT));
  for (const Ref<zenith_array> &input : inputs)
    given.push_back(input.get());
  if (zenith_status *status =
          zenith_run(&session, &options, given.data(), given.size(),
                     made.data(), made.size()))
    return status;
  outputs.clear();
  outputs.reserve(made.size());
  for (zenith_array *array : made)
    outputs.push_back(Ref<zenith_array>::taking(array));
  return nullptr;
}
