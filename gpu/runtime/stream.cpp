#include "gpu/runtime/stream.h"

#include <cuda_runtime_api.h>

namespace throng::gpu {

void DestroyHandle::operator()(CUstream_st* stream) const noexcept {
    warn_cuda(cudaStreamDestroy(stream), "cudaStreamDestroy");
}

void DestroyHandle::operator()(CUevent_st* event) const noexcept {
    warn_cuda(cudaEventDestroy(event), "cudaEventDestroy");
}

void DestroyHandle::operator()(CUgraphExec_st* graph) const noexcept {
    warn_cuda(cudaGraphExecDestroy(graph), "cudaGraphExecDestroy");
}

Stream::Stream() {
    StreamView stream = nullptr;
    check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
    stream_.reset(stream);
}

void Stream::synchronize() const {
    check_cuda(cudaStreamSynchronize(view()), "cudaStreamSynchronize");
}

Event::Event(Timing timing, Waiting waiting) {
    const unsigned flags = (timing == Timing::on ? cudaEventDefault : cudaEventDisableTiming) |
                           (waiting == Waiting::block ? cudaEventBlockingSync : cudaEventDefault);
    cudaEvent_t event = nullptr;
    check_cuda(cudaEventCreateWithFlags(&event, flags), "cudaEventCreate");
    event_.reset(event);
}

void Event::record(StreamView stream) const {
    check_cuda(cudaEventRecord(event_.get(), stream), "cudaEventRecord");
}

void Event::make_wait(StreamView stream) const {
    check_cuda(cudaStreamWaitEvent(stream, event_.get(), 0), "cudaStreamWaitEvent");
}

bool Event::done() const {
    const cudaError_t status = cudaEventQuery(event_.get());
    if (status == cudaErrorNotReady) return false;
    check_cuda(status, "cudaEventQuery");
    return true;
}

void Event::synchronize() const {
    check_cuda(cudaEventSynchronize(event_.get()), "cudaEventSynchronize");
}

double Event::elapsed_ms(const Event& begin, const Event& end) {
    float ms = 0;
    check_cuda(cudaEventElapsedTime(&ms, begin.event_.get(), end.event_.get()), "cudaEventElapsedTime");
    return static_cast<double>(ms);
}

Graph Graph::capture(StreamView stream, const std::function<void()>& work) {
    check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    cudaGraph_t graph = nullptr;
    try {
        work();
    } catch (...) {
        (void)cudaStreamEndCapture(stream, &graph);  // of an invalidated capture it returns the error being thrown
        if (graph != nullptr) warn_cuda(cudaGraphDestroy(graph), "cudaGraphDestroy");
        (void)cudaGetLastError();
        throw;
    }
    check_cuda(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
    cudaGraphExec_t exec = nullptr;
    const cudaError_t status = cudaGraphInstantiate(&exec, graph, 0);
    warn_cuda(cudaGraphDestroy(graph), "cudaGraphDestroy");
    check_cuda(status, "cudaGraphInstantiate");
    Graph result;
    result.exec_.reset(exec);
    return result;
}

void Graph::upload(StreamView stream) const {
    check_cuda(cudaGraphUpload(exec_.get(), stream), "cudaGraphUpload");
}

void Graph::launch(StreamView stream) const {
    check_cuda(cudaGraphLaunch(exec_.get(), stream), "cudaGraphLaunch");
}

}  // namespace throng::gpu
