import SyncAccounts
import SyncCore
import SyncRuntime

/// Runs the steps of a world.
extension SimulatedWorld {
    /// Runs one step. Its failures are part of the story; promises are checked afterwards.
    func perform(_ step: StoryStep) async {
        guard devices.indices.contains(step.device) else { return }
        let device = devices[step.device]
        var draw = Seed(step.bits)
        // NB: often no time passes, so that two devices write at the same time.
        pass(seconds: max(0, Int64.random(in: -10...20, using: &draw)))
        if await personal(kind: step.kind, device: device, draw: &draw) { return }
        switch step.kind {
        case .sync: await sync(device)
        case .syncAll: for device in devices { await sync(device) }
        case .syncBusily: await syncBusily(device, draw: &draw)
        case .upgrade: await upgrade(device)
        case .switchAccount: await switchAccount(device)
        case .restart:
            await reboot(device: device, survival: .everything, words: "is killed and started again")
        case .clock: turnClock(device, draw: &draw)
        case .crash: await crash(device, draw: &draw)
        case .diskFault, .diskFull, .readOnly: await failDisk(kind: step.kind, device: device, draw: &draw)
        case .loseMessage: await loseMessage(device, draw: &draw)
        case .deliver: deliver(to: device, draw: &draw, halfOf: false)
        case .deliverHalf: deliver(to: device, draw: &draw, halfOf: true)
        case .strangeFile: leaveStrangeFile(device, draw: &draw)
        case .restoreServer: await restoreServer()
        case .purge: await purge(&draw)
        case .expireToken: await turnToken(device)
        case .rateLimit: await limitRate(device)
        case .pass:
            let days = Int64.random(in: 0...40, using: &draw)
            note(.change, device: nil, text: "\(days) days pass")
            pass(seconds: days * 86_400)
        default: break
        }
    }

    private func personal(kind: StoryStep.Kind, device: SimulatedDevice, draw: inout Seed) async -> Bool {
        switch kind {
        case .create: create(device, draw: &draw)
        case .edit: edit(device, draw: &draw)
        case .delete: delete(device, draw: &draw)
        case .recreate: recreate(device: device, draw: &draw)
        case .resolve: resolve(device: device, draw: &draw)
        case .restore: restore(device, draw: &draw)
        case .retry: retry(device, draw: &draw)
        default: return false
        }
        return true
    }

    // MARK: Apps

    /// Syncs the active account. If the remote was restored or replaced, rejoins it as a person would.
    @discardableResult
    func sync(_ device: SimulatedDevice) async -> SyncReport? {
        guard let session = device.session else { return nil }
        do {
            return logged(report: try await session.sync(), device: device)
        } catch let error as SyncError where error.kind == .wrongRemote {
            note(.fault, device: device.index, text: "finds another remote, and joins it")
            do {
                return logged(report: try await session.sync(SyncOptions(rejoins: true)), device: device)
            } catch {
                note(.fault, device: device.index, text: "cannot join: \(Self.words(error: error))")
                return nil
            }
        } catch {
            note(.fault, device: device.index, text: "cannot sync: \(Self.words(error: error))")
            return nil
        }
    }

    private func logged(report: SyncReport, device: SimulatedDevice) -> SyncReport {
        noteSurvivors(on: device)
        func sum(count: KeyPath<EntityReport, Int>) -> Int {
            report.entities.reduce(0) { $0 + $1[keyPath: count] }
        }
        let conflicts = sum(count: \.conflicts)
        note(
            conflicts > 0 ? .conflict : .message,
            device: device.index,
            text:
                "syncs: \(sum(count: \.pushed)) sent, \(sum(count: \.pulled)) received, \(conflicts) in conflict",
            traffic: StoryLog.Traffic(
                sent: sum(count: \.pushed),
                received: sum(count: \.pulled),
                conflicts: conflicts
            )
        )
        return report
    }

    private func syncBusily(_ device: SimulatedDevice, draw: inout Seed) async {
        guard interruption == nil else { return await sync(device).map { _ in () } ?? () }
        var kinds: [StoryStep.Kind] = [.edit, .edit, .edit, .delete, .create, .resolve, .sync, .clock]
        if story.steps.contains(where: { $0.kind == .switchAccount }) { kinds.append(.switchAccount) }
        let kind = kinds.randomElement(using: &draw) ?? .edit
        // An app runs one sync at a time, but another device may sync concurrently.
        let other =
            kind == .sync || Bool.random(using: &draw)
            ? devices[(device.index + 1) % devices.count] : device
        guard kind != .sync || other !== device else { return await sync(device).map { _ in () } ?? () }
        interruption = SyncInterruption(
            device: device.index,
            moments: Int.random(in: 0..<10, using: &draw),
            step: StoryStep(device: other.index, kind: kind, bits: draw.next())
        )
        await sync(device)
        interruption = nil
    }

    private func upgrade(_ device: SimulatedDevice) async {
        guard device.entities.first != schemas.new.first else { return }
        device.upgrade(to: schemas.new)
        await reboot(
            device: device,
            survival: .everything,
            words: "is updated to the next version of the app"
        )
    }

    private func switchAccount(_ device: SimulatedDevice) async {
        let other = device.account == "x" ? "y" : "x"
        if !accounts.contains(other) { accounts.append(other) }
        do {
            try await device.use(other)
            note(.account, device: device.index, text: "goes over to account \(other)")
        } catch {
            note(
                .fault,
                device: device.index,
                text: "cannot go over to account \(other): \(Self.words(error: error))"
            )
        }
    }

    private func turnClock(_ device: SimulatedDevice, draw: inout Seed) {
        let seconds =
            [-3_600, -60, 5, 600, 86_400, -86_400 * 400, 86_400 * 3_650].randomElement(using: &draw) ?? 60
        device.clock.advance(seconds: Int64(seconds))
        note(.fault, device: device.index, text: "has its clock turned by \(seconds) seconds")
    }

    // MARK: Disks

    /// Crashes the machine during an operation and restarts it.
    private func crash(_ device: SimulatedDevice, draw: inout Seed) async {
        device.disk.crash(at: Int.random(in: 1...40, using: &draw))
        await something(device: device, draw: &draw)
        guard device.disk.isCrashed else { return device.disk.clearFaults() }
        let survival: Survival =
            switch Int.random(in: 0..<3, using: &draw) {
            case 0: .syncedOnly
            case 1: .everything
            default: .some(seed: draw.next())
            }
        let place = device.disk.crashedIn.map { " at: \($0)" } ?? ""
        await reboot(
            device: device,
            survival: survival,
            words: "goes off\(place); of what was not synced survives: \(survival.words)"
        )
    }

    /// Restarts the app with the data that survived on the disk.
    func reboot(device: SimulatedDevice, survival: Survival, words: String) async {
        let account = device.account
        note(.crash, device: device.index, text: words)
        await device.kill()
        device.disk.restart(keeping: survival)
        do {
            try await device.start()
            // The account switch may or may not have completed.
            if device.account == nil { try await device.use(account ?? "x") }
        } catch {
            violations.append(
                StoryViolation(
                    rule: "starts-again",
                    description: "\(device.name) cannot start again: \(Self.words(error: error))"
                )
            )
        }
        recordLingering(device)
        recordDoubtful(device)
    }

    /// Records the results of actions whose result was unknown.
    func recordDoubtful(_ device: SimulatedDevice) {
        doubtful.removeAll { $0.device == device.index && record($0) }
    }

    private func failDisk(kind: StoryStep.Kind, device: SimulatedDevice, draw: inout Seed) async {
        let disk = device.disk
        switch kind {
        case .diskFault:
            let fault: DiskFault = Bool.random(using: &draw) ? .inputOutput : .noSpace
            disk.fail(step: Int.random(in: 1...30, using: &draw), with: fault)
        case .diskFull:
            disk.capacity = disk.bytes(under: "/") + Int.random(in: 0...20_000, using: &draw)
            note(.fault, device: device.index, text: "has a full disk")
        default:
            disk.isReadOnly = true
            note(.fault, device: device.index, text: "has a disk that can only be read")
        }
        for _ in 0..<Int.random(in: 1...3, using: &draw) { await something(device: device, draw: &draw) }
        disk.clearFaults()
        disk.capacity = nil
        disk.isReadOnly = false
        recordDoubtful(device)
    }

    private func something(device: SimulatedDevice, draw: inout Seed) async {
        var kinds: [StoryStep.Kind] = [.edit, .edit, .delete, .sync, .sync, .sync, .resolve, .create]
        if story.steps.contains(where: { $0.kind == .switchAccount }) { kinds.append(.switchAccount) }
        let kind = kinds.randomElement(using: &draw) ?? .sync
        await perform(StoryStep(device: device.index, kind: kind, bits: draw.next()))
    }
}

extension Survival {
    var words: String {
        switch self {
        case .syncedOnly: "nothing"
        case .everything: "everything"
        case .some: "some of it"
        }
    }
}
