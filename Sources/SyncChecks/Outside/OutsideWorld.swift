import SyncCore
import SyncFileBackend
import SyncRuntime
import SyncServer
import SyncServerBackend
import SyncWire

/// An outside world during a story.
final class OutsideWorld: @unchecked Sendable {
    // Steps run sequentially, so nothing here is used concurrently.
    let story: OutsideStory
    /// The schemas of its app.
    let versions: OutsideVersions
    let promises: Set<OutsidePromise>
    private(set) var devices: [OutsideDevice] = []
    let server: LoopbackServer?
    /// The disk with the shared folder.
    let shared: SimulatedDisk
    /// The files of the cloud drive, by path below the folder.
    var cloud: [String: [UInt8]] = [:]
    /// Former contents of files, by path.
    var former: [String: [[UInt8]]] = [:]
    var oracle = PersonOracle()
    /// Records that a device could not read, and whose bytes its person had forgotten there: they stay at the remote.
    var forgotten: Set<RecordID> = []
    var step = 0
    /// Selects the record of the present step.
    private(set) var focus = 0
    var lines: [String] = []
    /// The violated promises, in the order in which they were found.
    private(set) var violations: [StoryViolation] = []
    private let clock = ManualClock(Timestamp(microseconds: 1_767_225_600_000_000))
    private var keys = 0
    /// The number of generated words.
    var drawn = 0

    /// Called before each step and before rest.
    var onStep: OutsideSimulator.StepAction?
    var isStopped: @Sendable () -> Bool = { false }
    /// Whether new records get one of a few keys.
    var sharesKeys = false

    /// Whether people write while a sync runs.
    var writesDuringSyncs = false
    /// Whether a person writes now while a sync runs.
    var isWhileSyncing = false

    /// Whether a push to a server is prepared while the one before it is under way.
    var preparesAhead = false

    /// Whether people choose on each device, and change their minds, who wins where a record was edited twice.
    var choosesStrategies = false

    /// Whether forms are saved without the version that was read, as a program would that knows of none.
    var formsForget = false

    /// The world was given up.
    struct Stop: Error {}

    /// Throws `Stop` if the world is to be given up.
    func checkStop() throws {
        if isStopped() { throw Stop() }
    }

    static let folder = "/folder"
    private static let token = "everyone"

    /// Whether the server refuses some words.
    let isStrict: Bool

    /// A world of a story. `server` is used in place of the world's own, and takes every word.
    init(
        story: OutsideStory,
        entities: [EntityDescriptor],
        promises: Set<OutsidePromise>,
        server given: LoopbackServer? = nil
    ) {
        self.story = story
        let versions = story.changes.map { OutsideVersions(entities, bits: $0) } ?? OutsideVersions(entities)
        self.versions = versions
        self.promises = promises.intersection(versions.promises)
        shared = SimulatedDisk(seed: story.seed)
        let isStrict = story.place == .server && given == nil && story.seed % 3 == 0
        self.isStrict = isStrict
        server =
            story.place == .server
            ? given
                ?? LoopbackServer(
                    path: "/server",
                    entities: isStrict ? versions.served.map { FieldRoles($0).strict } : versions.served,
                    seed: story.seed,
                    disk: SimulatedDisk(seed: 77)
                ) : nil
        server?.add(Account(id: "x", name: "x"), token: Self.token)
    }

    /// Runs the story, brings the world to rest, and checks its promises.
    func run() async throws {
        setFaults(nil)
        for index in 0..<story.devices {
            let device = makeDevice(String(UnicodeScalar(UInt8(65 + index % 26))), index: index)
            devices.append(device)
            if writesDuringSyncs { letWriteDuringSyncs(device) }
            if choosesStrategies { letChoose(device) }
            try device.open()
        }
        for (index, step) in story.steps.enumerated() {
            self.step = index + 1
            try await actBeforeStep(index + 1)
            try await perform(step)
        }
        step = 0
        try await actBeforeStep(nil)
        try await rest()
    }

    private func actBeforeStep(_ number: Int?) async throws {
        try checkStop()
        for event in try await onStep?(number) ?? [] { log(device: nil, text: event) }
    }

    func closeAll() { for device in devices { device.close() } }

    /// The devices whose people are still present.
    var present: [OutsideDevice] { devices.filter { !$0.isGone } }

    func makeDevice(_ name: String, index: Int) -> OutsideDevice {
        OutsideDevice(
            name: name,
            index: index,
            entities: versions.old,
            seed: story.seed &* 1_000_003 &+ UInt64(index),
            clock: clock
        ) { [unowned self] device in try remote(device: device) }
    }

    private func remote(device: OutsideDevice) throws -> any RemoteBackend {
        server == nil ? folderBackend(device: device) : try serverBackend(device: device)
    }

    /// The backend of the account on the server.
    func serverBackend(device: OutsideDevice) throws -> any RemoteBackend {
        guard let server else { return folderBackend(device: device) }
        return try server.backend(
            token: Self.token,
            clock: clock,
            random: SeededRandom(story.seed &+ UInt64(device.index)),
            limits: preparesAhead
                ? HTTPLimits(pushChanges: 1 + device.index, aheadBytes: 0)
                : LoopbackServer.limits
        )
    }

    /// The folder that a device sees: the shared one, or its own copy.
    func folderBackend(device: OutsideDevice) -> FolderBackend {
        folderBackend(on: story.place == .folder ? shared : device.disk)
    }

    func folderBackend(on disk: SimulatedDisk) -> FolderBackend {
        var limits = FolderLimits()
        limits.maxOwnFiles = 1
        limits.collectBytes = 64
        limits.numberJump = 100
        return FolderBackend(storage: disk.objects(in: Self.folder), limits: limits)
    }

    // MARK: Steps

    private func perform(_ step: OutsideStep) async throws {
        guard devices.indices.contains(step.device), !devices[step.device].isGone else { return }
        let device = devices[step.device]
        var draw = Seed(step.bits)
        focus = Int(step.focus % 1_000)
        pass(seconds: max(0, Int64.random(in: -5...20, using: &draw)))
        do {
            switch step.kind {
            case .create: try create(device, draw: &draw)
            case .edit: try edit(device, draw: &draw)
            case .undo: try undo(device, draw: &draw)
            case .delete: try delete(device, draw: &draw)
            case .takeIn: try takeIn(device, draw: &draw)
            case .look: try look(device)
            case .read: try openForm(device)
            case .save: try saveForm(device, draw: &draw)
            case .undelete: try undelete(device, draw: &draw)
            case .seed: try seed(device, draw: &draw)
            case .move: try move(device, draw: &draw)
            case .resolve: try resolve(device: device, draw: &draw)
            case .restore: try restore(device, draw: &draw)
            case .retry: try answerRejection(device, draw: &draw, discards: false)
            case .discard: try answerRejection(device, draw: &draw, discards: true)
            case .sync: _ = await sync(device)
            case .update: try update(device)
            case .syncAll:
                for _ in 0..<2 { for device in present { await meet(device) } }
                for index in oracle.deletes.indices { oracle.deletes[index].isPublished = true }
            case .pass:
                log(device: nil, text: "40 days pass")
                pass(seconds: 40 * 86_400)
            case .loseAnswer, .crash, .travel, .travelAll, .oldFile:
                try await failTransfer(kind: step.kind, device: device, draw: &draw)
            default: try await misfortune(kind: step.kind, device: device, draw: &draw)
            }
        } catch let error as SyncError {
            log(device: device, text: "\(step.kind.rawValue) fails: \(error.message)")
            // NB: a refused action is not a violation, but a store that cannot be opened is.
            if error.kind == .unreadableStore || error.kind == .inputOutput {
                report(.noSurprise, text: "\(device.name) fails: \(error.message)")
            }
        }
    }

    /// Whether the server always answers some records with an error.
    var isPoisoned: Bool { story.place == .server && story.seed % 7 == 3 && !isStrict }

    /// Sets the server's faults: those of the story, and permanent ones for some records.
    func setFaults(_ plan: LoopbackServer.FaultPlan?) {
        let isPoisoned = isPoisoned
        server?.setFaults { count, request in
            if let fault = plan?(count, request) { return fault }
            guard isPoisoned, request.body.contains(UInt8(ascii: "~")) else { return nil }
            return .answer(HTTPResponse(status: 503))
        }
    }

    func pass(seconds: Int64) {
        clock.advance(seconds: seconds)
        server?.clock.advance(seconds: seconds)
    }

    var now: Timestamp { clock.now() }

    /// An unused key such as `q7`. Its first letter determines the order of keys.
    func freshKey(device: OutsideDevice, draw: inout Seed) -> String {
        keys += 1
        if sharesKeys { return "k\(Int.random(in: 1...3, using: &draw))" }
        let letter = UnicodeScalar(UInt8(97 + (Int.random(in: 0..<26, using: &draw) + 7 * device.index) % 26))
        return "\(letter)\(keys)"
    }

    // MARK: Reporting

    func log(device: OutsideDevice?, text: String) {
        let number = step == 0 ? "rest" : "\(step)"
        let pad = String(repeating: " ", count: max(0, 4 - number.count))
        lines.append("\(pad)\(number)  \(device?.name ?? "-")  \(text)")
    }

    func report(_ promise: OutsidePromise, text: String) {
        guard promises.contains(promise), !violations.contains(where: { $0.rule == promise.rawValue }) else {
            return
        }
        violations.append(StoryViolation(promise: promise, description: text))
    }

    func json(record: Record, entity: EntityDescriptor) -> String {
        String(decoding: RecordEncoder(descriptor: entity, form: .plain).bytes(record), as: UTF8.self)
    }
}
