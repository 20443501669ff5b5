// Handles of libthrong_nms that are missing or destroyed, and structs of other headers, through its C interface.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "app/api/throng_nms.h"

namespace throng::test {
namespace {

TEST(NmsLibraryHandle, NamesAMissingOne) {
    const throng_nms_params params = throng_nms_params_default();
    const throng_nms_input input = throng_nms_input_default();
    const throng_nms_output output = throng_nms_output_default();
    std::size_t bytes = 0;
    for (int call = 0; call < 3; ++call) {
        throng_nms* nms = nullptr;
        ASSERT_EQ(throng_nms_create(&nms, THRONG_NMS_ABI, THRONG_HOST, 0), THRONG_OK);
        throng_nms_destroy(nms);
        ASSERT_STREQ(throng_nms_error(nullptr), "");
        EXPECT_EQ(call == 0   ? throng_nms_run(nullptr, &params, &input, &output, nullptr, 0, nullptr)
                  : call == 1 ? throng_nms_workspace_size(nullptr, &params, 1, &bytes)
                              : throng_nms_set_threads(nullptr, 1),
                  THRONG_ERROR_USAGE);
        EXPECT_STREQ(throng_nms_error(nullptr), "nms: is NULL");
    }
}

TEST(NmsLibraryHandle, DebugModeFindsADestroyedOne) {
    throng_nms* nms = nullptr;
    ASSERT_EQ(throng_nms_create(&nms, THRONG_NMS_ABI, THRONG_HOST, 0), THRONG_OK);
    ASSERT_EQ(setenv("THRONG_CHECK_POINTERS", "1", 1), 0);
    throng_nms_destroy(nms);
    throng_nms_destroy(nms);
    for (int k = 0; k < 100; ++k) {  // two threads destroy one
        throng_nms* shared = nullptr;
        ASSERT_EQ(throng_nms_create(&shared, THRONG_NMS_ABI, THRONG_HOST, 0), THRONG_OK);
        std::atomic<int> ready{0};
        const auto destroy = [&] {
            ++ready;
            while (ready < 2) std::this_thread::yield();
            throng_nms_destroy(shared);
        };
        std::thread other(destroy);
        destroy();
        other.join();
    }
    ASSERT_EQ(throng_nms_create(&nms, THRONG_NMS_ABI, THRONG_HOST, 0), THRONG_OK);
    throng_nms_destroy(nms);
    unsetenv("THRONG_CHECK_POINTERS");
    EXPECT_EQ(throng_nms_set_threads(nms, 1), THRONG_ERROR_USAGE);
    EXPECT_STREQ(throng_nms_error(nms), "nms: was destroyed");
    EXPECT_EQ(throng_nms_run(nms, nullptr, nullptr, nullptr, nullptr, 0, nullptr), THRONG_ERROR_USAGE);
    throng_nms* other = nullptr;
    ASSERT_EQ(throng_nms_create(&other, THRONG_NMS_ABI, THRONG_HOST, 0), THRONG_OK);
    EXPECT_EQ(throng_nms_set_threads(other, 1), THRONG_OK);
    throng_nms_destroy(other);
}

TEST(NmsLibraryCreation, RejectsAnotherHeader) {
    throng_nms* nms = nullptr;
    EXPECT_EQ(throng_nms_create(&nms, THRONG_NMS_ABI + 1, THRONG_HOST, 0), THRONG_ERROR_USAGE);
    EXPECT_EQ(nms, nullptr);
    EXPECT_NE(std::string(throng_nms_error(nullptr)).find("abi"), std::string::npos);
    EXPECT_EQ(throng_nms_create(nullptr, THRONG_NMS_ABI, THRONG_HOST, 0), THRONG_ERROR_USAGE);
    EXPECT_EQ(throng_nms_create(&nms, THRONG_NMS_ABI, 5, 0), THRONG_ERROR_USAGE);
}

// The defaults of a library with longer structs do not reach beyond what the caller has.
TEST(NmsLibraryStructs, InitWritesWhatTheCallerHas) {
    for (const std::size_t size : {std::size_t{8}, sizeof(throng_nms_params) - 8, sizeof(throng_nms_params) + 40}) {
        alignas(throng_nms_params) unsigned char bytes[sizeof(throng_nms_params) + 64];
        std::memset(bytes, 0xAB, sizeof bytes);
        throng_nms_params_init(reinterpret_cast<throng_nms_params*>(bytes), size);
        std::uint32_t written = 0;
        std::memcpy(&written, bytes, sizeof written);
        EXPECT_EQ(written, size);
        for (std::size_t k = size; k < sizeof bytes; ++k) ASSERT_EQ(bytes[k], 0xAB) << k << " of " << size;
    }
    throng_nms_params_init(nullptr, sizeof(throng_nms_params));
    unsigned char none[4] = {1, 2, 3, 4};
    throng_nms_params_init(reinterpret_cast<throng_nms_params*>(none), 3);
    EXPECT_EQ(none[0], 1);
}

}  // namespace
}  // namespace throng::test
