#if Server
    import Foundation
    import ProgramRuns
    import Testing

    /// A device of an account.
    struct Device {
        let stage: Stage
        let store: String
        var token: String

        static let entities = ["bookmark", "note", "word"]

        /// Runs a command with the device's store.
        @discardableResult
        func run(arguments: String...) async throws -> Run { try await run(arguments: arguments) }

        private func run(arguments: [String]) async throws -> Run {
            try await stage.start(
                program: .synccheck,
                arguments: arguments + ["--store", store],
                token: token
            ).end()
        }

        /// Runs a command that must succeed, and returns its output.
        @discardableResult
        func must(arguments: String..., sourceLocation: SourceLocation = #_sourceLocation) async throws
            -> String
        {
            let run = try await run(arguments: arguments)
            #expect(run.exitCode == 0, "\(arguments): \(run.error)", sourceLocation: sourceLocation)
            return run.output
        }

        func put(
            _ entity: String,
            key: String,
            title: String,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let json = #"{"id":"\#(key)","title":"\#(title)"}"#
            try await must(arguments: "put", entity, json, sourceLocation: sourceLocation)
        }

        /// Syncs, which must succeed.
        @discardableResult
        func sync(
            _ server: RunningServer,
            more: String...,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws -> Report {
            let run = try await run(arguments: ["sync", "--remote", server.url, "--json"] + more)
            #expect(run.exitCode == 0, "\(run.output)\(run.error)", sourceLocation: sourceLocation)
            return try Report(run.output)
        }

        /// Syncs, which must fail. Returns the error.
        func syncRefused(
            _ server: RunningServer,
            exitCode: Int32,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws -> String {
            let run = try await run(arguments: ["sync", "--remote", server.url])
            #expect(run.exitCode == exitCode, "\(run.output)\(run.error)", sourceLocation: sourceLocation)
            let lines = run.error.split(separator: "\n").map { String($0.prefix(6)) }
            #expect(lines == ["error:", "help: "], "\(run.error)", sourceLocation: sourceLocation)
            return run.error
        }

        /// All live records as exported by the tool.
        func export(sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
            var text = ""
            for entity in Self.entities {
                text += try await must(arguments: "export", entity, sourceLocation: sourceLocation)
            }
            return text
        }

        /// All live records as `bookmark/b1=title`.
        func records(sourceLocation: SourceLocation = #_sourceLocation) async throws -> [String] {
            var records: [String] = []
            for entity in Self.entities {
                let text = try await must(arguments: "export", entity, sourceLocation: sourceLocation)
                for line in text.split(separator: "\n") {
                    let record = try #require(
                        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String]
                    )
                    records.append("\(entity)/\(record["id"] ?? "?")=\(record["title"] ?? "?")")
                }
            }
            return records
        }

        /// Expects exactly these records.
        func expect(_ records: [String], sourceLocation: SourceLocation = #_sourceLocation) async throws {
            let held = try await self.records(sourceLocation: sourceLocation)
            #expect(held == records, "\(store)", sourceLocation: sourceLocation)
        }

        /// A count of one entity, such as `pending`.
        func count(name: String, entity: String) async throws -> Int {
            let text = try await must(arguments: "status", "--json")
            let status = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            let entities = status?["entities"] as? [String: [String: Int]]
            return try #require(entities?[entity]?[name])
        }

        /// Keys in conflict.
        func conflicts() async throws -> [String] {
            let text = try await must(arguments: "conflicts", "--json")
            let conflicts = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
            return try #require(conflicts).map { "\($0["entity"] ?? "")/\($0["key"] ?? "")" }
        }
    }

    /// The report of a sync.
    struct Report {
        var outcome: String
        var requests: Int
        private let entities: [String: [String: Int]]

        init(_ text: String) throws {
            let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            outcome = try #require(object?["outcome"] as? String)
            requests = try #require(object?["requests"] as? Int)
            entities = try #require(object?["entities"] as? [String: [String: Int]])
        }

        /// The sum of a count over all entities.
        func total(name: String) -> Int { entities.values.reduce(0) { $0 + ($1[name] ?? 0) } }
    }
#endif
