/// Reports whether the device has a network. Injected, so that tests control it. Use `AlwaysOnline` if
/// nothing reports.
public protocol ConnectivityMonitor: Sendable {
    /// Whether the network is available now.
    var isOnline: Bool { get }
    /// Changes after this call, read or not. A slow reader gets only the newest one. Ends when the reader stops.
    func changes() -> AsyncStream<Bool>
}

/// A network that is always available: for a folder as the remote, and for systems that do not report
/// connectivity.
public struct AlwaysOnline: ConnectivityMonitor {
    /// Makes the monitor.
    public init() {}

    /// Always true.
    public var isOnline: Bool { true }

    /// Never yields.
    public func changes() -> AsyncStream<Bool> { AsyncStream { $0.finish() } }
}

/// Time that the system grants to an app that is not in the foreground. One grant at a time.
public protocol BackgroundTime: Sendable {
    /// Grants as they begin and expire. Ends when the reader stops.
    func events() -> AsyncStream<BackgroundTimeEvent>
    /// Asks for time to finish running work. A grant arrives as an event, or not at all.
    func request()
    /// Gives the granted time back. Does nothing without a grant.
    func release()
    /// Gives the granted time back. `success` says whether all the work was done.
    func release(success: Bool)
}

extension BackgroundTime {
    /// Gives the time back, for systems that do not ask about success.
    public func release(success: Bool) { release() }
}

/// What happens to granted time.
public enum BackgroundTimeEvent: Sendable, Hashable {
    /// About this many seconds are granted, from now.
    case began(seconds: Double)
    /// The system takes the grant back.
    case expired
}

/// For systems that run programs as long as they like, or that grant no time.
public struct NoBackgroundTime: BackgroundTime {
    /// Makes it.
    public init() {}

    /// Never yields.
    public func events() -> AsyncStream<BackgroundTimeEvent> { AsyncStream { $0.finish() } }

    /// Does nothing.
    public func request() {}

    /// Does nothing.
    public func release() {}
}
