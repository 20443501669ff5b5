#include "gpu/runtime/stream.h"

#include <cuda_runtime_api.h>

namespace throng::gpu {

Stream::Stream() {
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
}

Stream::~Stream() {
    if (stream_ != nullptr) warn_cuda(cudaStreamDestroy(stream_), "cudaStreamDestroy");
}

void Stream::synchronize() const {
    check_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
}

Event::Event(Timing timing, Waiting waiting) {
    const unsigned flags = (timing == Timing::on ? cudaEventDefault : cudaEventDisableTiming) |
                           (waiting == Waiting::block ? cudaEventBlockingSync : cudaEventDefault);
    check_cuda(cudaEventCreateWithFlags(&event_, flags), "cudaEventCreate");
}

Event::~Event() {
    if (event_ != nullptr) warn_cuda(cudaEventDestroy(event_), "cudaEventDestroy");
}

void Event::record(StreamView stream) const {
    check_cuda(cudaEventRecord(event_, stream), "cudaEventRecord");
}

void Event::make_wait(StreamView stream) const {
    check_cuda(cudaStreamWaitEvent(stream, event_, 0), "cudaStreamWaitEvent");
}

bool Event::done() const {
    const cudaError_t status = cudaEventQuery(event_);
    if (status == cudaErrorNotReady) return false;
    check_cuda(status, "cudaEventQuery");
    return true;
}

void Event::synchronize() const {
    check_cuda(cudaEventSynchronize(event_), "cudaEventSynchronize");
}

double Event::elapsed_ms(const Event& begin, const Event& end) {
    float ms = 0;
    check_cuda(cudaEventElapsedTime(&ms, begin.event_, end.event_), "cudaEventElapsedTime");
    return static_cast<double>(ms);
}

Graph::~Graph() {
    if (exec_ != nullptr) warn_cuda(cudaGraphExecDestroy(exec_), "cudaGraphExecDestroy");
}

void Graph::upload(StreamView stream) const {
    check_cuda(cudaGraphUpload(exec_, stream), "cudaGraphUpload");
}

void Graph::launch(StreamView stream) const {
    check_cuda(cudaGraphLaunch(exec_, stream), "cudaGraphLaunch");
}

Graph::Capture::Capture(StreamView stream) : stream_(stream) {
    check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
}

Graph::Capture::~Capture() {
    if (!open_) return;
    cudaGraph_t graph = nullptr;
    (void)cudaStreamEndCapture(stream_,
                               &graph);  // an invalidated capture returns the error that is already being thrown
    if (graph != nullptr) warn_cuda(cudaGraphDestroy(graph), "cudaGraphDestroy");
    (void)cudaGetLastError();
}

Graph Graph::Capture::finish() {
    cudaGraph_t graph = nullptr;
    open_ = false;
    check_cuda(cudaStreamEndCapture(stream_, &graph), "cudaStreamEndCapture");
    Graph result;
    const cudaError_t status = cudaGraphInstantiate(&result.exec_, graph, 0);
    warn_cuda(cudaGraphDestroy(graph), "cudaGraphDestroy");
    check_cuda(status, "cudaGraphInstantiate");
    return result;
}

}  // namespace throng::gpu
