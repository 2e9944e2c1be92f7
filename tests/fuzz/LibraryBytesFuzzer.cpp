// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Feeds arbitrary bytes to libzenith as models, parameters and executables:
// whatever they are, calls end in an object or in an error by contract, and
// what loads also compiles and runs, or says why not.

#include "tests/fuzz/LibraryCalls.h"
#include <string>
#include <sys/mman.h>
#include <unistd.h>

using namespace zenith::fuzz;

namespace {
/// A file in memory, with a path.
class MemoryFile {
public:
  MemoryFile(const uint8_t *data, size_t size)
      : file(memfd_create("bytes", MFD_CLOEXEC)) {
    for (size_t at = 0; at < size;) {
      ssize_t written = write(file, data + at, size - at);
      if (written <= 0)
        break;
      at += size_t(written);
    }
    path = "/proc/self/fd/" + std::to_string(file);
  }
  ~MemoryFile() { close(file); }
  std::string path;

private:
  int file;
};
} // namespace

/// Runs every entry on zeros, where all sizes can be 3.
static void runEntry(zenith_context *context, zenith_executable *executable,
                     zenith_session *session, const char *entry) {
  size_t inputs = zenith_executable_count(executable, entry, ZENITH_ROLE_INPUT);
  size_t outputs =
      zenith_executable_count(executable, entry, ZENITH_ROLE_OUTPUT);
  if (inputs > 16 || outputs > 16)
    return;
  zenith_array *given[16] = {}, *made[16] = {};
  bool complete = true;
  for (size_t i = 0; i < inputs; ++i) {
    zenith_value_info info;
    ZENITH_INIT(&info);
    expectOK(zenith_executable_value(executable, entry, ZENITH_ROLE_INPUT, i,
                                     &info));
    int64_t dims[64];
    for (int32_t axis = 0; axis < info.rank && axis < 64; ++axis)
      dims[axis] = info.dims[axis] < 0 ? 3 : info.dims[axis];
    complete &= info.rank <= 64 &&
                check(zenith_array_create(context, info.dtype, info.rank, dims,
                                          &given[i]));
    if (void *elements = given[i] ? zenith_array_data(given[i]) : nullptr)
      memset(elements, 0, size_t(zenith_array_bytes(given[i])));
  }
  if (complete) {
    zenith_run_options run;
    ZENITH_INIT(&run);
    run.entry = entry;
    run.deadline = soon();
    check(zenith_run(session, &run, given, inputs, made, outputs));
  }
  for (size_t i = 0; i < 16; ++i) {
    zenith_array_free(given[i]);
    zenith_array_free(made[i]);
  }
}

static void runAll(zenith_context *context, zenith_executable *executable) {
  zenith_session_options options;
  ZENITH_INIT(&options);
  options.deadline = soon();
  zenith_session *session = nullptr;
  if (check(zenith_session_create(executable, &options, &session)))
    for (size_t i = 0;
         const char *entry = zenith_executable_entry(executable, i); ++i)
      runEntry(context, executable, session, entry);
  zenith_session_free(session);
}

enum class Extent { Load, Run };

static void loadModel(zenith_context *context, const char *format,
                      Extent extent, const uint8_t *data, size_t size) {
  zenith_load_options load;
  ZENITH_INIT(&load);
  load.format = format;
  load.all_parameters = size & 1;
  load.deadline = soon();
  zenith_module *module = nullptr;
  zenith_executable *executable = nullptr;
  if (check(zenith_module_load_memory(context, data, size, &load, &module)) &&
      extent == Extent::Run) {
    zenith_compile_options compile;
    ZENITH_INIT(&compile);
    compile.deadline = soon();
    if (check(zenith_compile(module, &compile, &executable)))
      runAll(context, executable);
  }
  zenith_executable_free(executable);
  zenith_module_free(module);
}

/// A file of parameters for a program with two of them.
static void bindParameters(zenith_context *context, const uint8_t *data,
                           size_t size) {
  static zenith_executable *executable = compileSample(context);
  MemoryFile file(data, size);
  zenith_session_options options;
  ZENITH_INIT(&options);
  options.parameters_file = file.path.c_str();
  zenith_session *session = nullptr;
  check(zenith_session_create(executable, &options, &session));
  if (!session)
    expectOK(zenith_session_create(executable, nullptr, &session));
  check(zenith_session_rebind(session, file.path.c_str(), nullptr, 0));
  runEntry(context, executable, session, nullptr);
  zenith_session_free(session);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static zenith_context *context = makeContext();
  if (size == 0)
    return 0;
  uint8_t kind = *data++;
  --size;
  zenith_executable *executable = nullptr;
  switch (kind) {
  case 'S':
    bindParameters(context, data, size);
    break;
  case 'E':
    if (check(zenith_executable_load_memory(context, data, size, &executable)))
      zenith_executable_free(executable);
    break;
  case 'G':
    loadModel(context, "graphir", Extent::Run, data, size);
    break;
  case 'H':
    loadModel(context, "stablehlo", Extent::Run, data, size);
    break;
  case 'o': // readers of more bytes in the same time
    loadModel(context, "onnx", Extent::Load, data, size);
    break;
  default:
    loadModel(context, "onnx", Extent::Run, data, size);
  }
  return 0;
}
