import Foundation
import Testing

/// A platform of Apple's, at the version that the manifest asks for.
struct ApplePlatform: CustomTestStringConvertible, Sendable {
    /// As the manifest calls it.
    let name: String
    /// As a target of the compiler does.
    let system: String
    /// Frameworks that the platform has, of those that the sources import.
    let frameworks: [String]

    static let all = [
        ApplePlatform(name: "macOS", system: "macosx", frameworks: ["Network", "SwiftUI"]),
        ApplePlatform(
            name: "iOS",
            system: "ios",
            frameworks: ["Network", "SwiftUI", "BackgroundTasks", "UIKit"]
        ),
        ApplePlatform(name: "watchOS", system: "watchos", frameworks: ["Network", "SwiftUI"]),
        ApplePlatform(
            name: "tvOS",
            system: "tvos",
            frameworks: ["Network", "SwiftUI", "BackgroundTasks", "UIKit"]
        ),
        ApplePlatform(
            name: "visionOS",
            system: "xros",
            frameworks: ["Network", "SwiftUI", "BackgroundTasks", "UIKit"]
        ),
    ]

    var testDescription: String { name }

    /// The lowest version that the manifest gives, as its first number.
    func minimum() throws -> Int {
        let manifest = try String(
            contentsOf: Checkout.root.appendingPathComponent("Package.swift"),
            encoding: .utf8
        )
        let version = try Regex("\\.\(name)\\(\\.v(?<number>[0-9]+)\\)")
        let match = try #require(try version.firstMatch(in: manifest), "the manifest does not name \(name)")
        return try #require(match["number"]?.substring.flatMap { Int($0) })
    }

    /// What the compiler is asked to compile for.
    func target() throws -> String { "arm64-apple-\(system)\(try minimum()).0" }

    /// The name of a module's file for the platform.
    var moduleFile: String { "arm64-apple-\(system == "macosx" ? "macos" : system).swiftmodule" }
}

/// The repository.
enum Checkout {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let tests = root.appendingPathComponent("Tests/AppleTests")

    /// The Swift files of a module, in the order of their paths.
    static func files(module: String) -> [URL] {
        let folder = root.appendingPathComponent("Sources/\(module)")
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasSuffix(".swift") }.sorted().map { folder.appendingPathComponent($0) }
    }
}
