/// How the pushes of a session fare with a server that answers: where the fault for a failed push may lie.
enum PushStanding {
    /// No push failed.
    case fine
    /// A push failed, and none was accepted since.
    case failing
    /// A push failed, and another one was accepted since: a change is to blame.
    case takesOthers
    /// A single change failed, and none was accepted since: the server may be to blame.
    case inDoubt

    /// The server accepted a push.
    mutating func noteAccepted() {
        if self != .fine { self = .takesOthers }
    }

    /// A push failed.
    mutating func noteFailed() {
        if self == .fine { self = .failing }
    }

    /// A change was rejected because it failed alone. Whether the server takes others has to show again.
    mutating func noteRefused() {
        if self == .takesOthers { self = .failing }
    }
}
