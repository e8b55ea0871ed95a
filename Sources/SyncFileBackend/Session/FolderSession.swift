import SyncCore
import SyncWire

/// A session of one sync with a folder.
actor FolderSession: RemoteSession {
    nonisolated let greeting: SessionGreeting
    let reader: FolderReader
    let request: SessionRequest
    let view: FolderView
    /// The cursor after all that was fetched and pushed.
    private var cursor: FolderCursor
    /// The remaining pages. Nil while one is being fetched.
    private var pages: FolderPages?
    private var hasPushed = false
    /// The fingerprints that the store has reported in this session.
    private var records: [String: String]?

    init(reader: FolderReader, request: SessionRequest, view: FolderView) {
        self.reader = reader
        self.request = request
        self.view = view
        cursor = view.own.start
        pages = FolderPages(reader: reader, request: request, view: view)
        greeting = SessionGreeting(
            binding: FolderBinding(device: request.device).text,
            ownSequence: view.own.sequence,
            renewal: view.own.renewal,
            isSettled: view.isSettled(for: request.device)
        )
    }

    /// Notes the store's fingerprints for its device file.
    func note(_ records: [String: String]) { self.records = records }

    func fetch() async throws -> RemotePage? {
        guard var pages = pages.take() else { throw SyncError.overlappingFetch() }
        defer { self.pages = pages }
        let page = try await folderErrors { try await pages.next() }
        if page != nil, !hasPushed { cursor = pages.cursor }
        return page
    }

    /// Limits segments and the memory for them, however many changes are pending.
    func pushLimit() async -> PushLimit { reader.limits.pushLimit }

    func prepare(_ changes: [Change], cursor text: String?) async throws -> PreparedPush {
        if let saved = text.flatMap({ FolderCursor($0) }), saved.device == request.device { cursor = saved }
        let first = cursor.own + 1
        let number = max(cursor.own, cursor.used) + 1
        // NB: numbers that the folder lost are not used again: devices that took the old files would never read the
        // new ones.
        var file = first == number ? NumberedFile(number: number) : NumberedFile(snapshot: first...number)
        var header = SegmentHeader(
            device: request.device,
            range: file.range,
            kind: file.isSnapshot ? .snapshot : .segment,
            entries: changes.count
        )
        header.files = cursor.tags[request.device].map { $0.last(count: TagNotes.maxNumbersOfSegment).text }
        var writer = SegmentWriter(header)
        // Files are merged in this order; an unsorted segment would have to be held in memory for that.
        for position in changes.sortedPositions() { writer.append(changes[position]) }
        let encoded = writer.finish()
        file.tag = NumberedFile.tag(of: encoded.digest)
        guard encoded.bytes.count <= reader.limits.maxFileBytes else {
            throw SyncError.pushTooLarge(encoded.bytes.count, limit: reader.limits.maxFileBytes)
        }
        let intent = FolderIntent(file: file, digest: encoded.digest.description)
        return PreparedPush(intent: intent.text, changes: changes, payload: encoded.bytes)
    }

    func push(_ push: PreparedPush) async throws -> PushReceipt {
        guard !request.readOnly else { throw SyncError.readOnlyPush() }
        guard let intent = FolderIntent(push.intent) else { throw SyncError.foreignIntent() }
        try await folderErrors { try await publish(push.payload, as: intent) }
        hasPushed = true
        if intent.file.range.upperBound > cursor.own {
            cursor.own = intent.file.range.upperBound
            cursor.ownDigest = intent.digest
            cursor.used = 0
            if let tag = intent.file.notedTag {
                cursor.tags[request.device, default: TagNotes()].note(cursor.own, tag: tag)
            }
        }
        var results: [PushReceipt.Result] = []
        results.reserveCapacity(push.changes.count)
        for index in push.changes.indices {
            let metadata = push.changes[index].header.writtenMetadata
            cursor.sequence = max(cursor.sequence, metadata.sequence(of: request.device))
            results.append(.accepted(metadata.editTimestamp, nil))
        }
        return PushReceipt(results: results, cursor: cursor.text)
    }

    func close(cursor text: String?) async throws {
        guard !request.readOnly, view.own.renewal == nil, let saved = text.flatMap({ FolderCursor($0) }),
            saved.device == request.device, !saved.readsOwn
        else { return }
        try await folderErrors {
            let compactor = Compactor(
                reader: reader,
                request: request,
                heals: request.rejoin || view.plan.comparing == .lost,
                records: records
            )
            try await compactor.run(saved, hasPushed: hasPushed)
        }
    }
}

extension FolderSession {
    /// Writes the segment, unless another copy of the store has published since the folder was listed. An existing
    /// one with the same fingerprint is ours, and there is nothing to do.
    private func publish(_ bytes: [UInt8], as intent: FolderIntent) async throws {
        let others = try await reader.ownListing(device: request.device).files.filter {
            $0 != intent.file && $0.range.upperBound >= intent.file.range.lowerBound
        }
        guard others.isEmpty else { throw SyncError.publishedMeanwhile() }
        do {
            let key = FolderLayout.key(device: request.device, file: intent.file)
            try await reader.storage.put(key, bytes: bytes, ifAbsent: true)
        } catch let error as StorageError where error.kind == .exists {
            let listing = try await reader.ownListing(device: request.device)
            guard case .success(let file) = try await reader.load(intent.file, of: listing),
                file.digest.description == intent.digest
            else { throw SyncError.publishedMeanwhile() }
        }
    }
}
