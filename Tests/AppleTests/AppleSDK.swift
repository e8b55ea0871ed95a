import Foundation
import ProgramRuns
import Testing

/// Modules to compile for a platform of Apple's with, on a system that has none of its SDKs.
///
/// The compiler takes `#if`, and the availability of the standard library and of Foundation, for what it is told to compile
/// for. It refuses modules that were made for another target, which they name in 24 bytes; copies name the platform's.
/// Two modules that only Linux has get other names in the copies, so that `canImport` does not find them. Apple's
/// frameworks and its C library are the declarations in `StandIn`.
final class AppleSDK {
    let platform: ApplePlatform
    private let folder: URL
    private let resources: URL

    private static let made = "x86_64-unknown-linux-gnu"
    /// Names of as many bytes as what they replace.
    private static let renamed = [("Glibc", "Klibc"), ("FoundationNetworking", "DarwinsURLNetworking")]

    init(_ platform: ApplePlatform) throws {
        self.platform = platform
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("sdk-\(UUID().uuidString)")
        resources = try Self.resources()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try copyModules()
        if platform.system == "xros" { try writeSettings() }
        // What Foundation asks for of Linux: its C library, of which nothing may be seen.
        try Data("module SwiftKlibc [system] {}\n".utf8).write(
            to: folder.appendingPathComponent("libc.modulemap")
        )
        try Data().write(to: folder.appendingPathComponent("Klibc.swift"))
        try emit("Klibc", file: folder.appendingPathComponent("Klibc.swift"))
        let standIns = Checkout.tests.appendingPathComponent("StandIn")
        for name in ["Darwin", "AppleFoundation"] + platform.frameworks {
            try emit(name, file: standIns.appendingPathComponent("\(name).swift.txt"))
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Type-checks files of a module, and reads its other files.
    func check(_ files: [URL], of module: String, beside others: [URL] = [], flags: [String] = []) throws
        -> Run
    {
        try compile(
            ["-typecheck", "-parse-as-library", "-module-name", module, "-package-name", Self.package()]
                + ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"].flatMap {
                    ["-enable-upcoming-feature", $0]
                } + flags + files.flatMap { ["-primary-file", $0.path] } + others.map(\.path)
        )
    }

    /// Copies the modules of the standard library, and those of this package, as ones of the platform.
    private func copyModules() throws {
        let target = try platform.target().padding(toLength: Self.made.count, withPad: "0", startingAt: 0)
        let built = Self.built
        for (place, suffix) in [
            (resources.appendingPathComponent("linux"), "/\(Self.made).swiftmodule"), (built, ""),
        ] {
            for name in try FileManager.default.contentsOfDirectory(atPath: place.path)
            where name.hasSuffix(".swiftmodule") {
                guard var bytes = try? Data(contentsOf: place.appendingPathComponent(name + suffix)) else {
                    continue
                }
                var copy = name
                for (old, new) in [(Self.made, target)] + Self.renamed {
                    precondition(old.utf8.count == new.utf8.count)
                    bytes.replaceAll(old, with: new)
                    copy = copy.replacingOccurrences(of: old, with: new)
                }
                let module = folder.appendingPathComponent(copy)
                try FileManager.default.createDirectory(at: module, withIntermediateDirectories: true)
                try bytes.write(to: module.appendingPathComponent(platform.moduleFile))
            }
        }
    }

    /// What the compiler reads of an SDK: which version of visionOS has what a version of iOS has. Its headers are the system's,
    /// as all C modules here are Linux's.
    private func writeSettings() throws {
        let sdk = folder.appendingPathComponent("sdk")
        try FileManager.default.createDirectory(at: sdk, withIntermediateDirectories: true)
        for name in ["usr", "lib"] {
            try FileManager.default.createSymbolicLink(
                atPath: sdk.appendingPathComponent(name).path,
                withDestinationPath: "/\(name)"
            )
        }
        let text = """
            {
                "CanonicalName": "xros1.0", "Version": "1.0", "MaximumDeploymentTarget": "1.0.99",
                "VersionMap": {"iOS_visionOS": {"17.0": "1.0", "18.0": "2.0"}}
            }
            """
        try Data(text.utf8).write(to: sdk.appendingPathComponent("SDKSettings.json"))
    }

    private func emit(_ name: String, file: URL) throws {
        let source = folder.appendingPathComponent("\(name).swift")
        if source != file { try FileManager.default.copyItem(at: file, to: source) }
        let module = folder.appendingPathComponent("\(name).swiftmodule")
        try? FileManager.default.removeItem(at: module)
        try FileManager.default.createDirectory(at: module, withIntermediateDirectories: true)
        let run = try compile(
            ["-emit-module", "-parse-as-library", "-module-name", name, source.path, "-o"]
                + [module.appendingPathComponent(platform.moduleFile).path]
                + (name == "Darwin" ? ["-import-underlying-module"] : [])
        )
        try #require(run.exitCode == 0, "\(name): \(run.error)")
    }

    private func compile(_ arguments: [String]) throws -> Run {
        let maps =
            ["dispatch", "CoreFoundation", "_FoundationCShims", "_foundation_unicode"].map {
                resources.appendingPathComponent("\($0)/module.modulemap").path
            } + [
                folder.appendingPathComponent("libc.modulemap").path,
                Checkout.tests.appendingPathComponent("StandIn/Darwin/module.modulemap").path,
                Checkout.root.appendingPathComponent("Sources/CSQLite/module.modulemap").path,
                Checkout.root.appendingPathComponent("Sources/CPostgreSQL/module.modulemap").path,
            ]
        let streams = folder.appendingPathComponent("streams-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: streams, withIntermediateDirectories: true)
        return try Child(
            program: URL(fileURLWithPath: "/usr/bin/env"),
            arguments: ["swiftc", "-frontend"] + arguments + [
                "-swift-version", "6", "-target", try platform.target(), "-clang-target", Self.made,
                "-disable-objc-interop", "-I", folder.path, "-module-cache-path",
                folder.appendingPathComponent("cache").path,
                "-plugin-path", resources.appendingPathComponent("host/plugins").path,
                "-Xcc", "-fblocks", "-Xcc", "-I\(resources.path)", "-Xcc", "-I/usr/include/postgresql",
            ] + (platform.system == "xros" ? ["-sdk", folder.appendingPathComponent("sdk").path] : [])
                + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] },
            in: folder,
            streams: streams
        ).wait()
    }

    /// The modules of this package, as it was built.
    private static var built: URL {
        Program.synccheck.url.deletingLastPathComponent().appendingPathComponent("Modules")
    }

    /// The name of the package that its modules share: that of the folder, as SwiftPM writes it.
    private static func package() -> String {
        Checkout.root.lastPathComponent.lowercased().replacing("-", with: "_")
    }

    /// The folder in which the compiler has the standard library.
    private static func resources() throws -> URL {
        let streams = FileManager.default.temporaryDirectory.appendingPathComponent(
            "info-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: streams, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: streams) }
        let run = try Child(
            program: URL(fileURLWithPath: "/usr/bin/env"),
            arguments: ["swiftc", "-print-target-info"],
            in: streams,
            streams: streams
        ).wait()
        let path = try #require(
            run.output.firstMatch(of: /"runtimeResourcePath": "(?<path>[^"]+)"/)?.output.path
        )
        return URL(fileURLWithPath: String(path))
    }
}

extension Data {
    /// Replaces each occurrence of a text by one of as many bytes.
    fileprivate mutating func replaceAll(_ old: String, with new: String) {
        let (old, new) = (Data(old.utf8), Data(new.utf8))
        var start = startIndex
        while let found = range(of: old, in: start..<endIndex) {
            replaceSubrange(found, with: new)
            start = found.upperBound
        }
    }
}
