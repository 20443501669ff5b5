/* Expected results of others through libthrong_nms, as an outside C program: cases of ONNX's operator NonMaxSuppression,
 * and windows under the rule of the NMS paper. A FILE.json has cases in the form of tests/oracle/onnx-nms.json; a FOLDER
 * has detections.txt (x,y,width,score of square windows) and kept.expected.txt (indices).
 * Exit status: 0, 1 for a wrong result, 2 for a file that is missing or not as expected.
 *
 *     cc foreign_suites.c $(pkg-config --cflags --libs throng-nms) && ./a.out FILE.json|FOLDER... */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "throng_nms.h"

enum { MAX_VALUES = 1024, MAX_WINDOWS = 4096 };

static throng_nms* nms;

static void fail(int status, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(status);
}

/* Returns the number of kept boxes; their indices are in order of the rule. */
static int64_t suppress(const throng_nms_params* params, const throng_nms_input* input, int64_t* indices) {
    int64_t count = -1;
    throng_nms_output output = throng_nms_output_default();
    output.capacity = input->num_boxes;
    output.indices = indices;
    output.count = &count;
    if (throng_nms_run(nms, params, input, &output, NULL, 0, NULL) != THRONG_OK) fail(1, "%s", throng_nms_error(nms));
    return count;
}

/* Returns the text of a file. The caller frees it. */
static char* read_text(const char* path) {
    char* text = NULL;
    long size = 0;
    FILE* file = fopen(path, "rb");
    if (file == NULL) fail(2, "%s: cannot be opened", path);
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0) text = calloc((size_t)size + 1, 1);
    rewind(file);
    if (text == NULL || fread(text, 1, (size_t)size, file) != (size_t)size) fail(2, "%s: cannot be read", path);
    fclose(file);
    return text;
}

static char* read_text_in(const char* folder, const char* name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return read_text(path);
}

/* ---- ONNX ---- */

/* Numbers of nested lists. lists[d]: how many lists have depth d; the outermost has depth 1. */
struct array {
    double values[MAX_VALUES];
    int num_values;
    int lists[8];
};

/* Returns what follows "NAME": in the text of a case, or NULL. */
static const char* find_key(const char* text, const char* name) {
    char start[128];
    const char* found;
    snprintf(start, sizeof start, "\"%s\":", name);
    found = strstr(text, start);
    return found == NULL ? NULL : found + strlen(start);
}

/* Reads the list of numbers behind a key. */
static void read_array(const char* text, const char* name, struct array* array) {
    int depth = 0;
    const char* at = find_key(text, name);
    memset(array, 0, sizeof *array);
    if (at == NULL) fail(2, "a case of ONNX has no %s", name);
    for (;;) {
        char* end;
        at += strspn(at, " \n,");
        if (*at == '[' && depth < 7) {
            ++array->lists[++depth];
            ++at;
            continue;
        }
        if (*at == ']') {
            ++at;
            if (--depth <= 0) return;
            continue;
        }
        if (array->num_values == MAX_VALUES) fail(2, "%s: more than %d numbers", name, MAX_VALUES);
        array->values[array->num_values++] = strtod(at, &end);
        if (end == at) fail(2, "%s: not a list of numbers: %.20s", name, at);
        at = end;
    }
}

/* Stores corners as ONNX defines them: two opposite ones as y, x in any order, or the center and the sides. */
static void load_box(const double* values, int is_center, float* box) {
    int axis;
    for (axis = 0; axis < 2; ++axis) {
        const float a = (float)values[axis];
        const float b = (float)values[axis + 2];
        box[axis] = is_center ? a - b / 2 : a < b ? a : b;
        box[axis + 2] = is_center ? a + b / 2 : a < b ? b : a;
    }
}

/* Returns the IoU of two boxes that overlap, in float32. */
static float iou(const float* a, const float* b) {
    float sides[2], common;
    int axis;
    for (axis = 0; axis < 2; ++axis) {
        const float low = a[axis] > b[axis] ? a[axis] : b[axis];
        const float high = a[axis + 2] < b[axis + 2] ? a[axis + 2] : b[axis + 2];
        sides[axis] = high - low;
    }
    common = sides[0] * sides[1];
    return common / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - common);
}

/* Returns the threshold of a case. The case at the boundary has none: exactly the IoU of its boxes. */
static double threshold_of(const char* text, const struct array* boxes) {
    static struct array theta;
    float corners[2][4];
    if (find_key(text, "iou_threshold") != NULL) {
        read_array(text, "iou_threshold", &theta);
        return theta.values[0];
    }
    if (boxes->num_values != 8) fail(2, "a case of ONNX has no iou_threshold");
    load_box(boxes->values, 0, corners[0]);
    load_box(boxes->values + 4, 0, corners[1]);
    return iou(corners[0], corners[1]);
}

/* Runs one case; returns whether the selected indices are the expected ones. */
static int run_case(const char* text) {
    static struct array boxes, scores, limit, least, expected;
    double selected[MAX_VALUES];
    int num_selected = 0, batch, kind, batches, kinds, size;
    const char* center = find_key(text, "center_point_box");
    const int is_center = center != NULL && strtol(center, NULL, 10) == 1;
    throng_nms_params params = throng_nms_params_torchvision();
    read_array(text, "boxes", &boxes);
    read_array(text, "scores", &scores);
    read_array(text, "max_output_boxes_per_class", &limit);
    read_array(text, "score_threshold", &least);
    read_array(text, "selected_indices", &expected);
    batches = scores.lists[2];
    kinds = scores.lists[3] / batches;
    size = scores.num_values / scores.lists[3];
    if (boxes.lists[2] != batches || boxes.num_values != 4 * batches * size)
        fail(2, "boxes and scores differ in shape");
    params.theta = threshold_of(text, &boxes);
    params.score_threshold = least.values[0];
    params.max_output = (int32_t)limit.values[0];
    for (batch = 0; batch < batches; ++batch) {
        for (kind = 0; kind < kinds; ++kind) {
            float corners[MAX_VALUES][4], class_scores[MAX_VALUES];
            int i;
            int64_t kept[MAX_VALUES], k, num_kept;
            throng_nms_input input = throng_nms_input_default();
            for (i = 0; i < size; ++i) {
                load_box(boxes.values + 4 * (batch * size + i), is_center, corners[i]);
                class_scores[i] = (float)scores.values[(batch * kinds + kind) * size + i];
            }
            input.num_boxes = size;
            input.boxes = corners;
            input.scores = class_scores;
            num_kept = suppress(&params, &input, kept);
            for (k = 0; k < num_kept; ++k) {
                selected[num_selected++] = batch;
                selected[num_selected++] = kind;
                selected[num_selected++] = (double)kept[k];
            }
        }
    }
    return num_selected == expected.num_values &&
           memcmp(selected, expected.values, (size_t)num_selected * sizeof *selected) == 0;
}

/* Returns the number of wrong cases. */
static int run_onnx(const char* path) {
    static const char kStart[] = "\"name\":";
    int cases = 0, wrong = 0;
    char* text = read_text(path);
    char* at = strstr(text, kStart);
    while (at != NULL) {
        char* next = strstr(at + 1, kStart);
        const char* name = at + strlen(kStart);
        if (next != NULL) next[-1] = '\0'; /* ends the text of this case */
        ++cases;
        if (!run_case(at)) {
            ++wrong;
            printf("%s: wrong: %.*s\n", path, (int)strcspn(name, ","), name);
        }
        at = next;
    }
    free(text);
    if (cases < 9) fail(2, "%s: only %d cases were found", path, cases);
    printf("%s: %d cases, %d wrong\n", path, cases, wrong);
    return wrong;
}

/* ---- the paper: overlap over the suppressor, inclusive pixels, strict ties ---- */

static int ascending(const void* a, const void* b) {
    const int64_t left = *(const int64_t*)a, right = *(const int64_t*)b;
    return (left > right) - (left < right);
}

/* Returns the number of rules with a wrong result. */
static int run_paper(const char* folder) {
    static double boxes[MAX_WINDOWS][4], scores[MAX_WINDOWS];
    static int64_t expected[MAX_WINDOWS], kept[MAX_WINDOWS];
    char* windows = read_text_in(folder, "detections.txt");
    char* kept_text = read_text_in(folder, "kept.expected.txt");
    const char* at;
    char* end;
    int64_t num_expected = 0, num_kept;
    int rule, length, wrong = 0;
    throng_nms_params params = throng_nms_params_default();
    throng_nms_input input = throng_nms_input_default();
    for (at = windows; input.num_boxes < MAX_WINDOWS; at += length) {
        double* box = boxes[input.num_boxes];
        if (sscanf(at, "%lf,%lf,%lf,%lf%n", box, box + 1, box + 2, scores + input.num_boxes, &length) != 4) break;
        box[3] = box[2]; /* square */
        ++input.num_boxes;
    }
    for (at = kept_text; num_expected < MAX_WINDOWS; at = end) {
        expected[num_expected] = strtoll(at, &end, 10);
        if (end == at) break;
        ++num_expected;
    }
    free(windows);
    free(kept_text);
    if (input.num_boxes < 400 || num_expected < 10) fail(2, "%s: the files are incomplete", folder);
    qsort(expected, (size_t)num_expected, sizeof *expected, ascending);
    input.dtype = THRONG_FLOAT64;
    input.box_format = THRONG_XYWH;
    input.boxes = boxes;
    input.scores = scores;
    params.overlap = THRONG_NMS_SUPPRESSOR;
    params.ties = THRONG_NMS_TIES_STRICT;
    params.pixels = 1;
    for (rule = THRONG_NMS_ONE_PASS; rule <= THRONG_NMS_GREEDY; ++rule) {
        params.rule = rule;
        num_kept = suppress(&params, &input, kept);
        qsort(kept, (size_t)num_kept, sizeof *kept, ascending);
        if (num_kept != num_expected || memcmp(kept, expected, (size_t)num_kept * sizeof *kept) != 0) {
            ++wrong;
            printf("%s: rule %d: wrong\n", folder, rule);
        }
    }
    printf("%s: %lld windows, %lld kept, %d of 2 rules wrong\n", folder, (long long)input.num_boxes,
           (long long)num_expected, wrong);
    return wrong;
}

int main(int argc, char** argv) {
    int i, wrong = 0;
    if (argc < 2) fail(2, "usage: foreign_suites FILE.json|FOLDER...");
    if (throng_nms_create(&nms, THRONG_NMS_ABI, THRONG_HOST, 0) != THRONG_OK) fail(1, "%s", throng_nms_error(NULL));
    for (i = 1; i < argc; ++i) {
        const size_t length = strlen(argv[i]);
        const int is_json = length > 5 && strcmp(argv[i] + length - 5, ".json") == 0;
        wrong += is_json ? run_onnx(argv[i]) : run_paper(argv[i]);
    }
    throng_nms_destroy(nms);
    return wrong > 0;
}
