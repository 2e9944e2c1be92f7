// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads bytes as a sequence of calls of libzenith on a few objects of each
// kind, freed in any order, null or of another context now and then: each call
// ends in an object or in an error by contract.

#include "tests/fuzz/LibraryCalls.h"
#include <iterator>

using namespace zenith::fuzz;

namespace {
constexpr size_t places = 4;

/// Choices in order; zeros when the bytes are used up.
class Choices {
public:
  Choices(const uint8_t *data, size_t size) : data(data), size(size) {}
  bool atEnd() const { return size == 0; }
  uint8_t byte() {
    if (size == 0)
      return 0;
    --size;
    return *data++;
  }
  size_t below(size_t bound) { return byte() % bound; }
  /// Small sizes, and a few that no memory has.
  int64_t dim() {
    static constexpr int64_t unusual[] = {-1, 0, INT64_MAX, int64_t(1) << 40};
    uint8_t choice = byte();
    return choice < 250 ? choice % 7 : unusual[choice % 4];
  }

private:
  const uint8_t *data;
  size_t size;
};

/// Objects by number; each call may replace one.
struct Objects {
  zenith_context *contexts[2] = {};
  zenith_module *modules[places] = {};
  zenith_executable *executables[places] = {};
  zenith_session *sessions[places] = {};
  zenith_array *arrays[places] = {};
  zenith_event *events[places] = {};
  zenith_builder *builder = nullptr;
  zenith_cancel *cancel = nullptr;
  zenith_value values[16] = {};

  ~Objects();
};
} // namespace

template <typename Object>
static void put(Object *&place, Object *object,
                void (*release)(Object *) noexcept) {
  if (place)
    release(place);
  place = object;
}

Objects::~Objects() {
  zenith_cancel_reset(cancel); // events that nobody cancelled run to their end
  for (zenith_context *&context : contexts)
    put(context, {}, zenith_context_free);
  for (size_t i = 0; i < places; ++i) {
    put(sessions[i], {}, zenith_session_free);
    put(modules[i], {}, zenith_module_free);
    put(executables[i], {}, zenith_executable_free);
    put(arrays[i], {}, zenith_array_free);
    if (events[i])
      zenith_event_wait(events[i], -1);
    put(events[i], {}, zenith_event_free);
  }
  put(builder, {}, zenith_builder_free);
  zenith_cancel_free(cancel);
}

static const char *const names[] = {
    "w",           "b",       "x",   "n",       "main",
    "add",         "tanh",    "mul", "reduce",  "sort",
    "dot_general", "reshape", "",    "no such", nullptr};
static const char *const attributes[] = {
    nullptr,
    "{}",
    "{\"dims\": [0]}",
    "{\"dim\": 0, \"num_keys\": 1}",
    "{\"kind\": \"sum\", \"dims\": [1]}",
    "{\"permutation\": [1, 0]}",
    "{",
    "{\"dims\": {\"batching\": [[], []], \"contracting\": [[1], [0]]}}"};
static const char *const types[] = {"tensor<?x4xf32>", "tensor<4xf32>",
                                    "tensor<i64>", "tensor<", "f32"};

template <size_t N>
static const char *choose(Choices &choices, const char *const (&from)[N]) {
  return from[choices.below(N)];
}

static void makeArray(Objects &o, Choices &choices) {
  zenith_context *context = o.contexts[choices.below(2)];
  int64_t dims[4];
  static float elements[7 * 7 * 7 * 7] = {1, 2, 3};
  int32_t rank = int32_t(choices.below(5));
  for (int32_t axis = 0; axis < rank; ++axis)
    dims[axis] = choices.dim();
  zenith_array *made = nullptr;
  if (choices.below(2)) {
    check(zenith_array_create(context, zenith_dtype(choices.below(30)), rank,
                              dims, &made));
    // Elements of a new array are nobody's; runs may read them.
    if (made && zenith_array_data(made))
      memset(zenith_array_data(made), 0, size_t(zenith_array_bytes(made)));
  } else {
    zenith_view view;
    ZENITH_INIT(&view);
    view.dtype = ZENITH_F32;
    view.rank = rank;
    view.dims = choices.below(20) ? dims : nullptr;
    view.data = elements;
    bool fits = true;
    for (int32_t axis = 0; axis < rank; ++axis)
      fits &= dims[axis] <= 7;
    if (fits)
      check(zenith_array_wrap(context, &view, zenith_hold(choices.below(5)),
                              nullptr, nullptr, &made));
  }
  put(o.arrays[choices.below(places)], made, zenith_array_free);
}

static void load(Objects &o, Choices &choices) {
  zenith_named_size size;
  ZENITH_INIT(&size);
  size.name = choose(choices, names);
  size.size = choices.dim();
  const zenith_named_size *sizes = &size;
  zenith_load_options options;
  ZENITH_INIT(&options);
  options.format = choices.below(8) ? "graphir" : choose(choices, names);
  options.dims = &sizes;
  options.dim_count = choices.below(4) == 0;
  zenith_module *made = nullptr;
  check(zenith_module_load_memory(o.contexts[choices.below(2)], sampleText,
                                  strlen(sampleText), &options, &made));
  put(o.modules[choices.below(places)], made, zenith_module_free);
}

static void compile(Objects &o, Choices &choices) {
  static const char *const targets[] = {nullptr, "cpu", "interp",
                                        "cpu:x86-64-v3", "abacus"};
  zenith_compile_options options;
  ZENITH_INIT(&options);
  options.target = choose(choices, targets);
  options.max_memory = choices.below(4) ? 0 : choices.dim();
  options.cancel = choices.below(2) ? o.cancel : nullptr;
  zenith_executable *made = nullptr;
  check(zenith_compile(o.modules[choices.below(places)], &options, &made));
  put(o.executables[choices.below(places)], made, zenith_executable_free);
}

static void ask(Objects &o, Choices &choices) {
  static const char *const topics[] = {"signature", "memory", "remarks",
                                       "kernels",   "times",  "cache",
                                       "version",   "ops",    "weather"};
  zenith_blob *json = nullptr;
  const char *topic = choose(choices, topics);
  zenith_executable *executable = o.executables[choices.below(places)];
  if (choices.below(2))
    check(zenith_executable_report(executable, topic, &json));
  else
    check(zenith_context_report(o.contexts[choices.below(2)], topic, &json));
  zenith_blob_free(json);
  zenith_value_info info;
  ZENITH_INIT(&info);
  check(zenith_executable_value(executable, choose(choices, names),
                                zenith_role(choices.below(4)), choices.below(3),
                                &info));
  zenith_named_size size;
  ZENITH_INIT(&size);
  size.name = choose(choices, names);
  size.size = choices.dim();
  const zenith_named_size *sizes = &size;
  zenith_memory_info memory;
  ZENITH_INIT(&memory);
  check(zenith_executable_memory(executable, nullptr, &sizes, 1, &memory));
}

static void bind(Objects &o, Choices &choices) {
  zenith_named_array named;
  ZENITH_INIT(&named);
  named.name = choose(choices, names);
  named.array = o.arrays[choices.below(places)];
  const zenith_named_array *table = &named;
  size_t count = choices.below(2), place = choices.below(places);
  if (choices.below(2)) {
    check(zenith_session_rebind(o.sessions[place], nullptr, &table, count));
    return;
  }
  zenith_session_options options;
  ZENITH_INIT(&options);
  options.parameters = &table;
  options.parameter_count = count;
  options.max_concurrency = int32_t(choices.below(3));
  zenith_session *made = nullptr;
  check(zenith_session_create(o.executables[choices.below(places)], &options,
                              &made));
  put(o.sessions[place], made, zenith_session_free);
}

static void run(Objects &o, Choices &choices) {
  zenith_run_report report;
  ZENITH_INIT(&report);
  zenith_run_options options;
  ZENITH_INIT(&options);
  options.entry = choices.below(4) ? nullptr : choose(choices, names);
  options.flags = zenith_run_flags(choices.below(5));
  options.threads = int32_t(choices.below(4)) - 1;
  options.cancel = choices.below(2) ? o.cancel : nullptr;
  options.report = &report;
  zenith_session *session = o.sessions[choices.below(places)];
  zenith_array *input = o.arrays[choices.below(places)];
  size_t place = choices.below(places), inputs = choices.below(8) ? 1 : 2;
  zenith_array *given[2] = {input, input};
  if (choices.below(2)) {
    zenith_array *output = choices.below(4) ? nullptr : o.arrays[place];
    bool isGiven = output != nullptr;
    check(zenith_run(session, &options, given, inputs, &output, 1));
    if (!isGiven)
      put(o.arrays[place], output, zenith_array_free);
    return;
  }
  options.report = nullptr; // lives for this call only
  zenith_event *made = nullptr;
  check(zenith_run_async(session, &options, given, inputs, nullptr, 1, &made));
  put(o.events[place], made, zenith_event_free);
}

static void take(Objects &o, Choices &choices) {
  zenith_event *event = o.events[choices.below(places)];
  zenith_array *outputs[2] = {};
  if (event)
    zenith_event_wait(event, int64_t(choices.below(3)) * 1000 - 1000);
  check(zenith_event_take(event, outputs, 1 + (choices.below(8) == 0)));
  put(o.arrays[choices.below(places)], outputs[0], zenith_array_free);
}

static void build(Objects &o, Choices &choices) {
  zenith_builder *b = o.builder;
  const char *dims[2] = {choose(choices, names), "4"};
  zenith_value operands[3], results[2] = {};
  for (zenith_value &operand : operands)
    operand = choices.below(12) ? o.values[choices.below(16)] : choices.byte();
  size_t place = choices.below(16), count = choices.below(4);
  const char *type = choose(choices, types);
  const char *const *wanted = choices.below(3) ? nullptr : &type;
  const char *name = choose(choices, names);
  const char *json = choose(choices, attributes);
  zenith_module *module = nullptr;
  switch (choices.below(9)) {
  case 0:
    put(o.builder, {}, zenith_builder_free);
    check(zenith_builder_create(o.contexts[choices.below(2)], &o.builder));
    return;
  case 1:
    return zenith_builder_function(b, name, int32_t(choices.below(2)));
  case 2:
    o.values[place] = zenith_builder_argument(
        b, name, zenith_dtype(choices.below(20)), 2, dims);
    return;
  case 3:
    o.values[place] =
        zenith_builder_op(b, name, operands, count, json, wanted, results, 1);
    return;
  case 4:
    return zenith_builder_begin(b, choices.below(2) ? "while" : "if", operands,
                                count, json, nullptr, results,
                                choices.below(3));
  case 5:
    return zenith_builder_next(b, operands, count, results, choices.below(3));
  case 6:
    o.values[place] = zenith_builder_end(b, operands, count, wanted, results,
                                         choices.below(3));
    return;
  case 7:
    return zenith_builder_return(b, operands, nullptr, count);
  default:
    if (b && *zenith_builder_type(b, operands[0]) && choices.below(2))
      return;
    check(zenith_builder_finish(b, &module));
    put(o.modules[choices.below(places)], module, zenith_module_free);
  }
}

static void releaseOne(Objects &o, Choices &choices) {
  size_t place = choices.below(places);
  zenith_context *context = nullptr;
  switch (choices.below(8)) {
  case 0:
    return put(o.modules[place], {}, zenith_module_free);
  case 1:
    return put(o.executables[place], {}, zenith_executable_free);
  case 2:
    return put(o.sessions[place], {}, zenith_session_free);
  case 3:
    return put(o.arrays[place], {}, zenith_array_free);
  case 4:
    return put(o.events[place], {}, zenith_event_free);
  case 5:
    return zenith_session_trim(o.sessions[place]);
  case 6:
    return choices.below(2) ? zenith_cancel_request(o.cancel)
                            : zenith_cancel_reset(o.cancel);
  default:
    context = makeContext();
    put(o.contexts[choices.below(2)], context, zenith_context_free);
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Choices choices(data, size);
  Objects o;
  o.contexts[0] = makeContext();
  o.contexts[1] = makeContext();
  o.cancel = zenith_cancel_create();
  // What most calls need, so that few of them end at null.
  o.executables[0] = compileSample(o.contexts[0]);
  expectOK(zenith_session_create(o.executables[0], nullptr, &o.sessions[0]));
  expectOK(zenith_builder_create(o.contexts[0], &o.builder));
  static void (*const calls[])(Objects &, Choices &) = {
      makeArray, makeArray, load, compile, ask,   bind,  bind,  run,
      run,       run,       take, build,   build, build, build, releaseOne};
  for (size_t count = 0; count < 64 && !choices.atEnd(); ++count)
    calls[choices.below(std::size(calls))](o, choices);
  return 0;
}
