import Dispatch
import Foundation
import SyncCore

/// Whether the process was asked to end while a command writes files. A second signal ends it at once.
final class StopRequest: Sendable {
    private let state = Guarded((number: Int32?.none, sources: [any DispatchSourceSignal]()))

    /// Handles the signals that ask a process to end, until `end` is called.
    init() {
        let queue = DispatchQueue(label: "syncserver.stop")
        let registered = DispatchSemaphore(value: 0)
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { [weak self] in
                self?.state.use { $0.number = number }
                signal(number, SIG_DFL)
            }
            source.setRegistrationHandler { registered.signal() }
            source.resume()
            // Nothing begins before signals are heard.
            registered.wait()
            state.use { $0.sources.append(source) }
        }
    }

    /// Throws `CancellationError` once the process was asked to end.
    func check() throws {
        if state.use({ $0.number }) != nil { throw CancellationError() }
    }

    /// Lets signals end the process again; one that came does it now.
    func end() {
        for source in state.use({ $0.sources }) { source.cancel() }
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
        if let number = state.use({ $0.number }) { raise(number) }
    }
}
