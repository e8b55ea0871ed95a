import SyncCore

/// One run of a sweep: the operation with one fault, and the recovery.
final class SweepRun {
    private let scene: SweepScene
    private let wanted: SweepWanted
    private let fault: SweepFault
    private let stage: SweepStage
    /// A description of the disk change during the crash.
    private(set) var crashedIn: String?
    /// The number of acknowledged parts.
    private var done = 0

    init(
        scene: SweepScene,
        prepared: SweepStage.Prepared,
        wanted: SweepWanted,
        fault: SweepFault,
        flaws: Set<DiskFlaw>
    ) {
        self.scene = scene
        self.wanted = wanted
        self.fault = fault
        stage = SweepStage(scene: scene, prepared: prepared, flaws: flaws)
    }

    /// Closes all files.
    func end() { _ = stage.pack() }

    /// Runs the operation and the recovery. Throws violations. Returns the states from which the devices came
    /// to rest; nil if the state was already known to lead there.
    func play() async throws -> Set<SweepStage.Fingerprint>? {
        try stage.first.open(seed: 1)
        try await strike()
        await act()
        try await recover()
        try await again()
        let state = stage.fingerprint()
        if let state, wanted.rested.contains(state) { return nil }
        let view: SweepView
        do { view = try await stage.end() } catch {
            throw WorldError(description: "at rest: \(error)")
        }
        if let difference = view.difference(from: wanted.view) {
            throw WorldError(description: "at rest, \(difference)")
        }
        return state.map { [$0] } ?? []
    }

    private func strike() async throws {
        // A running server can still be read while its disk refuses writes.
        if scene.target == .server, isLasting {
            try stage.second.open(seed: 1)
            _ = try await stage.second.sync()
        }
        let disk = stage.targetDisk
        switch fault {
        case .crash(let step, _, _): disk.crash(at: step)
        case .failure(let step, let fault): disk.fail(step: step, with: fault)
        case .full(let room): disk.capacity = disk.bytes(under: "/") + room
        case .readOnly: disk.isReadOnly = true
        }
    }

    /// Whether the fault lasts during the whole operation.
    private var isLasting: Bool {
        switch fault {
        case .crash, .failure: false
        case .full, .readOnly: true
        }
    }

    /// The error of the operation, which is checked after the fault has ended.
    private var failure: (any Error)?

    private func act() async {
        do {
            for part in scene.act {
                try await part(stage.first)
                done += 1
            }
        } catch { failure = error }
    }

    private func recover() async throws {
        let disk = stage.targetDisk
        if case .crash(_, let survival, let othersFirst) = fault {
            crashedIn = disk.crashedIn
            if othersFirst {
                try stage.second.open(seed: 1)
                stage.deliver()
                do { _ = try await stage.second.sync() } catch {
                    throw WorldError(description: "the other device cannot sync: \(error)")
                }
            }
            if scene.target == .server { stage.server?.restart() } else { stage.first.close() }
            disk.restart(keeping: survival)
            do { try stage.first.open(seed: 2) } catch {
                throw WorldError(description: "the store does not open: \(error)")
            }
        } else {
            disk.clearFaults()
            disk.capacity = nil
            disk.isReadOnly = false
        }
        if let failure, !(failure is SyncError) {
            throw WorldError(description: "what was thrown is no SyncError: \(failure)")
        }
    }

    /// Checks the state, and repeats the missing parts.
    private func again() async throws {
        let position = scene.isAtomic ? try position() : 0
        if !scene.isAtomic { try checkRecords() }
        for part in scene.act[position...] {
            do { try await part(stage.first) } catch {
                throw WorldError(description: "the act fails although nothing is wrong any more: \(error)")
            }
        }
    }

    /// The number of completed parts. Acknowledged parts must be complete; the failed one may be.
    private func position() throws -> Int {
        let state = try StoredState(path: SweepDevice.storePath, on: stage.first.disk)
        let expected = done...min(done + 1, scene.act.count)
        if let position = expected.first(where: { wanted.states[$0] == state }) { return position }
        if let position = wanted.states.firstIndex(of: state) {
            throw WorldError(description: "\(done) parts were acknowledged, \(position) are there")
        }
        throw WorldError(
            description: "after \(done) acknowledged parts neither the next is whole nor all as before: "
                + state.difference(other: wanted.states[done])
        )
    }

    /// Checks that each record is as before or after a part of the operation.
    private func checkRecords() throws {
        let shown = try SweepWanted.shown(stage: stage)
        let (before, after) = (wanted.lines[0], wanted.lines[1])
        if let strange = shown.subtracting(before).subtracting(after).sorted().first {
            throw WorldError(description: "neither before nor after the sync was there: \(strange)")
        }
        if let lost = before.intersection(after).subtracting(shown).sorted().first {
            throw WorldError(description: "lost, and no part of the sync: \(lost)")
        }
        if done == scene.act.count, failure == nil, scene.target == .device, shown != after, !mayForget {
            throw WorldError(
                description: "the sync had ended well, and not all of it is there: "
                    + SweepView.difference(wanted: after.sorted(), found: shown.sorted())
            )
        }
    }

    /// Whether pulled data may be lost in a crash, because it can be pulled again.
    private var mayForget: Bool {
        if case .crash = fault { true } else { false }
    }
}
