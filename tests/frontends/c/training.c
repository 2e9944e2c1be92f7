// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trains a line through eight points: steps, figures, a cancelled training that
// goes on from its checkpoint, and calls that are refused.

#include "check.h"

static const char *const model =
    "graph.param @w : tensor<2xf32> = dense<0.0> : tensor<2xf32>\n"
    "func.func @main(%x: tensor<4x2xf32> {graph.name = \"x\"}) -> "
    "(tensor<4xf32> {graph.name = \"y\"}) {\n"
    "  %w = graph.get_param @w : tensor<2xf32>\n"
    "  %y = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x "
    "[0]> : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4xf32>\n"
    "  return %y : tensor<4xf32>\n"
    "}\n";
static float points[16] = {1, 0, 0, 1, 1, 1, 2, 1, 3, 1, 0, 2, 1, 2, 2, 2};
static float values[8] = {3, 5, 8, 11, 14, 10, 13, 16};

typedef struct lines {
  int count;
  char text[32][160];
  zenith_cancel *cancel; /* requested after a line of this number */
  int cancelAfter;
} lines;

static void keep_line(void *user, const zenith_record *record) {
  lines *kept = user;
  CHECK(record->kind == ZENITH_RECORD_PROGRESS);
  CHECK(strcmp(record->topic, "train") == 0);
  snprintf(kept->text[kept->count++], 160, "%s", record->json);
  if (kept->cancel && kept->count == kept->cancelAfter)
    zenith_cancel_request(kept->cancel);
}

static zenith_module *step_of(zenith_context *context, const char *optimizer) {
  zenith_load_options load;
  ZENITH_INIT(&load);
  load.format = "graphir";
  zenith_module *module = NULL, *step = NULL;
  OK(zenith_module_load_memory(context, model, strlen(model), &load, &module));
  zenith_training_options options;
  ZENITH_INIT(&options);
  options.loss = "mse";
  options.optimizer = optimizer;
  OK(zenith_training_step(module, &options, &step));
  zenith_module_free(module);
  return step;
}

static zenith_session *session_of(zenith_context *context,
                                  const char *optimizer) {
  zenith_module *step = step_of(context, optimizer);
  zenith_executable *executable = NULL;
  zenith_session *session = NULL;
  OK(zenith_compile(step, NULL, &executable));
  OK(zenith_session_create(executable, NULL, &session));
  zenith_executable_free(executable);
  zenith_module_free(step);
  return session;
}

typedef struct arrays {
  zenith_named_array x, y;
  const zenith_named_array *data[1], *labels[1];
} arrays;

static void make_arrays(zenith_context *context, arrays *made) {
  const int64_t dims[] = {8, 2};
  ZENITH_INIT(&made->x);
  ZENITH_INIT(&made->y);
  made->x.name = "x";
  made->x.array =
      wrap(context, ZENITH_F32, 2, dims, points, ZENITH_HOLD_BORROW);
  made->y.name = "y";
  made->y.array =
      wrap(context, ZENITH_F32, 1, dims, values, ZENITH_HOLD_BORROW);
  made->data[0] = &made->x;
  made->labels[0] = &made->y;
}

static void free_arrays(arrays *made) {
  zenith_array_free(made->x.array);
  zenith_array_free(made->y.array);
}

static zenith_status *train(zenith_session *session, const arrays *given,
                            int64_t steps, const char *folder, lines *kept,
                            zenith_cancel *cancel) {
  return zenith_train_run(session, given->data, 1, given->labels, 1, steps,
                          folder, kept ? keep_line : NULL, kept, cancel, 0);
}

static void figures_follow_by_hand(zenith_context *context,
                                   const arrays *given) {
  zenith_session *session = session_of(context, "sgd(0.1)");
  static lines kept;
  OK(train(session, given, 1, NULL, &kept, NULL));
  CHECK(kept.count == 1);
  const char *start = "{\"step\":1,\"epoch\":0,\"loss\":54.75,"
                      "\"learning_rate\":0.1,\"grad_norm\":20.40";
  CHECK(strncmp(kept.text[0], start, strlen(start)) == 0);
  /* The gradient is [-16.5, -12], and the session has the new parameters. */
  OK(zenith_session_save_parameters(session, "training-w.safetensors"));
  char bytes[512];
  FILE *file = fopen("training-w.safetensors", "rb");
  size_t size = fread(bytes, 1, sizeof(bytes), file);
  fclose(file);
  float w[2];
  memcpy(w, bytes + size - sizeof(w), sizeof(w));
  CHECK(w[0] > 1.6499f && w[0] < 1.6501f && w[1] > 1.1999f && w[1] < 1.2001f);
  zenith_session_free(session);
}

static void cancelled_trainings_go_on(zenith_context *context,
                                      const arrays *given) {
  static lines whole, part;
  zenith_session *session = session_of(context, "adam(0.1)");
  OK(train(session, given, 9, NULL, &whole, NULL));
  zenith_session_free(session);
  session = session_of(context, "adam(0.1)");
  zenith_cancel *cancel = zenith_cancel_create();
  part.cancel = cancel;
  part.cancelAfter = 4;
  const char *folder = "training-checkpoints";
  FAILS(train(session, given, 9, folder, &part, cancel), ZENITH_RUN_FAILED,
        ZENITH_REASON_CANCELLED);
  CHECK(part.count == 4);
  zenith_session_free(session);
  session = session_of(context, "adam(0.1)");
  OK(train(session, given, 9, folder, &part, NULL));
  CHECK(part.count == 9);
  for (int i = 0; i < 9; ++i)
    CHECK(strcmp(whole.text[i], part.text[i]) == 0);
  zenith_session_free(session);
  /* Its state is not that of another optimizer. */
  session = session_of(context, "adagrad(0.1)");
  FAILS(train(session, given, 12, folder, NULL, NULL), ZENITH_USAGE,
        ZENITH_REASON_DIM);
  zenith_session_free(session);
  zenith_cancel_free(cancel);
}

static void mistakes_are_refused(zenith_context *context, const arrays *given) {
  zenith_session *session = session_of(context, "sgd(1e30)");
  FAILS(train(session, given, 9, NULL, NULL, NULL), ZENITH_RUN_FAILED,
        ZENITH_REASON_NONE);
  FAILS(zenith_train_run(session, given->labels, 1, given->data, 1, 1, NULL,
                         NULL, NULL, NULL, 0),
        ZENITH_USAGE, ZENITH_REASON_UNKNOWN_NAME);
  FAILS(zenith_train_run(session, given->data, 1, NULL, 0, 1, NULL, NULL, NULL,
                         NULL, 0),
        ZENITH_USAGE, ZENITH_REASON_UNKNOWN_NAME);
  zenith_named_array bytes = *given->data[0];
  const zenith_named_array *wrong = &bytes;
  int64_t eight[2] = {8, 8};
  char places[64] = {0};
  bytes.array = wrap(context, ZENITH_I8, 2, eight, places, ZENITH_HOLD_BORROW);
  FAILS(zenith_train_run(session, &wrong, 1, given->labels, 1, 1, NULL, NULL,
                         NULL, NULL, 0),
        ZENITH_INVALID_INPUT, ZENITH_REASON_DTYPE);
  zenith_array_free(bytes.array);
  FAILS(train(session, given, -1, NULL, NULL, NULL), ZENITH_USAGE, 0);
  FAILS(train(NULL, given, 1, NULL, NULL, NULL), ZENITH_USAGE,
        ZENITH_REASON_NULL_POINTER);
  zenith_session_free(session);
  zenith_module *step = step_of(context, "sgd(0.1)"), *other = NULL;
  zenith_training_options options;
  ZENITH_INIT(&options);
  options.loss = "mse";
  FAILS(zenith_training_step(step, &options, &other), ZENITH_USAGE,
        ZENITH_REASON_NULL_POINTER);
  options.optimizer = "adamm(0.1)";
  FAILS(zenith_training_step(step, &options, &other), ZENITH_USAGE, 0);
  const char *const settings[] = {"lables=y"};
  options.optimizer = "adam(0.1)";
  options.settings = settings;
  options.setting_count = 1;
  FAILS(zenith_training_step(step, &options, &other), ZENITH_USAGE,
        ZENITH_REASON_UNKNOWN_NAME);
  CHECK(other == NULL);
  zenith_module_free(step);
}

int main(void) {
  zenith_context *context = NULL;
  OK(zenith_context_create(ZENITH_API_VERSION, NULL, &context));
  CHECK(system("rm -rf training-checkpoints") == 0);
  arrays given;
  make_arrays(context, &given);
  figures_follow_by_hand(context, &given);
  cancelled_trainings_go_on(context, &given);
  mistakes_are_refused(context, &given);
  free_arrays(&given);
  zenith_context_free(context);
  return 0;
}
