/* Suites of other projects through libthrong_nms, as an outside C program: ONNX's cases of NonMaxSuppression and the
 * windows of the NMS paper's authors. Reads FOLDER/onnx-nms/nonmaxsuppression.py, whose arrays are literals, and
 * FOLDER/authors/. Exit status: 0, 1 for a wrong result, 2 for a file that is not as expected, 77 if all are missing.
 *
 *     cc foreign_suites.c $(pkg-config --cflags --libs throng-nms) && ./a.out FOLDER */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "throng_nms.h"

enum { MAX_VALUES = 512, MAX_WINDOWS = 4096, MISSING = 77 };

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

/* Returns the text of a file, or NULL if there is none. The caller frees it. */
static char* read_text(const char* folder, const char* name) {
    char path[4096];
    char* text = NULL;
    long size = 0;
    FILE* file;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "rb");
    if (file == NULL) {
        printf("skipped: no %s\n", path);
        return NULL;
    }
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0) text = calloc((size_t)size + 1, 1);
    rewind(file);
    if (text == NULL || fread(text, 1, (size_t)size, file) != (size_t)size) fail(2, "%s: cannot be read", path);
    fclose(file);
    return text;
}

/* ---- ONNX ---- */

/* Numbers of nested lists. lists[d]: how many lists have depth d; the outermost has depth 1. */
struct array {
    double values[MAX_VALUES];
    int num_values;
    int lists[8];
};

/* Returns what follows "NAME = np.FUNCTION(" in the text, or NULL. */
static const char* find_call(const char* text, const char* name, const char* function) {
    char start[128];
    const char* found;
    snprintf(start, sizeof start, " %s = np.%s(", name, function);
    found = strstr(text, start);
    return found == NULL ? NULL : found + strlen(start);
}

/* Reads the list that a case assigns to a name. The only word in a list is exact_iou, assigned as a quotient before. */
static void read_array(const char* text, const char* name, struct array* array) {
    int depth = 0;
    const char* at = find_call(text, name, "array");
    memset(array, 0, sizeof *array);
    if (at == NULL) fail(2, "a case of ONNX does not assign %s", name);
    for (;;) {
        char* end;
        double value;
        at += strspn(at, " \n,");
        if (*at == '#') {
            at += strcspn(at, "\n");
            continue;
        }
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
        value = strtod(at, &end);
        if (strncmp(at, "exact_iou", 9) == 0) {
            const char* quotient = find_call(text, "exact_iou", "float32");
            char* slash;
            if (quotient == NULL) fail(2, "a case of ONNX does not assign exact_iou");
            value = strtod(quotient, &slash);
            slash += strspn(slash, " /");
            value = (float)(value / strtod(slash, NULL));
            end = (char*)at + 9;
        }
        if (end == at || array->num_values == MAX_VALUES) fail(2, "%s: not a list of numbers: %.20s", name, at);
        array->values[array->num_values++] = value;
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

/* Runs one case; returns whether the selected indices are the expected ones. */
static int run_case(const char* text) {
    static struct array boxes, scores, limit, theta, least, expected;
    double selected[MAX_VALUES];
    int num_selected = 0, batch, kind, batches, kinds, size;
    const int is_center = strstr(text, "center_point_box=1") != NULL;
    throng_nms_params params = throng_nms_params_torchvision();
    read_array(text, "boxes", &boxes);
    read_array(text, "scores", &scores);
    read_array(text, "max_output_boxes_per_class", &limit);
    read_array(text, "iou_threshold", &theta);
    read_array(text, "score_threshold", &least);
    read_array(text, "selected_indices", &expected);
    batches = scores.lists[2];
    kinds = scores.lists[3] / batches;
    size = scores.num_values / scores.lists[3];
    if (boxes.lists[2] != batches || boxes.num_values != 4 * batches * size) fail(2, "boxes and scores differ in shape");
    params.theta = theta.values[0];
    for (batch = 0; batch < batches; ++batch) {
        for (kind = 0; kind < kinds; ++kind) {
            float corners[MAX_VALUES][4], candidate_scores[MAX_VALUES];
            int candidates[MAX_VALUES], i, count = 0;
            int64_t kept[MAX_VALUES], k, num_kept;
            throng_nms_input input = throng_nms_input_default();
            for (i = 0; i < size; ++i) {
                const float score = (float)scores.values[(batch * kinds + kind) * size + i];
                if (!(score > (float)least.values[0])) continue;
                load_box(boxes.values + 4 * (batch * size + i), is_center, corners[count]);
                candidate_scores[count] = score;
                candidates[count++] = i;
            }
            input.num_boxes = count;
            input.boxes = corners;
            input.scores = candidate_scores;
            num_kept = suppress(&params, &input, kept);
            for (k = 0; k < num_kept && k < (int64_t)limit.values[0]; ++k) {
                selected[num_selected++] = batch;
                selected[num_selected++] = kind;
                selected[num_selected++] = candidates[kept[k]];
            }
        }
    }
    return num_selected == expected.num_values &&
           memcmp(selected, expected.values, (size_t)num_selected * sizeof *selected) == 0;
}

/* Returns the number of wrong cases, or -1 without the file. */
static int run_onnx(const char* folder) {
    static const char kStart[] = "def export_";
    int cases = 0, wrong = 0;
    char* text = read_text(folder, "onnx-nms/nonmaxsuppression.py");
    char* at = text == NULL ? NULL : strstr(text, kStart);
    if (text == NULL) return -1;
    while (at != NULL) {
        char* next = strstr(at + 1, kStart);
        const char* name = at + strlen(kStart);
        if (next != NULL) next[-1] = '\0'; /* ends the text of this case */
        ++cases;
        if (!run_case(at)) {
            ++wrong;
            printf("ONNX: wrong: %.*s\n", (int)strcspn(name, "("), name);
        }
        at = next;
    }
    free(text);
    if (cases < 9) fail(2, "only %d cases of ONNX were found", cases);
    printf("ONNX: %d cases, %d wrong\n", cases, wrong);
    return wrong;
}

/* ---- the paper's authors: overlap over the suppressor, inclusive pixels, strict ties ---- */

static int ascending(const void* a, const void* b) {
    const int64_t left = *(const int64_t*)a, right = *(const int64_t*)b;
    return (left > right) - (left < right);
}

/* Returns the number of rules with a wrong result, or -1 without the files. */
static int run_authors(const char* folder) {
    static double boxes[MAX_WINDOWS][4], scores[MAX_WINDOWS];
    static int64_t expected[MAX_WINDOWS], kept[MAX_WINDOWS];
    char* windows = read_text(folder, "authors/detections.txt");
    char* kept_text = windows == NULL ? NULL : read_text(folder, "authors/kept.expected.txt");
    const char* at;
    char* end;
    int64_t num_expected = 0, num_kept;
    int rule, length, wrong = 0;
    throng_nms_params params = throng_nms_params_default();
    throng_nms_input input = throng_nms_input_default();
    if (kept_text == NULL) {
        free(windows);
        return -1;
    }
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
    if (input.num_boxes < 1000 || num_expected < 100) fail(2, "the authors' files are incomplete");
    qsort(expected, (size_t)num_expected, sizeof *expected, ascending);
    input.dtype = THRONG_FLOAT64;
    input.box_format = THRONG_XYWH;
    input.boxes = boxes;
    input.scores = scores;
    params.overlap = THRONG_NMS_SUPPRESSOR;
    params.ties = THRONG_NMS_TIES_STRICT;
    params.inclusive_pixels = 1;
    for (rule = THRONG_NMS_ONE_PASS; rule <= THRONG_NMS_GREEDY; ++rule) {
        params.rule = rule;
        num_kept = suppress(&params, &input, kept);
        qsort(kept, (size_t)num_kept, sizeof *kept, ascending);
        if (num_kept != num_expected || memcmp(kept, expected, (size_t)num_kept * sizeof *kept) != 0) {
            ++wrong;
            printf("authors: rule %d: wrong\n", rule);
        }
    }
    printf("authors: %lld windows, %lld kept, %d of 2 rules wrong\n", (long long)input.num_boxes,
           (long long)num_expected, wrong);
    return wrong;
}

int main(int argc, char** argv) {
    int onnx, authors;
    if (argc != 2) fail(2, "usage: foreign_suites FOLDER");
    if (throng_nms_create(&nms, THRONG_NMS_ABI, THRONG_HOST, 0) != THRONG_OK) fail(1, "%s", throng_nms_error(NULL));
    onnx = run_onnx(argv[1]);
    authors = run_authors(argv[1]);
    throng_nms_destroy(nms);
    if (onnx > 0 || authors > 0) return 1;
    return onnx < 0 && authors < 0 ? MISSING : 0;
}
