import EntitySync
import SyncSchema

/// Reads NDJSON records of one entity and reports all errors with their lines.
struct RecordLines {
    let entity: EntityDescriptor
    /// The path in diagnostics.
    let path: String
    /// Whether fields that a write sets (`created`, `updated`, defaults) may be missing.
    let fillsIn: Bool
    /// The first `maxFindings` diagnostics, in line order.
    private(set) var findings: [Diagnostic] = []
    /// The number of all diagnostics.
    private(set) var findingCount = 0

    /// The most diagnostics that are kept.
    static let maxFindings = 20
    /// The member that marks a deleted record in an export.
    static let deletedMember = "$deleted"

    init(entity: EntityDescriptor, path: String, fillsIn: Bool) {
        self.entity = entity
        self.path = path == "-" ? "<stdin>" : path
        self.fillsIn = fillsIn
    }

    /// A line with a record.
    struct Line {
        var record: Record
        /// Whether the record has `"$deleted": true`.
        var isDeleted: Bool
    }

    /// Calls `visit` with each valid record. An `invalidInput` error of `visit` is reported as a diagnostic,
    /// too.
    mutating func read(_ source: ByteSource, visit: (Line) throws -> Void = { _ in }) throws {
        var decoder = RecordDecoder(descriptor: entity, form: .plain)
        decoder.requiresAll = !fillsIn
        decoder.refusesUnknown = true
        let firstLines = try FirstLines()
        try LineReader(source).forEach { number, bytes in
            do {
                let line = try decode(bytes, decoder: &decoder)
                if let key = entity.key(of: line.record),
                    let first = try firstLines.note(key: key, line: number)
                {
                    throw SyncError.duplicateKey(entity: entity.name, line: number, firstLine: first)
                }
                try visit(line)
            } catch {
                try note(error, line: number)
            }
        }
    }

    /// All diagnostics as one error.
    var refusal: InputError {
        let more = findingCount - findings.count
        let rest = more > 0 ? "... and \(more) more\n" : ""
        return InputError(
            details: findings.map { $0.text() + "\n" }.joined() + rest,
            error: .refusedLines(path: path, count: findingCount)
        )
    }

    private func decode(_ bytes: UnsafeBufferPointer<UInt8>, decoder: inout RecordDecoder) throws -> Line {
        let builder = RecordBuilder(entity)
        var reader = try JSONReader(bytes)
        try decoder.decode(&reader, into: builder)
        try reader.end()
        var line = Line(record: builder.record, isDeleted: false)
        guard let index = line.record.unknown.firstIndex(where: { $0.path == Self.deletedMember }) else {
            return line
        }
        guard let isDeleted = Bool(line.record.unknown[index].json) else {
            throw FieldError(field: "", rule: "type", message: "'$deleted' must be true or false.")
        }
        line.isDeleted = isDeleted
        line.record.unknown.remove(at: index)
        return line
    }

    /// Keeps an error in a line as a diagnostic. Rethrows errors of the store or the source.
    private mutating func note(_ error: any Error, line: Int) throws {
        switch error {
        case let error as JSONError:
            add(
                line: line,
                column: error.offset + 1,
                message: "The line is not valid JSON: \(error.kind.rawValue)",
                rule: "json"
            )
        case let error as FieldError:
            add(line: line, message: error.message.withoutPeriod, rule: error.rule)
        case let error as SyncError where error.kind == .invalidInput:
            let help = error.commandLineHelp ?? error.help
            add(line: line, message: error.message.withoutPeriod, rule: "refused", help: help.withoutPeriod)
        default: throw error
        }
    }

    private mutating func add(
        line: Int,
        column: Int = 1,
        message: String,
        rule: String,
        help: String = "Correct the line and try again"
    ) {
        findingCount += 1
        guard findings.count < Self.maxFindings else { return }
        findings.append(
            Diagnostic(
                path: path,
                line: line,
                column: column,
                severity: .error,
                message: message,
                rule: rule,
                help: help
            )
        )
    }
}

extension String {
    /// The sentence without its final period, as in diagnostics.
    var withoutPeriod: String { hasSuffix(".") ? String(dropLast()) : self }
}
