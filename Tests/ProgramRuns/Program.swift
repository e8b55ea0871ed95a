public import Foundation

/// A program of the package, built together with the tests.
public enum Program: String, Sendable {
    case synccheck, synccodegen, syncserver, syncfuzz

    /// The location of the program.
    public var url: URL {
        let bundles = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
        let places = bundles + [URL(fileURLWithPath: CommandLine.arguments[0]), Bundle.main.bundleURL]
        let candidates =
            places.map { $0.deletingLastPathComponent().appendingPathComponent(rawValue) }
            + [Bundle.main.bundleURL.appendingPathComponent(rawValue)]
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) } ?? candidates[0]
    }
}
