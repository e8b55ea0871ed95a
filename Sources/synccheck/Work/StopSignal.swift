import Dispatch
import EntitySync
import Foundation

/// Whether somebody asked the process to end. A second time it ends at once, as any other does.
final class StopSignal: Sendable {
    private let state = Guarded((isSet: false, sources: [any DispatchSourceSignal]()))
    private let onStop: @Sendable () -> Void

    /// `onStop` is called when somebody asks.
    init(onStop: @escaping @Sendable () -> Void = {}) { self.onStop = onStop }

    /// Hears signals from now on.
    ///
    /// NB: this is for the whole process, and for the programs that it starts meanwhile: they are born deaf to these signals.
    func listen() {
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [weak self] in
                self?.set()
                signal(number, SIG_DFL)
            }
            source.resume()
            state.use { $0.sources.append(source) }
        }
    }

    var isSet: Bool { state.use { $0.isSet } }

    /// Asks to end.
    func set() {
        state.use { $0.isSet = true }
        onStop()
    }

    /// Hears signals no longer; they end the process again.
    func cancel() {
        for source in state.use({ $0.sources }) { source.cancel() }
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    }
}
