// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes of structs, bad calls, runs by every target of the host, weights that
// change, events, bundles and reports.

#include "check.h"

static const char scale[] =
    "graph.param @w : tensor<2xf32> = dense<[2.0, 3.0]> : tensor<2xf32>\n"
    "func.func @main(%x: tensor<?x2xf32> {graph.dims = [\"n\", \"\"], "
    "graph.name = \"x\"}) -> (tensor<?x2xf32> {graph.name = \"y\"}) {\n"
    "  %w = graph.get_param @w : tensor<2xf32>\n"
    "  %z = graph.constant dense<0> : tensor<i64>\n"
    "  %n = graph.dim %x, 0 : tensor<?x2xf32>\n"
    "  %b = graph.broadcast %w [1] [%n] : tensor<2xf32> -> tensor<?x2xf32>\n"
    "  %y = graph.mul %x, %b : tensor<?x2xf32>\n"
    "  return %y : tensor<?x2xf32>\n"
    "}\n";

static void sizes_keep_their_meaning(void) {
  CHECK(sizeof(zenith_view) == 48 && sizeof(zenith_allocator) == 32);
  CHECK(sizeof(zenith_context_options) == 64);
  CHECK(sizeof(zenith_load_options) == 80);
  CHECK(sizeof(zenith_compile_options) == 72);
  CHECK(sizeof(zenith_run_options) == 80 && sizeof(zenith_run_report) == 56);
  CHECK(sizeof(zenith_value_info) == 48 && sizeof(zenith_memory_info) == 40);
}

static void bad_calls_are_refused(void) {
  zenith_context *context = NULL;
  FAILS(zenith_context_create(2u << 16, NULL, &context), ZENITH_USAGE,
        ZENITH_REASON_VERSION);
  FAILS(zenith_context_create(ZENITH_API_VERSION, NULL, NULL), ZENITH_USAGE,
        ZENITH_REASON_NULL_POINTER);
  zenith_context_options options;
  ZENITH_INIT(&options);
  options.threads = -1;
  FAILS(zenith_context_create(ZENITH_API_VERSION, &options, &context),
        ZENITH_USAGE, 0);
  OK(zenith_context_create(ZENITH_API_VERSION, NULL, &context));
  zenith_module *module = NULL;
  FAILS(zenith_module_load_file(context, "/nowhere", NULL, &module),
        ZENITH_INVALID_INPUT, ZENITH_REASON_NO_FILE);
  FAILS(zenith_module_load_memory(context, "graph.oops", 10, NULL, &module),
        ZENITH_INVALID_INPUT, ZENITH_REASON_MALFORMED);
  FAILS(zenith_module_load_search(context, "maze", "lrx:4", NULL, 0, &module),
        ZENITH_USAGE, ZENITH_REASON_UNKNOWN_NAME);
  FAILS(zenith_context_load_plugin(context, "x.so"), ZENITH_UNSUPPORTED, 0);
  zenith_blob *json = NULL;
  FAILS(zenith_context_report(context, "weather", &json), ZENITH_USAGE,
        ZENITH_REASON_UNKNOWN_NAME);
  zenith_context_free(context);
}

static zenith_session *open_session(zenith_context *context, const char *target,
                                    zenith_executable **kept) {
  zenith_load_options load;
  ZENITH_INIT(&load);
  load.format = "graphir";
  zenith_compile_options compile;
  ZENITH_INIT(&compile);
  compile.target = target;
  zenith_module *module = NULL;
  zenith_executable *executable = NULL;
  zenith_session *session = NULL;
  OK(zenith_module_load_memory(context, scale, sizeof scale - 1, &load,
                               &module));
  OK(zenith_compile(module, &compile, &executable));
  OK(zenith_session_create(executable, NULL, &session));
  zenith_module_free(module);
  if (kept)
    *kept = executable;
  else
    zenith_executable_free(executable);
  return session;
}

static void reports_have_a_size(zenith_session *session, zenith_array *input) {
  zenith_run_report report;
  ZENITH_INIT(&report);
  zenith_run_options options;
  ZENITH_INIT(&options);
  options.report = &report;
  zenith_array *output = NULL;
  report.struct_size = 16; // of an older header
  report.arena_bytes = 7;
  OK(zenith_run(session, &options, &input, 1, &output, 1));
  CHECK(report.arena_bytes == 7);
  zenith_array_free(output);
  output = NULL;
  report.struct_size = 0;
  FAILS(zenith_run(session, &options, &input, 1, &output, 1), ZENITH_USAGE,
        ZENITH_REASON_VERSION);
}

static void expect(zenith_context *context, zenith_session *session, float a,
                   float b) {
  float x[6] = {1, 1, 2, 2, 3, 3};
  int64_t dims[2] = {3, 2};
  zenith_array *input =
                   wrap(context, ZENITH_F32, 2, dims, x, ZENITH_HOLD_BORROW),
               *output = NULL;
  OK(zenith_run(session, NULL, &input, 1, &output, 1));
  const float *y = (const float *)zenith_array_data(output);
  for (int i = 0; i < 3; ++i)
    CHECK(y[2 * i] == a * (float)(i + 1) && y[2 * i + 1] == b * (float)(i + 1));
  zenith_array_free(output);
  reports_have_a_size(session, input);
  zenith_event *event = NULL;
  zenith_array *again = input;
  output = NULL;
  OK(zenith_run_async(session, NULL, &input, 1, NULL, 1, &event));
  OK(zenith_event_take(event, &output, 1));
  CHECK(((const float *)zenith_array_data(output))[0] == a);
  FAILS(zenith_event_take(event, &again, 1), ZENITH_USAGE,
        ZENITH_REASON_WRONG_STATE);
  CHECK(!again);
  zenith_event_free(event);
  zenith_array_free(output);
  zenith_array_free(input);
}

static void runs_see_the_values_that_are_bound(const char *target) {
  zenith_context *context = NULL;
  OK(zenith_context_create(ZENITH_API_VERSION, NULL, &context));
  zenith_executable *executable = NULL;
  zenith_session *session = open_session(context, target, &executable);
  zenith_named_size rows;
  ZENITH_INIT(&rows);
  rows.name = "n";
  rows.size = 3;
  const zenith_named_size *sizes = &rows;
  zenith_memory_info memory;
  ZENITH_INIT(&memory);
  OK(zenith_executable_memory(executable, NULL, &sizes, 1, &memory));
  CHECK(memory.peak_bytes == (strcmp(target, "interp") ? 24 : -1));
  zenith_executable_free(executable);
  expect(context, session, 2, 3);
  float w[2] = {5, 7};
  int64_t two = 2;
  zenith_named_array named;
  ZENITH_INIT(&named);
  named.name = "w";
  named.array = wrap(context, ZENITH_F32, 1, &two, w, ZENITH_HOLD_COPY);
  const zenith_named_array *table = &named;
  OK(zenith_session_rebind(session, NULL, &table, 1));
  expect(context, session, 5, 7);
  named.name = "v";
  FAILS(zenith_session_rebind(session, NULL, &table, 1), ZENITH_USAGE,
        ZENITH_REASON_UNKNOWN_NAME);
  zenith_array_free(named.array);
  zenith_context_free(context);
  zenith_session_free(session);
}

static void bundles_run_without_a_compiler(void) {
  zenith_context *context = NULL;
  OK(zenith_context_create(ZENITH_API_VERSION, NULL, &context));
  zenith_executable *executable = NULL, *loaded = NULL;
  zenith_session_free(open_session(context, "cpu", &executable));
  zenith_blob *bytes = NULL;
  OK(zenith_executable_save(executable, NULL, &bytes));
  OK(zenith_executable_load_memory(context, zenith_blob_data(bytes),
                                   zenith_blob_size(bytes), &loaded));
  zenith_session *session = NULL;
  OK(zenith_session_create(loaded, NULL, &session));
  expect(context, session, 2, 3);
  zenith_session_free(session);
  zenith_executable_free(loaded);
  char *damaged = malloc(zenith_blob_size(bytes));
  for (size_t at = 0; at < zenith_blob_size(bytes);
       at += zenith_blob_size(bytes) / 50 + 1) {
    memcpy(damaged, zenith_blob_data(bytes), zenith_blob_size(bytes));
    damaged[at] ^= 1;
    FAILS(zenith_executable_load_memory(context, damaged,
                                        zenith_blob_size(bytes), &loaded),
          ZENITH_INVALID_INPUT, 0);
  }
  free(damaged);
  zenith_blob_free(bytes);
  zenith_executable_free(executable);
  zenith_context_free(context);
}

static void searches_are_programs(void) {
  zenith_context *context = NULL;
  OK(zenith_context_create(ZENITH_API_VERSION, NULL, &context));
  zenith_module *module = NULL;
  zenith_executable *executable = NULL;
  zenith_session *session = NULL;
  OK(zenith_module_load_search(context, "bfs", "lrx:4", NULL, 0, &module));
  OK(zenith_compile(module, NULL, &executable));
  OK(zenith_session_create(executable, NULL, &session));
  CHECK(zenith_executable_count(executable, NULL, ZENITH_ROLE_INPUT) == 0);
  zenith_array *layers = NULL;
  OK(zenith_run(session, NULL, NULL, 0, &layers, 1));
  const int64_t *sizes = (const int64_t *)zenith_array_data(layers);
  int64_t states = 0;
  for (int64_t i = 0; i < zenith_array_bytes(layers) / 8; ++i)
    states += sizes[i];
  CHECK(sizes[0] == 1 && states == 24);
  zenith_array_free(layers);
  zenith_session_free(session);
  zenith_executable_free(executable);
  zenith_module_free(module);
  zenith_context_free(context);
}

static void modules_are_derived_by_pipelines(void) {
  zenith_context *context = NULL;
  OK(zenith_context_create(ZENITH_API_VERSION, NULL, &context));
  zenith_load_options load;
  ZENITH_INIT(&load);
  load.format = "graphir";
  zenith_module *module = NULL, *derived = NULL;
  zenith_executable *executable = NULL;
  zenith_session *session = NULL;
  OK(zenith_module_load_memory(context, scale, sizeof scale - 1, &load,
                               &module));
  OK(zenith_module_transform(module, "zenith-vjp{wrt=0}", &derived));
  OK(zenith_compile(derived, NULL, &executable));
  OK(zenith_session_create(executable, NULL, &session));
  float x[2] = {1, 1}, dy[2] = {10, 100};
  int64_t dims[2] = {1, 2};
  zenith_array *inputs[2] = {
      wrap(context, ZENITH_F32, 2, dims, x, ZENITH_HOLD_BORROW),
      wrap(context, ZENITH_F32, 2, dims, dy, ZENITH_HOLD_BORROW)};
  zenith_array *outputs[2] = {NULL, NULL};
  zenith_run_options options;
  ZENITH_INIT(&options);
  options.entry = zenith_executable_entry(executable, 0);
  size_t count =
      zenith_executable_count(executable, options.entry, ZENITH_ROLE_OUTPUT);
  OK(zenith_run(session, &options, inputs, 2, outputs, count));
  const float *dx = zenith_array_data(outputs[count - 1]);
  CHECK(dx[0] == 20 && dx[1] == 300); // by the weights 2 and 3
  for (size_t i = 0; i < 2; ++i) {
    zenith_array_free(inputs[i]);
    zenith_array_free(outputs[i]);
  }
  zenith_module_free(derived);
  FAILS(zenith_module_transform(module, "zenith-weather", &derived),
        ZENITH_USAGE, ZENITH_REASON_UNKNOWN_NAME);
  zenith_session_free(session);
  zenith_executable_free(executable);
  zenith_module_free(module);
  zenith_context_free(context);
}

static const char sums[] =
    "func.func @main(%x: tensor<8xf32> {graph.name = \"x\"}) -> tensor<f32> {\n"
    "  %y = graph.reduce sum, %x [0] : tensor<8xf32> -> tensor<f32>\n"
    "  return %y : tensor<f32>\n"
    "}\n";

static void settings_deal_programs_over_devices(const char *target) {
  zenith_context *context = NULL;
  OK(zenith_context_create(ZENITH_API_VERSION, NULL, &context));
  zenith_load_options load;
  ZENITH_INIT(&load);
  load.format = "graphir";
  zenith_module *module = NULL;
  OK(zenith_module_load_memory(context, sums, sizeof sums - 1, &load, &module));
  const char *settings[] = {"mesh=a=2,b=2", "mesh-devices=4", "shard=x=a+b"};
  zenith_compile_options compile;
  ZENITH_INIT(&compile);
  compile.target = target;
  compile.settings = settings;
  compile.setting_count = 3;
  zenith_executable *executable = NULL;
  zenith_session *session = NULL;
  OK(zenith_compile(module, &compile, &executable));
  OK(zenith_session_create(executable, NULL, &session));
  float x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  int64_t eight = 8;
  zenith_array *input =
                   wrap(context, ZENITH_F32, 1, &eight, x, ZENITH_HOLD_BORROW),
               *output = NULL;
  OK(zenith_run(session, NULL, &input, 1, &output, 1));
  CHECK(((const float *)zenith_array_data(output))[0] == 36);
  zenith_array_free(output);
  zenith_array_free(input);
  zenith_session_free(session);
  zenith_executable_free(executable);
  // Not the mesh's number of devices, no such argument, no such axis.
  settings[1] = "mesh-devices=3";
  FAILS(zenith_compile(module, &compile, &executable), ZENITH_USAGE, 0);
  settings[1] = "mesh-devices=4";
  settings[2] = "shard=y=a";
  FAILS(zenith_compile(module, &compile, &executable), ZENITH_USAGE, 0);
  settings[2] = "shard=x=c";
  FAILS(zenith_compile(module, &compile, &executable), ZENITH_USAGE, 0);
  zenith_module_free(module);
  zenith_context_free(context);
}

int main(void) {
  sizes_keep_their_meaning();
  bad_calls_are_refused();
  runs_see_the_values_that_are_bound("cpu");
  runs_see_the_values_that_are_bound("interp");
  settings_deal_programs_over_devices("cpu");
  settings_deal_programs_over_devices("interp");
  bundles_run_without_a_compiler();
  searches_are_programs();
  modules_are_derived_by_pipelines();
  return 0;
}
