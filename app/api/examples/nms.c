/* Suppresses four boxes with libthrong_nms:  cc nms.c $(pkg-config --cflags --libs throng-nms) */
#include <stdio.h>

#include "throng_nms.h"

int main(void) {
    const float boxes[4][4] = {{6, 3, 8, 7}, {3, 6, 9, 11}, {3, 7, 10, 12}, {1, 4, 13, 7}};
    const float scores[4] = {0.6f, 0.9f, 0.7f, 0.2f};
    int64_t indices[4], count = 0;
    throng_nms* nms = NULL;
    throng_nms_params params = throng_nms_params_torchvision();
    throng_nms_input input = throng_nms_input_default();
    throng_nms_output output = throng_nms_output_default();

    params.theta = 0.3;
    input.num_boxes = 4;
    input.boxes = boxes;
    input.scores = scores;
    output.capacity = 4;
    output.indices = indices;
    output.count = &count;
    if (throng_nms_create(&nms, THRONG_NMS_ABI, THRONG_HOST, 0) != THRONG_OK) {
        fprintf(stderr, "%s\n", throng_nms_error(NULL));
        return 1;
    }
    if (throng_nms_run(nms, &params, &input, &output, NULL, 0, NULL) != THRONG_OK) {
        fprintf(stderr, "%s\n", throng_nms_error(nms));
        throng_nms_destroy(nms);
        return 1;
    }
    printf("kept");
    for (int64_t k = 0; k < count; ++k) printf(" %lld", (long long)indices[k]);
    printf("\n");
    throng_nms_destroy(nms);
    return 0;
}
