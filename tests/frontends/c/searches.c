// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches step by step: the same layers and path as in one piece, cancelled
// and gone on with, saved and loaded, and calls that are refused.

#include "check.h"
#include <stdio.h>
#include <string.h>

static int says(zenith_blob *json, const char *text) {
  int found = strstr((const char *)zenith_blob_data(json), text) != NULL;
  if (!found)
    fprintf(stderr, "%s\n", (const char *)zenith_blob_data(json));
  zenith_blob_free(json);
  return found;
}

static zenith_search *make(zenith_context *context, const char *kind,
                           const char *graph, const char *const *settings,
                           size_t count) {
  zenith_search *search = NULL;
  zenith_status *status =
      zenith_search_create(context, kind, graph, settings, count, &search);
  if (status)
    fprintf(stderr, "%s\n", zenith_status_message(status));
  CHECK(status == NULL);
  return search;
}

static void layers_come_one_by_one(zenith_context *context) {
  const char *const targets[] = {"target=cpu"};
  zenith_search *search = make(context, "bfs", "lrx:5", targets, 1);
  int32_t more = 0, steps = 0;
  zenith_blob *json = NULL;
  do {
    CHECK(zenith_search_step(search, NULL, &more) == NULL);
    if (++steps == 2) {
      zenith_array *layer = NULL;
      CHECK(zenith_search_layer(search, &layer) == NULL);
      CHECK(zenith_array_bytes(layer) == 6 * 5);
      zenith_array_free(layer);
    }
  } while (more);
  CHECK(steps == 11);
  CHECK(zenith_search_report(search, &json) == NULL);
  CHECK(says(json, "\"layers\":[1,3,6,10,16,24,29,21,6,3,1]"));
  more = 7;
  zenith_status *status = zenith_search_step(search, NULL, &more);
  CHECK(more == 0);
  CHECK(zenith_status_reason(status) == ZENITH_REASON_WRONG_STATE);
  zenith_status_free(status);
  zenith_search_free(search);
}

static void searches_stop_between_steps(zenith_context *context) {
  zenith_search *search = make(context, "bfs", "lx:5", NULL, 0);
  zenith_cancel *cancel = zenith_cancel_create();
  int32_t more = 0;
  CHECK(zenith_search_run(search, 3, cancel, 0, &more) == NULL && more);
  zenith_cancel_request(cancel);
  zenith_status *status = zenith_search_run(search, 1000, cancel, 0, &more);
  CHECK(zenith_status_reason(status) == ZENITH_REASON_CANCELLED && more);
  zenith_status_free(status);
  status = zenith_search_run(search, 1000, NULL, 1, &more);
  CHECK(zenith_status_reason(status) == ZENITH_REASON_DEADLINE);
  zenith_status_free(status);
  CHECK(zenith_search_save(search, "searches-checkpoint.safetensors") == NULL);
  zenith_search *other = make(context, "bfs", "lx:5", NULL, 0);
  CHECK(zenith_search_load(other, "searches-checkpoint.safetensors") == NULL);
  zenith_blob *json = NULL;
  zenith_search *both[] = {search, other};
  for (int i = 0; i < 2; ++i) {
    CHECK(zenith_search_run(both[i], 1000, NULL, 0, &more) == NULL && !more);
    CHECK(zenith_search_report(both[i], &json) == NULL);
    CHECK(says(json, "\"layers\":[1,2,3,5,8,12,15,20,22,19,11,2]"));
    zenith_search_free(both[i]);
  }
  other = make(context, "bfs", "lx:6", NULL, 0);
  status = zenith_search_load(other, "searches-checkpoint.safetensors");
  CHECK(zenith_status_code(status) == ZENITH_INVALID_INPUT);
  zenith_status_free(status);
  zenith_search_free(other);
  zenith_cancel_free(cancel);
  remove("searches-checkpoint.safetensors");
}

static void paths_have_names(zenith_context *context) {
  const char *const beam[] = {"from=43210", "width=120", "score=zero",
                              "max-steps=20"};
  zenith_search *search = make(context, "beam", "lrx:5", beam, 4);
  int32_t more = 1;
  zenith_blob *json = NULL;
  CHECK(zenith_search_run(search, 100, NULL, 0, &more) == NULL && !more);
  CHECK(zenith_search_path(search, &json) == NULL);
  CHECK(says(json, "\"path\":[\"X\",\"L\",\"L\",\"X\",\"L\",\"X\",\"R\",\"X\"]"));
  zenith_search_free(search);
  const char *const compiled[] = {"from=43210"};
  search = make(context, "path", "lrx:5", compiled, 1);
  // The start, then a layer of each end in turn.
  const int64_t newest[] = {1, 3, 3, 6};
  for (int i = 0; i < 4; ++i) {
    zenith_array *layer = NULL;
    if (i > 0)
      CHECK(zenith_search_step(search, NULL, &more) == NULL && more);
    CHECK(zenith_search_layer(search, &layer) == NULL);
    CHECK(zenith_array_bytes(layer) == newest[i] * 5);
    zenith_array_free(layer);
  }
  CHECK(zenith_search_run(search, 100, NULL, 0, &more) == NULL && !more);
  CHECK(zenith_search_report(search, &json) == NULL);
  CHECK(says(json, "\"path_length\":8"));
  zenith_search_free(search);
  const char *const path[] = {"from=43210", "target=interp"};
  search = make(context, "path", "lrx:5", path, 2);
  CHECK(zenith_search_run(search, 100, NULL, 0, &more) == NULL && !more);
  CHECK(zenith_search_report(search, &json) == NULL);
  CHECK(says(json, "\"path_length\":8"));
  zenith_search_free(search);
}

static void mistakes_are_refused(zenith_context *context) {
  zenith_search *search = NULL;
  const char *const wrong[] = {"wdth=3"};
  zenith_status *status =
      zenith_search_create(context, "beam", "lrx:5", wrong, 1, &search);
  CHECK(search == NULL);
  CHECK(zenith_status_reason(status) == ZENITH_REASON_UNKNOWN_NAME);
  CHECK(strstr(zenith_status_message(status), "did you mean 'width'") != NULL);
  zenith_status_free(status);
  status = zenith_search_create(context, "bfs", "lrxx:5", NULL, 0, &search);
  CHECK(zenith_status_code(status) == ZENITH_INVALID_INPUT);
  zenith_status_free(status);
  status = zenith_search_create(context, "beam", "lrx:5", NULL, 0, &search);
  CHECK(zenith_status_code(status) == ZENITH_USAGE);
  zenith_status_free(status);
}

int main(void) {
  zenith_context *context = NULL;
  CHECK(zenith_context_create(ZENITH_API_VERSION, NULL, &context) == NULL);
  layers_come_one_by_one(context);
  searches_stop_between_steps(context);
  paths_have_names(context);
  mistakes_are_refused(context);
  zenith_context_free(context);
  return 0;
}
