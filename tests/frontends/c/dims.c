// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes of named dimensions become types of GraphIR and StableHLO programs: of
// arguments, of what follows from them, and results stay the same.

#include "check.h"

static const char program[] =
    "func.func @main(%x: tensor<?x?xf32> {graph.dims = [\"n\", \"m\"], "
    "graph.name = \"x\"}, %y: tensor<?xf32> {graph.dims = [\"n*m\"], "
    "graph.name = \"y\"}) -> (tensor<?x?xf32> {graph.dims = [\"n\", \"m\"]}, "
    "tensor<?x2xi64>, tensor<?xf32>) {\n"
    "  %zero = graph.constant dense<0> : tensor<i64>\n"
    "  %one = graph.constant dense<1> : tensor<i64>\n"
    "  %three = graph.constant dense<3> : tensor<i64>\n"
    "  %n = graph.dim %x, 0 : tensor<?x?xf32>\n"
    "  %m = graph.dim %x, 1 : tensor<?x?xf32>\n"
    "  %all = graph.mul %n, %m : tensor<i64>\n"
    "  %f = graph.reshape %x [%all] : tensor<?x?xf32> -> tensor<?xf32>\n"
    "  %i = graph.iota 0 [%all] : tensor<?x2xi64>\n"
    "  %r:2 = graph.while %zero, %f cond {\n"
    "  ^bb0(%k: tensor<i64>, %a: tensor<?xf32>):\n"
    "    %c = graph.compare lt, %k, %three : tensor<i64> -> tensor<i1>\n"
    "    graph.yield %c : tensor<i1>\n"
    "  } do {\n"
    "  ^bb0(%k: tensor<i64>, %a: tensor<?xf32>):\n"
    "    %next = graph.add %k, %one : tensor<i64>\n"
    "    %p = graph.compare lt, %a, %y : tensor<?xf32> -> tensor<?xi1>\n"
    "    %d = graph.add %a, %a : tensor<?xf32>\n"
    "    %b = graph.select %p, %d, %y : tensor<?xi1>, tensor<?xf32>\n"
    "    graph.yield %next, %b : tensor<i64>, tensor<?xf32>\n"
    "  } : (tensor<i64>, tensor<?xf32>) -> (tensor<i64>, tensor<?xf32>)\n"
    "  %back = graph.reshape %r#1 [%n, %m] : tensor<?xf32> -> "
    "tensor<?x?xf32>\n"
    "  %half = graph.slice %f [0] [%n] [1] : tensor<?xf32> -> tensor<?xf32>\n"
    "  return %back, %i, %half : tensor<?x?xf32>, tensor<?x2xi64>, "
    "tensor<?xf32>\n"
    "}\n";

static const char hlo[] =
    "func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {\n"
    "  %0 = stablehlo.add %x, %x : tensor<?x4xf32>\n"
    "  return %0 : tensor<?x4xf32>\n"
    "}\n";

/// Right for six elements only.
static const char contradiction[] =
    "func.func @main(%x: tensor<?xf32> {graph.dims = [\"n\"]}) -> "
    "tensor<6xf32> {\n"
    "  %r = graph.reshape %x : tensor<?xf32> -> tensor<6xf32>\n"
    "  return %r : tensor<6xf32>\n"
    "}\n";

#define MATRIX "tensor<?x64xf32>"
#define DOT(to, from)                                                          \
  "  %" to " = graph.dot_general %" from                                       \
  ", %w <batching = [] x [], contracting = [1] x [0]> : (" MATRIX              \
  ", tensor<64x64xf32>) -> " MATRIX "\n"
#define MUL(to, x, y) "  %" to " = graph.mul %" x ", %" y " : " MATRIX "\n"

/// The last products read the first ones, from the last to the first.
static const char chain[] =
    "func.func @main(%x: " MATRIX " {graph.dims = [\"n\", \"64\"]}, "
    "%w: tensor<64x64xf32>) -> tensor<f32> {\n" DOT("a", "x") DOT("b", "a") DOT(
        "c", "b") DOT("d", "c") DOT("e", "d") MUL("f", "e", "d") DOT("g", "f")
        MUL("h", "g", "c") DOT("i", "h") MUL("j", "i", "b") DOT("k", "j")
            MUL("l", "k", "a") "  %r = graph.reduce sum, %l [0, 1] : " MATRIX
                               " -> tensor<f32>\n"
                               "  return %r : tensor<f32>\n}\n";

static zenith_context *context;

static zenith_status *load(const char *text, const char *format,
                           const char *const *names, const int64_t *sizes,
                           size_t count, zenith_module **module) {
  zenith_named_size rows[4];
  const zenith_named_size *table[4];
  for (size_t i = 0; i < count; ++i) {
    ZENITH_INIT(&rows[i]);
    rows[i].name = names[i];
    rows[i].size = sizes[i];
    table[i] = &rows[i];
  }
  zenith_load_options options;
  ZENITH_INIT(&options);
  options.format = format;
  options.dims = table;
  options.dim_count = count;
  return zenith_module_load_memory(context, text, strlen(text), &options,
                                   module);
}

static void has_text(zenith_executable *executable, zenith_role role,
                     size_t index, int axis, const char *text, int64_t size) {
  zenith_value_info info;
  ZENITH_INIT(&info);
  OK(zenith_executable_value(executable, NULL, role, index, &info));
  if (strcmp(info.dim_texts[axis], text) || info.dims[axis] != size) {
    printf("role %d, value %zu, dimension %d: '%s' (%lld), expected '%s'\n",
           (int)role, index, axis, info.dim_texts[axis],
           (long long)info.dims[axis], text);
    exit(1);
  }
}

static zenith_executable *compiled(size_t count, const char *target) {
  static const char *const names[2] = {"n", "m"};
  static const int64_t sizes[2] = {2, 3};
  zenith_module *module = NULL;
  zenith_executable *executable = NULL;
  zenith_compile_options options;
  ZENITH_INIT(&options);
  options.target = target;
  OK(load(program, "graphir", names, sizes, count, &module));
  // What was written is read again.
  zenith_blob *text = NULL;
  zenith_module *again = NULL;
  OK(zenith_module_write(module, "graphir", NULL, NULL, &text));
  OK(load(zenith_blob_data(text), "graphir", NULL, NULL, 0, &again));
  OK(zenith_compile(again, &options, &executable));
  zenith_blob_free(text);
  zenith_module_free(module);
  zenith_module_free(again);
  return executable;
}

static void results_stay(size_t count, const char *target,
                         zenith_array *const *expected) {
  zenith_executable *executable = compiled(count, target);
  has_text(executable, ZENITH_ROLE_INPUT, 0, 0, "2", 2);
  has_text(executable, ZENITH_ROLE_INPUT, 0, 1, count > 1 ? "3" : "m",
           count > 1 ? 3 : -1);
  has_text(executable, ZENITH_ROLE_INPUT, 1, 0, count > 1 ? "6" : "2*m",
           count > 1 ? 6 : -1);
  has_text(executable, ZENITH_ROLE_OUTPUT, 0, 0, "2", 2);
  has_text(executable, ZENITH_ROLE_OUTPUT, 1, 0, count > 1 ? "6" : "2*m",
           count > 1 ? 6 : -1);
  has_text(executable, ZENITH_ROLE_OUTPUT, 2, 0, "2", 2);
  zenith_session *session = NULL;
  OK(zenith_session_create(executable, NULL, &session));
  float x[6] = {1, -2, 3, -4, 5, 0.5f}, y[6] = {4, 4, 4, -1, 2, 9};
  int64_t dims[2] = {2, 3}, six = 6;
  zenith_array *inputs[2] = {
      wrap(context, ZENITH_F32, 2, dims, x, ZENITH_HOLD_BORROW),
      wrap(context, ZENITH_F32, 1, &six, y, ZENITH_HOLD_BORROW)};
  zenith_array *outputs[3] = {NULL, NULL, NULL};
  OK(zenith_run(session, NULL, inputs, 2, outputs, 3));
  for (int i = 0; i < 3; ++i) {
    CHECK(zenith_array_bytes(outputs[i]) == zenith_array_bytes(expected[i]));
    CHECK(!memcmp(zenith_array_data(outputs[i]), zenith_array_data(expected[i]),
                  (size_t)zenith_array_bytes(outputs[i])));
    zenith_array_free(outputs[i]);
  }
  zenith_array_free(inputs[0]);
  zenith_array_free(inputs[1]);
  zenith_session_free(session);
  zenith_executable_free(executable);
}

static void sizes_become_types(void) {
  float back[6] = {4, 4, 4, -4, 2, 4};
  // Three steps: doubled where below y, else y.
  const float x[6] = {1, -2, 3, -4, 5, 0.5f}, y[6] = {4, 4, 4, -1, 2, 9};
  for (int i = 0; i < 6; ++i) {
    back[i] = x[i];
    for (int k = 0; k < 3; ++k)
      back[i] = back[i] < y[i] ? back[i] + back[i] : y[i];
  }
  int64_t iota[12], dims[2] = {2, 3}, table[2] = {6, 2}, two = 2;
  for (int i = 0; i < 12; ++i)
    iota[i] = i / 2;
  float half[2] = {1, -2};
  zenith_array *expected[3] = {
      wrap(context, ZENITH_F32, 2, dims, back, ZENITH_HOLD_MUTABLE),
      wrap(context, ZENITH_I64, 2, table, iota, ZENITH_HOLD_MUTABLE),
      wrap(context, ZENITH_F32, 1, &two, half, ZENITH_HOLD_MUTABLE)};
  for (size_t count = 1; count <= 2; ++count) {
    results_stay(count, "cpu", expected);
    results_stay(count, "interp", expected);
  }
  for (int i = 0; i < 3; ++i)
    zenith_array_free(expected[i]);
}

static void stablehlo_has_no_names(void) {
  const char *name = "arg0_d0";
  int64_t size = 5;
  zenith_module *module = NULL;
  zenith_executable *executable = NULL;
  OK(load(hlo, "stablehlo", &name, &size, 1, &module));
  OK(zenith_compile(module, NULL, &executable));
  has_text(executable, ZENITH_ROLE_INPUT, 0, 0, "5", 5);
  has_text(executable, ZENITH_ROLE_OUTPUT, 0, 0, "5", 5);
  zenith_executable_free(executable);
  zenith_module_free(module);
}

/// The result of the chain for so many rows, and what the run occupies.
static float run_chain(zenith_executable *executable, int64_t rows,
                       int64_t *peak) {
  static float x[128 * 64], w[64 * 64];
  for (int i = 0; i < 128 * 64; ++i)
    x[i] = (float)(i % 7) / 8 - 0.25f;
  for (int i = 0; i < 64 * 64; ++i)
    w[i] = (float)(i % 11) / 64 - 0.0625f;
  zenith_named_size size;
  ZENITH_INIT(&size);
  size.name = "n";
  size.size = rows;
  const zenith_named_size *sizes = &size;
  zenith_memory_info info;
  ZENITH_INIT(&info);
  OK(zenith_executable_memory(executable, NULL, &sizes, 1, &info));
  *peak = info.peak_bytes;
  zenith_session *session = NULL;
  OK(zenith_session_create(executable, NULL, &session));
  int64_t dims[2] = {rows, 64}, square[2] = {64, 64};
  zenith_array *inputs[2] = {
      wrap(context, ZENITH_F32, 2, dims, x, ZENITH_HOLD_BORROW),
      wrap(context, ZENITH_F32, 2, square, w, ZENITH_HOLD_BORROW)};
  zenith_array *output = NULL;
  OK(zenith_run(session, NULL, inputs, 2, &output, 1));
  float sum = *(const float *)zenith_array_data(output);
  zenith_array_free(output);
  zenith_array_free(inputs[0]);
  zenith_array_free(inputs[1]);
  zenith_session_free(session);
  return sum;
}

/// Few rows run as without a budget, many by a plan that takes less: with the
/// same result.
static void sizes_choose_plans(void) {
  zenith_module *module = NULL;
  zenith_executable *plain = NULL, *bounded = NULL;
  OK(load(chain, "graphir", NULL, NULL, 0, &module));
  OK(zenith_compile(module, NULL, &plain));
  int64_t most = 0, few = 0, bound = 0;
  float many = run_chain(plain, 128, &most),
        little = run_chain(plain, 16, &few);
  zenith_compile_options options;
  ZENITH_INIT(&options);
  options.max_memory = most * 8 / 10;
  OK(zenith_compile(module, &options, &bounded));
  CHECK(run_chain(bounded, 128, &bound) == many);
  CHECK(bound <= options.max_memory);
  CHECK(run_chain(bounded, 16, &bound) == little);
  CHECK(bound == few);
  zenith_executable_free(plain);
  zenith_executable_free(bounded);
  zenith_module_free(module);
}

static void mistakes_are_refused(void) {
  const char *name = "k";
  int64_t size = 5;
  zenith_module *module = NULL;
  FAILS(load(program, "graphir", &name, &size, 1, &module), ZENITH_USAGE,
        ZENITH_REASON_UNKNOWN_NAME);
  name = "n";
  FAILS(load(contradiction, "graphir", &name, &size, 1, &module),
        ZENITH_INVALID_INPUT, 0);
  size = -3;
  FAILS(load(program, "graphir", &name, &size, 1, &module),
        ZENITH_INVALID_INPUT, ZENITH_REASON_DIM);
}

/// The interpreter states what ops require of sizes as compiled programs do.
static void targets_refuse_alike(void) {
  static const char *const targets[2] = {"cpu", "interp"};
  char first[512] = "";
  for (int i = 0; i < 2; ++i) {
    zenith_module *module = NULL;
    zenith_executable *executable = NULL;
    zenith_session *session = NULL;
    zenith_compile_options options;
    ZENITH_INIT(&options);
    options.target = targets[i];
    OK(load(contradiction, "graphir", NULL, NULL, 0, &module));
    OK(zenith_compile(module, &options, &executable));
    OK(zenith_session_create(executable, NULL, &session));
    float x[5] = {1, 2, 3, 4, 5};
    int64_t five = 5;
    zenith_array *input =
        wrap(context, ZENITH_F32, 1, &five, x, ZENITH_HOLD_BORROW);
    zenith_array *output = NULL;
    zenith_status *status = zenith_run(session, NULL, &input, 1, &output, 1);
    CHECK(zenith_status_code(status) == ZENITH_INVALID_INPUT);
    CHECK(strstr(zenith_status_message(status), "numbers of elements"));
    if (i == 0)
      snprintf(first, sizeof first, "%s", zenith_status_message(status));
    CHECK(!strcmp(first, zenith_status_message(status)));
    zenith_status_free(status);
    zenith_array_free(input);
    zenith_session_free(session);
    zenith_executable_free(executable);
    zenith_module_free(module);
  }
}

int main(void) {
  OK(zenith_context_create(ZENITH_API_VERSION, NULL, &context));
  sizes_become_types();
  stablehlo_has_no_names();
  sizes_choose_plans();
  mistakes_are_refused();
  targets_refuse_alike();
  zenith_context_free(context);
  return 0;
}
