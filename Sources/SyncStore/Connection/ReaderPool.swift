import SyncCore
import SyncSQLite

/// Read connections, each lent to one caller at a time.
///
/// There are as many as concurrent readers, so that none waits for another. Those above the limit are closed on
/// return.
final class ReaderPool: Sendable {
    /// The most idle connections kept.
    static let limit = 4

    private let open: @Sendable () throws -> StoreSession
    private let state = Locked(State())

    private struct State {
        var idle: [StoreSession] = []
        var isClosed = false
    }

    init(open: @escaping @Sendable () throws -> StoreSession) {
        self.open = open
    }

    /// Runs `body` with a connection of its own.
    func use<Result>(body: (StoreSession) throws -> Result) throws -> Result {
        let session = try take()
        defer { giveBack(session) }
        return try body(session)
    }

    /// The results of `look` for each idle connection.
    func idle<Found>(look: (Connection) -> Found) -> [Found] {
        state.withLock { state in state.idle.map { look($0.connection) } }
    }

    /// Closes idle connections now, and lent ones when they come back.
    func close() {
        state.withLock { state in
            state.isClosed = true
            for session in state.idle { session.connection.close() }
            state.idle = []
        }
    }

    private func take() throws -> StoreSession {
        let idle = try state.withLock { state in
            if state.isClosed { throw SyncError.storeClosed() }
            return state.idle.popLast()
        }
        return try idle ?? open()
    }

    private func giveBack(_ session: StoreSession) {
        state.withLock { state in
            if state.isClosed || state.idle.count >= Self.limit {
                session.connection.close()
            } else {
                state.idle.append(session)
            }
        }
    }
}
