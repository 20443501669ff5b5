#include "gpu/hog/gradient.cuh"
#include "gpu/hog/histogram.cuh"
#include "gpu/hog/normalize.cuh"
#include "gpu/hog/svm.cuh"

namespace throng::gpu {

HogKernels hog_kernels(const HogOptions& options) {
    using namespace gradient;
    if (options.half) {
        return {gradient::launch<__half, FourPixels, PolynomialArcTangent>, histogram::launch<histogram::HalfRow, 3>,
                normalize::launch<true, normalize::Unrolled>, svm::launch<__half2, svm::FourByTwo>};
    }
    return {gradient::launch<float, FourPixels, PolynomialArcTangent>, histogram::launch<histogram::FloatRow, 3>,
            normalize::launch<false, normalize::Unrolled>, svm::launch<float, svm::FourByTwo>};
}

}  // namespace throng::gpu
