import Foundation

/// The repository's own files, for tests of the source code.
enum Repository {
    /// The folder that holds `Package.swift`.
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    struct File {
        /// The path relative to the root.
        let path: String
        let lines: [String]

        /// The folder below `Sources` that the file lies in.
        var module: String { String(path.split(separator: "/").dropFirst().first ?? "") }
    }

    /// All Swift files below some folders, sorted by path.
    static func swiftFiles(folders: String...) throws -> [File] {
        var files: [File] = []
        for folder in folders {
            let base = root.appendingPathComponent(folder)
            let paths = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String } ?? []
            for path in paths.sorted() where path.hasSuffix(".swift") && !path.contains(".build/") {
                let text = try String(contentsOf: base.appendingPathComponent(path), encoding: .utf8)
                files.append(File(path: "\(folder)/\(path)", lines: text.components(separatedBy: "\n")))
            }
        }
        return files
    }
}

extension String {
    /// Whether the text contains the word. It compares bytes, because the general search takes minutes over a
    /// repository.
    func holds(_ word: String) -> Bool {
        Data(utf8).range(of: Data(word.utf8)) != nil
    }
}
