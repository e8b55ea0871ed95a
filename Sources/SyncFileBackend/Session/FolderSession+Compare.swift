import SyncCore

/// Compares devices that have seen the same. Each device file says what the device has seen, and has fingerprints of
/// its records.
extension FolderSession {
    func comparesRecords(cursor text: String?) async throws -> Bool {
        guard !request.readOnly,
            let saved = text.flatMap({ FolderCursor($0) }),
            saved.device == request.device, saved.comparing == nil, !saved.readsOwn, saved.missing.isEmpty
        else { return false }
        // With only one device in the folder, there is nothing to compare with.
        guard view.scan.devices.contains(where: { $0.device != request.device }) else { return false }
        return view.scan.diagnostics.allSatisfy { !$0.isSerious }
            && view.scan.devices.allSatisfy { listing in
                listing.device == request.device
                    || saved.taken[listing.device] ?? NumberSet()
                        == NumberSet(contiguous: published(listing: listing))
            }
    }

    func compare(_ records: [String: Digest], cursor text: String?) async throws -> [RemoteDiagnostic] {
        guard let saved = text.flatMap({ FolderCursor($0) }) else { return [] }
        note(records.mapValues(\.description))
        let all = view.scan.devices.map { listing in
            (listing.device, listing.device == request.device ? saved.own : published(listing: listing))
        }
        // Fingerprints of former incarnations are outdated.
        let former = Set(view.members.values.flatMap(\.former)).union(request.former)
        return view.members.sorted { $0.key < $1.key }.compactMap { device, file in
            // A file-syncing service may deliver what a device published before its file, which says less then.
            guard device != request.device, !former.contains(device), let others = file.records,
                file.number >= saved.taken[device]?.contiguous ?? 0,
                all.allSatisfy({ $0.0 == device || file.taken[$0.0] ?? 0 >= $0.1 })
            else { return nil }
            let differing = records.filter { entity, digest in
                others[entity].map { $0 != digest.description } ?? false
            }
            return differing.isEmpty
                ? nil
                : .recordsDiffer(
                    place: FolderLayout.place(device: device),
                    entities: Self.names(keys: differing.keys)
                )
        }
    }

    /// The highest number that a device has published, as far as the folder shows.
    private func published(listing: DeviceListing) -> Int64 {
        max(listing.numbers.highest, view.members[listing.device]?.number ?? 0)
    }

    /// The entities of fingerprints, without their schemas.
    private static func names(keys: some Collection<String>) -> [String] {
        Set(keys.map { String($0.prefix { $0 != " " }) }).sorted()
    }
}
