// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/base/sha256.hpp"

#include <gtest/gtest.h>

namespace prismllm {
namespace {

// Vectors of FIPS 180-4 and of NIST's SHAVS examples.
TEST(Sha256, MatchesTheVectorOfTheEmptyMessage) {
    EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, MatchesTheVectorOfOneBlock) {
    EXPECT_EQ(sha256_hex("abc"),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, MatchesTheVectorWhosePaddingNeedsASecondBlock) {
    EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha256, MatchesTheVectorOfTwoBlocks) {
    EXPECT_EQ(sha256_hex("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                         "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"),
              "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
}

TEST(Sha256, MatchesTheVectorOfAMillionLettersFedInUnevenPieces) {
    const std::string text(1'000'000, 'a');

    Sha256 digest;
    std::size_t at = 0;
    for (std::size_t piece = 1; at < text.size(); piece = piece * 7 % 1009) {
        digest.update(std::string_view{text}.substr(at, piece));
        at += piece;
    }

    EXPECT_EQ(digest.hex_digest(),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, CanBeFedAfterItWasRead) {
    Sha256 digest;
    digest.update("a");
    const std::string early = digest.hex_digest();
    digest.update("bc");

    EXPECT_EQ(early, sha256_hex("a"));
    EXPECT_EQ(digest.hex_digest(), sha256_hex("abc"));
}

TEST(Sha256, DiffersForEveryLengthAroundTheBlockBorder) {
    std::string previous;
    for (std::size_t length = 50; length < 140; ++length) {
        const std::string digest = sha256_hex(std::string(length, '\0'));
        EXPECT_EQ(digest.size(), 64U);
        EXPECT_NE(digest, previous) << length;
        previous = digest;
    }
}

}  // namespace
}  // namespace prismllm
