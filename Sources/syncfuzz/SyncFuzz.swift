#if !FUZZ
    import Foundation
    import SyncFuzzing

    /// `syncfuzz READER FILE...` gives files, and all files of folders, to a reader;
    /// `syncfuzz --version` prints the version.
    ///
    /// Built with libFuzzer it makes inputs of its own instead (`FuzzOneInput.swift`).
    /// Exit codes: 0 every promise kept, 1 one broken, 64 wrong use, 74 a file cannot be read.
    @main struct SyncFuzz {
        static func main() {
            let arguments = CommandLine.arguments.dropFirst()
            if arguments == ["--version"] { return print(Usage.version) }
            guard let reader = arguments.first.flatMap({ FuzzReader(rawValue: $0) }), arguments.count > 1
            else {
                complain(text: Usage.replay)
                exit(64)
            }
            exit(replay(reader, paths: Array(arguments.dropFirst())))
        }

        private static func replay(_ reader: FuzzReader, paths: [String]) -> Int32 {
            var inputs: [(name: String, bytes: [UInt8])] = []
            for path in paths.flatMap(files) {
                guard let data = FileManager.default.contents(atPath: path) else {
                    complain(text: "\(path): error: the file cannot be read\n")
                    return 74
                }
                inputs.append((path, [UInt8](data)))
            }
            let findings = Replay(reader.check).findings(inputs: inputs)
            for finding in findings { complain(text: "\(finding.name): error: \(finding.words)\n") }
            print("\(inputs.count) inputs, \(findings.count) broken promises")
            return findings.isEmpty ? 0 : 1
        }

        /// The files of a folder, sorted; anything else stands for itself.
        private static func files(path: String) -> [String] {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue
            else {
                return [path]
            }
            let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
            return names.sorted().flatMap { files(path: "\(path)/\($0)") }
        }
    }
#endif
