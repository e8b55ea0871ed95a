/// Tells whether the device has a network. Passed in, so that tests own it; `AlwaysOnline` where nothing tells.
public protocol ConnectivityMonitor: Sendable {
    /// What is known now.
    var isOnline: Bool { get }
    /// Each change from now on, the newest only where the reader is slow. Ends when the reader stops.
    func changes() -> AsyncStream<Bool>
}

/// A network that is always there: for a folder as remote, and for systems that do not tell.
public struct AlwaysOnline: ConnectivityMonitor {
    /// A network that is always there.
    public init() {}

    /// Always true.
    public var isOnline: Bool { true }

    /// No change, ever.
    public func changes() -> AsyncStream<Bool> { AsyncStream { $0.finish() } }
}

/// Time that the system grants to an app that is not in the foreground. One grant at a time.
public protocol BackgroundTime: Sendable {
    /// Grants as they begin and expire, from now on. Ends when the reader stops.
    func events() -> AsyncStream<BackgroundTimeEvent>
    /// Asks for time to finish what is under way. A grant comes as an event, or nothing comes.
    func request()
    /// Gives the granted time back, as nothing is left to do in it. Without a grant it does nothing.
    func release()
    /// The same, and says whether all that was to be done in the time was done.
    func release(success: Bool)
}

extension BackgroundTime {
    /// Gives the time back to a system that does not ask how it went.
    public func release(success: Bool) { release() }
}

/// What happens to granted time.
public enum BackgroundTimeEvent: Sendable, Hashable {
    /// About so many seconds are granted from now.
    case began(seconds: Double)
    /// The system takes the grant back now.
    case expired
}

/// A system that runs programs as long as they like, or that grants nothing.
public struct NoBackgroundTime: BackgroundTime {
    /// A system without grants.
    public init() {}

    /// No grant, ever.
    public func events() -> AsyncStream<BackgroundTimeEvent> { AsyncStream { $0.finish() } }

    /// Does nothing.
    public func request() {}

    /// Does nothing.
    public func release() {}
}
