/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loads a program from text, compiles it, and runs it at two sizes: docs/embedding.md, "Embed in C".
 */
#include <stdio.h>
#include <zenith/zenith.h>

static const char program[] =
    "func.func @main(%x: tensor<?x2xf32> {graph.name = \"x\", graph.dims = [\"rows\", \"\"]})\n"
    "    -> (tensor<?xf32> {graph.name = \"norm\"}) {\n"
    "  %y = graph.mul %x, %x : tensor<?x2xf32>\n"
    "  %s = graph.reduce sum, %y [1] : tensor<?x2xf32> -> tensor<?xf32>\n"
    "  %r = graph.sqrt %s : tensor<?xf32>\n"
    "  return %r : tensor<?xf32>\n"
    "}\n";

/* Prints and frees a status; nonzero where it was one. */
static int failed(zenith_status *status) {
  if (status) fprintf(stderr, "%s: %s\n", zenith_status_place(status), zenith_status_message(status));
  zenith_status_free(status);
  return status != NULL;
}

static int run(zenith_context *context, zenith_session *session, int64_t rows, const float *x) {
  const int64_t dims[2] = {rows, 2};
  zenith_view view;
  ZENITH_INIT(&view);
  view.dtype = ZENITH_F32;
  view.rank = 2;
  view.dims = dims;
  view.data = (void *)x; /* borrowed: read in place, never written */
  zenith_array *input = NULL, *output = NULL;
  if (failed(zenith_array_wrap(context, &view, ZENITH_HOLD_BORROW, NULL, NULL, &input))) return 1;
  int bad = failed(zenith_run(session, NULL, &input, 1, &output, 1));
  for (int64_t row = 0; row < rows && !bad; ++row) printf("%g\n", ((const float *)zenith_array_data(output))[row]);
  zenith_array_free(output);
  zenith_array_free(input);
  return bad;
}

int main(void) {
  static const float x[] = {3, 4, 5, 12, 8, 15};
  zenith_context *context = NULL;
  zenith_module *module = NULL;
  zenith_executable *executable = NULL;
  zenith_session *session = NULL;
  zenith_load_options options;
  ZENITH_INIT(&options);
  options.format = "graphir";
  int bad = failed(zenith_context_create(ZENITH_API_VERSION, NULL, &context)) ||
            failed(zenith_module_load_memory(context, program, sizeof program - 1, &options, &module)) ||
            failed(zenith_compile(module, NULL, &executable)) || failed(zenith_session_create(executable, NULL, &session)) ||
            run(context, session, 1, x) || run(context, session, 3, x);
  /* In any order: objects hold what they need. */
  zenith_context_free(context);
  zenith_module_free(module);
  zenith_executable_free(executable);
  zenith_session_free(session);
  return bad;
}
