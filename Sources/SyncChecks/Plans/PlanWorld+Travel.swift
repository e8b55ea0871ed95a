import SyncCore
import SyncRuntime

/// Transfers between devices.
extension PlanWorld {
    // MARK: Out

    /// Sends pending changes. `meanwhile` runs before the answer arrives.
    func publish(_ device: Int, key: Int, hears: Bool = true, meanwhile: () throws -> Void = {}) throws {
        try readBack(device)
        let place = devices[device].records[key]
        guard place.page == nil, let local = place.recordState.local, local.state == .pending else { return }
        let sent = outgoing(version: local.version)
        switch story.place {
        case .folder:
            published[key].append(sent)
            for index in devices.indices { devices[index].records[key].came.append(index == device && hears) }
            if !hears { devices[device].unheard.append((key, published[key].count - 1)) }
        case .server:
            let held = stored[key]
            let isKnown = held.version?.metadata == sent.metadata
            if !isKnown {
                if let version = held.version {
                    guard place.revision == held.revision,
                        sent.metadata.vector.covers(version.metadata.vector)
                    else {
                        return
                    }
                } else if place.revision != nil {
                    return try takeAbsence(device, key: key)
                }
                stored[key].version = sent
                stored[key].revision += 1
            }
        }
        log(
            device: device,
            text:
                "sends\(name(key: key)): \(words(version: sent))\(hears ? "" : ", and does not hear the answer")"
        )
        try meanwhile()
        guard hears else { return }
        let before = devices[device].records[key].recordState
        if before.local?.version.metadata == sent.metadata, !before.heads.isEmpty {
            try plan(device, key: key, incoming: sent)
        } else {
            var after = tables[device](before, on: .accepted(sent)).state
            flaw?.onAcknowledge(&after, before, sent, device)
            devices[device].records[key].recordState = after
            mix(after)
        }
        if story.place == .server { devices[device].records[key].revision = stored[key].revision }
        try mergeGroups(device)
    }

    /// A version as other devices receive it.
    private func outgoing(version: SyncRecord) -> SyncRecord {
        var version = version
        for index in descriptor.layout.localOnly { version.record.values[index] = nil }
        return version
    }

    // MARK: In

    /// Delivers a device's own published versions without an answer, in order. A folder's session does that
    /// before it delivers others.
    private func readBack(_ device: Int) throws {
        let unheard = devices[device].unheard
        devices[device].unheard = []
        for (key, index) in unheard { try take(device: device, key: key, published: index) }
    }

    /// Delivers one new version.
    func take(device: Int, key: Int, draw: inout Seed) throws {
        try readBack(device)
        switch story.place {
        case .folder:
            let came = devices[device].records[key].came
            let left = came.indices.filter { !came[$0] }
            guard let index = left.randomElement(using: &draw) else { return }
            try take(device: device, key: key, published: index)
        case .server: try pull(device, key: key)
        }
    }

    /// Delivers a version again; or asks a server, whose answer arrives later.
    func takeAgain(_ device: Int, key: Int, draw: inout Seed) throws {
        try readBack(device)
        switch story.place {
        case .folder:
            let count = published[key].count
            guard count > 0 else { return }
            try take(device: device, key: key, published: Int.random(in: 0..<count, using: &draw))
        case .server:
            guard devices[device].records[key].page == nil, stored[key].version != nil else { return }
            devices[device].records[key].page = stored[key]
            log(device: device, text: "asks the server\(name(key: key)), whose answer is slow")
        }
    }

    /// Delivers all new versions in any order.
    func takeAll(_ device: Int, draw: inout Seed) throws {
        try readBack(device)
        for key in 0..<story.keys {
            guard story.place == .folder else {
                if devices[device].records[key].page != nil { try pull(device, key: key) }
                try pull(device, key: key)
                continue
            }
            var left = published[key].indices.filter { !devices[device].records[key].came[$0] }
            left.shuffle(using: &draw)
            for index in left { try take(device: device, key: key, published: index) }
        }
    }

    func take(device: Int, key: Int, published index: Int) throws {
        devices[device].records[key].came[index] = true
        try plan(device, key: key, incoming: published[key][index])
        try mergeGroups(device)
    }

    /// Delivers the page on its way, or the server's present version.
    func pull(_ device: Int, key: Int) throws {
        let page = devices[device].records[key].page ?? stored[key]
        devices[device].records[key].page = nil
        guard let version = page.version else { return try takeAbsence(device, key: key) }
        devices[device].records[key].revision = page.revision
        try plan(device, key: key, incoming: version)
        try mergeGroups(device)
    }

    /// Delivers the absence of a record that the server has purged.
    private func takeAbsence(_ device: Int, key: Int) throws {
        guard devices[device].records[key].revision != nil else { return }
        devices[device].records[key].revision = nil
        let before = devices[device].records[key].recordState
        let result = tables[device](before, on: .absent)
        if let tombstone = before.purged, before.local?.state != .synced {
            try check(device: device, key: key, before: before, plan: result, incoming: tombstone)
        }
        devices[device].records[key].recordState = result.state
        for loss in result.losses { note(loss, device: device) }
        log(
            device: device,
            text: "hears that the server has forgotten the record, so it is \(result.outcome.rawValue)"
        )
        mix(result.state)
        try mergeGroups(device)
    }
}
