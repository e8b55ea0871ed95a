import SyncCore

/// Checks that all content arrives as it was sent.
let contentChecks: [BackendCheck] = [
    BackendCheck(id: "awkward-keys", guarantee: "keys of any characters arrive as they are, and stay apart") {
        scene in
        let texts = [
            "/", "..", "../../etc/passwd", "a/b?c=d#e%2f", "\"", "\\", "'; --", "{}", "\u{1}\u{1f}\u{7f}",
            "\n\r\t", "\u{2028}\u{85}", "\u{feff}", " ", "caf\u{e9}", "cafe\u{301}",
            "\u{1F469}\u{200D}\u{1F680}", "\u{202E}exe", String(repeating: "x", count: 1_024),
            String(repeating: "\u{1F680}", count: 250),
        ]
        for material in scene.material {
            let keys = texts.compactMap { material.key(text: $0) }
            guard keys.count == texts.count else { continue }
            let (writer, reader) = (scene.client(number: 1), scene.client(number: 2))
            for key in keys { try writer.edit(material, key: key) }
            try await writer.sync()
            try await reader.sync()
            try require(
                reader.shown.count == texts.count,
                expected: "\(texts.count) records",
                found: "\(reader.shown.count) arrived"
            )
            return try scene.requireSame([writer, reader], what: "all keys arrive as sent")
        }
        throw CheckError.notApplicable("No entity's key is free text.")
    },
    BackendCheck(id: "exact-bodies", guarantee: "texts and unknown members arrive byte for byte") { scene in
        let texts = [
            "", " ", "caf\u{e9}", "cafe\u{301}", "\u{212a}", "\"\\/", "\u{1}\u{1f}", "\u{2028}\u{2029}\u{85}",
            "\u{feff}", "بِسْمِ ٱللَّهِ", "\u{1F469}\u{200D}\u{1F469}\u{200D}\u{1F467}", "\u{10ffff}", "\r\n",
            "null",
        ]
        let unknown = [
            UnknownField(path: "zz-caf\u{e9}", json: "{\"b\":1.50,\"a\":[null,\"\u{2028}\"]}"),
            UnknownField(path: "zz-number", json: "12345678901234567890.10"),
        ]
        let (writer, reader) = (scene.client(number: 1), scene.client(number: 2))
        for material in scene.material {
            var number = 0
            for field in material.freeTexts(length: 20) {
                for text in texts {
                    number += 1
                    let key = material.key(number: number)
                    guard let body = material.body(key: key, time: 0, text: (field, text)) else { continue }
                    try writer.edit(material, key: key, body: body)
                }
            }
            guard !material.entity.forbidsUnknownFields else { continue }
            let key = material.key(number: number + 1)
            if let body = material.body(key: key, time: 0, unknown: unknown) {
                try writer.edit(material, key: key, body: body)
            }
        }
        guard !writer.outgoing.isEmpty else { throw CheckError.notApplicable("No entity takes free text.") }
        let sent = Dictionary(
            uniqueKeysWithValues: writer.outgoing.map { ($0.key.text + "\u{0}" + $0.entity, Array($0.body)) }
        )
        try await writer.sync()
        try await reader.sync()
        var changed = 0
        for (id, versions) in reader.known
        where sent[id.key.text + "\u{0}" + id.entity] != versions.first?.body {
            changed += 1
        }
        try require(
            reader.known.count == sent.count,
            expected: "\(sent.count) records",
            found: "\(reader.known.count) arrived"
        )
        try require(changed == 0, expected: "all bodies as sent", found: "\(changed) differ")
    },
    BackendCheck(
        id: "stamps",
        guarantee: "edit timestamps, version vectors and field timestamps arrive as sent"
    ) { scene in
        let (writer, reader) = (scene.client(number: 1), scene.client(number: 2))
        let id = try writer.edit(scene.main, key: scene.main.key(number: 1))
        let origin = EditTimestamp(
            time: Timestamp(microseconds: 5),
            device: DeviceID(bits: 77),
            sequence: .max
        )
        let unit = scene.main.entity.layout.units.last { !$0.fields.isEmpty }?.name ?? ""
        writer.amend(id: id) { change in
            var metadata = change.writtenMetadata
            metadata.vector.insert(origin)
            metadata.vector.insert(
                EditTimestamp(time: Timestamp(microseconds: 0), device: DeviceID(bits: .max), sequence: 1)
            )
            var detail = FieldTimestamps(origin: origin)
            detail.units[unit] = [Sibling(editTimestamp: metadata.editTimestamp)]
            detail.life = [origin, metadata.editTimestamp].sorted()
            metadata.detail = detail
            change.metadata = metadata
        }
        guard let sent = writer.outgoing.first?.metadata else { return }
        let result = try await writer.sync().results[id]
        try require(
            result?.isAccepted == true,
            expected: "that it is stored",
            found: "it was \(result?.word ?? "not sent")"
        )
        try await reader.sync()
        let found = reader.known[id]?.first?.metadata
        try require(
            found?.editTimestamp == sent.editTimestamp,
            expected: "the edit timestamp as sent",
            found: "another came"
        )
        try require(found?.vector == sent.vector, expected: "the vector as sent", found: "another came")
        try require(
            found?.detail == sent.detail,
            expected: "the field timestamps as sent",
            found: "others came"
        )
    },
    BackendCheck(id: "large-records", guarantee: "large records arrive whole, together with small ones") {
        scene in
        let length = scene.profile.largeRecordBytes / 2
        let (writer, reader) = (scene.client(number: 1), scene.client(number: 2))
        for number in 0..<8 {
            // Uses a field that accepts the text, or a member that is unknown to the schema.
            let text = String(repeating: "\u{e9}", count: number % 2 == 0 ? length : 1)
            let key = scene.main.key(number: number)
            let field = scene.main.freeTexts(length: length).first
            let unknown = field == nil ? [UnknownField(path: "zz-large", json: "\"\(text)\"")] : []
            let body = scene.main.body(key: key, time: 0, text: field.map { ($0, text) }, unknown: unknown)
            if let body { try writer.edit(scene.main, key: key, body: body) }
        }
        guard !writer.outgoing.isEmpty else {
            throw CheckError.notApplicable("No entity takes a large record.")
        }
        let count = writer.outgoing.count
        for (_, result) in try await writer.sync().results {
            try require(result.isAccepted, expected: "that all are stored", found: "one was \(result.word)")
        }
        try await reader.sync()
        try require(
            reader.shown.count == count,
            expected: "\(count) records",
            found: "\(reader.shown.count) arrived"
        )
        try scene.requireSame([writer, reader], what: "all arrive whole")
    },
]
