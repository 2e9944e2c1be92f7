// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What fuzzers of libzenith share: errors by contract, a context with limits,
// and a program with parameters.

#ifndef ZENITH_TESTS_FUZZ_LIBRARYCALLS_H
#define ZENITH_TESTS_FUZZ_LIBRARYCALLS_H

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <zenith/zenith.h>

namespace zenith::fuzz {

/// True for success. An error has one of the codes that input and callers can
/// cause, a message, and texts that end; else the process does.
inline bool check(zenith_status *status) {
  if (!status)
    return true;
  zenith_code code = zenith_status_code(status);
  bool allowed = code == ZENITH_USAGE || code == ZENITH_INVALID_INPUT ||
                 code == ZENITH_UNSUPPORTED || code == ZENITH_OUT_OF_MEMORY ||
                 code == ZENITH_RUN_FAILED;
  if (!allowed || !*zenith_status_message(status) ||
      *zenith_status_json(status) != '{') {
    std::fprintf(stderr, "code %d: %s: %s\n", int(code),
                 zenith_status_place(status), zenith_status_message(status));
    std::abort();
  }
  zenith_status_free(status);
  return false;
}

inline void expectOK(zenith_status *status) {
  if (!check(status))
    std::abort();
}

/// A deadline a few seconds from now.
inline int64_t soon() { return zenith_now() + 5'000'000'000; }

/// A folder for what this process compiles: most inputs ask for programs that
/// an earlier one has compiled. It goes with the process.
inline const char *cacheFolder() {
  static struct Folder {
    char path[32] = "/tmp/zenith-fuzz.XXXXXX";
    Folder() {
      if (!mkdtemp(path))
        std::abort();
    }
    ~Folder() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
  } folder;
  return folder.path;
}

inline zenith_context *makeContext() {
  zenith_context_options options;
  ZENITH_INIT(&options);
  options.threads = 1;
  options.cache_dir = cacheFolder();
  options.max_memory = int64_t(1) << 28;
  zenith_context *context = nullptr;
  expectOK(zenith_context_create(ZENITH_API_VERSION, &options, &context));
  return context;
}

inline constexpr char sampleText[] =
    "graph.param @w : tensor<4x4xf32> = dense<0.5> : tensor<4x4xf32>\n"
    "graph.param @b : tensor<4xf32> = dense<1.0> : tensor<4xf32>\n"
    "func.func @main(%x: tensor<?x4xf32> {graph.dims = [\"n\", \"4\"], "
    "graph.name = \"x\"}) -> tensor<?x4xf32> {\n"
    "  %w = graph.get_param @w : tensor<4x4xf32>\n"
    "  %b = graph.get_param @b : tensor<4xf32>\n"
    "  %n = graph.dim %x, 0 : tensor<?x4xf32>\n"
    "  %p = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x "
    "[0]> : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>\n"
    "  %r = graph.broadcast %b [1] [%n] : tensor<4xf32> -> tensor<?x4xf32>\n"
    "  %y = graph.add %p, %r : tensor<?x4xf32>\n"
    "  return %y : tensor<?x4xf32>\n"
    "}\n";

inline zenith_executable *compileSample(zenith_context *context) {
  zenith_load_options load;
  ZENITH_INIT(&load);
  load.format = "graphir";
  zenith_module *module = nullptr;
  zenith_executable *executable = nullptr;
  expectOK(zenith_module_load_memory(context, sampleText,
                                     sizeof(sampleText) - 1, &load, &module));
  expectOK(zenith_compile(module, nullptr, &executable));
  zenith_module_free(module);
  return executable;
}

} // namespace zenith::fuzz

#endif // ZENITH_TESTS_FUZZ_LIBRARYCALLS_H
