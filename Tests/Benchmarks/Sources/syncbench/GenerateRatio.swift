import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What a build waits for: the program that the plugin runs, from its start to its end.
enum GenerateRatio {
    static let schemas = 200
    static let fields = 30

    static func measure(_ bench: Bench) async throws -> Measurement {
        guard let program = BuiltProgram("synccodegen", "synccodegen-tool") else {
            throw Unmeasured(
                reason: "synccodegen was not built: swift build -c release --product synccodegen"
            )
        }
        let folder = try bench.folder(path: "generate")
        let paths = try GeneratedSchemas.write(schemas, fields: fields, to: folder)
        let arguments = { (output: String) in ["--output", output] + paths }
        let sides = try await bench.takeTurns(
            ours: Bench.Side(
                prepare: { try bench.folder(path: "generated") },
                run: { try program.run(arguments: arguments($0), in: folder) },
                clear: { try bench.remove($0) }
            ),
            // The same in a folder where everything stands already.
            yardstick: Bench.Side(
                prepare: {
                    let output = try bench.folder(path: "generated")
                    try program.run(arguments: arguments(output), in: folder)
                    return output
                },
                run: { try program.run(arguments: arguments($0), in: folder) },
                clear: { try bench.remove($0) }
            )
        )
        let (files, written) = try repeated(bench: bench) {
            try program.run(arguments: arguments($0), in: folder)
        }
        let ours = sides.ours.median
        return Measurement(
            ratio: ours,
            ours: ours,
            yardstick: nil,
            note: "\(program.url.lastPathComponent) as the plugin runs it; a second run wrote \(written) of "
                + "\(files) files in \(Figure.text(seconds: sides.yardstick.median)) s",
            holds: written == 0 && files == schemas + 1
        )
    }

    /// How many files a run makes, and how many of them one more run touches.
    static func repeated(bench: Bench, run: (String) throws -> Void) throws -> (files: Int, written: Int) {
        let output = try bench.folder(path: "generated")
        defer { try? bench.remove(output) }
        try run(output)
        let before = try prints(folder: output)
        try run(output)
        let after = try prints(folder: output)
        return (
            before.count, after.count { before[$0.key] != $0.value } + before.keys.count { after[$0] == nil }
        )
    }

    /// Which file stands under a name, and when it was last written.
    struct Print: Hashable {
        var inode: UInt64
        var seconds: Int
        var nanoseconds: Int
    }

    /// The files of a folder by name.
    static func prints(folder: String) throws -> [String: Print] {
        var prints: [String: Print] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            var info = stat()
            guard stat("\(folder)/\(name)", &info) == 0 else { continue }
            #if canImport(Darwin)
                let time = info.st_mtimespec
            #else
                let time = info.st_mtim
            #endif
            prints[name] = Print(inode: UInt64(info.st_ino), seconds: time.tv_sec, nanoseconds: time.tv_nsec)
        }
        return prints
    }
}
