import SyncCore
import SyncDynamic
import SyncSchema

/// Promises of the schema reader: it returns a schema only if there is no error, each diagnostic has a
/// position in the file, and an accepted schema survives its canonical form and accepts its own defaults.
enum SchemaPromises {
    private static let form = "a schema"

    static func check(_ bytes: [UInt8]) throws -> Bool {
        let source = SchemaSource(path: "record.schema.json", bytes: bytes)
        let report = SchemaLoader.load([source])
        try promise(report.isValid == (report.schemas.count == 1), kind: .acceptanceDiffers, of: form)
        try checkPlaces(report, bytes: bytes)
        try checkForms(report)
        guard report.isValid else { return false }
        try checkBaseline(source, report: report)
        for schema in report.schemas { try checkDefaults(schema) }
        return true
    }

    /// Lines and columns count from 1. A column may be directly after the end of its line.
    private static func checkPlaces(_ report: SchemaReport, bytes: [UInt8]) throws {
        let lengths = lineLengths(bytes: bytes)
        for finding in report.diagnostics {
            let isInside =
                lengths.indices.contains(finding.line - 1) && finding.column >= 1
                && finding.column <= lengths[finding.line - 1] + 1
            try promise(isInside, kind: .placeOutside, of: form)
        }
        try promise(report.diagnostics == report.diagnostics.sorted(), kind: .reportMalformed, of: form)
    }

    /// The length of each line in bytes. A line ends with LF, CR or CRLF.
    private static func lineLengths(bytes: [UInt8]) -> [Int] {
        var lengths = [0]
        for (index, byte) in bytes.enumerated() {
            if byte == 0x0a, index > 0, bytes[index - 1] == 0x0d { continue }
            if byte == 0x0a || byte == 0x0d {
                lengths.append(0)
            } else {
                lengths[lengths.count - 1] += 1
            }
        }
        return lengths
    }

    /// Each format has its fixed number of lines; no text from the file can add one.
    private static func checkForms(_ report: SchemaReport) throws {
        let count = report.diagnostics.count
        func lines(format: SchemaReport.Format) -> Int {
            report.rendered(format: format).utf8.count { $0 == 0x0a }
        }
        try promise(lines(format: .text) == 2 * count, kind: .reportMalformed, of: "a report for people")
        try promise(lines(format: .github) == count, kind: .reportMalformed, of: "a report for a log")
        let json = try? ReadValue(Array(report.rendered(format: .json).utf8))
        try promise(json?.repeatsName == false, kind: .reportMalformed, of: "a report for scripts")
    }

    /// The canonical form, which later releases are compared with, means the same.
    private static func checkBaseline(_ source: SchemaSource, report: SchemaReport) throws {
        guard let text = SchemaBaseline.write([source]) else {
            throw PromiseViolation(kind: .acceptanceDiffers, of: "a schema's canonical form")
        }
        let again = SchemaBaseline.read(SchemaSource(path: "baseline.json", bytes: text))
        try promise(again.isValid, kind: .writtenIsRefused, of: "a schema's canonical form")
        let changes = SchemaDiff.compare(old: report.schemas, new: again.schemas)
        try promise(changes.isEmpty, kind: .writtenReadsOtherwise, of: "a schema's canonical form")
    }

    /// A default is a valid value of its field.
    private static func checkDefaults(_ schema: Schema) throws {
        let descriptor = EntityDescriptor(schema: schema)
        for field in descriptor.fields {
            guard let text = field.defaultJSON else { continue }
            var writer = JSONWriter()
            writer.beginObject()
            writer.name(field.name)
            writer.raw(text)
            writer.endObject()
            var decoder = RecordDecoder(descriptor: descriptor, form: .plain)
            decoder.requiresAll = false
            try promise((try? decoder.record(writer.bytes)) != nil, kind: .defaultRefused, of: form)
        }
    }
}
