// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every allocation fails once, alone and with all that follow: of the host's
// allocator, and of malloc once the program is compiled. Nothing leaks, and
// contexts leave nothing behind.

#define _GNU_SOURCE
#include "check.h"
#include <dirent.h>
#include <stdatomic.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

/// Blocks of one source, of which one or more fail.
typedef struct Source {
  atomic_long calls, live, failAt, sticky;
} Source;

static int fails(Source *source) {
  long failAt = atomic_load(&source->failAt);
  if (!failAt)
    return 0;
  long call = atomic_fetch_add(&source->calls, 1) + 1;
  return call == failAt || (call > failAt && atomic_load(&source->sticky));
}

static void *counted(Source *source, void *pointer) {
  if (pointer)
    atomic_fetch_add(&source->live, 1);
  return pointer;
}

#ifndef SANITIZED
// The process's malloc, which the library and libstdc++ call too.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *pointer, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *pointer);

static Source heap;

void *malloc(size_t size) {
  return fails(&heap) ? NULL : counted(&heap, __libc_malloc(size));
}
void *calloc(size_t count, size_t size) {
  return fails(&heap) ? NULL : counted(&heap, __libc_calloc(count, size));
}
void *realloc(void *pointer, size_t size) {
  if (fails(&heap))
    return NULL;
  void *moved = __libc_realloc(pointer, size);
  return pointer ? moved : counted(&heap, moved);
}
void *aligned_alloc(size_t alignment, size_t size) {
  return fails(&heap) ? NULL : counted(&heap, __libc_memalign(alignment, size));
}
int posix_memalign(void **pointer, size_t alignment, size_t size) {
  *pointer = aligned_alloc(alignment, size);
  return *pointer ? 0 : 12; // ENOMEM
}
void free(void *pointer) {
  if (pointer)
    atomic_fetch_sub(&heap.live, 1);
  __libc_free(pointer);
}
#endif

static void *allocate(void *user, size_t bytes, size_t alignment,
                      zenith_memory_kind kind) {
  (void)kind;
  Source *source = user;
  void *pointer = NULL;
  if (fails(source) ||
      posix_memalign(&pointer, alignment < 8 ? 8 : alignment, bytes))
    return NULL;
  return counted(source, pointer);
}
static void give_back(void *user, void *pointer, size_t bytes,
                      zenith_memory_kind kind) {
  (void)bytes, (void)kind;
  atomic_fetch_sub(&((Source *)user)->live, 1);
  free(pointer);
}

/// Derived weights, scratch, and sizes that depend on data.
static const char program[] =
    "graph.param @w : tensor<8x8xf32> = dense<0.5> : tensor<8x8xf32>\n"
    "func.func @main(%x: tensor<?x8xf32> {graph.dims = [\"n\", \"8\"], "
    "graph.name = \"x\"}) -> (tensor<?x8xf32>, tensor<?x8xf32>) {\n"
    "  %w = graph.get_param @w : tensor<8x8xf32>\n"
    "  %p = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x "
    "[0]> : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>\n"
    "  %s = graph.sort %p 0 keys 1 : (tensor<?x8xf32>) -> tensor<?x8xf32>\n"
    "  %r, %f, %i, %c = graph.unique %s : tensor<?x8xf32> -> tensor<?x8xf32>, "
    "tensor<?xi64>, tensor<?xi64>, tensor<?xi64>\n"
    "  %t = graph.tanh %r : tensor<?x8xf32>\n"
    "  return %s, %t : tensor<?x8xf32>, tensor<?x8xf32>\n"
    "}\n";

static zenith_context *context;
static zenith_executable *executable;

static zenith_context *make_context(Source *source, int threads) {
  zenith_allocator allocator;
  ZENITH_INIT(&allocator);
  allocator.user = source;
  allocator.alloc = allocate;
  allocator.free = give_back;
  zenith_context_options options;
  ZENITH_INIT(&options);
  if (source)
    options.allocator = &allocator;
  options.threads = threads;
  zenith_context *made = NULL;
  OK(zenith_context_create(ZENITH_API_VERSION, &options, &made));
  return made;
}

static zenith_executable *compile(zenith_context *in) {
  zenith_load_options load;
  ZENITH_INIT(&load);
  load.format = "graphir";
  zenith_module *module = NULL;
  zenith_executable *made = NULL;
  OK(zenith_module_load_memory(in, program, sizeof program - 1, &load,
                               &module));
  OK(zenith_compile(module, NULL, &made));
  zenith_module_free(module);
  return made;
}

static zenith_status *wrap_copy(zenith_context *in, float *data, int64_t rows,
                                int64_t stride, zenith_array **array) {
  int64_t dims[2] = {rows, 8}, strides[2] = {stride, 1};
  zenith_view view;
  ZENITH_INIT(&view);
  view.dtype = ZENITH_F32;
  view.rank = 2;
  view.dims = dims;
  view.strides = strides;
  view.data = data;
  return zenith_array_wrap(in, &view, ZENITH_HOLD_COPY, NULL, NULL, array);
}

/// All that a server does with a session; null, or the first error.
static zenith_status *serve(zenith_context *in, zenith_executable *compiled) {
  float x[40], w[72];
  for (int i = 0; i < 40; ++i)
    x[i] = (float)(i % 16); // rows repeat
  for (int i = 0; i < 72; ++i)
    w[i] = 0.25f;
  zenith_session *session = NULL;
  zenith_array *input = NULL, *weights = NULL, *shared = NULL;
  zenith_array *outputs[2] = {NULL, NULL}, *again[2] = {NULL, NULL};
  zenith_event *event = NULL;
  struct DLManagedTensorVersioned *tensor = NULL;
  zenith_named_array named;
  ZENITH_INIT(&named);
  named.name = "w";
  const zenith_named_array *table = &named;

  zenith_status *status = zenith_session_create(compiled, NULL, &session);
  CHECK((status == NULL) == (session != NULL));
  if (!status)
    status = wrap_copy(in, x, 5, 8, &input);
  if (!status)
    status = wrap_copy(in, w, 8, 9, &weights);
  if (!status)
    status = zenith_run(session, NULL, &input, 1, outputs, 2);
  CHECK((outputs[0] != NULL) == (status == NULL && input != NULL));
  if (!status) // the second result moves to the array of the first one
    status = zenith_run(session, NULL, &input, 1, outputs, 2);
  if (!status) {
    named.array = weights;
    status = zenith_session_rebind(session, NULL, &table, 1);
  }
  if (!status)
    status = zenith_run_async(session, NULL, &input, 1, NULL, 2, &event);
  if (!status)
    status = zenith_event_take(event, again, 2);
  if (!status)
    CHECK(((float *)zenith_array_data(again[0]))[0] == 14.0f * 0.5f);
  if (!status)
    status = zenith_array_to_dlpack(input, &tensor);
  if (!status)
    status = zenith_array_from_dlpack(in, tensor, &shared);
  if (tensor && !shared) { // still the test's
    struct Managed {
      uint32_t version[2];
      void *manager;
      void (*deleter)(struct DLManagedTensorVersioned *);
    } *managed = (struct Managed *)tensor;
    managed->deleter(tensor);
  }
  zenith_array_free(shared);
  for (int i = 0; i < 2; ++i) {
    zenith_array_free(outputs[i]);
    zenith_array_free(again[i]);
  }
  zenith_event_free(event);
  zenith_array_free(weights);
  zenith_array_free(input);
  zenith_session_free(session);
  return status;
}

/// The runner's thread of an event lets go a moment later.
static void wait_for(Source *source, long live) {
  for (int i = 0; i < 100 && atomic_load(&source->live) > live; ++i)
    usleep(1000);
}

/// Serves while allocation `at` fails; how many there were. `status` may be
/// null.
static long serve_failing(Source *source, long at, int sticky,
                          zenith_status **status) {
  atomic_store(&source->calls, 0);
  atomic_store(&source->sticky, sticky);
  atomic_store(&source->failAt, at);
  *status = serve(context, executable);
  long calls = atomic_load(&source->calls);
  atomic_store(&source->failAt, 0);
  return calls;
}

/// Blocks that are live after a call that worked. The system keeps a block for
/// each stack of a thread that it may use again, so that there may be one more
/// now and then; a leak is one more each time.
static long settled(Source *source, long base, long at, int sticky) {
  OK(serve(context, executable));
  wait_for(source, base);
  long live = atomic_load(&source->live);
  if (live <= base)
    return base;
  enum { times = 8 };
  for (int i = 0; i < times; ++i) {
    zenith_status *status = NULL;
    serve_failing(source, at, sticky, &status);
    zenith_status_free(status);
  }
  OK(serve(context, executable));
  wait_for(source, live);
  if (atomic_load(&source->live) >= live + times) {
    printf("allocation %ld leaks: %ld blocks, then %ld\n", at, live,
           atomic_load(&source->live));
    exit(1);
  }
  return atomic_load(&source->live);
}

/// Fails each allocation in turn. `all`: an error each time, also where the
/// library could do with less.
static long fail_each(Source *source, int sticky, int all) {
  long failures = 0;
  OK(serve(context, executable));
  OK(serve(context, executable));
  wait_for(source, 0);
  long base = atomic_load(&source->live);
  for (long at = 1;; ++at) {
    CHECK(at < 20000);
    zenith_status *status = NULL;
    long calls = serve_failing(source, at, sticky, &status);
    if (!status && (all || calls < at)) {
      CHECK(calls < at);
      return failures;
    }
    if (status) {
      ++failures;
      CHECK(zenith_status_code(status) == ZENITH_OUT_OF_MEMORY);
      CHECK(zenith_status_reason(status) == ZENITH_REASON_ALLOCATION);
      zenith_status_free(status);
    }
    base = settled(source, base, at, sticky);
  }
}

static void the_hosts_allocations_fail(void) {
  Source source = {0, 0, 0, 0};
  context = make_context(&source, 2);
  executable = compile(context);
  for (int sticky = 0; sticky < 2; ++sticky)
    CHECK(fail_each(&source, sticky, 1) > 15);
  zenith_executable_free(executable);
  zenith_context_free(context);
  CHECK(atomic_load(&source.live) == 0);
  source.failAt = 1;
  zenith_allocator allocator;
  ZENITH_INIT(&allocator);
  allocator.user = &source;
  allocator.alloc = allocate;
  allocator.free = give_back;
  zenith_context_options options;
  ZENITH_INIT(&options);
  options.allocator = &allocator;
  FAILS(zenith_context_create(ZENITH_API_VERSION, &options, &context),
        ZENITH_OUT_OF_MEMORY, ZENITH_REASON_ALLOCATION);
}

static void malloc_fails(void) {
#ifndef SANITIZED
  context = make_context(NULL, 2);
  executable = compile(context);
  for (int sticky = 0; sticky < 2; ++sticky)
    CHECK(fail_each(&heap, sticky, 0) > 15);
  zenith_executable_free(executable);
  zenith_context_free(context);
#endif
}

static int entries(const char *path) {
  int count = 0;
  DIR *folder = opendir(path);
  CHECK(folder);
  while (readdir(folder))
    ++count;
  closedir(folder);
  return count;
}

static long resident(void) {
  long all = 0, pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  CHECK(file && fscanf(file, "%ld %ld", &all, &pages) == 2);
  fclose(file);
  return pages * sysconf(_SC_PAGESIZE);
}

static void contexts_leave_nothing(void) {
  int threads = entries("/proc/self/task"), files = 0;
  long bytes = 0;
  for (int i = 0; i < 100; ++i) {
    zenith_context *in = make_context(NULL, 2);
    zenith_executable *compiled = compile(in);
    OK(serve(in, compiled));
    zenith_executable_free(compiled);
    zenith_context_free(in);
    if (i == 9) {
      files = entries("/proc/self/fd");
      bytes = resident();
    }
  }
  for (int i = 0; i < 1000 && entries("/proc/self/task") > threads; ++i)
    usleep(1000);
  CHECK(entries("/proc/self/task") == threads);
  CHECK(entries("/proc/self/fd") == files);
  long growth = resident() - bytes;
#ifndef SANITIZED // which keep what was freed
  if (growth >= 8 << 20) {
    printf("90 contexts grow by %ld KiB\n", growth / 1024);
    exit(1);
  }
#endif
  (void)growth;
}

int main(void) {
  contexts_leave_nothing();
  the_hosts_allocations_fail();
  malloc_fails();
  return 0;
}
