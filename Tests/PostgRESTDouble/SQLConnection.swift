#if Server
    import CPostgreSQL
    import Foundation
    import SyncCore

    /// A connection for tests. Unlike the server's own, it returns the whole text of errors. Its statements run on a
    /// thread of its own, one after another.
    package final class SQLConnection: @unchecked Sendable {
        // Used by one thread at a time: the queue has one.
        private let handle: OpaquePointer
        private let queue = BlockingQueue(maxThreads: 1)

        /// A value of a parameter: text, or null.
        package typealias Parameter = String?

        /// Connects to a URL such as `postgres://postgres@127.0.0.1:5432/records`. Throws `SQLError`.
        package static func open(_ url: String) async throws -> SQLConnection {
            try await BlockingQueue(maxThreads: 1).run { try SQLConnection(url: url) }
        }

        private init(url: String) throws {
            guard let handle = PQconnectdb(url) else { throw SQLError(message: "There is no memory left.") }
            self.handle = handle
            guard PQstatus(handle) == CONNECTION_OK else {
                throw SQLError(sqlstate: "08001", message: String(cString: PQerrorMessage(handle)))
            }
            PQsetNoticeReceiver(handle, { _, _ in }, nil)
        }

        deinit { PQfinish(handle) }

        /// The database's process of this connection.
        package var backendProcess: Int32 { PQbackendPID(handle) }

        /// Whether further statements can be run.
        package var isOpen: Bool { PQstatus(handle) == CONNECTION_OK }

        /// Runs one statement. Returns its rows as text. Throws `SQLError`.
        @discardableResult
        package func run(_ statement: String, _ parameters: Parameter...) async throws -> [[String?]] {
            try await run(statement, parameters: parameters)
        }

        /// Runs one statement with a list of parameters.
        @discardableResult
        package func run(_ statement: String, parameters: [Parameter]) async throws -> [[String?]] {
            try await queue.run { [self] in try rows(statement: statement, parameters: parameters) }
        }

        /// Runs text with several statements, as psql does with a file.
        package func script(_ text: String) async throws {
            try await queue.run { [self] in _ = try Self.rows(result: PQexec(handle, text), of: handle) }
        }

        /// The first value of the first row of a statement; nil for null or no row.
        package func value(_ statement: String, _ parameters: Parameter...) async throws -> String? {
            try await run(statement, parameters: parameters).first?.first ?? nil
        }

        private func rows(statement: String, parameters: [Parameter]) throws -> [[String?]] {
            let texts = parameters.map { text in text.map { strdup($0) } ?? nil }
            defer { for text in texts { free(text) } }
            let values = texts.map { UnsafePointer<CChar>($0) }
            let result = PQexecParams(handle, statement, Int32(values.count), nil, values, nil, nil, 0)
            return try Self.rows(result: result, of: handle)
        }

        private static func rows(result: OpaquePointer?, of handle: OpaquePointer) throws -> [[String?]] {
            guard let result else { throw SQLError(message: String(cString: PQerrorMessage(handle))) }
            defer { PQclear(result) }
            guard [PGRES_TUPLES_OK, PGRES_COMMAND_OK].contains(PQresultStatus(result)) else {
                throw SQLError(result: result, connection: handle)
            }
            return (0..<PQntuples(result)).map { row in
                (0..<PQnfields(result)).map { column in
                    guard PQgetisnull(result, row, column) == 0, let value = PQgetvalue(result, row, column)
                    else { return nil }
                    return String(cString: value)
                }
            }
        }
    }

    /// What PostgreSQL says about a statement that failed.
    package struct SQLError: Error, Sendable, Hashable {
        /// PostgreSQL's five characters; `08006` if the connection is gone.
        package var sqlstate = "08006"
        /// The message.
        package var message: String
        /// More about it.
        package var detail: String?
        /// What to do.
        package var hint: String?

        init(sqlstate: String = "08006", message: String) {
            (self.sqlstate, self.message) = (sqlstate, message)
        }

        init(result: OpaquePointer, connection: OpaquePointer) {
            func field(_ letter: Unicode.Scalar) -> String? {
                PQresultErrorField(result, Int32(letter.value)).map { String(cString: $0) }
            }
            self.init(
                sqlstate: field("C") ?? "08006",
                message: field("M") ?? String(cString: PQerrorMessage(connection))
            )
            detail = field("D")
            hint = field("H")
        }
    }
#endif
