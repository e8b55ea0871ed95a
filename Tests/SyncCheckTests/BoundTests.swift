import Foundation
import ProgramRuns
import Testing

#if os(Linux)
    /// The memory of the command line does not grow with the size of its input or output.
    ///
    /// The program's memory is measured while it waits for a pipe: with all lines but the last one read, or
    /// all but the last one printed.
    @Suite struct BoundTests {
        /// Both sizes are above the 32 MiB page cache of a store, and they differ by 60 MB.
        private static let few = 2_500
        private static let many = 10_000
        /// So long that all keys together would exceed the limit.
        private static let keyBytes = 8_000
        /// The allowed memory growth for the larger file.
        private static let maxGrowth = 16 << 20
        /// More than the size of a pipe and of an output piece.
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
            // The bytes that fill the pipe are read only after all before them.
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
            // NB: a pipe ends only after all handles of its other end are closed.
            try input?.fileHandleForReading.close()
            try output.fileHandleForWriting.close()
            return child
        }

        /// The peak memory of a running process.
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
