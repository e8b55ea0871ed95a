import Foundation
import ProgramRuns
import Testing

#if os(Linux)
    /// What the command line holds does not grow with the file that it takes in or prints.
    ///
    /// The program is looked at while it waits for a pipe: with all lines but the last taken in, or all but the last
    /// printed.
    @Suite struct BoundTests {
        /// Both are more than the 32 MiB of pages that a store holds, and they lie 60 MB apart.
        private static let few = 2_500
        private static let many = 10_000
        /// So long that keys alone are more than may be held.
        private static let keyBytes = 8_000
        /// How much more memory the larger file may take.
        private static let maxGrowth = 16 << 20
        /// The bytes of a pipe, of a piece of output, and more.
        private static let slack = 1 << 20

        private static func line(number: Int) -> String {
            "{\"link\":\"\(number)-\(String(repeating: "k", count: keyBytes))\"}\n"
        }

        @Test func anImportHoldsNeitherItsRecordsNorTheirKeys() throws {
            let peaks = try [Self.few, Self.many].map { try Self.peakOfImport(records: $0) }
            #expect(peaks[1] - peaks[0] < Self.maxGrowth, "\(peaks)")
        }

        @Test func anExportHoldsNoMoreThanAPieceOfWhatItPrints() throws {
            let peaks = try [Self.few, Self.many].map { try Self.peakOfExport(records: $0) }
            #expect(peaks[1] - peaks[0] < Self.maxGrowth, "\(peaks)")
        }

        private static func peakOfImport(records: Int) throws -> Int {
            let scratch = try Scratch()
            let (input, output) = (Pipe(), Pipe())
            let child = try start(
                arguments: ["import", "reading", "-"],
                scratch: scratch,
                input: input,
                output: output
            )
            let end = input.fileHandleForWriting
            for start in stride(from: 0, to: records, by: 100) {
                try end.write(contentsOf: Data((start..<start + 100).map(line).joined().utf8))
            }
            // What fills the pipe is read only once all before it was.
            try end.write(contentsOf: Data(String(repeating: " ", count: slack).utf8))
            let peak = try peakBytes(of: child)
            try end.close()
            _ = child.wait()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            #expect(text == "Imported \(records) reading records.\n")
            return peak
        }

        private static func peakOfExport(records: Int) throws -> Int {
            let scratch = try Scratch()
            try scratch.write("in", text: (0..<records).map(line).joined())
            try scratch.must(arguments: "import", "reading", "in")
            let output = Pipe()
            let child = try start(
                arguments: ["export", "reading"],
                scratch: scratch,
                input: nil,
                output: output
            )
            var bytes = 0
            while bytes < records * keyBytes - slack {
                bytes += try output.fileHandleForReading.read(upToCount: 1 << 16)?.count ?? 0
            }
            let peak = try peakBytes(of: child)
            bytes += output.fileHandleForReading.readDataToEndOfFile().count
            #expect(child.wait().exitCode == 0)
            #expect(bytes == (0..<records).reduce(0) { $0 + line(number: $1).utf8.count })
            return peak
        }

        private static func start(
            arguments: [String],
            scratch: Scratch,
            input: Pipe?,
            output: Pipe
        ) throws -> Child {
            let child = try Child(
                program: Tool.program,
                arguments: arguments,
                in: scratch.folder,
                input: input.map { .descriptor($0.fileHandleForReading.fileDescriptor) } ?? .nothing,
                outputDescriptor: output.fileHandleForWriting.fileDescriptor
            )
            // NB: a pipe ends when nobody has its other end any more.
            try input?.fileHandleForReading.close()
            try output.fileHandleForWriting.close()
            return child
        }

        /// The most memory that a process that still runs has had.
        private static func peakBytes(of child: Child) throws -> Int {
            let status = try String(
                contentsOfFile: "/proc/\(child.processID)/status",
                encoding: .utf8
            )
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
            return try #require(Int(line.filter(\.isNumber))) * 1024
        }
    }
#endif
