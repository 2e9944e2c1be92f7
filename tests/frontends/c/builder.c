// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every kind of attribute, inferred types, regions, and mistakes of builders.

#include "check.h"

static zenith_context *context;

static zenith_value op(zenith_builder *b, const char *name, zenith_value x,
                       const char *attributes, const char *type) {
  zenith_value result = 0;
  zenith_builder_op(b, name, &x, 1, attributes, NULL, &result, 1);
  if (strcmp(zenith_builder_type(b, result), type)) {
    printf("%s: got %s, expected %s\n", name, zenith_builder_type(b, result),
           type);
    exit(1);
  }
  return result;
}

static void attributes_and_types(void) {
  zenith_builder *b = NULL;
  OK(zenith_builder_create(context, &b));
  zenith_builder_function(b, "main", 1);
  const char *dims[2] = {"n", "4"};
  zenith_value x = zenith_builder_argument(b, "x", ZENITH_F32, 2, dims);
  op(b, "tanh", x, NULL, "tensor<?x4xf32>");
  op(b, "gelu", x, "{\"form\": \"tanh\"}", "tensor<?x4xf32>");
  op(b, "softmax", x, "{\"dims\": [1]}", "tensor<?x4xf32>");
  op(b, "transpose", x, "{\"permutation\": [1, 0]}", "tensor<4x?xf32>");
  op(b, "dim", x, "{\"dim\": 0}", "tensor<i64>");
  op(b, "reduce", x, "{\"kind\": \"max\", \"dims\": [1]}", "tensor<?xf32>");
  op(b, "arg_reduce", x, "{\"kind\": \"max\", \"dim\": 1, \"last\": true}",
     "tensor<?xi64>");
  op(b, "slice", x,
     "{\"static_starts\": [0, 1], \"static_sizes\": [2, 3], "
     "\"strides\": [1, 1]}",
     "tensor<2x3xf32>");
  op(b, "sort", x, "{\"dim\": 1, \"num_keys\": 1}", "tensor<?x4xf32>");
  zenith_value pair[2] = {x, x}, y = 0;
  zenith_builder_op(b, "dot_general", pair, 2,
                    "{\"dims\": {\"batching\": [[], []], "
                    "\"contracting\": [[1], [1]]}}",
                    NULL, &y, 1);
  CHECK(!strcmp(zenith_builder_type(b, y), "tensor<?x?xf32>"));
  zenith_builder_return(b, &x, NULL, 1);
  zenith_module *module = NULL;
  OK(zenith_builder_finish(b, &module));
  zenith_builder_free(b);
  // Written and read again, it prints the same text.
  zenith_blob *text = NULL, *again = NULL;
  OK(zenith_module_write(module, "graphir", NULL, NULL, &text));
  zenith_module *read = NULL;
  OK(zenith_module_load_memory(context, zenith_blob_data(text),
                               zenith_blob_size(text), NULL, &read));
  OK(zenith_module_write(read, "graphir", NULL, NULL, &again));
  CHECK(!strcmp(zenith_blob_data(text), zenith_blob_data(again)));
  zenith_blob_free(text);
  zenith_blob_free(again);
  zenith_module_free(read);
  zenith_module_free(module);
}

static void mistakes_stick(const char *name, const char *attributes,
                           const char *in_message) {
  zenith_builder *b = NULL;
  OK(zenith_builder_create(context, &b));
  zenith_builder_function(b, "main", 1);
  const char *four[1] = {"4"};
  zenith_value x = zenith_builder_argument(b, "x", ZENITH_F32, 1, four), y = 9;
  zenith_builder_op(b, name, &x, 1, attributes, NULL, &y, 1);
  CHECK(y == 0 && zenith_builder_code(b) != ZENITH_OK);
  zenith_builder_return(b, &x, NULL, 1);
  zenith_module *module = NULL;
  zenith_status *status = zenith_builder_finish(b, &module);
  CHECK(status && !module && strstr(zenith_status_place(status), "call 3"));
  if (!strstr(zenith_status_message(status), in_message)) {
    printf("%s: no '%s'\n", zenith_status_message(status), in_message);
    exit(1);
  }
  zenith_status_free(status);
  zenith_builder_free(b);
}

/// Every op, with operands and attributes that few have, ends in a value or in
/// an error with the number of its call: types are inferred of nothing that
/// the op's verifier refuses.
static void no_op_is_asked_for_types_unseen(void) {
  static const char *const attributes[] = {
      NULL, "{\"dim\": 9}", "{\"dims\": [0, 7]}",
      "{\"operand_groups\": [2147483648, 2147483647, 2]}"};
  zenith_blob *ops = NULL;
  OK(zenith_context_report(context, "ops", &ops));
  int count = 0;
  for (const char *at = zenith_blob_data(ops);
       (at = strstr(at, "\"graph.")) != NULL; ++at) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at + 1, "\""), at + 1);
    ++count;
    for (int i = 0; i < 8; ++i) {
      zenith_builder *b = NULL;
      OK(zenith_builder_create(context, &b));
      zenith_builder_function(b, "main", 1);
      const char *four[1] = {"4"};
      zenith_value x = zenith_builder_argument(b, "x", ZENITH_F32, 1, four),
                   operands[3] = {x, x, x}, y = 0;
      zenith_builder_op(b, name, operands, i < 4 ? 1 : 3, attributes[i % 4],
                        NULL, &y, 1);
      CHECK((y != 0) == (zenith_builder_code(b) == ZENITH_OK));
      zenith_builder_return(b, &x, NULL, 1);
      zenith_module *module = NULL;
      zenith_status *status = zenith_builder_finish(b, &module);
      CHECK(zenith_status_code(status) <= ZENITH_UNSUPPORTED);
      CHECK(y || !strncmp(zenith_status_place(status), "call 3: ", 8));
      zenith_status_free(status);
      zenith_module_free(module);
      zenith_builder_free(b);
    }
  }
  CHECK(count > 100);
  zenith_blob_free(ops);
}

static void regions_are_named_as_ops(void) {
  zenith_builder *b = NULL;
  OK(zenith_builder_create(context, &b));
  zenith_builder_function(b, "main", 1);
  const char *four[1] = {"4"};
  zenith_value x = zenith_builder_argument(b, "x", ZENITH_F32, 1, four),
               arguments[2];
  zenith_builder_begin(b, "while", &x, 1, NULL, NULL, arguments, 2);
  zenith_module *module = NULL;
  zenith_status *status = zenith_builder_finish(b, &module);
  CHECK(zenith_status_reason(status) == ZENITH_REASON_WRONG_COUNT);
  CHECK(!strcmp(zenith_status_place(status), "call 3: graph.while"));
  zenith_status_free(status);
  zenith_builder_free(b);
}

static void types_of_arrays_alone_are_refused(void) {
  static const zenith_dtype dtypes[] = {ZENITH_F8E3M4, 99};
  for (int i = 0; i < 2; ++i) {
    zenith_builder *b = NULL;
    OK(zenith_builder_create(context, &b));
    zenith_builder_function(b, "main", 1);
    CHECK(!zenith_builder_argument(b, "x", dtypes[i], 0, NULL));
    zenith_module *module = NULL;
    FAILS(zenith_builder_finish(b, &module),
          i == 0 ? ZENITH_UNSUPPORTED : ZENITH_INVALID_INPUT,
          ZENITH_REASON_DTYPE);
    zenith_builder_free(b);
  }
}

int main(void) {
  OK(zenith_context_create(ZENITH_API_VERSION, NULL, &context));
  attributes_and_types();
  mistakes_stick("softmx", NULL, "softmax");
  mistakes_stick("softmax", "{\"dim\": [0]}", "dims");
  mistakes_stick("softmax", "{\"dims\": \"zero\"}", "integers");
  mistakes_stick("gelu", "{\"form\": \"sinh\"}", "erf, tanh");
  mistakes_stick("add", NULL, "2");
  mistakes_stick("convert", NULL, "result_types");
  mistakes_stick("softmax", "{", "JSON");
  mistakes_stick("concat", NULL, "requires attribute 'dim'");
  mistakes_stick("arg_reduce", "{\"kind\": \"max\", \"dim\": 9}", "got 9");
  mistakes_stick("scatter", "{\"operand_groups\": [4294967297, 0, 0]}",
                 "operand_groups");
  no_op_is_asked_for_types_unseen();
  regions_are_named_as_ops();
  types_of_arrays_alone_are_refused();
  zenith_context_free(context);
  return 0;
}
