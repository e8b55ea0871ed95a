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
            try data.write(to: target, options: .atomic)
        }
        let names = Set(files.map(\.name))
        for name in try FileManager.default.contentsOfDirectory(atPath: url.path)
        where name.hasSuffix(".schema.swift") && !names.contains(name) {
            try removeIfGenerated(url.appendingPathComponent(name))
        }
    }

    private func removeIfGenerated(_ file: URL) throws {
        let data = try Data(contentsOf: file)
        guard data.starts(with: Data(CodeGenerator.header.utf8)) else { return }
        try FileManager.default.removeItem(at: file)
    }
}
