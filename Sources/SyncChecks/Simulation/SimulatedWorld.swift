import SyncCore
import SyncFileBackend
import SyncRuntime
import SyncServer

/// One world on its way through a story: the real app on simulated devices, the real folder layout or the real server, and a
/// network, disks and clocks that do as the story says.
final class SimulatedWorld: @unchecked Sendable {
    // One sequence of steps: nothing here is used from two places at once.
    let story: Story
    let schemas: SimulatedSchemas
    private(set) var devices: [SimulatedDevice] = []
    let server: LoopbackServer?
    let serverDisk = SimulatedDisk(seed: 77)
    var ledger: Ledger
    var log = StoryLog()
    /// The world's own time.
    var time = SimulatedWorld.start
    var step = 0
    var words = 0
    /// What is to happen once at a moment of the running sync.
    var interlude: SyncInterruption?
    var hasBackup = false
    var refusedTokens: Set<String> = []
    /// Acts of which it is not known yet whether they are on the disk.
    var doubtful: [PersonalAct] = []
    /// Acts that failed and left nothing, until the device goes off: what they wrote may come to light then.
    var lingering: [PersonalAct] = []
    /// Broken promises that were found in the middle of a step.
    var violations: [StoryViolation] = []
    /// A promise that only a test makes.
    var extraPromise: (@Sendable (StoryLog) -> StoryViolation?)?
    /// Accounts that somebody signed in to.
    var accounts: [String] = ["x"]

    /// Something that happens in the middle of a sync.
    struct SyncInterruption {
        var device: Int
        var moments: Int
        var step: StoryStep
    }

    static let start = Timestamp(microseconds: 1_767_225_600_000_000)
    static let accountNames = ["x", "y"]

    private let flaws: Set<DiskFlaw>

    init(story: Story, schemas: SimulatedSchemas, flaws: Set<DiskFlaw> = []) {
        self.story = story
        self.schemas = schemas
        self.flaws = flaws
        ledger = Ledger(oldest: schemas.old)
        server =
            story.place == .server
            ? LoopbackServer(path: "/server", entities: schemas.new, seed: story.seed, disk: serverDisk) : nil
    }

    /// Plays the story, brings the world to rest, and holds it to all promises on the way.
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
        let device = devices[index]
        let name = account.text ?? "guest"
        let base: any RemoteBackend
        if let server {
            base = try server.backend(
                token: name,
                clock: device.clock,
                random: SeededRandom(story.seed &+ UInt64(index))
            )
        } else {
            base = FolderBackend(storage: device.disk.objects(in: Self.folder(account: name)))
        }
        return BusyBackend(base: base) { [unowned self] moment in await arrive(device: index, moment: moment)
        }
    }

    static func folder(account: String) -> String { "/shared-\(account)" }

    /// A moment of a sync of a device: the time for what the story wants to happen there.
    private func arrive(device: Int, moment: String) async {
        guard var due = interlude, due.device == device else { return }
        due.moments -= 1
        interlude = due.moments < 0 ? nil : due
        guard due.moments < 0 else { return }
        note(.change, device: device, text: "(\(moment), while its sync runs:)")
        await perform(due.step)
    }

    /// Names of devices, by position.
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

    /// Time passes for all, and each clock goes as well as it can.
    func pass(seconds: Int64) {
        time.microseconds += seconds * 1_000_000
        for device in devices { device.clock.advance(seconds: seconds) }
        server?.clock.advance(seconds: seconds)
    }
}

/// The entities of a world, as the app's present version and its next one know them.
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
