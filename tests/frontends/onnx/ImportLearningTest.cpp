// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of operators of classical learning, checked against ONNX Runtime.
#include "NodeEvaluation.h"

#include <gtest/gtest.h>

using namespace zenith::onnx;

TEST(ImportLearning, Features) {
  expectNear(
      evaluate(inDomain("ai.onnx.ml",
                        makeNode("Scaler", {"x"}, {"y0"},
                                 {floatsAttribute("offset", {1.0, 2.0, 3.0}),
                                  floatsAttribute("scale", {0.5, 2.0, 1.0})})),
               {ramp("x", {2, 3})}, {}, 1, 0),
      {-0.25, -6.5, -1, -1.875, 3, -7.25});
  expectNear(
      evaluate(inDomain("ai.onnx.ml", makeNode("Normalizer", {"x"}, {"y0"},
                                               {textAttribute("norm", "MAX")})),
               {ramp("x", {2, 3})}, {}, 1, 0),
      {0.25, -0.625, 1, -0.7857143, 1, -1.214286});
  expectNear(
      evaluate(inDomain("ai.onnx.ml", makeNode("Normalizer", {"x"}, {"y0"},
                                               {textAttribute("norm", "L1")})),
               {ramp("x", {2, 3})}, {}, 1, 0),
      {0.1333333, -0.3333333, 0.5333334, -0.2619048, 0.3333333, -0.4047619});
  expectNear(
      evaluate(inDomain("ai.onnx.ml", makeNode("Normalizer", {"x"}, {"y0"},
                                               {textAttribute("norm", "L2")})),
               {ramp("x", {2, 3})}, {}, 1, 0),
      {0.2073903, -0.5184758, 0.8295614, -0.4468445, 0.5687112, -0.6905778});
  expectNear(evaluate(inDomain("ai.onnx.ml",
                               makeNode("Binarizer", {"x"}, {"y0"},
                                        {floatAttribute("threshold", 1.5f)})),
                      {ramp("x", {2, 3})}, {}, 1, 0),
             {0, 0, 1, 0, 1, 0});
  expectNear(
      evaluate(inDomain("ai.onnx.ml",
                        makeNode("FeatureVectorizer", {"x", "y"}, {"y0"},
                                 {intsAttribute("inputdimensions", {3, 1})})),
               {ramp("x", {2, 3}), ramp("y", {2, 1})}, {}, 1, 0),
      {0.5, -1.25, 2, 0.5, -2.75, 3.5, -4.25, -1.25});
  expectNear(evaluate(inDomain("ai.onnx.ml", makeNode("ArrayFeatureExtractor",
                                                      {"x", "i"}, {"y0"}, {})),
                      {ramp("x", {2, 3}), integers("i", {2}, {2, 0})}, {}, 1,
                      0),
             {2, 0.5, -4.25, -2.75});
  expectNear(
      evaluate(
          inDomain("ai.onnx.ml",
                   makeNode("Imputer", {"x"}, {"y0"},
                            {floatsAttribute("imputed_value_floats", {9.0}),
                             floatAttribute("replaced_value_float", -1.25f)})),
          {ramp("x", {2, 3})}, {}, 1, 0),
      {0.5, 9, 2, -2.75, 3.5, -4.25});
}

TEST(ImportLearning, Encoders) {
  expectNear(
      evaluate(inDomain("ai.onnx.ml",
                        makeNode("OneHotEncoder", {"x"}, {"y0"},
                                 {intsAttribute("cats_int64s", {1, 4})})),
               {integers("x", {3}, {1, 5, 4})}, {}, 1, 0),
      {1, 0, 0, 0, 0, 1});
  expectNear(
      evaluate(inDomain("ai.onnx.ml",
                        makeNode("LabelEncoder", {"x"}, {"y0"},
                                 {intsAttribute("keys_int64s", {1, 4}),
                                  floatsAttribute("values_floats", {0.5, 0.25}),
                                  floatAttribute("default_float", 7.0f)})),
               {integers("x", {3}, {1, 5, 4})}, {}, 2, 0),
      {0.5, 7, 0.25});
}

TEST(ImportLearning, UnknownCategories) {
  auto run = [](std::vector<int64_t> values) -> std::string {
    mlir::MLIRContext context;
    std::vector<Tensor> inputs = {integers("x", {2}, std::move(values))};
    Model model = nodeModel(
        inDomain("ai.onnx.ml", makeNode("OneHotEncoder", {"x"}, {"y0"},
                                        {intsAttribute("cats_int64s", {1, 4}),
                                         intAttribute("zeros", 0)})),
        inputs, 21);
    model.opsets.push_back({"ai.onnx.ml", 3});
    auto module = importONNX(model, &context);
    if (!module)
      return module.error().message();
    auto results = runModule(**module, byName(inputs));
    return results ? "" : llvm::toString(results.takeError());
  };
  EXPECT_EQ(run({4, 1}), "");
  std::string error = run({1, 5});
  EXPECT_NE(error.find("OneHotEncoder: an element is of no category"),
            std::string::npos)
      << error;
}

TEST(ImportLearning, Models) {
  expectNear(
      evaluate(
          inDomain("ai.onnx.ml",
                   makeNode("LinearRegressor", {"x"}, {"y0"},
                            {floatsAttribute("coefficients",
                                             {0.1, 0.2, -0.3, 0.4, 0.5, 0.6}),
                             floatsAttribute("intercepts", {0.1, 0.2}),
                             intAttribute("targets", 2),
                             textAttribute("post_transform", "NONE")})),
          {ramp("x", {2, 3})}, {}, 1, 0),
      {-0.7, 0.975, 1.8, -1.7});
  expectNear(
      evaluate(
          inDomain("ai.onnx.ml",
                   makeNode("LinearRegressor", {"x"}, {"y0"},
                            {floatsAttribute("coefficients",
                                             {0.1, 0.2, -0.3, 0.4, 0.5, 0.6}),
                             floatsAttribute("intercepts", {0.1, 0.2}),
                             intAttribute("targets", 2),
                             textAttribute("post_transform", "SOFTMAX")})),
          {ramp("x", {2, 3})}, {}, 1, 0),
      {0.1577587, 0.8422413, 0.9706877, 0.02931223});
  expectNear(
      evaluate(
          inDomain("ai.onnx.ml",
                   makeNode("LinearRegressor", {"x"}, {"y0"},
                            {floatsAttribute("coefficients",
                                             {0.1, 0.2, -0.3, 0.4, 0.5, 0.6}),
                             floatsAttribute("intercepts", {0.1, 0.2}),
                             intAttribute("targets", 2),
                             textAttribute("post_transform", "SOFTMAX_ZERO")})),
          {ramp("x", {2, 3})}, {}, 1, 0),
      {0.1577587, 0.8422413, 0.9706877, 0.02931223});
  expectNear(
      evaluate(
          inDomain("ai.onnx.ml",
                   makeNode("LinearClassifier", {"x"}, {"y0", "y1"},
                            {floatsAttribute("coefficients",
                                             {0.1, 0.2, -0.3, 0.4, 0.5, 0.6}),
                             floatsAttribute("intercepts", {0.1, 0.2}),
                             intsAttribute("classlabels_ints", {3, 4}),
                             textAttribute("post_transform", "LOGISTIC")})),
          {ramp("x", {2, 3})}, {}, 1, 1),
      {0.3318123, 0.726115, 0.8581489, 0.1544653});
  expectNear(
      evaluate(
          inDomain("ai.onnx.ml",
                   makeNode("LinearClassifier", {"x"}, {"y0", "y1"},
                            {floatsAttribute("coefficients",
                                             {0.1, 0.2, -0.3, 0.4, 0.5, 0.6}),
                             floatsAttribute("intercepts", {0.1, 0.2}),
                             intsAttribute("classlabels_ints", {3, 4})})),
          {ramp("x", {2, 3})}, {}, 1, 0),
      {4, 3});
  expectNear(
      evaluate(
          inDomain(
              "ai.onnx.ml",
              makeNode("SVMRegressor", {"x"}, {"y0"},
                       {floatsAttribute("coefficients", {0.1, 0.2}),
                        floatsAttribute("kernel_params", {0.25, 0.5, 2.0}),
                        textAttribute("kernel_type", "POLY"),
                        intAttribute("n_supports", 2),
                        floatsAttribute("rho", {0.25}),
                        floatsAttribute("support_vectors",
                                        {0.1, 0.2, -0.3, 0.4, 0.5, 0.6})})),
          {ramp("x", {2, 3})}, {}, 1, 0),
      {0.3552578, 0.3356875});
  expectNear(
      evaluate(
          inDomain(
              "ai.onnx.ml",
              makeNode("SVMRegressor", {"x"}, {"y0"},
                       {floatsAttribute("coefficients", {0.1, 0.2}),
                        floatsAttribute("kernel_params", {0.25, 0.5, 2.0}),
                        textAttribute("kernel_type", "RBF"),
                        intAttribute("n_supports", 2),
                        floatsAttribute("rho", {0.25}),
                        floatsAttribute("support_vectors",
                                        {0.1, 0.2, -0.3, 0.4, 0.5, 0.6})})),
          {ramp("x", {2, 3})}, {}, 1, 0),
      {0.3219728, 0.2500224});
  expectNear(
      evaluate(
          inDomain(
              "ai.onnx.ml",
              makeNode("SVMRegressor", {"x"}, {"y0"},
                       {floatsAttribute("coefficients", {0.1, 0.2}),
                        floatsAttribute("kernel_params", {0.25, 0.5, 2.0}),
                        textAttribute("kernel_type", "SIGMOID"),
                        intAttribute("n_supports", 2),
                        floatsAttribute("rho", {0.25}),
                        floatsAttribute("support_vectors",
                                        {0.1, 0.2, -0.3, 0.4, 0.5, 0.6})})),
          {ramp("x", {2, 3})}, {}, 1, 0),
      {0.3992084, 0.3278244});
  expectNear(
      evaluate(
          inDomain(
              "ai.onnx.ml",
              makeNode("SVMRegressor", {"x"}, {"y0"},
                       {floatsAttribute("coefficients", {0.1, 0.2}),
                        floatsAttribute("kernel_params", {0.25, 0.5, 2.0}),
                        textAttribute("kernel_type", "LINEAR"),
                        intAttribute("n_supports", 2),
                        floatsAttribute("rho", {0.25}),
                        floatsAttribute("support_vectors",
                                        {0.1, 0.2, -0.3, 0.4, 0.5, 0.6})})),
          {ramp("x", {2, 3})}, {}, 1, 0),
      {0.325, 0.03999998});
}

TEST(ImportLearning, Trees) {
  expectNear(
      evaluate(
          inDomain(
              "ai.onnx.ml",
              makeNode(
                  "TreeEnsembleRegressor", {"x"}, {"y0"},
                  {intsAttribute("nodes_treeids", {0, 0, 0, 1, 1, 1, 1, 1}),
                   intsAttribute("nodes_nodeids", {0, 1, 2, 0, 1, 2, 3, 4}),
                   intsAttribute("nodes_featureids", {0, 0, 0, 1, 0, 2, 0, 0}),
                   floatsAttribute("nodes_values",
                                   {1.0, 0.0, 0.0, -1.5, 0.0, 3.0, 0.0, 0.0}),
                   intsAttribute("nodes_truenodeids", {1, 0, 0, 1, 0, 3, 0, 0}),
                   intsAttribute("nodes_falsenodeids",
                                 {2, 0, 0, 2, 0, 4, 0, 0}),
                   stringsAttribute("nodes_modes",
                                    {"BRANCH_LEQ", "LEAF", "LEAF", "BRANCH_LT",
                                     "LEAF", "BRANCH_GTE", "LEAF", "LEAF"}),
                   intsAttribute("nodes_missing_value_tracks_true",
                                 {0, 0, 0, 1, 0, 0, 0, 0}),
                   intsAttribute("target_treeids", {0, 0, 1, 1, 1}),
                   intsAttribute("target_nodeids", {1, 2, 1, 3, 4}),
                   intsAttribute("target_ids", {0, 1, 0, 1, 0}),
                   floatsAttribute("target_weights", {1.0, 2.0, 3.0, 4.0, 5.0}),
                   intAttribute("n_targets", 2)})),
          {floats("x", {3, 3}, {0.5, -3, 2, 2, -1, 4, 1, -2, 3})}, {}, 3, 0),
      {4, 0, 0, 6, 4, 0});
  expectNear(
      evaluate(
          inDomain(
              "ai.onnx.ml",
              makeNode(
                  "TreeEnsembleRegressor", {"x"}, {"y0"},
                  {intsAttribute("nodes_treeids", {0, 0, 0, 1, 1, 1, 1, 1}),
                   intsAttribute("nodes_nodeids", {0, 1, 2, 0, 1, 2, 3, 4}),
                   intsAttribute("nodes_featureids", {0, 0, 0, 1, 0, 2, 0, 0}),
                   floatsAttribute("nodes_values",
                                   {1.0, 0.0, 0.0, -1.5, 0.0, 3.0, 0.0, 0.0}),
                   intsAttribute("nodes_truenodeids", {1, 0, 0, 1, 0, 3, 0, 0}),
                   intsAttribute("nodes_falsenodeids",
                                 {2, 0, 0, 2, 0, 4, 0, 0}),
                   stringsAttribute("nodes_modes",
                                    {"BRANCH_LEQ", "LEAF", "LEAF", "BRANCH_LT",
                                     "LEAF", "BRANCH_GTE", "LEAF", "LEAF"}),
                   intsAttribute("nodes_missing_value_tracks_true",
                                 {0, 0, 0, 1, 0, 0, 0, 0}),
                   intsAttribute("target_treeids", {0, 0, 1, 1, 1}),
                   intsAttribute("target_nodeids", {1, 2, 1, 3, 4}),
                   intsAttribute("target_ids", {0, 0, 0, 0, 0}),
                   floatsAttribute("target_weights", {1.0, 2.0, 3.0, 4.0, 5.0}),
                   intAttribute("n_targets", 1),
                   textAttribute("aggregate_function", "MAX")})),
          {floats("x", {3, 3}, {0.5, -3, 2, 2, -1, 4, 1, -2, 3})}, {}, 3, 0),
      {3, 4, 3});
  expectNear(
      evaluate(
          inDomain(
              "ai.onnx.ml",
              makeNode(
                  "TreeEnsembleClassifier", {"x"}, {"y0", "y1"},
                  {intsAttribute("nodes_treeids", {0, 0, 0, 1, 1, 1, 1, 1}),
                   intsAttribute("nodes_nodeids", {0, 1, 2, 0, 1, 2, 3, 4}),
                   intsAttribute("nodes_featureids", {0, 0, 0, 1, 0, 2, 0, 0}),
                   floatsAttribute("nodes_values",
                                   {1.0, 0.0, 0.0, -1.5, 0.0, 3.0, 0.0, 0.0}),
                   intsAttribute("nodes_truenodeids", {1, 0, 0, 1, 0, 3, 0, 0}),
                   intsAttribute("nodes_falsenodeids",
                                 {2, 0, 0, 2, 0, 4, 0, 0}),
                   stringsAttribute("nodes_modes",
                                    {"BRANCH_LEQ", "LEAF", "LEAF", "BRANCH_LT",
                                     "LEAF", "BRANCH_GTE", "LEAF", "LEAF"}),
                   intsAttribute("nodes_missing_value_tracks_true",
                                 {0, 0, 0, 1, 0, 0, 0, 0}),
                   intsAttribute("class_treeids",
                                 {0, 0, 1, 1, 1, 0, 0, 1, 1, 1}),
                   intsAttribute("class_nodeids",
                                 {1, 2, 1, 3, 4, 1, 2, 1, 3, 4}),
                   intsAttribute("class_ids", {0, 0, 0, 0, 0, 1, 1, 1, 1, 1}),
                   floatsAttribute("class_weights", {1.0, 2.0, 3.0, 4.0, 5.0,
                                                     1.5, 3.5, 0.5, 2.5, -1.0}),
                   intsAttribute("classlabels_int64s", {5, 7}),
                   textAttribute("post_transform", "SOFTMAX")})),
          {floats("x", {3, 3}, {0.5, -3, 2, 2, -1, 4, 1, -2, 3})}, {}, 3, 1),
      {0.880797, 0.1192029, 0.5, 0.5, 0.880797, 0.1192029});
  expectNear(
      evaluate(
          inDomain(
              "ai.onnx.ml",
              makeNode(
                  "TreeEnsembleClassifier", {"x"}, {"y0", "y1"},
                  {intsAttribute("nodes_treeids", {0, 0, 0, 1, 1, 1, 1, 1}),
                   intsAttribute("nodes_nodeids", {0, 1, 2, 0, 1, 2, 3, 4}),
                   intsAttribute("nodes_featureids", {0, 0, 0, 1, 0, 2, 0, 0}),
                   floatsAttribute("nodes_values",
                                   {1.0, 0.0, 0.0, -1.5, 0.0, 3.0, 0.0, 0.0}),
                   intsAttribute("nodes_truenodeids", {1, 0, 0, 1, 0, 3, 0, 0}),
                   intsAttribute("nodes_falsenodeids",
                                 {2, 0, 0, 2, 0, 4, 0, 0}),
                   stringsAttribute("nodes_modes",
                                    {"BRANCH_LEQ", "LEAF", "LEAF", "BRANCH_LT",
                                     "LEAF", "BRANCH_GTE", "LEAF", "LEAF"}),
                   intsAttribute("nodes_missing_value_tracks_true",
                                 {0, 0, 0, 1, 0, 0, 0, 0}),
                   intsAttribute("class_treeids", {0, 0, 1, 1, 1}),
                   intsAttribute("class_nodeids", {1, 2, 1, 3, 4}),
                   intsAttribute("class_ids", {0, 0, 0, 0, 0}),
                   floatsAttribute("class_weights",
                                   {0.1, 0.2, 0.25, 0.5, 0.75}),
                   intsAttribute("classlabels_int64s", {5, 7}),
                   textAttribute("post_transform", "NONE")})),
          {floats("x", {3, 3}, {0.5, -3, 2, 2, -1, 4, 1, -2, 3})}, {}, 3, 0),
      {5, 7, 5});
  expectNear(
      evaluate(
          inDomain(
              "ai.onnx.ml",
              makeNode(
                  "TreeEnsembleClassifier", {"x"}, {"y0", "y1"},
                  {intsAttribute("nodes_treeids", {0, 0, 0, 1, 1, 1, 1, 1}),
                   intsAttribute("nodes_nodeids", {0, 1, 2, 0, 1, 2, 3, 4}),
                   intsAttribute("nodes_featureids", {0, 0, 0, 1, 0, 2, 0, 0}),
                   floatsAttribute("nodes_values",
                                   {1.0, 0.0, 0.0, -1.5, 0.0, 3.0, 0.0, 0.0}),
                   intsAttribute("nodes_truenodeids", {1, 0, 0, 1, 0, 3, 0, 0}),
                   intsAttribute("nodes_falsenodeids",
                                 {2, 0, 0, 2, 0, 4, 0, 0}),
                   stringsAttribute("nodes_modes",
                                    {"BRANCH_LEQ", "LEAF", "LEAF", "BRANCH_LT",
                                     "LEAF", "BRANCH_GTE", "LEAF", "LEAF"}),
                   intsAttribute("nodes_missing_value_tracks_true",
                                 {0, 0, 0, 1, 0, 0, 0, 0}),
                   intsAttribute("class_treeids", {0, 0, 1, 1, 1}),
                   intsAttribute("class_nodeids", {1, 2, 1, 3, 4}),
                   intsAttribute("class_ids", {0, 0, 0, 0, 0}),
                   floatsAttribute("class_weights",
                                   {0.1, 0.2, 0.25, 0.5, 0.75}),
                   intsAttribute("classlabels_int64s", {5, 7}),
                   textAttribute("post_transform", "NONE")})),
          {floats("x", {3, 3}, {0.5, -3, 2, 2, -1, 4, 1, -2, 3})}, {}, 3, 1),
      {0.65, 0.35, 0.3, 0.7, 0.65, 0.35});
  expectNear(
      evaluate(
          inDomain(
              "ai.onnx.ml",
              makeNode(
                  "TreeEnsembleClassifier", {"x"}, {"y0", "y1"},
                  {intsAttribute("nodes_treeids", {0, 0, 0, 1, 1, 1, 1, 1}),
                   intsAttribute("nodes_nodeids", {0, 1, 2, 0, 1, 2, 3, 4}),
                   intsAttribute("nodes_featureids", {0, 0, 0, 1, 0, 2, 0, 0}),
                   floatsAttribute("nodes_values",
                                   {1.0, 0.0, 0.0, -1.5, 0.0, 3.0, 0.0, 0.0}),
                   intsAttribute("nodes_truenodeids", {1, 0, 0, 1, 0, 3, 0, 0}),
                   intsAttribute("nodes_falsenodeids",
                                 {2, 0, 0, 2, 0, 4, 0, 0}),
                   stringsAttribute("nodes_modes",
                                    {"BRANCH_LEQ", "LEAF", "LEAF", "BRANCH_LT",
                                     "LEAF", "BRANCH_GTE", "LEAF", "LEAF"}),
                   intsAttribute("nodes_missing_value_tracks_true",
                                 {0, 0, 0, 1, 0, 0, 0, 0}),
                   intsAttribute("class_treeids", {0, 0, 1, 1, 1}),
                   intsAttribute("class_nodeids", {1, 2, 1, 3, 4}),
                   intsAttribute("class_ids", {0, 0, 0, 0, 0}),
                   floatsAttribute("class_weights",
                                   {-1.0, 0.25, 0.5, 2.0, -0.75}),
                   intsAttribute("classlabels_int64s", {5, 7}),
                   textAttribute("post_transform", "LOGISTIC")})),
          {floats("x", {3, 3}, {0.5, -3, 2, 2, -1, 4, 1, -2, 3})}, {}, 3, 0),
      {5, 7, 5});
  expectNear(
      evaluate(
          inDomain(
              "ai.onnx.ml",
              makeNode(
                  "TreeEnsembleClassifier", {"x"}, {"y0", "y1"},
                  {intsAttribute("nodes_treeids", {0, 0, 0, 1, 1, 1, 1, 1}),
                   intsAttribute("nodes_nodeids", {0, 1, 2, 0, 1, 2, 3, 4}),
                   intsAttribute("nodes_featureids", {0, 0, 0, 1, 0, 2, 0, 0}),
                   floatsAttribute("nodes_values",
                                   {1.0, 0.0, 0.0, -1.5, 0.0, 3.0, 0.0, 0.0}),
                   intsAttribute("nodes_truenodeids", {1, 0, 0, 1, 0, 3, 0, 0}),
                   intsAttribute("nodes_falsenodeids",
                                 {2, 0, 0, 2, 0, 4, 0, 0}),
                   stringsAttribute("nodes_modes",
                                    {"BRANCH_LEQ", "LEAF", "LEAF", "BRANCH_LT",
                                     "LEAF", "BRANCH_GTE", "LEAF", "LEAF"}),
                   intsAttribute("nodes_missing_value_tracks_true",
                                 {0, 0, 0, 1, 0, 0, 0, 0}),
                   intsAttribute("class_treeids", {0, 0, 1, 1, 1}),
                   intsAttribute("class_nodeids", {1, 2, 1, 3, 4}),
                   intsAttribute("class_ids", {0, 0, 0, 0, 0}),
                   floatsAttribute("class_weights",
                                   {-1.0, 0.25, 0.5, 2.0, -0.75}),
                   intsAttribute("classlabels_int64s", {5, 7}),
                   textAttribute("post_transform", "LOGISTIC")})),
          {floats("x", {3, 3}, {0.5, -3, 2, 2, -1, 4, 1, -2, 3})}, {}, 3, 1),
      {0.6224594, 0.3775406, 0.09534949, 0.9046505, 0.6224594, 0.3775406});
}

namespace {

/// Three classes by the votes of three pairs of them.
Node pairClassifier(std::vector<NodeAttribute> more = {}) {
  Node node = makeNode(
      "SVMClassifier", {"x"}, {"y0", "y1"},
      {intsAttribute("classlabels_ints", {10, 20, 30}),
       floatsAttribute("coefficients", {1, 0.5, -1, -0.5, 0.25, -0.75, 0.5,
                                        -0.25, 0.75, -1, 1, -0.5}),
       floatsAttribute("kernel_params", {0.1f, 0, 0}),
       textAttribute("kernel_type", "RBF"),
       floatsAttribute("rho", {0.1f, -0.2f, 0.05f}),
       floatsAttribute("support_vectors",
                       {0.5, -1, 0, 1, 0, -1, 0.2f, 0.3f, 0.4f, -0.5, 1, 0, 1,
                        1, -1, 0, 0.5, -0.5}),
       intsAttribute("vectors_per_class", {2, 2, 2})});
  node.attributes.insert(node.attributes.end(), more.begin(), more.end());
  return inDomain("ai.onnx.ml", std::move(node));
}

} // namespace

TEST(ImportLearning, SupportVectors) {
  std::vector<Tensor> inputs = {ramp("x", {2, 3})};
  EXPECT_EQ(evaluate(pairClassifier(), inputs, {}, 1, 0),
            (std::vector<double>{10, 10}));
  expectNear(evaluate(pairClassifier(), inputs, {}, 1, 1),
             {0.149581, -0.180217, 0.183773, 0.076249, -0.226163, 0.032215});
  Node probable = pairClassifier({floatsAttribute("prob_a", {-1, -0.5, -2}),
                                  floatsAttribute("prob_b", {0.1f, 0, -0.2f})});
  expectNear(evaluate(probable, inputs, {}, 1, 1),
             {0.33584, 0.385293, 0.278867, 0.320406, 0.365044, 0.31455});
}

TEST(ImportLearning, TwoClassesByOneScore) {
  Node node = inDomain("ai.onnx.ml",
                       makeNode("LinearClassifier", {"x"}, {"y0", "y1"},
                                {intsAttribute("classlabels_ints", {3, 5}),
                                 floatsAttribute("coefficients", {1, 0.5, -1}),
                                 floatsAttribute("intercepts", {0.1f}),
                                 textAttribute("post_transform", "LOGISTIC")}));
  EXPECT_EQ(evaluate(node, {ramp("x", {2, 3})}, {}, 1, 0),
            (std::vector<double>{3, 5}));
  expectNear(evaluate(node, {ramp("x", {2, 3})}, {}, 1, 1),
             {0.883397, 0.116603, 0.033895, 0.966105});
}

namespace {

/// Strings "no" and "yes" by the sign of a score, then more nodes on "y0".
Model labelModel(std::vector<Node> more, std::vector<std::string> outputs) {
  Node node =
      inDomain("ai.onnx.ml",
               makeNode("LinearClassifier", {"x"}, {"y0", "y1"},
                        {stringsAttribute("classlabels_strings", {"no", "yes"}),
                         floatsAttribute("coefficients", {1, 0.5, -1}),
                         floatsAttribute("intercepts", {0.1f})}));
  Model model = nodeModel(std::move(node), {ramp("x", {2, 3})});
  model.opsets.push_back({"ai.onnx.ml", 1});
  model.opsets.push_back({"", 17}); // converters write it twice
  for (Node &next : more)
    model.graph.nodes.push_back(std::move(next));
  model.graph.outputs.clear();
  for (std::string &output : outputs)
    model.graph.outputs.push_back({output, {}});
  return model;
}

/// Elements of the first result as text, and remarks that the import makes.
std::string importedText(const Model &model, std::string &remarks) {
  mlir::MLIRContext context;
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &remark) {
                                          remarks += remark.str() + "\n";
                                          return mlir::success();
                                        });
  auto module = importONNX(model, &context);
  if (!module)
    return module.error().message();
  auto results = runModule(**module, byName({ramp("x", {2, 3})}));
  return results ? textOf(results->front())
                 : llvm::toString(results.takeError());
}

} // namespace

TEST(ImportLearning, StringLabels) {
  std::string remarks;
  EXPECT_EQ(
      importedText(labelModel({makeNode("Identity", {"y0"}, {"z"})}, {"z"}),
                   remarks),
      "dense<[0, 1]> : tensor<2xi64>");
  EXPECT_NE(remarks.find("IMP002: strings are positions in a list: no, yes"),
            std::string::npos)
      << remarks;
}

TEST(ImportLearning, StringsAreComparedAndMapped) {
  Model model = labelModel({makeNode("Equal", {"y0", "s"}, {"z"})}, {"z"});
  // The first opset whose Equal takes strings.
  model.opsets[0].version = model.opsets[2].version = 19;
  Tensor strings;
  strings.name = "s";
  strings.type = DataType::String;
  strings.dims = {1};
  strings.strings = {"yes"};
  model.graph.initializers.push_back(strings);
  std::string remarks;
  EXPECT_EQ(importedText(model, remarks),
            "dense<[false, true]> : tensor<2xi1>");
  Node encoder = inDomain("ai.onnx.ml",
                          makeNode("LabelEncoder", {"y0"}, {"z"},
                                   {stringsAttribute("keys_strings", {"yes"}),
                                    intsAttribute("values_int64s", {4})}));
  Model mapped = labelModel({encoder}, {"z"});
  mapped.opsets[1].version = 2;
  EXPECT_EQ(importedText(mapped, remarks), "dense<[-1, 4]> : tensor<2xi64>");
}

TEST(ImportLearning, TensorBehindMaps) {
  Node zip = inDomain(
      "ai.onnx.ml",
      makeNode("ZipMap", {"y1"}, {"z"},
               {stringsAttribute("classlabels_strings", {"no", "yes"})}));
  Model model = labelModel({zip}, {"z"});
  model.graph.outputs[0].type.kind = ValueType::SequenceKind;
  model.graph.outputs[0].type.inner.emplace_back().kind = ValueType::MapKind;
  std::string remarks;
  EXPECT_NE(importedText(model, remarks).find("tensor<2x2xf32>"),
            std::string::npos);
  EXPECT_NE(remarks.find("IMP001: the maps are one tensor with a column per "
                         "key: no, yes"),
            std::string::npos)
      << remarks;
}
