import Foundation

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

/// A connection to PostgreSQL by libpq: the same client for the product and for the yardstick.
final class PostgresClient {
    private let libpq: Libpq
    private let handle: OpaquePointer

    init(url: String) throws {
        libpq = try Libpq.installed()
        guard let handle = libpq.connect(url) else { throw PostgresFailure(description: "no memory") }
        self.handle = handle
        guard libpq.status(handle) == Libpq.isConnected else { throw failure() }
        _ = libpq.setNoticeReceiver(handle, { _, _ in }, nil)
    }

    deinit { libpq.finish(handle) }

    /// The server's process for this connection.
    var serverProcess: Int32 { libpq.serverProcess(handle) }

    /// Runs statements in one round trip. Returns the first value of each; empty if it has none.
    @discardableResult
    func run(_ commands: [PostgresCommand]) throws -> [[UInt8]] {
        guard libpq.enterPipeline(handle) == 1 else { throw failure() }
        for command in commands { try send(command) }
        guard libpq.syncPipeline(handle) == 1 else { throw failure() }
        var values: [[UInt8]] = []
        var error: PostgresFailure?
        for _ in commands {
            while let result = libpq.nextResult(handle) {
                defer { libpq.clear(result) }
                if !Libpq.isDone.contains(libpq.resultStatus(result)), error == nil { error = failure() }
                values.append(firstValue(of: result))
            }
        }
        libpq.clear(libpq.nextResult(handle))
        guard libpq.exitPipeline(handle) == 1 else { throw failure() }
        if let error { throw error }
        return values
    }

    /// Runs text with several statements and no parameter.
    func script(_ text: String) throws {
        let result = libpq.execute(handle, text)
        defer { libpq.clear(result) }
        guard Libpq.isDone.contains(libpq.resultStatus(result)) else { throw failure() }
    }

    private func send(_ command: PostgresCommand) throws {
        var (types, lengths, formats): ([UInt32], [Int32], [Int32]) = ([], [], [])
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
            return libpq.send(handle, command.text, Int32(values.count), types, values, lengths, formats, 0)
        }
        guard isSent == 1 else { throw failure() }
    }

    /// The number of the type `json` in every PostgreSQL.
    private static let jsonType: UInt32 = 114

    private func firstValue(of result: OpaquePointer) -> [UInt8] {
        guard libpq.rowCount(result) > 0, libpq.columnCount(result) > 0,
            let value = libpq.value(result, 0, 0)
        else { return [] }
        return Array(UnsafeRawBufferPointer(start: value, count: Int(libpq.length(result, 0, 0))))
    }

    private func failure() -> PostgresFailure {
        PostgresFailure(description: libpq.errorMessage(handle).map { String(cString: $0) } ?? "")
    }
}

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
