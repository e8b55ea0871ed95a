import SyncCore
import SyncRuntime

/// What happens in a world, step by step.
extension SimulatedWorld {
    /// Does one step. What fails in it is part of the story; promises are checked afterwards.
    func perform(_ step: StoryStep) async {
        guard devices.indices.contains(step.device) else { return }
        let device = devices[step.device]
        var draw = Seed(step.bits)
        // NB: often no time passes, so that two devices write at the same instant.
        pass(seconds: max(0, Int64.random(in: -10...20, using: &draw)))
        if await personal(step.kind, device, &draw) { return }
        switch step.kind {
        case .sync: await sync(device)
        case .syncAll: for device in devices { await sync(device) }
        case .syncBusily: await syncBusily(device, &draw)
        case .upgrade: await upgrade(device)
        case .switchAccount: await switchAccount(device)
        case .restart: await reboot(device, .everything, "is killed and started again")
        case .clock: turnClock(device, &draw)
        case .crash: await crash(device, &draw)
        case .diskFault, .diskFull, .readOnly: await trouble(step.kind, device, &draw)
        case .loseMessage: await loseMessage(device, &draw)
        case .deliver: deliver(to: device, &draw, halfOf: false)
        case .deliverHalf: deliver(to: device, &draw, halfOf: true)
        case .strangeFile: leaveStrangeFile(device, &draw)
        case .restoreServer: await restoreServer()
        case .purge: purge(&draw)
        case .expireToken: await turnToken(device)
        case .rateLimit: await limitRate(device)
        case .pass:
            let days = Int64.random(in: 0...40, using: &draw)
            note(.change, nil, "\(days) days pass")
            pass(seconds: days * 86_400)
        default: break
        }
    }

    private func personal(_ kind: StoryStep.Kind, _ device: SimulatedDevice, _ draw: inout Seed) async -> Bool
    {
        switch kind {
        case .create: create(device, &draw)
        case .edit: edit(device, &draw)
        case .delete: delete(device, &draw)
        case .recreate: recreate(device, &draw)
        case .resolve: resolve(device, &draw)
        case .restore: restore(device, &draw)
        case .retry: retry(device, &draw)
        default: return false
        }
        return true
    }

    // MARK: Apps

    /// Syncs the account in use. A remote that was put back, or another one, is joined again as a person would.
    @discardableResult
    func sync(_ device: SimulatedDevice) async -> SyncReport? {
        guard let session = device.session else { return nil }
        do {
            return told(try await session.sync(), device)
        } catch let error as SyncError where error.kind == .wrongRemote {
            note(.fault, device.index, "finds another remote, and joins it")
            do { return told(try await session.sync(SyncOptions(rejoins: true)), device) } catch {
                note(.fault, device.index, "cannot join: \(Self.words(error))")
                return nil
            }
        } catch {
            note(.fault, device.index, "cannot sync: \(Self.words(error))")
            return nil
        }
    }

    private func told(_ report: SyncReport, _ device: SimulatedDevice) -> SyncReport {
        func sum(_ count: KeyPath<EntityReport, Int>) -> Int {
            report.entities.reduce(0) { $0 + $1[keyPath: count] }
        }
        let conflicts = sum(\.conflicts)
        note(
            conflicts > 0 ? .conflict : .message,
            device.index,
            "syncs: \(sum(\.pushed)) sent, \(sum(\.pulled)) received, \(conflicts) in conflict",
            traffic: StoryLog.Traffic(
                sent: sum(\.pushed),
                received: sum(\.pulled),
                conflicts: conflicts
            )
        )
        return report
    }

    private func syncBusily(_ device: SimulatedDevice, _ draw: inout Seed) async {
        guard interlude == nil else { return await sync(device).map { _ in () } ?? () }
        var kinds: [StoryStep.Kind] = [.edit, .edit, .edit, .delete, .create, .resolve, .sync, .clock]
        if story.steps.contains(where: { $0.kind == .switchAccount }) { kinds.append(.switchAccount) }
        let kind = kinds.randomElement(using: &draw) ?? .edit
        // An app has one sync at a time; another device may have its own.
        let other =
            kind == .sync || Bool.random(using: &draw)
            ? devices[(device.index + 1) % devices.count] : device
        guard kind != .sync || other !== device else { return await sync(device).map { _ in () } ?? () }
        interlude = Interlude(
            device: device.index,
            moments: Int.random(in: 0..<10, using: &draw),
            step: StoryStep(device: other.index, kind: kind, bits: draw.next())
        )
        await sync(device)
        interlude = nil
    }

    private func upgrade(_ device: SimulatedDevice) async {
        guard device.entities.first != schemas.new.first else { return }
        device.upgrade(to: schemas.new)
        await reboot(device, .everything, "is updated to the next version of the app")
    }

    private func switchAccount(_ device: SimulatedDevice) async {
        let other = device.account == "x" ? "y" : "x"
        if !accounts.contains(other) { accounts.append(other) }
        do {
            try await device.use(other)
            note(.account, device.index, "goes over to account \(other)")
        } catch {
            note(.fault, device.index, "cannot go over to account \(other): \(Self.words(error))")
        }
    }

    private func turnClock(_ device: SimulatedDevice, _ draw: inout Seed) {
        let seconds =
            [-3_600, -60, 5, 600, 86_400, -86_400 * 400, 86_400 * 3_650].randomElement(using: &draw) ?? 60
        device.clock.advance(seconds: Int64(seconds))
        note(.fault, device.index, "has its clock turned by \(seconds) seconds")
    }

    // MARK: Disks

    /// The machine goes off in the middle of something, and is switched on again.
    private func crash(_ device: SimulatedDevice, _ draw: inout Seed) async {
        device.disk.crash(at: Int.random(in: 1...40, using: &draw))
        await something(device, &draw)
        guard device.disk.isCrashed else { return device.disk.clearFaults() }
        let survival: Survival =
            switch Int.random(in: 0..<3, using: &draw) {
            case 0: .syncedOnly
            case 1: .everything
            default: .some(seed: draw.next())
            }
        let place = device.disk.crashedIn.map { " at: \($0)" } ?? ""
        await reboot(device, survival, "goes off\(place); of what was not synced survives: \(survival.words)")
    }

    /// Starts the app anew, with what survived on the disk.
    func reboot(_ device: SimulatedDevice, _ survival: Survival, _ words: String) async {
        let account = device.account
        note(.crash, device.index, words)
        await device.kill()
        device.disk.restart(keeping: survival)
        do {
            try await device.start()
            // The switch of account may or may not have come to its end.
            if device.account == nil { try await device.use(account ?? "x") }
        } catch {
            violations.append(
                StoryViolation("starts-again", "\(device.name) cannot start again: \(Self.words(error))")
            )
        }
        settleLingering(device)
        settleDoubtful(device)
    }

    /// Notes what became of acts whose end was not known.
    func settleDoubtful(_ device: SimulatedDevice) {
        doubtful.removeAll { $0.device == device.index && settle($0) }
    }

    private func trouble(_ kind: StoryStep.Kind, _ device: SimulatedDevice, _ draw: inout Seed) async {
        let disk = device.disk
        switch kind {
        case .diskFault:
            let fault: DiskFault = Bool.random(using: &draw) ? .inputOutput : .noSpace
            disk.fail(step: Int.random(in: 1...30, using: &draw), with: fault)
        case .diskFull:
            disk.capacity = disk.bytes(under: "/") + Int.random(in: 0...20_000, using: &draw)
            note(.fault, device.index, "has a full disk")
        default:
            disk.isReadOnly = true
            note(.fault, device.index, "has a disk that can only be read")
        }
        for _ in 0..<Int.random(in: 1...3, using: &draw) { await something(device, &draw) }
        disk.clearFaults()
        disk.capacity = nil
        disk.isReadOnly = false
        settleDoubtful(device)
    }

    private func something(_ device: SimulatedDevice, _ draw: inout Seed) async {
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
