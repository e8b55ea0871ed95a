#if Server
    import Foundation
    import ProgramRuns
    import Testing

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// Tests that run the built programs as processes. They run one at a time, because each starts several
    /// programs or a hundred writers.
    @Suite(.serialized, .ownThreads) enum ProcessTests {}

    /// The longest of the same kind, beside the others: most of their time they wait.
    @Suite(.serialized, .ownThreads) enum LongProcessTests {}

    /// A folder with schemas, and the programs that a test starts in it. Everything is ended and removed
    /// after the test.
    final class Stage {
        let folder: URL
        private var children: [Child] = []

        /// Runs a test.
        static func run(_ body: (Stage) async throws -> Void) async throws {
            let stage = try Stage()
            do {
                try await body(stage)
            } catch {
                try await stage.end()
                throw error
            }
            try await stage.end()
        }

        private init() throws {
            folder = FileManager.default.temporaryDirectory.appendingPathComponent(
                "syncserver-process-\(UUID().uuidString)"
            )
            for (name, strategy) in [
                ("bookmark", "preserve-local"), ("note", "last-write-wins"), ("word", "set-union"),
            ] {
                try write("Schemas/\(name).schema.json", text: Self.schema(name: name, strategy: strategy))
            }
        }

        private static func schema(name: String, strategy: String) -> String {
            """
            {
              "$schema": "https://json-schema.org/draft/2020-12/schema",
              "title": "\(name.capitalized)", "type": "object",
              "properties": { "id": { "type": "string" }, "title": { "type": "string" } },
              "required": ["id", "title"],
              "sync": { "key": "id", "strategy": "\(strategy)" }
            }

            """
        }

        private func end() async throws {
            defer { try? FileManager.default.removeItem(at: folder) }
            for child in children { child.signal(SIGKILL) }
            for child in children { _ = try await child.end() }
        }

        func url(path: String) -> URL { folder.appendingPathComponent(path) }

        func exists(path: String) -> Bool { FileManager.default.fileExists(atPath: url(path: path).path) }

        func write(_ path: String, text: String) throws {
            let url = url(path: path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(text.utf8).write(to: url)
        }

        func copy(_ source: String, over target: String) throws {
            if exists(path: target) { try FileManager.default.removeItem(at: url(path: target)) }
            try FileManager.default.copyItem(at: url(path: source), to: url(path: target))
        }

        /// Starts a program that keeps running.
        func start(
            program: Program,
            arguments: [String],
            token: String? = nil,
            database: String? = nil
        ) throws -> Child {
            var environment: [String: String] = [:]
            environment["SYNCCHECK_TOKEN"] = token
            environment["SYNCSERVER_DATABASE"] = database
            let child = try Child(
                program: program,
                arguments: arguments,
                in: folder,
                environment: environment
            )
            children.append(child)
            return child
        }

        /// Starts another program than those of the package.
        func start(file: URL, arguments: [String]) throws -> Child {
            let child = try Child(program: file, arguments: arguments, in: folder)
            children.append(child)
            return child
        }

        /// Runs a program to its end.
        @discardableResult
        func run(program: Program, arguments: String..., token: String? = nil) async throws -> Run {
            try await start(program: program, arguments: arguments, token: token).end()
        }

        /// Starts a server and waits until it listens.
        func server(data: String = "data", port: Int = 0, _ more: String...) async throws -> RunningServer {
            try await listening(
                child: start(
                    program: .syncserver,
                    arguments: ["--schemas", "Schemas", "--data", data, "--port", "\(port)"] + more
                )
            )
        }

        /// Starts a server with its records in a database, and waits until it listens.
        func server(database: String, data: String = "data", _ more: [String] = []) async throws
            -> RunningServer
        {
            try await listening(
                child: start(
                    program: .syncserver,
                    arguments: ["--schemas", "Schemas", "--data", data, "--port", "0"] + more,
                    database: database
                )
            )
        }

        /// Starts a server with a limit of open files, and waits until it listens.
        func server(openFiles: Int, more: [String] = []) async throws -> RunningServer {
            try await listening(child: startServer(openFiles: openFiles, more))
        }

        /// Starts a server from a shell with a limit of open files, and optionally with a log pipe that
        /// nobody reads.
        func startServer(
            openFiles: Int? = nil,
            log: String? = nil,
            script first: String? = nil,
            _ more: [String] = []
        ) throws -> Child {
            var script = openFiles.map { "ulimit -n \($0); " } ?? ""
            if let first { script += first + "; " }
            if let log { script += "mkfifo \(log); exec 3<>\(log); " }
            script += #"exec "$0" "$@""# + (log.map { " 2>\($0)" } ?? "")
            let child = try Child(
                program: URL(fileURLWithPath: "/bin/sh"),
                arguments: [
                    "-c", script, Program.syncserver.url.path, "--schemas", "Schemas", "--data", "data",
                ]
                    + ["--port", "0"] + more,
                in: folder
            )
            children.append(child)
            return child
        }

        /// Waits until a server listens.
        func listening(child: Child) async throws -> RunningServer {
            try await eventually(what: "the server listens") {
                #expect(child.isRunning, "\(child.error)")
                return !child.isRunning || child.output.contains("\n")
            }
            let line = child.output.split(separator: "\n").first ?? ""
            let prefix = "listening on http://127.0.0.1:"
            try #require(line.hasPrefix(prefix), "\(child.error)")
            return RunningServer(child: child, port: try #require(Int(line.dropFirst(prefix.count))))
        }

        /// Adds an account and returns its token.
        func token(name: String, data: String = "data", entities: String? = nil) async throws -> String {
            let more = entities.map { ["--entities", $0] } ?? []
            let run = try await start(
                program: .syncserver,
                arguments: ["account", "add", name, "--data", data] + more
            ).end()
            #expect(run.exitCode == 0, "\(run.error)")
            return run.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }

        /// A device of an account with its own store.
        func device(name: String, token: String) -> Device {
            Device(stage: self, store: "\(name).sqlite", token: token)
        }
    }

    /// A listening server.
    struct RunningServer {
        let child: Child
        let port: Int

        var url: String { "http://127.0.0.1:\(port)" }

        /// The processor time that it has used; 0 if the system does not provide it.
        func processorSeconds() throws -> Double {
            guard let text = try? String(contentsOfFile: "/proc/\(child.processID)/stat", encoding: .utf8)
            else { return 0 }
            let fields = text.split(separator: ")").last?.split(separator: " ").map(String.init) ?? []
            guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
                return 0
            }
            return (user + system) / 100
        }

        /// Stops the server gracefully.
        func stop(sourceLocation: SourceLocation = #_sourceLocation) async throws {
            child.signal(SIGTERM)
            let run = try await child.end()
            #expect(run.exitCode == 0, "\(run.error)", sourceLocation: sourceLocation)
        }

        /// Kills the server.
        func crash() async throws {
            child.signal(SIGKILL)
            #expect(try await child.end().exitCode == -SIGKILL)
        }
    }
#endif
