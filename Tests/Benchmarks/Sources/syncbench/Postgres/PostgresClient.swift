import Foundation

#if canImport(CLibpq)
    import CLibpq
#endif

/// One statement with its parameters, of which `$1` is the first.
struct PostgresCommand {
    var text: String
    var parameters: [Parameter]

    /// A value that is sent as it is.
    enum Parameter {
        case text(String)
        /// JSON as bytes, which are not looked at here.
        case json([UInt8])
    }

    init(_ text: String, _ parameters: Parameter...) {
        (self.text, self.parameters) = (text, parameters)
    }
}

/// A statement that PostgreSQL refused.
struct PostgresFailure: Error, CustomStringConvertible {
    let description: String
}

#if canImport(CLibpq)
    /// A connection to PostgreSQL by libpq: the same client for the product and for the yardstick.
    final class PostgresClient {
        private let handle: OpaquePointer

        init(url: String) throws {
            guard let handle = PQconnectdb(url) else { throw PostgresFailure(description: "no memory") }
            self.handle = handle
            guard PQstatus(handle) == CONNECTION_OK else { throw failure() }
            PQsetNoticeReceiver(handle, { _, _ in }, nil)
        }

        deinit { PQfinish(handle) }

        /// The server's process for this connection.
        var serverProcess: Int32 { PQbackendPID(handle) }

        /// Runs statements in one round trip. Returns the first value of each; empty if it has none.
        @discardableResult
        func run(_ commands: [PostgresCommand]) throws -> [[UInt8]] {
            guard PQenterPipelineMode(handle) == 1 else { throw failure() }
            for command in commands { try send(command) }
            guard PQpipelineSync(handle) == 1 else { throw failure() }
            var values: [[UInt8]] = []
            var error: PostgresFailure?
            for _ in commands {
                while let result = PQgetResult(handle) {
                    defer { PQclear(result) }
                    let status = PQresultStatus(result)
                    if status != PGRES_TUPLES_OK, status != PGRES_COMMAND_OK, error == nil {
                        error = failure()
                    }
                    values.append(Self.firstValue(of: result))
                }
            }
            PQclear(PQgetResult(handle))
            guard PQexitPipelineMode(handle) == 1 else { throw failure() }
            if let error { throw error }
            return values
        }

        /// Runs text with several statements and no parameter.
        func script(_ text: String) throws {
            let result = PQexec(handle, text)
            defer { PQclear(result) }
            guard [PGRES_TUPLES_OK, PGRES_COMMAND_OK].contains(PQresultStatus(result)) else {
                throw failure()
            }
        }

        private func send(_ command: PostgresCommand) throws {
            var (types, lengths, formats): ([Oid], [Int32], [Int32]) = ([], [], [])
            var (bytes, starts): ([UInt8], [Int]) = ([], [])
            for parameter in command.parameters {
                starts.append(bytes.count)
                switch parameter {
                case .text(let text):
                    bytes += Array(text.utf8)
                    (types, formats) = (types + [0], formats + [0])
                case .json(let json):
                    // In the binary format, JSON is its text, too.
                    bytes += json
                    (types, formats) = (types + [Self.jsonType], formats + [1])
                }
                lengths.append(Int32(bytes.count - (starts.last ?? 0)))
                bytes.append(0)
            }
            let isSent = bytes.withUnsafeBytes { buffer in
                let base = buffer.bindMemory(to: CChar.self).baseAddress
                let values = starts.map { start in base.map { $0 + start } }
                return PQsendQueryParams(
                    handle,
                    command.text,
                    Int32(values.count),
                    types,
                    values,
                    lengths,
                    formats,
                    0
                )
            }
            guard isSent == 1 else { throw failure() }
        }

        /// The number of the type `json` in every PostgreSQL.
        private static let jsonType: Oid = 114

        private static func firstValue(of result: OpaquePointer) -> [UInt8] {
            guard PQntuples(result) > 0, PQnfields(result) > 0, let value = PQgetvalue(result, 0, 0) else {
                return []
            }
            return Array(UnsafeRawBufferPointer(start: value, count: Int(PQgetlength(result, 0, 0))))
        }

        private func failure() -> PostgresFailure {
            PostgresFailure(description: PQerrorMessage(handle).map { String(cString: $0) } ?? "")
        }
    }
#else
    /// What stands in where libpq is not installed: it connects to nothing.
    final class PostgresClient {
        let serverProcess: Int32 = 0

        init(url: String) throws {
            throw Unmeasured(reason: "libpq was not installed when this program was built")
        }

        func run(_ commands: [PostgresCommand]) throws -> [[UInt8]] { [] }

        func script(_ text: String) throws {}
    }
#endif

extension PostgresClient {
    /// Runs one statement. Returns its first value as text.
    @discardableResult
    func value(_ command: PostgresCommand) throws -> String {
        String(decoding: try run([command]).last ?? [], as: UTF8.self)
    }

    /// Processor time of the server's process, in seconds; 0 where the system does not tell it.
    var processorSeconds: Double {
        let text = try? String(contentsOfFile: "/proc/\(serverProcess)/schedstat", encoding: .utf8)
        return (text?.split(separator: " ").first.flatMap { Double($0) } ?? 0) * 1e-9
    }
}
