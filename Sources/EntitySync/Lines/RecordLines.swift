import SyncCore
import SyncStore

/// Reads the records of one entity from lines, and collects what is wrong with which of them.
package struct RecordLines {
    private let entity: EntityDescriptor
    private let fillsIn: Bool
    /// The first `maxFindings` refused lines, in order.
    package private(set) var findings: [RefusedLine] = []
    /// How many lines are refused.
    package private(set) var findingCount = 0

    /// The most findings that are kept.
    package static let maxFindings = 20

    /// Makes a reader. With `fillsIn`, fields that a write sets (`created`, `updated`, defaults) may be missing.
    package init(entity: EntityDescriptor, fillsIn: Bool) {
        self.entity = entity
        self.fillsIn = fillsIn
    }

    /// Calls `visit` with each valid record. An `invalidInput` error of `visit` is a finding, too. Returns the bytes of
    /// the source.
    ///
    /// - Parameters:
    ///   - rejects: Gets each part of the source that is refused.
    ///   - passed: Called after each record, refused or not, with the bytes so far. Its errors are no findings.
    @discardableResult
    package mutating func read(
        _ source: any LineSource,
        as format: ImportFormat = .lines,
        rejects: RejectFile? = nil,
        passed: (_ bytes: Int64) throws -> Void = { _ in },
        visit: (RecordLine) throws -> Void = { _ in }
    ) throws -> Int64 {
        var decoder = RecordLineDecoder(entity, fillsIn: fillsIn)
        var columns: RowColumns?
        let firstLines = try FirstLines()
        return try format.forEachPart(of: source) { line in
            if format == .csv, columns == nil {
                let named = try RowColumns(line.bytes, entity: entity)
                columns = named
                return try rejects?.append(header: line.bytes, of: named) ?? ()
            }
            do {
                let json = try columns?.json(row: line.bytes)
                let record =
                    try json?.withUnsafeBufferPointer { try decoder.line($0) } ?? decoder.line(line.bytes)
                if let key = entity.key(of: record.record),
                    let first = try firstLines.note(key: key, line: line.number)
                {
                    throw SyncError.duplicateKey(entity: entity.name, line: line.number, firstLine: first)
                }
                try visit(record)
            } catch {
                let finding = try note(columns == nil ? error : FieldError.ofCells(error: error), in: line)
                try rejects?.append(part: line.bytes, because: finding)
            }
            try passed(line.end)
        }
    }

    /// All findings as one error.
    package var refusal: ImportError {
        ImportError(entity: entity.name, lines: findings, count: findingCount)
    }

    /// Keeps an error in a line as a finding. Rethrows errors of the store or the source.
    private mutating func note(_ error: any Error, in line: LineReader.Line) throws -> RefusedLine {
        var finding = RefusedLine(line: line.number, rule: "refused", message: "")
        if line.column > 1 { finding.column = line.column }
        switch error {
        case let error as JSONError:
            let before = line.bytes.prefix(error.offset)
            if let feed = before.lastIndex(of: UInt8(ascii: "\n")) {
                finding.line += before.count { $0 == UInt8(ascii: "\n") }
                finding.column = error.offset - feed
            } else {
                finding.column = line.column + error.offset
            }
            finding.rule = "json"
            finding.message = "The record is not valid JSON: \(error.kind.rawValue)."
        case let error as FieldError:
            finding.note(error)
        case let error as SyncError where error.fieldError != nil:
            // Required fields are checked only once the store has filled in what may be missing.
            if let field = error.fieldError { finding.note(field) }
        case let error as SyncError where error.kind == .invalidInput:
            finding.message = error.message
            finding.help = error.help
            finding.commandLineHelp = error.commandLineHelp
        default: throw error
        }
        findingCount += 1
        if findings.count < Self.maxFindings { findings.append(finding) }
        return finding
    }
}

extension RefusedLine {
    /// Takes over what a field violates.
    fileprivate mutating func note(_ error: FieldError) {
        rule = error.rule
        message = error.message
    }
}
