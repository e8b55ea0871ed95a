import SyncAccounts
import SyncCore
import SyncFileBackend
import SyncRuntime
import SyncServer

/// A simulated world during a story: the real app on simulated devices, the real folder layout or the real
/// server, and a network, disks and clocks that the story controls.
final class SimulatedWorld: @unchecked Sendable {
    // Steps run sequentially, so nothing here is used concurrently.
    let story: Story
    let schemas: SimulatedSchemas
    private(set) var devices: [SimulatedDevice] = []
    let server: LoopbackServer?
    let serverDisk = SimulatedDisk(seed: 77)
    var oracle: WriteOracle
    var log = StoryLog()
    /// The world's true time.
    var time = SimulatedWorld.start
    var step = 0
    var words = 0
    /// An event that happens once, at a moment of the running sync.
    var interruption: SyncInterruption?
    var hasBackup = false
    var refusedTokens: Set<String> = []
    /// Actions whose result is not known yet.
    var doubtful: [PersonalAct] = []
    /// Actions that failed and left nothing. What they wrote may appear after a crash.
    var lingering: [PersonalAct] = []
    /// Violations found in the middle of a step.
    var violations: [StoryViolation] = []
    /// Whether devices may differ, and say so: in what was deleted longer ago than tombstones stay.
    var mayDiffer = false
    /// An additional promise of a test.
    var extraPromise: (@Sendable (StoryLog) -> StoryViolation?)?
    /// By account and entity, the records that were merged on some device at some time, with their survivors.
    var survivors: [String: [String: [[RecordKey: RecordKey]]]] = [:]
    /// Accounts that were ever signed in.
    var accounts: [String] = ["x"]

    /// An event in the middle of a sync.
    struct SyncInterruption {
        var device: Int
        var moments: Int
        var step: StoryStep
    }

    static let start = Timestamp(microseconds: 1_767_225_600_000_000)
    static let accountNames = ["x", "y"]

    /// Whether what is left at rest is noted.
    var notesOutcome = false
    /// What is left at rest, as lines.
    var outcome: [String] = []

    private let flaws: Set<DiskFlaw>

    init(story: Story, schemas: SimulatedSchemas, flaws: Set<DiskFlaw> = []) {
        self.story = story
        self.schemas = schemas
        self.flaws = flaws
        oracle = WriteOracle(oldest: schemas.old)
        server =
            story.place == .server
            ? LoopbackServer(path: "/server", entities: schemas.new, seed: story.seed, disk: serverDisk) : nil
    }

    /// Runs the story, brings the world to rest, and checks all promises on the way.
    func run() async throws {
        try await begin()
        for (index, step) in story.steps.enumerated() {
            self.step = index + 1
            await perform(step)
            try await check()
            if let violation = extraPromise?(log) { throw violation }
        }
        step = 0
        try await rest()
    }

    private func begin() async throws {
        for name in Self.accountNames { server?.add(Account(id: name, name: name), token: name) }
        for index in 0..<story.devices {
            let seed = story.seed &* 1_000_003 &+ UInt64(index)
            let device = SimulatedDevice(
                index: index,
                entities: schemas.old,
                seed: seed,
                start: time,
                flaws: flaws
            ) {
                [unowned self] account in try remote(index: index, account: account)
            }
            devices.append(device)
            try await device.start()
            try await device.use("x")
        }
    }

    private func remote(index: Int, account: AccountID) throws -> any RemoteBackend {
        let base = try base(account: account.text ?? "guest", device: devices[index])
        return BusyBackend(base: base) { [unowned self] moment in await arrive(device: index, moment: moment)
        }
    }

    /// The remote itself, as a device reaches it. Throws errors of the server's address.
    func base(account name: String, device: SimulatedDevice) throws -> any RemoteBackend {
        guard let server else {
            return FolderBackend(storage: device.disk.objects(in: Self.folder(account: name)))
        }
        return try server.backend(
            token: name,
            clock: device.clock,
            random: SeededRandom(story.seed &+ UInt64(device.index))
        )
    }

    static func folder(account: String) -> String { "/shared-\(account)" }

    /// Handles a moment in a device's sync: runs the scheduled event if it is due.
    private func arrive(device: Int, moment: String) async {
        guard var due = interruption, due.device == device else { return }
        due.moments -= 1
        interruption = due.moments < 0 ? nil : due
        guard due.moments < 0 else { return }
        note(.change, device: device, text: "(\(moment), while its sync runs:)")
        await perform(due.step)
    }

    /// The names of the devices, by index.
    var names: [String] { devices.map(\.name) }

    func note(
        _ kind: StoryLog.Kind,
        device: Int?,
        text: String,
        peer: Int? = nil,
        traffic: StoryLog.Traffic? = nil
    ) {
        log.add(
            StoryLog.Entry(
                step: step,
                device: device,
                time: time,
                kind: kind,
                peer: peer,
                traffic: traffic,
                text: text
            )
        )
    }

    /// Lets time pass and advances all clocks.
    func pass(seconds: Int64) {
        time.microseconds += seconds * 1_000_000
        for device in devices { device.clock.advance(seconds: seconds) }
        server?.clock.advance(seconds: seconds)
    }
}

/// The entities in the present and the next version of the app.
struct SimulatedSchemas: Sendable {
    let old: [EntityDescriptor]
    let new: [EntityDescriptor]

    /// The field that the next version adds.
    static let added = "simulatedAddition"

    init(_ entities: [EntityDescriptor]) {
        old = EntityOrder.sorted(entities)
        new = old.map(Self.withAddition)
    }

    private static func withAddition(entity: EntityDescriptor) -> EntityDescriptor {
        let addition = FieldDescriptor(
            name: added,
            wirePath: ["simulated_addition"],
            type: .string(),
            isNullable: true
        )
        return entity.with(fields: entity.fields + [addition], version: entity.version + 1)
    }
}
