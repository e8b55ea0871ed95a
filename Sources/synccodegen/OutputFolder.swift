import Foundation
import SyncCodegen

/// The folder of generated files.
struct OutputFolder {
    let url: URL

    /// Writes the files whose bytes change, and removes generated files that no schema stands for any more.
    ///
    /// A file that does not begin as generated ones do is never removed.
    func write(_ files: [GeneratedFile]) throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        for file in files {
            let target = url.appendingPathComponent(file.name)
            let data = Data(file.contents.utf8)
            // NB: an untouched file keeps its time stamp, so that nothing is compiled again.
            if (try? Data(contentsOf: target)) == data { continue }
            try replace(target, with: data)
        }
        let names = Set(files.map(\.name))
        for name in try FileManager.default.contentsOfDirectory(atPath: url.path)
        where name.hasSuffix(".schema.swift") && !names.contains(name) {
            try removeIfGenerated(url.appendingPathComponent(name))
        }
    }

    /// Whoever reads the file sees the old or the new bytes. They are not forced to the disk, as `.atomic` would do:
    /// what a power failure takes, the next build makes again.
    private func replace(_ target: URL, with data: Data) throws {
        let draft = url.appendingPathComponent(
            ".\(target.lastPathComponent).\(ProcessInfo.processInfo.processIdentifier)"
        )
        try data.write(to: draft)
        guard rename(draft.path, target.path) == 0 else {
            let failure = CocoaError(.fileWriteUnknown)
            try? FileManager.default.removeItem(at: draft)
            throw failure
        }
    }

    private func removeIfGenerated(_ file: URL) throws {
        let data = try Data(contentsOf: file)
        guard data.starts(with: Data(CodeGenerator.header.utf8)) else { return }
        try FileManager.default.removeItem(at: file)
    }
}
