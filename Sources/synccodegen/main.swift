import Foundation
import SyncCodegen
import SyncSchema
import SyncVersion

/// `synccodegen --output DIR [--baseline FILE] SCHEMA...`: checks the schemas as one set, and with those of a release, and
/// writes the Swift that follows from them. `synccodegen --version` prints the version.
///
/// Exit codes: 0 done, 1 a schema is broken or breaks stores of the release, 64 wrong use, 74 a file cannot be read or written.
struct Command {
    let output: URL
    /// The schemas of the last release; nil if the target has none.
    let baseline: String?
    let paths: [String]

    init?(_ arguments: [String]) {
        guard arguments.count >= 2, arguments[0] == "--output", !arguments[1].hasPrefix("-") else {
            return nil
        }
        var paths = arguments.dropFirst(2)
        if paths.first == "--baseline" {
            paths = paths.dropFirst()
            guard let file = paths.popFirst() else { return nil }
            baseline = file
        } else {
            baseline = nil
        }
        guard baseline?.hasPrefix("-") != true, !paths.contains(where: { $0.hasPrefix("-") })
        else { return nil }
        output = URL(fileURLWithPath: arguments[1], isDirectory: true)
        self.paths = Array(paths)
    }

    func run() -> Int32 {
        var sources: [SchemaSource] = []
        for path in paths + [baseline].compactMap({ $0 }) {
            guard isFile(path), let data = FileManager.default.contents(atPath: path) else {
                report(
                    "\(path): error: the file cannot be read\nhelp: check that it is an ordinary file, and its permissions\n"
                )
                return 74
            }
            sources.append(SchemaSource(path: path, bytes: [UInt8](data)))
        }
        let release = baseline == nil ? nil : sources.popLast()
        var schemas = SchemaLoader.load(sources)
        if let release, schemas.isValid {
            let folder = URL(fileURLWithPath: release.path).deletingLastPathComponent().path
            let command = "swift package synccheck baseline --accept '\(folder)'"
            let check = BaselineCheck(baseline: release, sources: sources, command: command)
            schemas.diagnostics += check.diagnostics(schemas: schemas.schemas)
        }
        report(schemas.rendered(format: .text))
        guard schemas.isValid else { return 1 }
        do {
            try OutputFolder(url: output).write(CodeGenerator.files(for: schemas.schemas))
            return 0
        } catch {
            report(
                "\(output.path): error: the generated files cannot be written\nhelp: \(error.localizedDescription)\n"
            )
            return 74
        }
    }
}

/// Whether there is an ordinary file: to read a pipe is to wait for somebody who writes.
func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
}

func report(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
}

if CommandLine.arguments.dropFirst() == ["--version"] {
    print("synccodegen \(EntitySyncVersion.current)")
} else if let command = Command(Array(CommandLine.arguments.dropFirst())) {
    exit(command.run())
} else {
    report("synccodegen: error: wrong use\nhelp: synccodegen --output DIR [--baseline FILE] SCHEMA...\n")
    exit(64)
}
