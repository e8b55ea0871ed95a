#if Server
    import CPostgreSQL
    import Foundation

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// One connection to a PostgreSQL. Its calls block, so they run on threads of their own; one thread at a time
    /// uses it.
    final class PostgresConnection: @unchecked Sendable {
        // Used by one thread at a time, which the pool and the watcher take care of.
        private let handle: OpaquePointer
        /// Whether an answer is missing, so that the connection cannot be used again.
        private var isOutOfStep = false

        /// How long the steps may take.
        struct Timeouts: Sendable {
            /// Seconds until a connection is made.
            var connectSeconds = 10
            /// Seconds after which the server ends a statement.
            var statementSeconds = 30.0
            /// Seconds until an answer must have come, should the server or the network be gone.
            var answerSeconds = 60.0
        }

        private let timeouts: Timeouts

        /// Connects. Throws `PostgresError` `unreachable` with libpq's reason.
        init(url: PostgresURL, timeouts: Timeouts) throws {
            self.timeouts = timeouts
            // What stands before the URL is a default; what stands after it holds.
            let settings = [
                ("connect_timeout", "\(timeouts.connectSeconds)"),
                ("fallback_application_name", "syncserver"),
                ("keepalives_idle", "30"), ("dbname", url.text), ("client_encoding", "UTF8"),
            ]
            var keywords = settings.map { UnsafePointer(strdup($0.0)) } + [nil]
            var values = settings.map { UnsafePointer(strdup($0.1)) } + [nil]
            defer { for text in keywords + values { free(UnsafeMutablePointer(mutating: text)) } }
            guard let handle = PQconnectdbParams(&keywords, &values, 1) else {
                throw PostgresError(kind: .unreachable, reason: "There is no memory left.")
            }
            // From here on, an error runs `deinit`, too.
            self.handle = handle
            guard PQstatus(handle) == CONNECTION_OK else {
                let message = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
                throw PostgresError(kind: .unreachable, reason: url.sentence(message: message))
            }
            // Notices may quote values; nobody reads them.
            PQsetNoticeReceiver(handle, { _, _ in }, nil)
            PQsetnonblocking(handle, 1)
            try prepare()
        }

        deinit { PQfinish(handle) }

        private func prepare() throws {
            func milliseconds(_ seconds: Double) -> String { "\(Int(seconds * 1000))" }
            _ = try run(
                PostgresStatement(
                    """
                    select set_config('statement_timeout', $1, false), set_config('datestyle', 'ISO', false),
                      set_config('idle_in_transaction_session_timeout', $2, false),
                      set_config('lock_timeout', $3, false)
                    """,
                    .text(milliseconds(timeouts.statementSeconds)),
                    .text(milliseconds(timeouts.answerSeconds)),
                    // Waiting for others ends earlier, so that it can be told from too much work.
                    .text(milliseconds(timeouts.statementSeconds / 2))
                )
            )
        }

        /// Whether the connection can be used for further statements.
        var isUsable: Bool {
            !isOutOfStep && PQstatus(handle) == CONNECTION_OK && PQtransactionStatus(handle) == PQTRANS_IDLE
        }

        /// The version of the server, such as 150018.
        var serverVersion: Int { Int(PQserverVersion(handle)) }

        /// The server's process of this connection.
        var backendProcess: Int32 { PQbackendPID(handle) }

        /// Runs one statement.
        func run(_ statement: PostgresStatement) throws -> PostgresResult {
            try pipeline(statements: [statement])[0]
        }

        /// Runs statements in one transaction and one round trip. Returns the result of each.
        ///
        /// The transaction may write unless the database's operator has made it read-only, which `read write` would
        /// override.
        func transaction(_ statements: [PostgresStatement]) throws -> [PostgresResult] {
            let begin = PostgresStatement("begin isolation level read committed")
            do {
                return try pipeline(statements: [begin] + statements + [PostgresStatement("commit")])
                    .dropFirst()
                    .dropLast()
            } catch {
                rollBack()
                throw error
            }
        }

        /// Runs text with several statements, as psql does with a file. Without an end of the statements' own time.
        func script(_ text: String) throws {
            do {
                guard PQsendQuery(handle, text) == 1 else { throw lost() }
                var firstError: PostgresError?
                while let result = try next(deadline: .now + .seconds(3600)) {
                    firstError = firstError ?? result.error
                }
                if let firstError { throw firstError }
            } catch {
                rollBack()
                throw error
            }
        }

        /// Ends a transaction that failed. If that fails, the connection is not used again.
        private func rollBack() {
            guard !isOutOfStep, PQstatus(handle) == CONNECTION_OK, PQtransactionStatus(handle) != PQTRANS_IDLE
            else {
                return
            }
            if (try? pipeline(statements: [PostgresStatement("rollback")])) == nil { isOutOfStep = true }
        }
    }

    extension PostgresConnection {
        /// Sends all statements at once and reads their results. Throws the first error; what comes after it is not run.
        private func pipeline(statements: [PostgresStatement]) throws -> [PostgresResult] {
            guard PQenterPipelineMode(handle) == 1 else { throw lost() }
            for statement in statements { try send(statement: statement) }
            guard PQpipelineSync(handle) == 1 else { throw lost() }
            let deadline = ContinuousClock.now + .seconds(timeouts.answerSeconds)
            var results: [PostgresResult] = []
            var firstError: PostgresError?
            for _ in statements {
                while let result = try next(deadline: deadline) {
                    firstError = firstError ?? result.error
                    results.append(result)
                }
            }
            guard try next(deadline: deadline)?.status == PGRES_PIPELINE_SYNC, PQexitPipelineMode(handle) == 1
            else {
                throw firstError?.isLoss == true ? outOfStep(firstError) : lost()
            }
            if let firstError { throw firstError }
            return results
        }

        private func send(statement: PostgresStatement) throws {
            var types: [Oid] = []
            var formats: [Int32] = []
            var bytes: [[UInt8]?] = []
            for parameter in statement.parameters {
                switch parameter {
                case .text(let text):
                    types.append(0)
                    formats.append(0)
                    bytes.append(text.map { Array($0.utf8) + [0] })
                case .json(let json):
                    // The binary form of JSON is its text. So U+0000 does not end it.
                    types.append(Self.jsonType)
                    formats.append(1)
                    bytes.append(json)
                }
            }
            let lengths = bytes.map { Int32($0?.count ?? 0) }
            let isSent = Self.withPointers(to: bytes[...]) { pointers in
                PQsendQueryParams(
                    handle,
                    statement.text,
                    Int32(bytes.count),
                    types,
                    pointers,
                    lengths,
                    formats,
                    0
                )
            }
            guard isSent == 1 else { throw lost() }
        }

        /// The number of the type `json` in every PostgreSQL.
        private static let jsonType: Oid = 114

        /// Calls `body` with a pointer to each value, nil for null.
        private static func withPointers<Result>(
            to values: ArraySlice<[UInt8]?>,
            collected: [UnsafePointer<CChar>?] = [],
            body: ([UnsafePointer<CChar>?]) -> Result
        ) -> Result {
            guard let first = values.first else { return body(collected) }
            guard let first else {
                return withPointers(to: values.dropFirst(), collected: collected + [nil], body: body)
            }
            // An empty array has no address, which would be null.
            return (first.isEmpty ? [0] : first).withUnsafeBytes { buffer in
                let pointer = buffer.bindMemory(to: CChar.self).baseAddress
                return withPointers(to: values.dropFirst(), collected: collected + [pointer], body: body)
            }
        }

        /// The next result of the statement that is being answered; nil after its last one.
        private func next(deadline: ContinuousClock.Instant) throws -> PostgresResult? {
            while true {
                let unsent = PQflush(handle)
                if PQisBusy(handle) == 0 {
                    let result = PQgetResult(handle)
                    if result == nil, PQstatus(handle) != CONNECTION_OK { throw lost() }
                    return result.map { PostgresResult(handle: $0) }
                }
                guard unsent >= 0 else { throw lost() }
                guard waitForSocket(writing: unsent == 1, deadline: deadline) else {
                    throw outOfStep(PostgresError(kind: .timedOut))
                }
                guard PQconsumeInput(handle) == 1 else { throw lost() }
            }
        }

        /// Waits until there is something to read, or until what is left can be written. Returns false if it takes
        /// too long.
        private func waitForSocket(writing: Bool, deadline: ContinuousClock.Instant) -> Bool {
            let left = (deadline - ContinuousClock.now) / .milliseconds(1)
            guard left > 0 else { return false }
            var entry = pollfd()
            entry.fd = PQsocket(handle)
            entry.events = Int16(POLLIN) | (writing ? Int16(POLLOUT) : 0)
            return poll(&entry, 1, Int32(min(left, 1e9))) != 0
        }

        /// The connection broke before the answer.
        private func lost() -> PostgresError { outOfStep(nil) }

        private func outOfStep(_ error: PostgresError?) -> PostgresError {
            isOutOfStep = true
            return error ?? PostgresError(kind: .lost)
        }
    }
#endif
