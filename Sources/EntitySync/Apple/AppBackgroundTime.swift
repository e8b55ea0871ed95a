public import SyncCore

/// The time that a system grants to an app that leaves the foreground. The app passes the calls of its system: an app
/// extension links this, too, and may not name `UIApplication.shared`.
@MainActor
public final class AppBackgroundTime: BackgroundTime {
    private nonisolated let grants = BackgroundGrants()
    private let begin: @MainActor (_ expired: @escaping @Sendable () -> Void) -> Grant?
    private var grant: Grant?

    private typealias Grant = (seconds: Double, end: @MainActor () -> Void)

    /// Makes the value without asking the system for anything.
    ///
    /// - Parameter begin: Asks the system for time. Returns about how many seconds it has granted from now, and what
    ///   tells it that the time is over; nil if it has granted none. `expired` is what the system calls, on the main
    ///   thread, when it takes the time back. By default no time is asked for, and only what the system grants by
    ///   itself is used, such as a refresh.
    public init(
        begin:
            @escaping @MainActor (_ expired: @escaping @Sendable () -> Void) -> (
                seconds: Double, end: @MainActor () -> Void
            )? = { _ in nil }
    ) {
        self.begin = begin
    }

    /// Grants as they begin and expire. A grant that began before anybody listened, as at a launch in the
    /// background, is delivered too. One reader at a time: the newest.
    public nonisolated func events() -> AsyncStream<BackgroundTimeEvent> { grants.events() }

    /// Asks the system for time to finish.
    public nonisolated func request() { Task { @MainActor in ask() } }

    /// Ends the grant, and the refresh.
    public nonisolated func release() { release(success: true) }

    /// Ends the grant and the refresh. `success` tells the system whether the refresh did its work.
    public nonisolated func release(success: Bool) {
        grants.finish(success: success)
        Task { @MainActor in end() }
    }

    /// Passes on time that the system granted another way, such as a refresh task. `done` is called at its end.
    func began(seconds: Double, done: @escaping @Sendable (Bool) -> Void) {
        grants.began(seconds: seconds, done: done)
    }

    /// Reports that the system takes the time back.
    func expired() { grants.expired() }

    private func ask() {
        guard grant == nil else { return }
        grant = begin { [weak self] in
            // The system ends an app that has not given the time back when this returns.
            MainActor.assumeIsolated {
                self?.expired()
                self?.end()
            }
        }
        // In the foreground, systems say that there is no end to the time.
        if let grant { grants.began(seconds: min(grant.seconds, 30)) }
    }

    private func end() {
        let ended = grant
        grant = nil
        ended?.end()
    }
}
