// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Figures of libzenith by its API; one line each.
//
// usage: library_figures latency MODEL | threads MODEL | cancel |
//        swap MODEL FOLDER
// latency prints the median of runs on one thread, to be compared with that of
// zenith-run; threads the throughput of 8 threads on one session and on one
// each; cancel how long runs go on after a request; swap what it costs to
// change all weights of a model, by a file that is written to FOLDER.

#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zenith/zenith.h>

static void ok(zenith_status *status) {
  if (!status)
    return;
  fprintf(stderr, "%s: %s\n", zenith_status_place(status),
          zenith_status_message(status));
  exit(1);
}

static zenith_context *make_context(int threads) {
  zenith_context_options options;
  ZENITH_INIT(&options);
  options.threads = threads;
  zenith_context *context = NULL;
  ok(zenith_context_create(ZENITH_API_VERSION, &options, &context));
  return context;
}

static zenith_executable *compile_file(zenith_context *context,
                                       const char *path, int all_parameters) {
  zenith_load_options load;
  ZENITH_INIT(&load);
  load.all_parameters = all_parameters;
  zenith_module *module = NULL;
  zenith_executable *executable = NULL;
  ok(zenith_module_load_file(context, path, &load, &module));
  ok(zenith_compile(module, NULL, &executable));
  zenith_module_free(module);
  return executable;
}

/// Inputs of ones, with 1 for each dynamic dimension.
static size_t make_inputs(zenith_context *context,
                          zenith_executable *executable,
                          zenith_array **inputs) {
  size_t count = zenith_executable_count(executable, NULL, ZENITH_ROLE_INPUT);
  for (size_t i = 0; i < count && i < 16; ++i) {
    zenith_value_info info;
    ZENITH_INIT(&info);
    ok(zenith_executable_value(executable, NULL, ZENITH_ROLE_INPUT, i, &info));
    int64_t dims[16];
    for (int axis = 0; axis < info.rank && axis < 16; ++axis)
      dims[axis] = info.dims[axis] < 0 ? 1 : info.dims[axis];
    ok(zenith_array_create(context, info.dtype, info.rank, dims, &inputs[i]));
    memset(zenith_array_data(inputs[i]), 0,
           (size_t)zenith_array_bytes(inputs[i]));
  }
  return count;
}

static int by_size(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}
static int64_t median(int64_t *values, size_t count) {
  qsort(values, count, sizeof *values, by_size);
  return values[count / 2];
}

static void latency(const char *model) {
  enum { runs = 3000 };
  static int64_t ns[runs];
  zenith_context *context = make_context(1);
  zenith_executable *executable = compile_file(context, model, 0);
  zenith_session *session = NULL;
  ok(zenith_session_create(executable, NULL, &session));
  zenith_array *inputs[16], *outputs[16] = {NULL};
  size_t count = make_inputs(context, executable, inputs);
  size_t results =
      zenith_executable_count(executable, NULL, ZENITH_ROLE_OUTPUT);
  zenith_run_report report;
  ZENITH_INIT(&report);
  zenith_run_options options;
  ZENITH_INIT(&options);
  ok(zenith_run(session, &options, inputs, count, outputs, results));
  for (int i = 0; i < runs; ++i) { // into the arrays of the first run
    int64_t begin = zenith_now();
    ok(zenith_run(session, &options, inputs, count, outputs, results));
    ns[i] = zenith_now() - begin;
  }
  options.report = &report;
  ok(zenith_run(session, &options, inputs, count, outputs, results));
  printf("latency_us %.2f allocations %lld copies %lld\n",
         (double)median(ns, runs) / 1e3, (long long)report.allocations,
         (long long)report.copies);
}

typedef struct Traffic {
  zenith_session *session;
  zenith_array *inputs[16];
  size_t count, results;
  pthread_t thread;
  long runs;
} Traffic;
static atomic_int stop;

static void *keep_running(void *argument) {
  Traffic *own = argument;
  zenith_array *outputs[16] = {NULL};
  zenith_run_options options;
  ZENITH_INIT(&options);
  options.threads = 1;
  while (!atomic_load(&stop)) {
    ok(zenith_run(own->session, &options, own->inputs, own->count, outputs,
                  own->results));
    ++own->runs;
  }
  for (size_t i = 0; i < own->results; ++i)
    zenith_array_free(outputs[i]);
  return NULL;
}

static double throughput(zenith_context *context, zenith_executable *executable,
                         int shared) {
  enum { threads = 8 };
  Traffic own[threads];
  memset(own, 0, sizeof own);
  for (int i = 0; i < threads; ++i) {
    if (i && shared)
      own[i].session = own[0].session;
    else
      ok(zenith_session_create(executable, NULL, &own[i].session));
    own[i].count = make_inputs(context, executable, own[i].inputs);
    own[i].results =
        zenith_executable_count(executable, NULL, ZENITH_ROLE_OUTPUT);
  }
  atomic_store(&stop, 0);
  int64_t begin = zenith_now();
  for (int i = 0; i < threads; ++i)
    pthread_create(&own[i].thread, NULL, keep_running, &own[i]);
  usleep(1500000);
  atomic_store(&stop, 1);
  long runs = 0;
  for (int i = 0; i < threads; ++i) {
    pthread_join(own[i].thread, NULL);
    runs += own[i].runs;
  }
  double seconds = (double)(zenith_now() - begin) / 1e9;
  for (int i = 0; i < threads; ++i) {
    for (size_t k = 0; k < own[i].count; ++k)
      zenith_array_free(own[i].inputs[k]);
    if (!i || !shared)
      zenith_session_free(own[i].session);
  }
  return (double)runs / seconds;
}

static void compare_threads(const char *model) {
  zenith_context *context = make_context(1);
  zenith_executable *executable = compile_file(context, model, 0);
  double one = 0, each = 0;
  for (int turn = 0; turn < 5; ++turn) { // the best of each, in turns
    double shared = throughput(context, executable, 1);
    double apart = throughput(context, executable, 0);
    one = shared > one ? shared : one;
    each = apart > each ? apart : each;
  }
  printf("threads_one_session/8_sessions %.3f\n", one / each);
}

#define LOOP(N)                                                                \
  "func.func @main(%n: tensor<i64>, %x: tensor<" #N "x" #N                     \
  "xf32>) -> tensor<" #N "x" #N "xf32> {\n"                                    \
  "  %zero = graph.constant dense<0> : tensor<i64>\n"                          \
  "  %one = graph.constant dense<1> : tensor<i64>\n"                           \
  "  %r:2 = graph.while %zero, %x cond {\n"                                    \
  "  ^bb0(%i: tensor<i64>, %a: tensor<" #N "x" #N "xf32>):\n"                  \
  "    %c = graph.compare lt, %i, %n : tensor<i64> -> tensor<i1>\n"            \
  "    graph.yield %c : tensor<i1>\n  } do {\n"                                \
  "  ^bb0(%i: tensor<i64>, %a: tensor<" #N "x" #N "xf32>):\n"                  \
  "    %j = graph.add %i, %one : tensor<i64>\n"                                \
  "    %b = graph.dot_general %a, %x <batching = [] x [], contracting = [1] "  \
  "x [0]> : (tensor<" #N "x" #N "xf32>, tensor<" #N "x" #N                     \
  "xf32>) -> tensor<" #N "x" #N "xf32>\n"                                      \
  "    %t = graph.tanh %b : tensor<" #N "x" #N "xf32>\n"                       \
  "    graph.yield %j, %t : tensor<i64>, tensor<" #N "x" #N "xf32>\n"          \
  "  } : (tensor<i64>, tensor<" #N "x" #N "xf32>) -> (tensor<i64>, "           \
  "tensor<" #N "x" #N "xf32>)\n"                                               \
  "  return %r#1 : tensor<" #N "x" #N "xf32>\n}\n"

static _Atomic int64_t requested;
static void *cancel_soon(void *token) {
  usleep(30000);
  atomic_store(&requested, zenith_now());
  zenith_cancel_request(token);
  return NULL;
}

/// The longest of 20 times from a request to the return of the run.
static void cancel(const char *name, const char *text, int64_t size,
                   int threads) {
  zenith_context *context = make_context(threads);
  zenith_load_options load;
  ZENITH_INIT(&load);
  load.format = "graphir";
  zenith_module *module = NULL;
  zenith_executable *executable = NULL;
  zenith_session *session = NULL;
  ok(zenith_module_load_memory(context, text, strlen(text), &load, &module));
  ok(zenith_compile(module, NULL, &executable));
  ok(zenith_session_create(executable, NULL, &session));
  zenith_array *inputs[2] = {NULL, NULL};
  int64_t dims[2] = {size, size};
  ok(zenith_array_create(context, ZENITH_I64, 0, NULL, &inputs[0]));
  *(int64_t *)zenith_array_data(inputs[0]) = INT64_MAX;
  ok(zenith_array_create(context, ZENITH_F32, 2, dims, &inputs[1]));
  memset(zenith_array_data(inputs[1]), 0,
         (size_t)zenith_array_bytes(inputs[1]));
  zenith_run_options options;
  ZENITH_INIT(&options);
  options.cancel = zenith_cancel_create();
  int64_t longest = 0;
  for (int turn = 0; turn < 20; ++turn) {
    pthread_t thread;
    zenith_array *output = NULL;
    zenith_cancel_reset(options.cancel);
    pthread_create(&thread, NULL, cancel_soon, options.cancel);
    zenith_status *status =
        zenith_run(session, &options, inputs, 2, &output, 1);
    int64_t took = zenith_now() - atomic_load(&requested);
    pthread_join(thread, NULL);
    if (zenith_status_reason(status) != ZENITH_REASON_CANCELLED)
      exit(1);
    zenith_status_free(status);
    longest = took > longest ? took : longest;
  }
  printf("cancel_ms %s threads %d longest %.3f\n", name, threads,
         (double)longest / 1e6);
}

static int64_t memory_number(zenith_context *context, const char *which) {
  zenith_blob *json = NULL;
  ok(zenith_context_report(context, "memory", &json));
  const char *at = strstr(zenith_blob_data(json), "\"parameters\"");
  at = at ? strstr(at, which) : NULL;
  int64_t number = at ? strtoll(at + strlen(which), NULL, 10) : -1;
  zenith_blob_free(json);
  return number;
}

static void swap(const char *model, const char *folder) {
  char path[1024];
  snprintf(path, sizeof path, "%s/weights.safetensors", folder);
  zenith_context *context = make_context(0);
  zenith_executable *executable = compile_file(context, model, 1);
  zenith_session *session = NULL;
  ok(zenith_session_create(executable, NULL, &session));
  ok(zenith_session_save_parameters(session, path));
  zenith_session_free(session);
  enum { turns = 5 };
  int64_t opened[turns], first[turns], later[turns], set = 0;
  zenith_session_options options;
  ZENITH_INIT(&options);
  options.parameters_file = path;
  for (int turn = 0; turn < turns; ++turn) {
    int64_t begin = zenith_now();
    ok(zenith_session_create(executable, &options, &session));
    opened[turn] = zenith_now() - begin;
    set = memory_number(context, "\"live\":");
    // The first swap takes new memory, the ones after it that of the old set.
    int64_t *times[2] = {&first[turn], &later[turn]};
    for (int swap = 0; swap < 2; ++swap) {
      begin = zenith_now();
      ok(zenith_session_rebind(session, path, NULL, 0));
      *times[swap] = zenith_now() - begin;
    }
    zenith_session_free(session);
  }
  double prepared = (double)median(opened, turns),
         peak = (double)memory_number(context, "\"peak\":");
  printf("prepare_ms %.1f first swap %.2f of it, later ones %.2f, peak/set "
         "%.2f\n",
         prepared / 1e6, (double)median(first, turns) / prepared,
         (double)median(later, turns) / prepared, peak / (double)set);
  remove(path);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  if (!strcmp(what, "latency") && argc > 2) {
    latency(argv[2]);
  } else if (!strcmp(what, "threads") && argc > 2) {
    compare_threads(argv[2]);
  } else if (!strcmp(what, "cancel")) {
    for (int threads = 1; threads <= 2; ++threads) {
      cancel("small kernels", LOOP(64), 64, threads);
      cancel("large kernels", LOOP(2048), 2048, threads);
    }
  } else if (!strcmp(what, "swap") && argc > 3) {
    swap(argv[2], argv[3]);
  } else {
    fprintf(stderr, "usage: library_figures latency MODEL | threads MODEL | "
                    "cancel | swap MODEL FOLDER\n");
    return 2;
  }
  return 0;
}
