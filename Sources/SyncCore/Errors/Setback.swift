/// What failed, whose fault it is, and when to try again.
///
/// This file alone decides it: for a request, for a push, and for a sync. Everybody else acts on it: `HTTPClient`
/// repeats a request, `CircuitBreaker` leaves a host alone, a session searches a push for the change that is to blame,
/// `PushLoop` rejects that change, and the scheduler waits. Times and random numbers are passed in.
///
/// An answer that the remote did not write, such as a proxy's page or the login page of a captive portal, is nobody's
/// fault but the way's. Neither it nor a request that never arrived makes a record rejected.
public struct Setback: Error, Sendable, Hashable {
    /// What failed.
    package let cause: Cause
    /// Whose fault it is.
    public let fault: Fault
    /// Whether trying again can help.
    public let retry: RetryAdvice
    /// Seconds that the remote asks to wait.
    public let retryAfterSeconds: Double?
    /// The error in words; nil if nobody has put it into words.
    public let error: SyncError?

    /// Whose fault a setback is.
    public enum Fault: Sendable, Hashable {
        /// This device, this app or this account.
        case ours
        /// The record that was sent.
        case record
        /// The remote, whatever was sent.
        case remote
        /// What lies between here and the remote.
        case way
        /// The remote, or a record that was sent: whether it accepts other records tells which.
        case remoteOrRecord
        /// No answer came in time: the way may be slow, or the remote or a record that was sent may be to blame. That the
        /// remote accepts other records does not tell.
        case unanswered
    }

    /// What failed.
    package enum Cause: Sendable, Hashable {
        /// A request got no answer.
        case transport(TransportError)
        /// A status that may pass: 408, 425, 429, one of 500 and more except 501, 505 and 511, or 409 with `Retry-After`.
        /// Whoever wrote it, the server did not do its work.
        case status(Int)
        /// Another status outside the protocol, in the server's own media type.
        case unexpected(Int)
        /// An answer that the server did not write, with its status. Redirects are among them: none is followed.
        case foreign(Int)
        /// Something else than a request; the error says what.
        case other
    }

    /// A setback of a sync, by what is known of it.
    public init(
        fault: Fault = .remote,
        retry: RetryAdvice,
        retryAfterSeconds: Double? = nil,
        error: SyncError? = nil
    ) {
        (cause, self.fault, self.retry) = (.other, fault, retry)
        (self.retryAfterSeconds, self.error) = (retryAfterSeconds, error)
    }

    /// The setback that any error is. A `SyncError` has its own advice; any other may pass.
    public init(_ error: any Error) {
        let known = error as? SyncError
        let isRemotes = known?.kind == .unreachable || known?.kind == .wrongRemote
        self.init(
            fault: isRemotes ? known?.fault ?? .remote : .ours,
            retry: known?.retry ?? .later,
            retryAfterSeconds: known?.retryAfterSeconds,
            error: known
        )
    }

    /// The setback of a push, while the remote answers everything else: what blocks the push on the way must not end
    /// the syncs that follow.
    package init(ofPush error: SyncError) {
        var error = error
        if Setback(error).fault == .way { error.retry = .later }
        self.init(error)
    }

    /// The setback of a request. `own` is the error of a server that says that it failed itself.
    package init(_ cause: Cause, retryAfterSeconds: Double? = nil, own: SyncError? = nil) {
        self.cause = cause
        fault =
            switch cause {
            // It counts requests, whatever they hold.
            case .status(425), .status(429): .remote
            case .transport(.interrupted), .transport(.timedOut), .status(408):
                own == nil ? .unanswered : .remote
            case .status, .unexpected: own == nil ? .remoteOrRecord : .remote
            case .transport, .foreign: .way
            case .other: .ours
            }
        retry = cause == .transport(.notSecure) || cause.isFinalStatus ? .afterAction : .later
        self.retryAfterSeconds = retryAfterSeconds
        error = own
    }

    /// The setback of an answer that is not what the request asked for. `isServers` says that it has the server's media
    /// type.
    package init(status: Int, isServers: Bool, retryAfterSeconds: Double?) {
        let cause = Cause(status: status, isServers: isServers, asksToWait: retryAfterSeconds != nil)
        let isHeeded = !cause.isFinalStatus && !(200..<300).contains(status)
        self.init(cause, retryAfterSeconds: isHeeded ? retryAfterSeconds : nil)
    }
}

extension Setback.Cause {
    /// What a status says that the request did not ask for.
    package init(status: Int, isServers: Bool, asksToWait: Bool) {
        switch status {
        case 408, 425, 429: self = .status(status)
        // Others than the well-known ones, such as 522, are those of what stands before the server.
        case 500... where ![501, 505, 511].contains(status): self = .status(status)
        // A temporary conflict, such as two pushes at once. A permanent one does not ask to wait.
        case 409 where asksToWait: self = .status(status)
        // Only the server may blame a token or an account, in a form that it reads itself. Others with these statuses
        // stand before it: a portal, a proxy.
        case 200..<400, 401, 403, 407, 511: self = .foreign(status)
        default: self = isServers ? .unexpected(status) : .foreign(status)
        }
    }

    /// Whether it is a status that a retry does not change.
    package var isFinalStatus: Bool {
        switch self {
        case .unexpected: true
        case .foreign(let status): !(200..<400).contains(status) && ![401, 403, 407, 511].contains(status)
        default: false
        }
    }

    /// Whether the host is down; nil if that cannot be told.
    package var isHostDown: Bool? {
        switch self {
        case .transport(.unreachable), .transport(.timedOut): true
        case .status(let status), .unexpected(let status), .foreign(let status): status >= 500
        case .transport, .other: nil
        }
    }

    /// Whether the server may have processed the request.
    fileprivate var mayHaveBeenDone: Bool {
        switch self {
        case .transport(.unreachable), .foreign(300..<400), .status(409), .status(425), .status(429): false
        default: true
        }
    }
}

// MARK: When to try again

extension Setback {
    /// Whether the server is overloaded and does not say until when.
    private var isBusy: Bool { retryAfterSeconds == nil && [.status(429), .status(503)].contains(cause) }

    /// The longest `Retry-After` in seconds that a call waits for after a failure of the server itself. A disk that is
    /// full stays so until a person acts, but a database may only restart.
    private static let maxOwnFailureSeconds = 10.0

    /// Seconds until a call is repeated whose attempt number `attempt` (from 1) failed; nil to give up. `waited` are
    /// the seconds that the call has waited so far.
    package func callWait(
        after attempt: Int,
        waited: Double = 0,
        isRepeatable: Bool = true,
        policy: RetryPolicy,
        fraction: Double
    ) -> Double? {
        let most =
            switch cause {
            case .transport(.unreachable): policy.unreachableAttempts
            case .transport(.timedOut): policy.silentAttempts
            case .transport(.notSecure), .transport(.tooLarge), .other: 1
            default: cause.isFinalStatus ? 1 : isBusy ? policy.busySeconds.count + 1 : policy.attempts
            }
        guard isRepeatable || !cause.mayHaveBeenDone, attempt < min(policy.attempts, most) else { return nil }
        guard let asked = retryAfterSeconds else {
            guard isBusy else { return policy.wait(after: attempt, fraction: fraction) }
            return policy.busySeconds[max(attempt, 1) - 1] + fraction * policy.baseSeconds
        }
        let longest = error == nil ? policy.maxRetryAfterSeconds : Self.maxOwnFailureSeconds
        guard asked <= min(longest, policy.maxRetryAfterSeconds) else { return nil }
        guard waited == 0 || waited + asked <= policy.maxRetryAfterSeconds else { return nil }
        return policy.asked(seconds: asked, fraction: fraction)
    }

    /// Seconds until a stream is opened again that ended for the `attempt`th time in a row.
    package func streamWait(after attempt: Int, policy: RetryPolicy, fraction: Double) -> Double {
        let asked = retryAfterSeconds ?? (isBusy ? policy.busySeconds.prefix(attempt).last : nil) ?? 0
        return max(policy.wait(after: attempt, fraction: fraction), min(asked, policy.maxRetryAfterSeconds))
    }
}

extension RetryPolicy {
    /// Seconds to wait after so many failures (from 1) if nobody asked for a wait: random below a bound that doubles
    /// ("full jitter"), so that many clients do not return together.
    package func wait(after failures: Int, fraction: Double) -> Double {
        // 2^64 times any base exceeds any cap.
        let doublings = min(max(failures - 1, 0), 64)
        let bound = baseSeconds * Double(sign: .plus, exponent: doublings, significand: 1)
        return max(floorSeconds, fraction * min(capSeconds, bound))
    }

    /// Seconds to wait if the remote asked for so many, with jitter, so that clients told the same time do not return
    /// together.
    package func asked(seconds: Double, fraction: Double) -> Double {
        min(seconds, maxRetryAfterSeconds) + fraction * baseSeconds
    }
}

// MARK: Whose fault a failed push is

/// How the pushes of one sync fare with a remote that answers other requests.
package struct PushTrial: Sendable, Hashable {
    private var hasFailed = false
    /// Whether the remote accepted a push after another one had failed.
    private var takesOthers = false
    /// The pushes of one change that were held back since the remote last accepted one: the way or the remote may be to blame.
    private var held: [String] = []
    /// The push of one change that was sent again.
    private var resent: String?

    /// What to do with a push that failed.
    package enum Step: Sendable, Hashable {
        /// Send fewer changes, until the one that is to blame is alone.
        case halve
        /// Send the change once more.
        case resend
        /// Keep the change in the outbox, and send others first.
        case hold
        /// It is the record's fault: reject the change, so that it blocks no other.
        case reject
        /// It is not: end the sync with the error.
        case end
    }

    /// Nothing was pushed yet.
    package init() {}

    /// The number of attempts of the next push; nil for the policy's. Parts of a failed push are not repeated; the
    /// single change that is left in the end is.
    package var attempts: Int? { hasFailed ? 1 : nil }

    /// The remote accepted a push.
    package mutating func noteAccepted() { (takesOthers, held) = (hasFailed, []) }

    /// A push failed.
    package mutating func noteFailed() { hasFailed = true }

    /// So many changes are held back in a row while the way or the remote fails: neither may be able to take any.
    private static let maxHeld = 8
    /// So many where no answer comes, for which each push waits long.
    private static let maxUnanswered = 3

    /// What to do with a push of so many changes that failed. `failing` is what is known of the only change that is left.
    package mutating func step(
        after setback: Setback,
        intent: String,
        changes: Int,
        failing: inout FailingPush?,
        now: Timestamp
    ) -> Step {
        guard setback.mayBeFound else { return .end }
        guard changes == 1 else { return .halve }
        switch setback.fault {
        case .way:
            guard held.count < Self.maxHeld, !held.contains(intent) else { return .end }
            held.append(intent)
            return .hold
        // A remote that fails in a way that may pass, or says when to come back, for example with a full disk, may mean
        // itself and not the push. Whether it accepts others decides; if there are no others, time does.
        case .remoteOrRecord where !takesOthers && !setback.cause.isFinalStatus:
            if setback.retryAfterSeconds == nil, !held.contains(intent), resendsOnce(intent) {
                return .resend
            }
            return doubt(intent, isAnswered: true, failing: &failing, now: now)
        // A longer record takes longer on a slow way, whatever others do.
        case .unanswered:
            if !held.contains(intent), resendsOnce(intent) { return .resend }
            return doubt(intent, isAnswered: false, failing: &failing, now: now)
        default:
            // Before a change is rejected for a failure that may pass, it is sent again.
            if resendsOnce(intent) { return .resend }
            takesOthers = false
            return .reject
        }
    }

    /// Notes that a push is sent again. Returns false if it was already.
    private mutating func resendsOnce(_ intent: String) -> Bool {
        defer { resent = intent }
        return resent != intent
    }

    /// Holds a change back, unless so many were that the remote itself fails. One that fails again after all others is to
    /// blame once it did so for long.
    private mutating func doubt(
        _ intent: String,
        isAnswered: Bool,
        failing: inout FailingPush?,
        now: Timestamp
    ) -> Step {
        guard held.contains(intent) else {
            guard held.count < (isAnswered ? Self.maxHeld : Self.maxUnanswered) else { return .end }
            if held.isEmpty { failing = FailingPush(intent: intent, at: now, after: failing) }
            held.append(intent)
            return .hold
        }
        guard let last = failing, last.intent == intent, last.isToBlame(at: now, isAnswered: isAnswered)
        else {
            return .end
        }
        failing = nil
        return .reject
    }
}

extension Setback {
    /// Whose fault it is once a call is given up. A remote that asks for a longer pause than a call waits means itself.
    package func lastFault(policy: RetryPolicy) -> Fault {
        (retryAfterSeconds ?? 0) > policy.maxRetryAfterSeconds ? .remote : fault
    }

    /// Whether sending a push in parts may get some of it through: something in it, or on the way, may be to blame.
    package var mayBeFound: Bool { [.record, .way, .remoteOrRecord, .unanswered].contains(fault) }

    /// Whether it is the fault of the record, now that the remote has answered for another one.
    package var isRecordsOnceOthersPass: Bool { [.record, .remoteOrRecord].contains(fault) }
}

/// A push of one change on which the remote failed in several syncs, while it answered everything else.
package struct FailingPush: Sendable, Hashable {
    /// Names the push: the same change is the same push.
    package var intent: String
    /// In how many syncs it failed.
    package var failures: Int
    /// When it failed first.
    package var since: Timestamp

    /// Makes what an earlier sync noted.
    package init(intent: String, failures: Int, since: Timestamp) {
        (self.intent, self.failures, self.since) = (intent, failures, since)
    }

    /// Adds a failure to earlier ones.
    fileprivate init(intent: String, at now: Timestamp, after last: FailingPush?) {
        let same = last.flatMap { $0.intent == intent ? $0 : nil }
        self.init(intent: intent, failures: (same?.failures ?? 0) + 1, since: same?.since ?? now)
    }

    /// A remote that is full or busy also says when to come back, and accepts the change later. So a change is to blame
    /// only after this many syncs, the first of them this many seconds ago.
    private static let (maxFailures, maxSeconds) = (5, Int64(3600))
    /// The same where no answer came: the way may be slow for a day.
    private static let (maxUnanswered, maxUnansweredSeconds) = (20, Int64(86_400))

    fileprivate func isToBlame(at now: Timestamp, isAnswered: Bool) -> Bool {
        let (count, seconds) =
            isAnswered
            ? (Self.maxFailures, Self.maxSeconds) : (Self.maxUnanswered, Self.maxUnansweredSeconds)
        return failures >= count && now.microseconds - since.microseconds >= seconds * 1_000_000
    }
}
