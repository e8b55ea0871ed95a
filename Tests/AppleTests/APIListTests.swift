import Foundation
import Testing

/// The list of what the sources call of Apple's systems, which the page on shipping stands on.
@Suite struct APIListTests {
    /// One heading of the list, and the names below it.
    struct Group {
        var module: String
        /// The first version of each platform, as major and minor numbers; nil where the platform has it not.
        var versions: [String: [Int]?]
        var source: String
        var names: Set<String>
    }

    @Test func theListNamesWhatTheSourcesCallAndNothingElse() throws {
        let groups = try Self.groups()
        for module in ["Darwin", "AppleFoundation", "Network", "BackgroundTasks", "SwiftUI"] {
            let listed = groups.filter { $0.module == module }.flatMap(\.names)
            #expect(listed.count == Set(listed).count, "\(module): a name is listed twice")
            let called = try Self.declared(module: module).intersection(Self.words(importing: module))
                // What a stand-in has only because a protocol asks for it.
                .subtracting(["rawValue"])
            #expect(called.subtracting(listed).sorted() == [], "\(module): called, and not listed")
            #expect(Set(listed).subtracting(called).sorted() == [], "\(module): listed, and not called")
        }
        // No code of ours names the app, which an extension has not.
        let words = try Self.words(importing: "Foundation").union(Self.words(importing: "BackgroundTasks"))
        #expect(words.contains("BGTaskScheduler") && !words.contains("UIApplication"))
        #expect(!Self.conditional.contains { $0.contains("import UIKit") })
    }

    @Test(arguments: ApplePlatform.all)
    func theManifestAsksForVersionsThatHaveIt(platform: ApplePlatform) throws {
        let minimum = try platform.minimum()
        for group in try Self.groups() {
            let since = try #require(
                group.versions[platform.name],
                "\(group.module) says nothing of \(platform.name)"
            )
            let isFramework = !["Darwin", "AppleFoundation"].contains(group.module)
            #expect(
                (since != nil) == (!isFramework || platform.frameworks.contains(group.module)),
                "\(group.module)"
            )
            guard let since else { continue }
            #expect(since.lexicographicallyPrecedes([minimum, 1]), "\(group.names.sorted()) need \(since)")
        }
    }

    @Test func eachEntryNamesWhereItIsKnownFrom() throws {
        let groups = try Self.groups()
        #expect(groups.count > 8)
        for group in groups {
            #expect(
                group.source.hasPrefix("https://developer.apple.com/")
                    || group.source.hasPrefix("https://github.com/apple")
            )
            #expect(Set(group.versions.keys) == Set(ApplePlatform.all.map(\.name)) && !group.names.isEmpty)
        }
    }

    private static func groups() throws -> [Group] {
        let text = try String(contentsOf: Checkout.tests.appendingPathComponent("apis.txt"), encoding: .utf8)
        var groups: [Group] = []
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            if cells.count > 2 {
                let versions = cells[1..<(cells.count - 1)].map { cell in
                    let words = cell.split(separator: " ").map(String.init)
                    let numbers = words[1].split(separator: ".").compactMap { Int($0) }
                    return (words[0], numbers.isEmpty ? nil : Optional(numbers))
                }
                groups.append(
                    Group(
                        module: cells[0],
                        versions: Dictionary(uniqueKeysWithValues: versions),
                        source: cells[cells.count - 1],
                        names: []
                    )
                )
            } else {
                groups[groups.count - 1].names.formUnion(line.split(separator: " ").map(String.init))
            }
        }
        return groups
    }

    /// What the stand-in of a module declares.
    private static func declared(module: String) throws -> Set<String> {
        let standIns = Checkout.tests.appendingPathComponent("StandIn")
        var text = try String(
            contentsOf: standIns.appendingPathComponent("\(module).swift.txt"),
            encoding: .utf8
        )
        if module == "Darwin" {
            text += try String(
                contentsOf: standIns.appendingPathComponent("Darwin/Darwin.h"),
                encoding: .utf8
            )
        }
        let kinds = /(?:public|open) (?:[a-z]+ )*(?:func|var|let|struct|class|enum|protocol) (?<name>\w+)/
        let functions = /(?m)^FUNCTION\([^,]*, (?<name>\w+)/
        let types = /swift_name\("(?<name>\w+)"\)/
        return Set(
            text.matches(of: kinds).map { String($0.output.name) }
                + text.matches(of: functions).map { String($0.output.name) }
                + text.matches(of: types).map { String($0.output.name) }
        )
    }

    /// The words of the conditional files that import a module.
    private static func words(importing module: String) throws -> Set<String> {
        let module = module == "AppleFoundation" ? "Foundation" : module
        var words: Set<String> = []
        for code in conditional where code.contains("import \(module)\n") {
            words.formUnion(code.components(separatedBy: separators))
        }
        return words
    }

    private static let separators = CharacterSet.alphanumerics.union(["_"]).inverted

    /// All files with a condition, without their comments.
    private static let conditional: [String] = {
        let rooms = try? FileManager.default.contentsOfDirectory(atPath: Checkout.root.path + "/Sources")
        return (rooms ?? []).flatMap { Checkout.files(module: $0) }.compactMap { file in
            guard let text = try? String(contentsOf: file, encoding: .utf8), text.contains("#if ") else {
                return nil
            }
            return text.components(separatedBy: "\n").map { $0.components(separatedBy: "//")[0] }.joined(
                separator: "\n"
            )
        }
    }()
}
