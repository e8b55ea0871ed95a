import Dispatch
import EntitySync
import Foundation
import SyncCore

/// Whether the user asked the process to stop. A second signal ends it at once.
final class StopSignal: Sendable {
    private let state = Guarded(
        (isSet: false, number: Int32?.none, sources: [any DispatchSourceSignal]())
    )
    private let onStop: @Sendable () -> Void

    /// `onStop` is called at the first signal.
    init(onStop: @escaping @Sendable () -> Void = {}) { self.onStop = onStop }

    /// Starts handling signals.
    ///
    /// NB: this affects the whole process, and child processes started meanwhile inherit the ignored signals.
    func listen() {
        // NB: a global queue may have no thread left while simulations keep all cores busy; an own one always has.
        let queue = DispatchQueue(label: "synccheck.stop")
        let registered = DispatchSemaphore(value: 0)
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { [weak self] in
                self?.state.use { $0.number = number }
                self?.set()
                signal(number, SIG_DFL)
            }
            source.setRegistrationHandler { registered.signal() }
            source.resume()
            // Nothing begins before signals are heard.
            registered.wait()
            state.use { $0.sources.append(source) }
        }
    }

    var isSet: Bool { state.use { $0.isSet } }

    /// Requests a stop.
    func set() {
        state.use { $0.isSet = true }
        onStop()
    }

    /// Throws `CancellationError` once the user asked for it.
    func check() throws {
        if isSet { throw CancellationError() }
    }

    /// Ends the process by the signal that came, as if it had never been handled. Returns if none came.
    func endProcess() {
        cancel()
        if let number = state.use({ $0.number }) { raise(number) }
    }

    /// Stops handling signals, so that they end the process again.
    func cancel() {
        for source in state.use({ $0.sources }) { source.cancel() }
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    }
}
