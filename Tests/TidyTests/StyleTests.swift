import Testing

@Suite struct StyleTests {
    static let maxFileLines = 400
    static let maxFunctionLines = 70
    static let maxColumns = 120

    @Test func noFileIsLongerThanItsReadersPatience() throws {
        for file in try Repository.swiftFiles(
            folders: "Sources",
            "Plugins",
            "Schemas",
            "Tests/Benchmarks/Sources"
        ) {
            #expect(file.lines.count <= Self.maxFileLines + 1, "\(file.path) has \(file.lines.count) lines")
        }
    }

    @Test func everyFunctionFitsAScreen() throws {
        for file in try Repository.swiftFiles(folders: "Sources", "Plugins", "Tests/Benchmarks/Sources") {
            for (name, length) in Self.functions(lines: file.lines) {
                #expect(length <= Self.maxFunctionLines, "\(file.path): \(name) has \(length) lines")
            }
        }
    }

    @Test func linesFitTheWidth() throws {
        for file in try Repository.swiftFiles(
            folders: "Sources",
            "Plugins",
            "Schemas",
            "Tests/Benchmarks/Sources"
        ) {
            for (number, line) in file.lines.enumerated()
            where line.utf8.count > Self.maxColumns && !line.holds("\"") && !line.holds("///") {
                #expect(line.count <= Self.maxColumns, "\(file.path):\(number + 1)")
            }
        }
    }

    @Test func everyPublicDeclarationHasASentence() throws {
        let words = [
            "struct", "class", "enum", "protocol", "actor", "func", "var", "let", "init", "typealias",
            "static", "final",
        ]
        for file in try Repository.swiftFiles(folders: "Sources") {
            for (number, line) in file.lines.enumerated() {
                let parts = line.split(separator: " ")
                guard parts.first == "public", parts.count > 1,
                    words.contains(where: { parts[1].hasPrefix($0) }),
                    !Self.isConformance(line)
                else { continue }
                #expect(
                    Self.isDocumented(lines: file.lines, number: number),
                    "\(file.path):\(number + 1) \(line)"
                )
            }
        }
    }

    @Test func nothingTrapsWithoutAReason() throws {
        let banned = ["try!", "as!", "fatalError()", "TODO", "FIXME", "XXX"]
        for file in try Repository.swiftFiles(folders: "Sources", "Plugins", "Tests/Benchmarks/Sources") {
            for (number, line) in file.lines.enumerated() {
                for word in banned where line.holds(word) && !line.holds("\"") {
                    Issue.record("\(file.path):\(number + 1) has \(word)")
                }
            }
        }
    }

    /// What is sent to other devices or kept must not be what the compiler prints of a value: that changes with a member's
    /// name, a module or a toolchain.
    @Test func nothingThatIsSentOrKeptComesFromReflection() throws {
        let modules: Set<String> = [
            "SyncModel", "SyncCore", "SyncWire", "SyncStore", "SyncRuntime", "SyncSchedule", "SyncAccounts",
            "SyncFiles", "SyncFileBackend",
            "SyncHTTPClient", "SyncServerBackend", "SyncSupabaseBackend",
        ]
        let reflections = ["String(describing:", "String(reflecting:", "Mirror(reflecting:", "dump("]
        for file in try Repository.swiftFiles(folders: "Sources") where modules.contains(file.module) {
            for (number, line) in file.lines.enumerated() {
                let isPrinted = line.holds(".type)") && line.firstMatch(of: /\\\([^()]*\.type\)/) != nil
                #expect(
                    !isPrinted && !reflections.contains(where: line.holds),
                    "\(file.path):\(number + 1) prints a value by reflection"
                )
            }
        }
    }

    /// Members that a protocol or the standard library documents already.
    private static func isConformance(_ line: String) -> Bool {
        let names = [
            "func hash(into", "static func ==", "static func <", "var description", "func encode(to",
            "init(from decoder",
            "func now()", "func next()", "func read(_ row", "func bind(", "func presence(", "func boolean(",
            "func integer(",
            "func number(", "func timestamp(", "func text(", "func bytes(", "var unknown", "func withText",
            "var id:",
            "func bindNull", "init?(rawValue", "var rawValue", "static var configuration", "func run()",
            "func validate()",
        ]
        return names.contains { line.holds($0) }
    }

    private static func isDocumented(lines: [String], number: Int) -> Bool {
        var above = number - 1
        while above >= 0 {
            let line = lines[above].drop { $0 == " " }
            if line.hasPrefix("///") { return true }
            guard line.hasPrefix("@") else { return false }
            above -= 1
        }
        return false
    }

    /// Functions with their length, by the indentation of their closing brace.
    private static func functions(lines: [String]) -> [(String, Int)] {
        var result: [(String, Int)] = []
        for (number, line) in lines.enumerated() {
            guard line.holds("func ") || line.holds(" init("),
                !line.drop(while: { $0 == " " }).hasPrefix("//")
            else { continue }
            let indent = line.prefix { $0 == " " }
            guard
                let end = lines[(number + 1)...].firstIndex(where: {
                    $0.hasPrefix(indent + "}") && $0.dropFirst(indent.count + 1).allSatisfy { $0 == " " }
                })
            else { continue }
            let next = lines[(number + 1)..<end].firstIndex {
                $0.hasPrefix(indent) && !$0.hasPrefix(indent + " ") && !$0.hasPrefix(indent + ")")
                    && !$0.isEmpty
            }
            if next == nil { result.append((String(line.trimmingPrefix(indent)), end - number + 1)) }
        }
        return result
    }
}
