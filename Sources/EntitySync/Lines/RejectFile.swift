import SyncCore
import SyncStore

/// What an import has refused, in the format of the imported file: unchanged, but that each record says why. So it can
/// be mended and imported again; what it says is left out then.
///
/// In JSON the reason is the first member of the record, `"$rejected": {"line", "rule", "reason"}`; what is no object
/// becomes the member `"$record"` of one. In rows of cells it is the first column.
package final class RejectFile {
    private let file: LineFile
    private let format: ImportFormat
    private var count = 0
    private var beginsWithReasons = false

    /// Opens the file. Throws `SyncError` if it cannot be made, or if there is something in its place: only the source of
    /// the import may be replaced, and an empty file.
    package init(path: String, format: ImportFormat, source: Int32) throws {
        file = try LineFile(path: path)
        self.format = format
        guard LineFile.isEmpty(path: path) || BackupFiles.isNamed(descriptor: source, path: path) else {
            throw SyncError.rejectsOverFile()
        }
        if format == .array { try file.sink.append([UInt8(ascii: "[")]) }
    }

    /// Adds the row that names the fields.
    func append(header: UnsafeBufferPointer<UInt8>, of columns: RowColumns) throws {
        beginsWithReasons = columns.beginsWithReasons
        try file.sink.append(Array("\(RecordLine.rejectedMember),".utf8) + cells(of: header))
    }

    /// Adds a part of the source that was refused.
    func append(part: UnsafeBufferPointer<UInt8>, because finding: RefusedLine) throws {
        switch format {
        case .lines: try file.sink.append(Self.object(part: part, because: finding))
        case .array:
            try file.sink.append(
                (count > 0 ? [UInt8(ascii: ",")] : []) + Self.object(part: part, because: finding)
            )
        case .csv:
            let reason = "line \(finding.line): \(finding.message)".replacing("\"", with: "\"\"")
            try file.sink.append(Array("\"\(reason)\",".utf8) + cells(of: part))
        }
        count += 1
    }

    /// Ends the file, which has no name yet.
    func seal() throws {
        if format == .array { try file.sink.append([UInt8(ascii: "]")]) }
        try file.seal()
    }

    /// Gives the sealed file its name, in place of an earlier one. Call it once the store has the records that were taken
    /// in: the earlier one may be the file that they came from.
    package func publish() throws {
        do { try file.publish() } catch {
            file.keep()
            throw SyncError.rejectsUnderOtherName(path: file.partialPath)
        }
    }

    /// A row without the reason that an earlier import has written.
    private func cells(of row: UnsafeBufferPointer<UInt8>) -> Slice<UnsafeBufferPointer<UInt8>> {
        row[(beginsWithReasons ? CellRow(row).second : 0)...]
    }

    private static func object(part: UnsafeBufferPointer<UInt8>, because finding: RefusedLine) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name(RecordLine.rejectedMember)
        writer.beginObject()
        writer.member("line", value: Int64(finding.line))
        if let column = finding.column { writer.member("column", value: Int64(column)) }
        writer.member("rule", value: finding.rule)
        writer.member("reason", value: finding.message)
        writer.endObject()
        guard let members = members(of: part) else {
            writer.name(RecordLine.partMember)
            // What is no JSON is kept as a text, so that the line is JSON.
            if Self.isJSON(part) {
                writer.raw(part)
            } else {
                writer.string(String(decoding: part, as: UTF8.self))
            }
            writer.endObject()
            return writer.bytes
        }
        let isEmpty = members.first { $0 > 0x20 } == UInt8(ascii: "}")
        return writer.bytes + (isEmpty ? [] : [UInt8(ascii: ",")]) + members
    }

    private static func isJSON(_ part: UnsafeBufferPointer<UInt8>) -> Bool {
        guard var reader = try? JSONReader(part), (try? reader.skipValue()) != nil else { return false }
        return (try? reader.end()) != nil
    }

    /// What follows the opening brace of an object and the reason of an earlier import; nil if it is no object.
    private static func members(of part: UnsafeBufferPointer<UInt8>) -> Slice<UnsafeBufferPointer<UInt8>>? {
        guard let brace = part.firstIndex(where: { $0 > 0x20 }), part[brace] == UInt8(ascii: "{") else {
            return nil
        }
        let all = part[(brace + 1)...]
        guard var reader = try? JSONReader(part), (try? reader.beginObject()) == true,
            (try? reader.name().decode()) == RecordLine.rejectedMember, (try? reader.skipValue()) != nil,
            let hasMore = try? reader.nextMember()
        else { return all }
        return part[(hasMore ? reader.position : reader.position - 1)...]
    }
}
