// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of operators over feature maps, checked against ONNX Runtime.
#include "NodeEvaluation.h"

#include <gtest/gtest.h>

using namespace zenith::onnx;

TEST(ImportSpatial, ConvTranspose) {
  expectNear(evaluate(makeNode("ConvTranspose", {"x", "w"}, {"y0"},
                               {intsAttribute("strides", {2}),
                                intsAttribute("output_padding", {1})}),
                      {ramp("x", {1, 2, 3}), ramp("w", {2, 1, 2})}, {}, 18, 0),
             {-5.25, 6.9375, 6.375, -8.0625, -7.5, 9.1875, 0});
  expectNear(evaluate(makeNode("ConvTranspose", {"x", "w", "b"}, {"y0"},
                               {intAttribute("group", 2),
                                intsAttribute("dilations", {2, 1}),
                                intsAttribute("pads", {1, 0, 0, 0})}),
                      {ramp("x", {1, 2, 2, 2}), ramp("w", {2, 2, 2, 2}),
                       ramp("b", {4})},
                      {}, 18, 0),
             {1.5,   -3.375,   3.9375,  1.5,   -3.375,   3.9375,
              4.5,   -10.5,    8.0625,  5.75,  -19.375,  10.4375,
              1.25,  -10.375,  5.9375,  8.75,  -26.5,    14.5625,
              34.5,  -71.625,  43.6875, 30,    -62.625,  39.1875,
              42,    -87.75,   52.3125, 44.75, -59.875,  0.125,
              1.625, -15.0625, 5.75,    3.5,   -19.9375, 8.75});
  expectNear(evaluate(makeNode("ConvTranspose", {"x", "w"}, {"y0"},
                               {intsAttribute("strides", {2}),
                                intsAttribute("output_shape", {6}),
                                textAttribute("auto_pad", "SAME_UPPER")}),
                      {ramp("x", {1, 1, 3}), ramp("w", {1, 1, 3})}, {}, 18, 0),
             {0.25, -0.625, 0.375, 1.5625, -1.5, -2.5});
  expectNear(evaluate(makeNode("ConvTranspose", {"x", "w"}, {"y0"},
                               {intsAttribute("strides", {2}),
                                textAttribute("auto_pad", "SAME_LOWER")}),
                      {ramp("x", {1, 1, 3}), ramp("w", {1, 1, 3})}, {}, 18, 0),
             {-0.625, 0.375, 1.5625, -1.5, -2.5, 4});
}

TEST(ImportSpatial, Col2Im) {
  expectNear(evaluate(makeNode("Col2Im", {"x", "s", "k"}, {"y0"}, {}),
                      {ramp("x", {1, 4, 4}), integers("s", {2}, {3, 3}),
                       integers("k", {2}, {2, 2})},
                      {"s", "k"}, 18, 0),
             {0.5, 2.25, -4.25, 8.5, 4.5, -6.25, 8, -7.5, -2});
  expectNear(evaluate(makeNode("Col2Im", {"x", "s", "k"}, {"y0"},
                               {intsAttribute("strides", {2, 2}),
                                intsAttribute("pads", {0, 0, 0, 0}),
                                intsAttribute("dilations", {2, 1})}),
                      {ramp("x", {1, 4, 4}), integers("s", {2}, {5, 4}),
                       integers("k", {2}, {2, 2})},
                      {"s", "k"}, 18, 0),
             {0.5, 3.5,   -1.25, -4.25, 0, 0, 0, 0,    8.5,   14.5,
              -10, -6.25, 0,     0,     0, 0, 8, 1.25, -8.75, -2});
}

TEST(ImportSpatial, PoolingByNorms) {
  expectNear(evaluate(makeNode("LpPool", {"x"}, {"y0"},
                               {intsAttribute("kernel_shape", {2, 2}),
                                intAttribute("p", 3),
                                intsAttribute("pads", {1, 0, 0, 0})}),
                      {ramp("x", {1, 1, 4, 3})}, {}, 18, 0),
             {1.276117, 2.151063, 4.036131, 5.060515, 7.235405, 8.360468,
              10.6507, 11.80867});
  expectNear(
      evaluate(makeNode("LpPool", {"x"}, {"y0"},
                        {intsAttribute("kernel_shape", {2}),
                         intAttribute("p", 1), intsAttribute("strides", {2})}),
               {ramp("x", {1, 1, 5})}, {}, 18, 0),
      {1.75, 4.75});
  expectNear(
      evaluate(makeNode("GlobalLpPool", {"x"}, {"y0"}, {intAttribute("p", 2)}),
               {ramp("x", {1, 2, 3})}, {}, 18, 0),
      {2.410913, 6.154267});
}

TEST(ImportSpatial, PlacesOfMaxima) {
  expectNear(evaluate(makeNode("MaxPool", {"x"}, {"y0", "y1"},
                               {intsAttribute("kernel_shape", {2, 2}),
                                intsAttribute("pads", {1, 0, 0, 1}),
                                intsAttribute("strides", {1, 2})}),
                      {ramp("x", {1, 2, 3, 4})}, {}, 18, 1),
             {0, 2, 4, 6, 8, 10, 12, 14, 12, 18, 20, 22});
  expectNear(evaluate(makeNode("MaxPool", {"x"}, {"y0", "y1"},
                               {intsAttribute("kernel_shape", {2, 2}),
                                intAttribute("storage_order", 1)}),
                      {ramp("x", {1, 1, 3, 4})}, {}, 18, 1),
             {1, 7, 7, 2, 8, 8});
  expectNear(evaluate(makeNode("MaxUnpool", {"x", "i"}, {"y0"},
                               {intsAttribute("kernel_shape", {2, 2}),
                                intsAttribute("strides", {2, 2})}),
                      {floats("x", {1, 1, 2, 2}, {5, 6, 7, 8}),
                       integers("i", {1, 1, 2, 2}, {5, 7, 13, 15})},
                      {}, 18, 0),
             {0, 0, 0, 0, 0, 5, 0, 6, 0, 0, 0, 0, 0, 7, 0, 8});
}

TEST(ImportSpatial, ResizeByCopies) {
  expectNear(evaluate(makeNode("Resize", {"x", "", "s"}, {"y0"},
                               {textAttribute("mode", "nearest"),
                                textAttribute("coordinate_transformation_mode",
                                              "asymmetric"),
                                textAttribute("nearest_mode", "floor")}),
                      {ramp("x", {1, 1, 2, 3}), floats("s", {4}, {1, 1, 2, 2})},
                      {"s"}, 19, 0),
             {0.5,   0.5,   -1.25, -1.25, 2,     2,     0.5,   0.5,
              -1.25, -1.25, 2,     2,     -2.75, -2.75, 3.5,   3.5,
              -4.25, -4.25, -2.75, -2.75, 3.5,   3.5,   -4.25, -4.25});
  expectNear(
      evaluate(makeNode("Resize", {"x", "", "", "z"}, {"y0"},
                        {textAttribute("mode", "nearest")}),
               {ramp("x", {1, 1, 2, 3}), integers("z", {4}, {1, 1, 3, 5})},
               {"z"}, 19, 0),
      {0.5, 0.5, -1.25, 2, 2, 0.5, 0.5, -1.25, 2, 2, -2.75, -2.75, 3.5, -4.25,
       -4.25});
  expectNear(
      evaluate(makeNode("Resize", {"x", "", "", "z"}, {"y0"},
                        {textAttribute("mode", "nearest"),
                         textAttribute("nearest_mode", "ceil"),
                         textAttribute("coordinate_transformation_mode",
                                       "align_corners")}),
               {ramp("x", {1, 1, 2, 3}), integers("z", {4}, {1, 1, 1, 2})},
               {"z"}, 19, 0),
      {0.5, 2});
}

TEST(ImportSpatial, ResizeByWeights) {
  expectNear(evaluate(makeNode("Resize", {"x", "", "s"}, {"y0"},
                               {textAttribute("mode", "linear")}),
                      {ramp("x", {1, 1, 2, 3}), floats("s", {4}, {1, 1, 2, 1})},
                      {"s"}, 19, 0),
             {0.5, -1.25, 2, -0.3125, -0.0625, 0.4375, -1.9375, 2.3125, -2.6875,
              -2.75, 3.5, -4.25});
  expectNear(
      evaluate(makeNode("Resize", {"x", "", "", "z"}, {"y0"},
                        {textAttribute("mode", "linear"),
                         textAttribute("coordinate_transformation_mode",
                                       "align_corners")}),
               {ramp("x", {1, 1, 2, 3}), integers("z", {4}, {1, 1, 3, 4})},
               {"z"}, 19, 0),
      {0.5, -0.6666667, -0.1666665, 2, -1.125, 0.3750001, 0.3749999, -1.125,
       -2.75, 1.416667, 0.9166663, -4.25});
  expectNear(
      evaluate(makeNode("Resize", {"x", "", "", "z"}, {"y0"},
                        {textAttribute("mode", "cubic"),
                         floatAttribute("cubic_coeff_a", -0.5f),
                         intAttribute("exclude_outside", 1)}),
               {ramp("x", {1, 1, 2, 3}), integers("z", {4}, {1, 1, 3, 5})},
               {"z"}, 19, 0),
      {0.8856125, -0.2625193, -1.562499, 0.9155048, 2.711084, -1.294812,
       -0.2350746, 1.125, -0.2350749, -1.294812, -3.475236, -0.20763, 3.812499,
       -1.385655, -5.300707});
  expectNear(
      evaluate(makeNode("Resize", {"x", "", "", "z"}, {"y0"},
                        {textAttribute("mode", "linear"),
                         intAttribute("antialias", 1)}),
               {ramp("x", {1, 1, 2, 8}), integers("z", {4}, {1, 1, 2, 3})},
               {"z"}, 19, 0),
      {-0.02325585, -0.05357148, -1.040697, 0.953488, 1.339286, 0.2500003});
  expectNear(
      evaluate(makeNode("Resize", {"x", "r", "", "z"}, {"y0"},
                        {textAttribute("mode", "linear"),
                         textAttribute("coordinate_transformation_mode",
                                       "tf_crop_and_resize"),
                         floatAttribute("extrapolation_value", 9.0f)}),
               {ramp("x", {1, 1, 4}), floats("r", {6}, {0, 0, 0.2, 1, 1, 1.4}),
                integers("z", {3}, {1, 1, 3})},
               {"r", "z"}, 19, 0),
      {-0.55, 0.09999955, 9});
  expectNear(
      evaluate(
          makeNode("Resize", {"x", "", "", "z"}, {"y0"},
                   {textAttribute("mode", "linear"),
                    textAttribute("keep_aspect_ratio_policy", "not_larger")}),
          {ramp("x", {3, 4}), integers("z", {2}, {6, 6})}, {"z"}, 19, 0),
      {0.5, -0.375, -0.7083335, 1.458333, -0.375, -2.75,
       2,   -0.375, -1.708333,  2.458333, -0.375, -4.25,
       4,   -0.375, -3.041667,  3.791666, -0.375, -6.25,
       6,   -0.375, -4.375,     5.124999, -0.375, -8.25,
       6.5, -0.375, -4.708334,  5.458332, -0.375, -8.75});
  expectNear(evaluate(makeNode("Upsample", {"x", "s"}, {"y0"},
                               {textAttribute("mode", "linear")}),
                      {ramp("x", {1, 1, 2, 2}), floats("s", {4}, {1, 1, 2, 2})},
                      {"s"}, 9, 0),
             {0.5, -0.375, -1.25, -1.25, 1.25, -0.375, -2, -2, 2, -0.375, -2.75,
              -2.75, 2, -0.375, -2.75, -2.75});
}

// Outputs of a phase read up to two neighbours on either side.
TEST(ImportSpatial, ResizeByCubicPhases) {
  expectNear(evaluate(makeNode("Resize", {"x", "", "s"}, {"y0"},
                               {textAttribute("mode", "cubic")}),
                      {ramp("x", {1, 1, 1, 6}), floats("s", {4}, {1, 1, 1, 2})},
                      {"s"}, 19, 0),
             {0.6845703, -0.01074219, -1.196289, -0.53125, 1.703125, 1.046875,
              -2.21875, -1.5625, 2.734375, 2.40332, -2.274414, -5.067383});
  expectNear(evaluate(makeNode("Resize", {"x", "", "s"}, {"y0"},
                               {textAttribute("mode", "cubic")}),
                      {ramp("x", {1, 1, 4, 1}), floats("s", {4}, {1, 1, 3, 1})},
                      {"s"}, 19, 0),
             {0.6944448, 0.5, -0.2314806, -1.060185, -1.25, -0.1574064,
              1.407408, 2, 0.86574, -1.074075, -2.75, -3.277779});
}

TEST(ImportSpatial, GridSample) {
  expectNear(evaluate(makeNode("GridSample", {"x", "g"}, {"y0"},
                               {textAttribute("mode", "linear")}),
                      {ramp("x", {1, 1, 3, 3}),
                       floats("g", {1, 2, 2, 2},
                              {-1.2, -0.5, 0.3, 0.9, -0.1, 1.1, 0.6, -0.8})},
                      {}, 20, 0),
             {-0.06249999, -0.1543758, -1.448125, 1.34});
  expectNear(evaluate(makeNode("GridSample", {"x", "g"}, {"y0"},
                               {textAttribute("mode", "nearest"),
                                textAttribute("padding_mode", "reflection")}),
                      {ramp("x", {1, 1, 3, 3}),
                       floats("g", {1, 2, 2, 2},
                              {-1.2, -0.5, 0.3, 0.9, -0.1, 1.1, 0.6, -0.8})},
                      {}, 20, 0),
             {0.5, -5.75, -5.75, 2});
  expectNear(evaluate(makeNode("GridSample", {"x", "g"}, {"y0"},
                               {textAttribute("mode", "linear"),
                                textAttribute("padding_mode", "border"),
                                intAttribute("align_corners", 1)}),
                      {ramp("x", {1, 1, 3, 3}),
                       floats("g", {1, 2, 2, 2},
                              {-1.2, -0.5, 0.3, 0.9, -0.1, 1.1, 0.6, -0.8})},
                      {}, 20, 0),
             {-1.125, -1.75, -4.675, 0.33});
  expectNear(evaluate(makeNode("GridSample", {"x", "g"}, {"y0"},
                               {textAttribute("mode", "cubic"),
                                textAttribute("padding_mode", "border")}),
                      {ramp("x", {1, 1, 3, 3}),
                       floats("g", {1, 2, 2, 2},
                              {-1.2, -0.5, 0.3, 0.9, -0.1, 1.1, 0.6, -0.8})},
                      {}, 20, 0),
             {-0.5246327, -1.644744, -5.892904, 2.229913});
  expectNear(evaluate(makeNode("GridSample", {"x", "g"}, {"y0"},
                               {textAttribute("mode", "cubic"),
                                textAttribute("padding_mode", "reflection"),
                                intAttribute("align_corners", 1)}),
                      {ramp("x", {1, 1, 3, 3}),
                       floats("g", {1, 2, 2, 2},
                              {-1.2, -0.5, 0.3, 0.9, -0.1, 1.1, 0.6, -0.8})},
                      {}, 20, 0),
             {-1.225125, -2.827098, -5.318024, 0.6622565});
}

TEST(ImportSpatial, AffineGrid) {
  expectNear(evaluate(makeNode("AffineGrid", {"t", "s"}, {"y0"}, {}),
                      {ramp("t", {1, 2, 3}), integers("s", {4}, {1, 1, 2, 3})},
                      {"s"}, 20, 0),
             {2.291667, -4.166667, 2.625, -6, 2.958333, -7.833333, 1.041667,
              -0.6666665, 1.375, -2.5, 1.708333, -4.333333});
  expectNear(
      evaluate(makeNode("AffineGrid", {"t", "s"}, {"y0"},
                        {intAttribute("align_corners", 1)}),
               {ramp("t", {1, 2, 3}), integers("s", {4}, {1, 1, 2, 3})}, {"s"},
               20, 0),
      {2.75, -5, 3.25, -7.75, 3.75, -10.5, 0.25, 2, 0.75, -0.75, 1.25, -3.5});
}

TEST(ImportSpatial, Regions) {
  expectNear(evaluate(makeNode("RoiAlign", {"x", "r", "i"}, {"y0"},
                               {intAttribute("output_height", 2),
                                intAttribute("output_width", 1)}),
                      {ramp("x", {1, 1, 4, 5}),
                       floats("r", {2, 4}, {0.5, 1, 3, 4, -1, 0, 5, 2}),
                       integers("i", {2}, {0, 0})},
                      {}, 16, 0),
             {0.006510377, 0.186198, 0.4166667, -1.666667});
  expectNear(evaluate(makeNode("RoiAlign", {"x", "r", "i"}, {"y0"},
                               {intAttribute("output_height", 2),
                                intAttribute("output_width", 2),
                                intAttribute("sampling_ratio", 2)}),
                      {ramp("x", {1, 1, 4, 5}),
                       floats("r", {2, 4}, {0.5, 1, 3, 4, -1, 0, 5, 2}),
                       integers("i", {2}, {0, 0})},
                      {}, 16, 0),
             {0.1484375, 0.07470703, -0.1054688, 0.4614258, -0.234375, 0.796875,
              -0.390625, -1.777344});
  expectNear(evaluate(makeNode("RoiAlign", {"x", "r", "i"}, {"y0"},
                               {intAttribute("output_height", 1),
                                intAttribute("output_width", 2),
                                intAttribute("sampling_ratio", 1),
                                floatAttribute("spatial_scale", 0.5f),
                                textAttribute("mode", "max"),
                                textAttribute("coordinate_transformation_mode",
                                              "output_half_pixel")}),
                      {ramp("x", {1, 1, 4, 5}),
                       floats("r", {2, 4}, {0.5, 1, 3, 4, -1, 0, 5, 2}),
                       integers("i", {2}, {0, 0})},
                      {}, 16, 0),
             {2.109375, 3.046875, 0.625, 0.75});
  expectNear(evaluate(makeNode("MaxRoiPool", {"x", "r"}, {"y0"},
                               {intsAttribute("pooled_shape", {2, 2})}),
                      {ramp("x", {1, 1, 4, 5}),
                       floats("r", {2, 5}, {0, 1, 1, 3, 3, 0, 0, 0, 4, 2})},
                      {}, 1, 0),
             {9.5, 9.5, 9.5, 9.5, 5, 6.5, 9.5, 9.5});
  expectNear(evaluate(makeNode("DeformConv", {"x", "w", "o"}, {"y0"}, {}),
                      {ramp("x", {1, 1, 3, 3}), ramp("w", {1, 1, 2, 2}),
                       floats("o", {1, 8, 2, 2},
                              {-0.6, -0.3, 0, 0.3, 0.6, -0.6, -0.3, 0, 0.3, 0.6,
                               -0.6, -0.3, 0, 0.3, 0.6, -0.6, -0.3, 0, 0.3, 0.6,
                               -0.6, -0.3, 0, 0.3, 0.6, -0.6, -0.3, 0, 0.3, 0.6,
                               -0.6, -0.3})},
                      {}, 19, 0),
             {0.3825005, 5.26125, 4.94625, -9.435002});
}

// Before opset 11 a shrinking dimension reads the element after the position.
TEST(ImportSpatial, ResizeOfOpset10) {
  std::vector<float> values(10);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float(i);
  expectNear(evaluate(makeNode("Resize", {"x", "s"}, {"y0"}),
                      {floats("x", {1, 1, 2, 5}, values),
                       floats("s", {4}, {1, 1, 1, 0.6f})},
                      {"s"}, 10),
             {0, 2, 4, 5, 7, 9});
}

TEST(ImportSpatial, RefusesOffsetsOfAnotherSize) {
  // An error in the middle of a node must not leave the rest without values.
  mlir::MLIRContext context;
  std::vector<Tensor> inputs{ramp("x", {1, 1, 3, 3}), ramp("w", {1, 1, 2, 2}),
                             ramp("o", {1, 8, 4, 4})};
  auto module =
      importONNX(nodeModel(makeNode("DeformConv", {"x", "w", "o"}, {"y0"}, {}),
                           inputs, 19),
                 &context, {});
  ASSERT_FALSE(bool(module));
  EXPECT_EQ(module.error().code, zenith::ErrorCode::Invalid);
}
