// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sessions under traffic: values that change, memory that is given back, and a
// session that ends while runs go on.

#define _GNU_SOURCE
#include "check.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char scale[] =
    "graph.param @w : tensor<2xf32> = dense<0.0> : tensor<2xf32>\n"
    "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
    "  %w = graph.get_param @w : tensor<2xf32>\n"
    "  %y = graph.mul %x, %w : tensor<2xf32>\n"
    "  return %y : tensor<2xf32>\n"
    "}\n";

static const char count_up[] =
    "func.func @main(%n: tensor<i64>) -> tensor<i64> {\n"
    "  %zero = graph.constant dense<0> : tensor<i64>\n"
    "  %one = graph.constant dense<1> : tensor<i64>\n"
    "  %r = graph.while %zero cond {\n"
    "  ^bb0(%i: tensor<i64>):\n"
    "    %c = graph.compare lt, %i, %n : tensor<i64> -> tensor<i1>\n"
    "    graph.yield %c : tensor<i1>\n"
    "  } do {\n"
    "  ^bb0(%i: tensor<i64>):\n"
    "    %j = graph.add %i, %one : tensor<i64>\n"
    "    graph.yield %j : tensor<i64>\n"
    "  } : (tensor<i64>) -> tensor<i64>\n"
    "  return %r : tensor<i64>\n"
    "}\n";

static const char product[] =
    "graph.param @w : tensor<1024x512xf32> = dense<0.5> : "
    "tensor<1024x512xf32>\n"
    "func.func @main(%x: tensor<1024x1024xf32>) -> tensor<1024x512xf32> {\n"
    "  %w = graph.get_param @w : tensor<1024x512xf32>\n"
    "  %y = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x "
    "[0]> : (tensor<1024x1024xf32>, tensor<1024x512xf32>) -> "
    "tensor<1024x512xf32>\n"
    "  return %y : tensor<1024x512xf32>\n"
    "}\n";

static zenith_session *open_session(zenith_context *context, const char *text,
                                    int concurrency) {
  zenith_load_options load;
  ZENITH_INIT(&load);
  load.format = "graphir";
  zenith_session_options options;
  ZENITH_INIT(&options);
  options.max_concurrency = concurrency;
  zenith_module *module = NULL;
  zenith_executable *executable = NULL;
  zenith_session *session = NULL;
  OK(zenith_module_load_memory(context, text, strlen(text), &load, &module));
  OK(zenith_compile(module, NULL, &executable));
  OK(zenith_session_create(executable, &options, &session));
  zenith_module_free(module);
  zenith_executable_free(executable);
  return session;
}

static atomic_int released;
static void release(void *user, void *data) {
  (void)user;
  atomic_fetch_add(&released, 1);
  free(data);
}

/// Both elements of @w become `value`, in memory that release() frees.
static void bind(zenith_context *context, zenith_session *session, int value) {
  float *w = malloc(2 * sizeof *w);
  w[0] = w[1] = (float)value;
  int64_t two = 2;
  zenith_view view;
  ZENITH_INIT(&view);
  view.dtype = ZENITH_F32;
  view.rank = 1;
  view.dims = &two;
  view.data = w;
  zenith_named_array named;
  ZENITH_INIT(&named);
  named.name = "w";
  OK(zenith_array_wrap(context, &view, ZENITH_HOLD_TAKE, release, NULL,
                       &named.array));
  const zenith_named_array *table = &named;
  OK(zenith_session_rebind(session, NULL, &table, 1));
  zenith_array_free(named.array);
}

/// The value that a run on ones sees, the same in both elements.
static int seen_value(zenith_context *context, zenith_session *session) {
  float ones[2] = {1, 1};
  int64_t two = 2;
  zenith_array *x =
                   wrap(context, ZENITH_F32, 1, &two, ones, ZENITH_HOLD_BORROW),
               *y = NULL;
  OK(zenith_run(session, NULL, &x, 1, &y, 1));
  const float *values = zenith_array_data(y);
  CHECK(values[0] == values[1]);
  int value = (int)values[0];
  zenith_array_free(x);
  zenith_array_free(y);
  return value;
}

static void idle_sessions_hold_one_set_of_values(void) {
  zenith_context *context = NULL;
  OK(zenith_context_create(ZENITH_API_VERSION, NULL, &context));
  zenith_session *session = open_session(context, scale, 0);
  atomic_store(&released, 0);
  for (int value = 1; value < 5; ++value) {
    bind(context, session, value);
    CHECK(atomic_load(&released) == value - 1);
    CHECK(seen_value(context, session) == value);
  }
  zenith_session_free(session);
  CHECK(atomic_load(&released) == 4);
  zenith_context_free(context);
}

/// KiB of a mapped file that are in memory.
static long resident(const char *path) {
  FILE *file = fopen("/proc/self/smaps", "r");
  CHECK(file);
  char line[4096];
  long total = 0, number;
  unsigned long begin, end;
  int inside = 0;
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
      inside = strstr(line, path) != NULL;
    else if (inside && sscanf(line, "Rss: %ld", &number) == 1)
      total += number;
  }
  fclose(file);
  return total;
}

static void files_of_values_leave_memory(void) {
  char path[] = "/tmp/values.XXXXXX";
  CHECK(!close(mkstemp(path)));
  zenith_context *context = NULL;
  OK(zenith_context_create(ZENITH_API_VERSION, NULL, &context));
  zenith_session *session = open_session(context, product, 0);
  OK(zenith_session_save_parameters(session, path));
  for (int turn = 0; turn < 2; ++turn) {
    OK(zenith_session_rebind(session, path, NULL, 0));
    CHECK(resident(path) <= 128); // of 2 MiB, which @prepare has packed
  }
  zenith_session_free(session);
  zenith_context_free(context);
  remove(path);
}

static void *allocate(void *user, size_t bytes, size_t alignment,
                      zenith_memory_kind kind) {
  (void)user, (void)kind;
  void *pointer = NULL;
  return posix_memalign(&pointer, alignment < 8 ? 8 : alignment, bytes)
             ? NULL
             : pointer;
}
static void give_back(void *user, void *pointer, size_t bytes,
                      zenith_memory_kind kind) {
  (void)user, (void)bytes, (void)kind;
  free(pointer);
}

/// Bytes of parameters and of what was derived from them, "live" or "peak".
static long parameter_bytes(zenith_context *context, const char *which) {
  zenith_blob *json = NULL;
  OK(zenith_context_report(context, "memory", &json));
  const char *at = strstr(zenith_blob_data(json), "\"parameters\"");
  CHECK(at && (at = strstr(at, which)));
  long bytes = strtol(at + strlen(which) + 1, NULL, 10);
  zenith_blob_free(json);
  return bytes;
}

/// A swap writes the memory of the set that the swap before replaced, so that
/// there are never more than two; a host has its memory back at once.
static void swaps_reuse_memory(int has_allocator) {
  char path[] = "/tmp/values.XXXXXX";
  CHECK(!close(mkstemp(path)));
  zenith_allocator allocator;
  ZENITH_INIT(&allocator);
  allocator.alloc = allocate;
  allocator.free = give_back;
  zenith_context_options options;
  ZENITH_INIT(&options);
  if (has_allocator)
    options.allocator = &allocator;
  zenith_context *context = NULL;
  OK(zenith_context_create(ZENITH_API_VERSION, &options, &context));
  zenith_session *session = open_session(context, product, 0);
  OK(zenith_session_save_parameters(session, path));
  long set = parameter_bytes(context, "\"live\"");
  CHECK(set >= 2 << 20);
  for (int turn = 0; turn < 4; ++turn) {
    OK(zenith_session_rebind(session, path, NULL, 0));
    CHECK(parameter_bytes(context, "\"peak\"") == 2 * set);
    CHECK(parameter_bytes(context, "\"live\"") ==
          (has_allocator ? set : 2 * set));
  }
  zenith_session_trim(session);
  CHECK(parameter_bytes(context, "\"live\"") == set);
  OK(zenith_session_rebind(session, path, NULL, 0));
  zenith_session_free(session);
  CHECK(parameter_bytes(context, "\"live\"") == 0);
  zenith_context_free(context);
  remove(path);
}

/// What only @prepare reads is copied where it is not aligned, and the copy goes
/// with the file's pages.
static void unaligned_values_leave_memory(void) {
  char path[] = "/tmp/values.XXXXXX";
  FILE *file = fdopen(mkstemp(path), "wb");
  CHECK(file && fputc(0, file) == 0);
  const float half = 0.5f;
  for (int i = 0; i < 1024 * 512; ++i)
    CHECK(fwrite(&half, sizeof half, 1, file) == 1);
  CHECK(!fclose(file));
  char text[2048];
  const char *value = "dense<0.5> : tensor<1024x512xf32>";
  const char *at = strstr(product, value);
  CHECK(at);
  snprintf(text, sizeof text, "%.*s#graph.external<\"%s\", 1, %d>%s",
           (int)(at - product), product, path, 1024 * 512 * 4,
           at + strlen(value));

  zenith_context *context = NULL;
  OK(zenith_context_create(ZENITH_API_VERSION, NULL, &context));
  zenith_session *session = open_session(context, product, 0);
  long set = parameter_bytes(context, "\"live\"");
  zenith_session_free(session);
  session = open_session(context, text, 0);
  for (int turn = 0; turn < 2; ++turn) {
    CHECK(parameter_bytes(context, "\"live\"") == set);
    CHECK(resident(path) <= 128); // KiB
    OK(zenith_session_rebind(session, NULL, NULL, 0));
    zenith_session_trim(session);
  }
  static float ones[1024 * 1024];
  for (int i = 0; i < 1024 * 1024; ++i)
    ones[i] = 1;
  int64_t dims[2] = {1024, 1024};
  zenith_array *x = wrap(context, ZENITH_F32, 2, dims, ones,
                         ZENITH_HOLD_BORROW),
               *y = NULL;
  OK(zenith_run(session, NULL, &x, 1, &y, 1));
  CHECK(((const float *)zenith_array_data(y))[1024 * 512 - 1] == 512);
  zenith_array_free(x);
  zenith_array_free(y);
  zenith_session_free(session);
  CHECK(parameter_bytes(context, "\"live\"") == 0);
  zenith_context_free(context);
  remove(path);
}

typedef struct Traffic {
  zenith_context *context;
  zenith_session *session;
} Traffic;
static atomic_int stop;

static void *keep_running(void *argument) {
  const Traffic *traffic = argument;
  int last = 0;
  while (!atomic_load(&stop)) {
    int value = seen_value(traffic->context, traffic->session);
    CHECK(value >= last); // values only go up
    last = value;
  }
  return NULL;
}

static void values_change_under_traffic(int concurrency) {
  enum { threads = 4, swaps = 200 };
  Traffic traffic = {NULL, NULL};
  OK(zenith_context_create(ZENITH_API_VERSION, NULL, &traffic.context));
  traffic.session = open_session(traffic.context, scale, concurrency);
  pthread_t all[threads];
  atomic_store(&stop, 0);
  atomic_store(&released, 0);
  for (int i = 0; i < threads; ++i)
    CHECK(!pthread_create(&all[i], NULL, keep_running, &traffic));
  for (int value = 1; value <= swaps; ++value) {
    bind(traffic.context, traffic.session, value);
    CHECK(seen_value(traffic.context, traffic.session) == value);
    zenith_session_trim(traffic.session);
  }
  atomic_store(&stop, 1);
  for (int i = 0; i < threads; ++i)
    pthread_join(all[i], NULL);
  CHECK(atomic_load(&released) == swaps - 1);
  zenith_session_free(traffic.session);
  CHECK(atomic_load(&released) == swaps);
  zenith_context_free(traffic.context);
}

typedef struct Endless {
  zenith_context *context;
  zenith_session *session;
  zenith_cancel *cancel;
  pthread_t thread;
  atomic_int id;
} Endless;

static void *count_for_ever(void *argument) {
  Endless *own = argument;
  int64_t most = INT64_MAX;
  zenith_array *n = wrap(own->context, ZENITH_I64, 0, NULL, &most,
                         ZENITH_HOLD_BORROW),
               *result = NULL;
  zenith_run_options options;
  ZENITH_INIT(&options);
  options.cancel = own->cancel;
  atomic_store(&own->id, (int)syscall(SYS_gettid));
  FAILS(zenith_run(own->session, &options, &n, 1, &result, 1),
        ZENITH_RUN_FAILED, ZENITH_REASON_CANCELLED);
  zenith_array_free(n);
  return NULL;
}

static void start(Endless *run) {
  atomic_init(&run->id, 0);
  CHECK(!pthread_create(&run->thread, NULL, count_for_ever, run));
  while (!atomic_load(&run->id))
    usleep(100);
}

static long runs_of(zenith_context *context) {
  zenith_blob *json = NULL;
  OK(zenith_context_report(context, "counters", &json));
  const char *at = strstr(zenith_blob_data(json), "\"runs\":");
  CHECK(at);
  long runs = strtol(at + 7, NULL, 10);
  zenith_blob_free(json);
  return runs;
}

/// The letter of the thread's state: S where it waits.
static char state_of(int id) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", id);
  FILE *file = fopen(path, "r");
  CHECK(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  const char *name_end = strrchr(text, ')');
  CHECK(name_end);
  return name_end[2];
}

/// One run goes on, another waits for its turn; both outlive the handles.
static void runs_outlive_their_session(int concurrency) {
  zenith_context *context = NULL;
  zenith_context_options options;
  ZENITH_INIT(&options);
  options.threads = 1;
  OK(zenith_context_create(ZENITH_API_VERSION, &options, &context));
  zenith_session *session = open_session(context, count_up, concurrency);
  zenith_cancel *cancel = zenith_cancel_create();
  Endless runs[2];
  for (int i = 0; i < 2; ++i) {
    runs[i].context = context;
    runs[i].session = session;
    runs[i].cancel = cancel;
    start(&runs[i]);
    while (i < concurrency || !concurrency ? runs_of(context) <= i
                                           : state_of(runs[i].id) != 'S')
      usleep(100);
  }
  zenith_session_free(session);
  zenith_context_free(context);
  usleep(10000);
  zenith_cancel_request(cancel);
  for (int i = 0; i < 2; ++i)
    pthread_join(runs[i].thread, NULL);
  zenith_cancel_free(cancel);
}

int main(void) {
  idle_sessions_hold_one_set_of_values();
  files_of_values_leave_memory();
  swaps_reuse_memory(0);
  swaps_reuse_memory(1);
  unaligned_values_leave_memory();
  for (int concurrency = 0; concurrency < 3; ++concurrency)
    values_change_under_traffic(concurrency);
  for (int concurrency = 0; concurrency < 3; ++concurrency)
    runs_outlive_their_session(concurrency);
  return 0;
}
