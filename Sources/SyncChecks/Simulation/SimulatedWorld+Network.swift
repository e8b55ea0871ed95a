import SyncAccounts
import SyncCore
import SyncRuntime
import SyncServer
import SyncWire

/// Faults between devices.
extension SimulatedWorld {
    /// Syncs while messages are lost or changed.
    func loseMessage(_ device: SimulatedDevice, draw: inout Seed) async {
        guard let server else { return await sync(device).map { _ in () } ?? () }
        let number = Int.random(in: 1...4, using: &draw)
        let isLasting = Int.random(in: 0..<4, using: &draw) == 0
        let faults: [(String, LoopbackFault)] = [
            ("is lost", .dropRequest), ("arrives, and its answer is lost", .dropResponse),
            ("finds no connection", .unreachable), ("is too slow", .timeOut), ("arrives twice", .repeated),
            ("arrives, and its answer is cut", .truncated),
            ("is answered by an error of the server", .answer(HTTPResponse(status: 503))),
        ]
        let (words, fault) = faults.randomElement(using: &draw) ?? faults[0]
        note(
            .lostMessage,
            device: device.index,
            text: "message \(number)\(isLasting ? " and all after it" : "") \(words)"
        )
        server.setFaults { count, _ in count == number || (isLasting && count > number) ? fault : nil }
        await sync(device)
        server.setFaults(nil)
    }

    /// Lets the server ask to wait, or a proxy before it fail on whatever is pushed. No record is to blame for that.
    func limitRate(_ device: SimulatedDevice) async {
        guard let server else { return }
        let rejected = rejectedCount(of: device)
        let status = [429, 502, 504][Int(story.seed % 3)]
        if status == 429 {
            note(.fault, device: device.index, text: "is asked to wait by the server")
            server.setFaults { _, _ in
                .answer(HTTPResponse(status: 429, headers: [HTTPHeader(name: "Retry-After", value: "120")]))
            }
        } else {
            note(.fault, device: device.index, text: "finds a proxy that fails on what it sends")
            server.setFaults { _, request in
                let isPush = String(decoding: request.body, as: UTF8.self).contains(#""batch":"#)
                return isPush ? .answer(HTTPResponse(status: status)) : nil
            }
        }
        await sync(device)
        server.setFaults(nil)
        guard rejectedCount(of: device) > rejected else { return }
        violations.append(
            StoryViolation(
                rule: "outbox-empties",
                description: "\(device.name) rejects a record although the server took none."
            )
        )
    }

    /// How many records of the device the remote has rejected. A store that cannot be read has none to tell.
    private func rejectedCount(of device: SimulatedDevice) -> Int {
        let found = try? device.store?.read { try $0.rejections() }
        return found?.count { $0.raw == nil } ?? 0
    }

    /// Toggles whether the account's token is refused.
    func turnToken(_ device: SimulatedDevice) async {
        guard let server, let account = device.account else { return }
        if refusedTokens.remove(account) != nil {
            note(.change, device: nil, text: "the token of account \(account) is accepted again")
            server.add(Account(id: account, name: account), token: account)
            for device in devices { await device.session?.remote?.accountResumed() }
        } else {
            refusedTokens.insert(account)
            note(.fault, device: nil, text: "the token of account \(account) is refused")
            server.remove(token: account)
        }
    }

    /// Restores the server from its backup, or makes a backup if there is none.
    func restoreServer() async {
        guard let server else { return }
        do {
            if hasBackup {
                try server.restore(from: "/backup")
                note(.fault, device: nil, text: "the server is put back from its backup")
                hasBackup = false
            } else {
                try server.backUp(to: "/backup")
                note(.change, device: nil, text: "the server is backed up")
                hasBackup = true
            }
        } catch {
            note(.fault, device: nil, text: "the server cannot be backed up: \(Self.words(error: error))")
        }
    }

    /// Lets the server purge tombstones.
    func purge(_ draw: inout Seed) async {
        guard let server else { return }
        let days = [0, 1, 30].randomElement(using: &draw) ?? 30
        // A server without the account's file has nothing to purge.
        try? await server.purgeTombstones(olderThanDays: days)
        note(.fault, device: nil, text: "the server forgets tombstones older than \(days) days")
    }

    /// Copies files of other devices to a device's copy of the folder: all, or some of them, some truncated.
    func deliver(to device: SimulatedDevice, draw: inout Seed, halfOf isHalf: Bool) {
        guard server == nil else { return }
        for other in devices where other !== device {
            var drawn = draw
            deliver(from: other, to: device, fate: isHalf ? { Int.random(in: 0..<4, using: &drawn) } : { 3 })
            draw = drawn
            note(
                isHalf ? .lostMessage : .message,
                device: other.index,
                text: isHalf
                    ? "some of its files come to \(device.name), some half"
                    : "its files come to \(device.name)",
                peer: device.index
            )
        }
    }

    /// Copies all files to all devices.
    func deliverAll() {
        guard server == nil else { return }
        for from in devices { for to in devices where to !== from { deliver(from: from, to: to) { 3 } } }
    }

    /// - Parameter fate: The fate of each file: 0 is lost, 1 is truncated, anything else arrives.
    private func deliver(from: SimulatedDevice, to: SimulatedDevice, fate: () -> Int) {
        for account in Self.accountNames {
            let home = Self.folder(account: account) + "/entitysync"
            // A missing folder has nothing to copy, and a failing disk copies nothing.
            guard let folders = try? from.disk.list(path: home) else { continue }
            for name in folders where from.ownFolders(account: account).contains(name) {
                copy("\(home)/\(name)", from: from.disk, to: to.disk, fate: fate)
            }
        }
    }

    private func copy(_ folder: String, from: SimulatedDisk, to: SimulatedDisk, fate: () -> Int) {
        for part in folder.parents { try? to.makeFolder(part) }
        guard let names = try? from.list(path: folder) else { return }
        for name in names where !name.hasPrefix(".") {
            let path = "\(folder)/\(name)"
            guard var bytes = try? from.read(path: path, maxBytes: 1 << 26) else { continue }
            switch fate() {
            case 0: continue
            case 1: bytes.removeLast(bytes.count / 2)
            default: break
            }
            try? to.writeAtomically(bytes, to: path, replaces: true)
        }
        guard fate() > 1, let stale = try? to.list(path: folder) else { return }
        for name in stale where !names.contains(name) { try? to.remove("\(folder)/\(name)") }
    }
}

extension String {
    /// The path and its parent folders.
    fileprivate var parents: [String] {
        var path = ""
        return split(separator: "/").map { part in
            path += "/\(part)"
            return path
        }
    }
}
