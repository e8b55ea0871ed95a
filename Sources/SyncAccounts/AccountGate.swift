import SyncCore

/// The gate between a session and its store: open while the session's account is in use.
final class AccountGate: Sendable {
    /// Who uses the store.
    enum Role: Sendable {
        case app, engine
    }

    /// How the account was left.
    enum Leaving: Sendable {
        /// The store stays. A push that was already sent may still be acknowledged in it; nothing else may be
        /// written.
        case keeping
        /// The store will be removed: nothing may be written.
        case dropping
    }

    fileprivate struct State {
        var leaving: Leaving?
        var isPushing = false
        /// Whether a push was answered and the answer is not yet recorded.
        var mayAcknowledge = false
    }

    private let state = Guarded(State())

    /// Whether the account is in use.
    var isOpen: Bool { state.use { $0.leaving == nil } }

    /// Whether a push is on its way.
    var isPushing: Bool { state.use { $0.isPushing } }

    /// Closes the gate. Once closed for dropping, it stays so.
    func close(_ leaving: Leaving) {
        state.use { if $0.leaving != .dropping { $0.leaving = leaving } }
    }

    /// Opens the gate again if leaving the account failed.
    func reopen() { state.use { $0.leaving = nil } }

    /// Throws unless the account is in use.
    func check() throws {
        guard isOpen else { throw SyncError.accountLeft() }
    }

    func checkRead(_ role: Role) throws {
        try state.use { state in
            switch (state.leaving, role) {
            case (nil, _), (.keeping, .engine): break
            case (.keeping, .app), (.dropping, _): throw SyncError.accountLeft()
            }
        }
    }

    /// Throws if a write would be refused now. Does not use up the permission for an acknowledgement.
    func checkWrite(_ role: Role) throws {
        try state.use { try $0.checkWrite(role) }
    }

    /// Admits one write, or throws. Call it inside the write's transaction.
    func admitWrite(_ role: Role) throws {
        try state.use { state in
            try state.checkWrite(role)
            if role == .engine { state.mayAcknowledge = false }
        }
    }

    func beginPush() throws {
        try state.use { state in
            guard state.leaving == nil else { throw SyncError.accountLeft() }
            state.isPushing = true
        }
    }

    /// Notes that a push ended. `isAnswered` says whether there is something to acknowledge.
    func endPush(isAnswered: Bool) throws {
        try state.use { state in
            state.isPushing = false
            guard state.leaving != .dropping else { throw SyncError.accountLeft() }
            state.mayAcknowledge = isAnswered
        }
    }
}

extension AccountGate.State {
    fileprivate func checkWrite(_ role: AccountGate.Role) throws {
        switch (leaving, role) {
        case (nil, _): break
        case (.keeping, .engine) where mayAcknowledge: break
        case (.keeping, _), (.dropping, _): throw SyncError.accountLeft()
        }
    }
}
