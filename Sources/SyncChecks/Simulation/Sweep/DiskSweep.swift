import SyncCore

/// Repeats an operation from the same state, each time with a fault at another change of a disk, and checks
/// every run.
///
/// After a crash and a restart the store must open with all acknowledged data. Each part of the operation
/// must be complete or absent, and nothing else may have changed. Then the missing parts are repeated and all
/// devices sync until nothing changes. They must show the same as without the fault: no lost value, no
/// duplicate, no wrong conflict. A further sync must do nothing.
package struct DiskSweep {
    private let scene: SweepScene
    private let flaws: Set<DiskFlaw>
    private let survivals: [Survival]
    private let faults: [DiskFault]

    /// - Parameters:
    ///   - flaws: Deliberate defects of the disks, for tests of the sweep.
    ///   - survivals: What survives a crash.
    ///   - faults: The faults of steps.
    package init(
        scene: SweepScene,
        flaws: Set<DiskFlaw> = [],
        survivals: [Survival] = [.syncedOnly, .everything, .some(seed: 1)],
        faults: [DiskFault] = DiskFault.allCases
    ) {
        self.scene = scene
        self.flaws = flaws
        self.survivals = survivals
        self.faults = faults
    }

    /// Runs the sweep. Throws if the scene fails without a fault.
    package func run() async throws -> SweepReport {
        let prepared = try await prepare()
        var wanted = try await undisturbed(prepared: prepared)
        var report = SweepReport()
        report.steps = wanted.steps
        for sweepFault in sweepFaults(steps: wanted.steps) {
            report.runs += 1
            let run = SweepRun(
                scene: scene,
                prepared: prepared,
                wanted: wanted,
                fault: sweepFault,
                flaws: flaws
            )
            do {
                if let end = try await run.play() {
                    wanted.rested.formUnion(end)
                    report.followed += 1
                }
            } catch {
                report.violations.append(
                    SweepViolation(
                        place: "\(scene), \(sweepFault)"
                            + (run.crashedIn.map { " in: \($0)" } ?? ""),
                        found: "\(error)"
                    )
                )
            }
            run.end()
        }
        return report
    }

    private func prepare() async throws -> SweepStage.Prepared {
        let stage = SweepStage(scene: scene)
        for device in stage.devices { try device.open() }
        try await scene.prepare(stage)
        return stage.pack()
    }

    /// The results of the operation without a fault.
    private func undisturbed(prepared: SweepStage.Prepared) async throws -> SweepWanted {
        let stage = SweepStage(scene: scene, prepared: prepared)
        defer { _ = stage.pack() }
        try stage.first.open(seed: 1)
        var wanted = SweepWanted()
        let start = stage.targetDisk.steps
        var steps = start
        try wanted.note(stage)
        for part in scene.act {
            try await part(stage.first)
            steps = stage.targetDisk.steps
            try wanted.note(stage)
        }
        wanted.steps = steps - start
        wanted.view = try await stage.end()
        return wanted
    }

    private func sweepFaults(steps: Int) -> [SweepFault] {
        guard steps > 0 else { return [] }
        var sweepFaults: [SweepFault] = []
        for step in 1...steps {
            for survival in survivals {
                sweepFaults.append(.crash(step: step, keeping: survival, othersFirst: false))
            }
            if scene.target == .device {
                sweepFaults.append(.crash(step: step, keeping: .syncedOnly, othersFirst: true))
            }
            for fault in faults { sweepFaults.append(.failure(step: step, fault)) }
        }
        if !faults.isEmpty {
            sweepFaults += [0, 100, 5_000, 20_000].map { .full(room: $0) }
            sweepFaults.append(.readOnly)
        }
        return sweepFaults
    }
}

/// The expected results of a scene.
struct SweepWanted {
    /// The number of changes of the target disk during the operation.
    var steps = 0
    /// The store before the operation and after each part.
    var states: [StoredState] = []
    /// What the acting device shows of each record, before the operation and after each part.
    var lines: [Set<String>] = []
    /// What all devices show at the end.
    var view = SweepView()
    /// States that are known to lead to the right end.
    var rested: Set<SweepStage.Fingerprint> = []

    mutating func note(_ stage: SweepStage) throws {
        states.append(try StoredState(path: SweepDevice.storePath, on: stage.first.disk))
        lines.append(try Self.shown(stage: stage))
    }

    static func shown(stage: SweepStage) throws -> Set<String> {
        Set(
            try SweepView.lines(device: stage.first, entities: stage.first.store().entities).filter {
                ["live", "deleted", "merged"].contains($0.prefix { $0 != " " })
            }
        )
    }
}
