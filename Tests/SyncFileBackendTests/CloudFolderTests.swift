import SyncCore
import SyncFiles
import Testing

@testable import SyncFileBackend

/// What a folder service has not downloaded yet is asked for, waited for with a limit, and told then.
@Suite struct CloudFolderTests {
    let disk = MemoryFileSystem()
    let folder = "/disk/shared/entitysync/0000000000000001"

    /// A folder service that brings a file some seconds after it was asked for it. Nothing here takes real time.
    private final class Service: SyncSleeper {
        struct State {
            var asked: [String] = []
            var slept = 0.0
            var accesses: Set<DownloadService.Access> = []
        }

        let state = Guarded(State())
        private let disk: MemoryFileSystem
        private let files: [String: MemoryFileSystem.Node]
        private let seconds: Double
        private let holds: Bool

        /// Brings `files` after `seconds`.
        init(
            disk: MemoryFileSystem,
            files: [String: MemoryFileSystem.Node],
            seconds: Double,
            holds: Bool = true
        ) {
            (self.disk, self.files, self.seconds, self.holds) = (disk, files, seconds, holds)
        }

        var asked: [String] { state.use { $0.asked } }
        var slept: Double { state.use { $0.slept } }

        func sleep(seconds: Double) async throws {
            let (slept, asked) = state.use { state in
                state.slept += seconds
                return (state.slept, state.asked)
            }
            guard slept >= self.seconds else { return }
            for path in asked {
                guard let node = files[path], let slash = path.lastIndex(of: "/") else { continue }
                let name = String(path[path.index(after: slash)...])
                disk.nodes["\(path[..<slash])/\(CloudPlaceholder.name(of: name))"] = nil
                disk.nodes[path] = node
            }
        }

        func device(number: UInt64, sleeper: (any SyncSleeper)? = nil) -> TestDevice {
            let device = TestDevice(number: number, files: disk)
            let service = DownloadService(
                holds: { [holds] path in holds && path == "/disk/shared" },
                download: { [state] path in state.use { $0.asked.append(path) } },
                coordinate: { [state] _, access, body in
                    state.use { _ = $0.accesses.insert(access) }
                    try body()
                }
            )
            device.downloads = FolderDownloads(
                root: "/disk/shared",
                service: service,
                sleeper: sleeper ?? self,
                maxSeconds: 3
            )
            return device
        }
    }

    /// Replaces files by their placeholders. Returns them.
    private func evict(_ paths: [String]) -> [String: MemoryFileSystem.Node] {
        var nodes: [String: MemoryFileSystem.Node] = [:]
        for path in paths {
            nodes[path] = disk.nodes[path]
            disk.nodes[path] = nil
            let name = String(path.split(separator: "/").last ?? "")
            disk.put("\(path.dropLast(name.count))\(CloudPlaceholder.name(of: name))", text: "bplist")
        }
        return nodes
    }

    /// A device that has published three segments, and the path of the last.
    private func published() async throws -> (TestDevice, String) {
        let one = TestDevice(number: 1, files: disk)
        for key in ["a", "b", "c"] {
            one.edit(key, value: key)
            try await one.sync()
        }
        return (one, disk.file(numbers: "\(folder)/segment-00000003"))
    }

    @Test func whatIsInTheCloudIsAskedForAndAwaited() async throws {
        let (one, path) = try await published()
        let service = Service(disk: disk, files: evict([path, "\(folder)/device.json"]), seconds: 1)
        let two = service.device(number: 2)
        #expect(try await two.sync().diagnostics.isEmpty)
        #expect(one.heads == two.heads)
        #expect(Set(service.asked) == [path, "\(folder)/device.json"] && service.asked.count == 2)
        #expect(service.slept == 1)
    }

    @Test func whatDoesNotComeIsToldAfterTheTime() async throws {
        let (one, path) = try await published()
        let files = evict([path])
        let service = Service(disk: disk, files: files, seconds: 6.5)
        let two = service.device(number: 2)
        let outcome = try await two.sync()
        #expect(outcome.serious == ["placeholder"] && service.slept == 3)
        #expect(outcome.diagnostics[0].place.hasSuffix(String(path.split(separator: "/").last ?? "")))
        #expect(outcome.diagnostics[0].message.contains("free space"))
        #expect(two.heads.count == 2, "what is there is taken")
        #expect(try await two.sync().serious == ["placeholder"])
        #expect(service.slept == 6 && service.asked == [path, path], "each sync asks and waits anew")
        #expect(try await two.sync().diagnostics.isEmpty)
        #expect(one.heads == two.heads)
    }

    @Test func whatWasTakenIsNotBroughtBack() async throws {
        let (_, path) = try await published()
        let service = Service(disk: disk, files: [:], seconds: 100)
        let two = service.device(number: 2)
        try await two.sync()
        _ = evict([path, disk.file(numbers: "\(folder)/segment-00000001")])
        disk.put("\(folder)/.photo.jpg.icloud", text: "bplist")
        #expect(try await two.sync().serious.isEmpty)
        #expect(service.asked.isEmpty && service.slept == 0)
    }

    @Test func ownFilesAreAskedForWithoutAWait() async throws {
        let (one, path) = try await published()
        let service = Service(disk: disk, files: [:], seconds: 100)
        let again = service.device(number: 1)
        (again.binding, again.cursor) = (one.binding, one.cursor)
        _ = evict([path])
        try await again.sync()
        #expect(service.asked == [path] && service.slept == 0)
    }

    @Test func aFolderWhoseOwnPlaceDoesNotComeIsRefused() async throws {
        let one = TestDevice(number: 1, files: disk)
        try await one.sync()
        _ = evict(["\(folder)/device.json"])
        let service = Service(disk: disk, files: [:], seconds: 100)
        let again = service.device(number: 1)
        (again.binding, again.cursor) = (one.binding, one.cursor)
        let error = await #expect(throws: SyncError.self) { try await again.sync() }
        #expect(error?.kind == .unreachable && error?.retry == .later && service.slept == 3)
    }

    @Test func aCancelledWaitEndsTheSync() async throws {
        struct Cancelled: SyncSleeper {
            func sleep(seconds: Double) async throws { throw CancellationError() }
        }
        let (_, path) = try await published()
        let service = Service(disk: disk, files: evict([path]), seconds: 1)
        let two = service.device(number: 2, sleeper: Cancelled())
        await #expect(throws: CancellationError.self) { try await two.sync() }
    }

    @Test func filesOfAServiceAreReadAndWrittenInTurn() async throws {
        let (_, path) = try await published()
        let service = Service(disk: disk, files: [:], seconds: 1)
        let two = service.device(number: 2)
        two.edit("d", value: "d")
        try await two.sync()
        #expect(service.state.use { $0.accesses } == [.reading, .replacing])
        let other = Service(disk: disk, files: [path: .folder], seconds: 1, holds: false)
        let three = other.device(number: 3)
        try await three.sync()
        #expect(other.state.use { $0.accesses } == [], "a folder that no service holds needs no turn")
        #expect(two.heads == three.heads)
    }

    @Test(arguments: ["a", "segment-00000001.ndjson", "b.icloud"])
    func aPlaceholderNamesItsFile(name: String) {
        #expect(CloudPlaceholder.file(name: CloudPlaceholder.name(of: name)) == name)
        #expect(CloudPlaceholder.file(name: name) == nil)
        #expect(
            CloudPlaceholder.file(name: "..icloud") == nil && CloudPlaceholder.file(name: ".icloud") == nil
        )
    }
}
