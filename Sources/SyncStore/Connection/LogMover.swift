import SyncCore
import SyncSQLite

/// Moves what was written from the log into the file by a connection of its own, while others write.
///
/// A commit that finds the log large moves it itself, and keeps all writers waiting for that. While an app writes beside a
/// long pull, the pull moves the log between its own turns.
final class LogMover: Sendable {
    /// From this many written rows on.
    private static let manyRows = 250

    private let open: @Sendable () throws -> Connection
    /// How many rows were written since the log was moved.
    private let rows = Locked(0)
    private let state = Locked(State())

    private struct State {
        var connection: Connection?
        var isClosed = false
    }

    init(open: @escaping @Sendable () throws -> Connection) {
        self.open = open
    }

    /// Notes that rows were written. Does not wait while the log is moved.
    func note(rows count: Int) { rows.withLock { $0 += count } }

    /// Moves the log as far as nobody reads it, if much was written. It can wait for later: errors count as such.
    func move() {
        let isMuch = rows.withLock { rows in
            defer { if rows >= Self.manyRows { rows = 0 } }
            return rows >= Self.manyRows
        }
        guard isMuch else { return }
        state.withLock { state in
            guard !state.isClosed, let connection = try? state.connection ?? open() else { return }
            state.connection = connection
            _ = try? connection.checkpoint()
        }
    }

    /// Closes the connection.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.connection?.close()
            state.connection = nil
        }
    }
}
