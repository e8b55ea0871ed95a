import Foundation
import SyncFuzzing
import SyncVersion

/// What the program says of itself.
enum Usage {
    /// What `--version` prints.
    static let version = "syncfuzz \(EntitySyncVersion.current)"
    /// How to replay.
    static let replay = "usage: syncfuzz READER FILE...\n" + readers + "a folder stands for its files\n"
    /// How to search, once it is built with libFuzzer.
    static let fuzzer = "usage: syncfuzz READER [LIBFUZZER-OPTION...] [FOLDER...]\n" + readers

    private static let readers =
        "READER is one of \(FuzzReader.allCases.map(\.rawValue).joined(separator: ", "))\n"
}

/// Writes to standard error; there is nowhere left to say that it failed.
func complain(text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
}
