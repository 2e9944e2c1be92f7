// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checkpoints: which stay, which are taken, which are passed over.

#include "frontends/tensors/Checkpoints.h"
#include "TensorFiles.h"

using namespace zenith;
using namespace zenith::tensors;

namespace {
struct CheckpointsTest : TensorFiles {
  std::string run() { return path("run"); }

  std::unique_ptr<Checkpoints> open(int64_t keep, std::string best = "") {
    auto opened = Checkpoints::open(run(), {keep, std::move(best)});
    if (!opened) {
      ADD_FAILURE() << llvm::toString(opened.takeError());
      return nullptr;
    }
    return std::move(*opened);
  }
  Checkpoint at(int64_t step, std::optional<int64_t> best = std::nullopt) {
    Checkpoint checkpoint;
    checkpoint.step = step;
    checkpoint.tensors["params/w"] = counting("f32[3]");
    if (best)
      checkpoint.manifest["best"] = llvm::json::Object{{"step", *best}};
    return checkpoint;
  }
  bool exists(int64_t step) {
    return llvm::sys::fs::exists(run() + "/step-0000000" +
                                 std::to_string(step));
  }
  /// The step that is taken, -1 for none, -2 for an error.
  int64_t newest() {
    auto read =
        readNewestCheckpoint(run(), &context, [&](const std::string &text) {
          warnings.push_back(text);
        });
    if (!read) {
      message = llvm::toString(read.takeError());
      return -2;
    }
    return *read ? (*read)->step : -1;
  }

  std::vector<std::string> warnings;
  std::string message;
};
} // namespace

TEST_F(CheckpointsTest, KeepsTheNewestAndTheBest) {
  auto checkpoints = open(2, "loss");
  ASSERT_NE(checkpoints, nullptr);
  for (int64_t step : {1, 2, 3, 4})
    ASSERT_FALSE(checkpoints->save(at(step, 1)));
  ASSERT_FALSE(checkpoints->finish());
  EXPECT_TRUE(exists(1));
  EXPECT_FALSE(exists(2));
  EXPECT_TRUE(exists(3));
  EXPECT_TRUE(exists(4));
  EXPECT_EQ(newest(), 4);
  EXPECT_TRUE(warnings.empty());
}

TEST_F(CheckpointsTest, PassesOverWhatIsDamaged) {
  auto checkpoints = open(9);
  ASSERT_NE(checkpoints, nullptr);
  for (int64_t step : {1, 2, 3})
    ASSERT_FALSE(checkpoints->save(at(step)));
  ASSERT_FALSE(checkpoints->finish());
  std::string state = read("run/step-00000003/state.safetensors");
  state.back() ^= 1;
  write("run/step-00000003/state.safetensors", state);
  EXPECT_EQ(newest(), 2);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("step-00000003"), std::string::npos);
  write("run/step-00000002/manifest.json", "{\"format\": 7}");
  EXPECT_EQ(newest(), 1);
  write("run/step-00000001/manifest.json", "");
  EXPECT_EQ(newest(), -2);
  EXPECT_NE(message.find("no checkpoint"), std::string::npos);
  // A checkpoint of the same step replaces a damaged one.
  ASSERT_FALSE(checkpoints->save(at(3)));
  ASSERT_FALSE(checkpoints->finish());
  EXPECT_EQ(newest(), 3);
}

TEST_F(CheckpointsTest, OneTrainingAtATime) {
  EXPECT_EQ(newest(), -1);
  auto first = open(1);
  ASSERT_NE(first, nullptr);
  auto second = Checkpoints::open(run(), {});
  ASSERT_FALSE(bool(second));
  EXPECT_NE(llvm::toString(second.takeError()).find("another training"),
            std::string::npos);
  // What a process left that died goes; whole ones stay.
  ASSERT_FALSE(first->save(at(1)));
  ASSERT_FALSE(first->finish());
  first.reset();
  ASSERT_FALSE(llvm::sys::fs::create_directory(run() + "/.tmp-2-1"));
  ASSERT_NE(open(1), nullptr);
  EXPECT_FALSE(llvm::sys::fs::exists(run() + "/.tmp-2-1"));
  EXPECT_TRUE(exists(1));
}

TEST_F(CheckpointsTest, AFailedSaveIsSaid) {
  auto checkpoints = open(1);
  ASSERT_NE(checkpoints, nullptr);
  llvm::sys::fs::remove_directories(run());
  ASSERT_FALSE(checkpoints->save(at(1)));
  llvm::Error error = checkpoints->finish();
  ASSERT_TRUE(bool(error));
  EXPECT_NE(llvm::toString(std::move(error)).find("step 1 was not saved"),
            std::string::npos);
  EXPECT_TRUE(checkpoints->hasFailed());
}

TEST_F(CheckpointsTest, DecimalsReadBack) {
  EXPECT_EQ(shortestDecimal(0.1f), "0.1");
  EXPECT_EQ(shortestDecimal(0.1), "0.1");
  EXPECT_EQ(shortestDecimal(double(0.1f)), "0.10000000149011612");
}
