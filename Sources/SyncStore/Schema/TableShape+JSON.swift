import SyncCore

/// The JSON form in the catalogue: `{"version":1,"key":["id"],"columns":[{"name":"id",…}],"indexes":[["a"]]}`.
extension TableShape {
    var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("version", value: Int64(version))
        writer.member("key", value: key)
        writer.name("columns")
        writer.beginArray()
        for column in columns { column.append(to: &writer) }
        writer.endArray()
        writer.name("indexes")
        writer.beginArray()
        for index in indexes { writer.strings(index) }
        writer.endArray()
        if !search.isEmpty {
            writer.member("search", value: search)
            writer.member("searchVersion", value: Int64(searchVersion))
        }
        writer.endObject()
        return writer.text
    }

    /// Reads what `json` writes. Throws `JSONError`.
    init(json: String) throws {
        self.init(version: 0, key: [], columns: [], indexes: [])
        var copy = json
        try copy.withUTF8 { buffer in
            var reader = try JSONReader(buffer)
            guard try reader.beginObject() else { throw reader.error(kind: .unexpectedByte) }
            repeat {
                switch try reader.name().decode() {
                case "version": version = Int(clamping: try reader.integer())
                case "key": key = try reader.strings()
                case "columns":
                    guard try reader.beginArray() else { continue }
                    repeat { columns.append(try Column(&reader)) } while try reader.nextElement()
                case "indexes":
                    guard try reader.beginArray() else { continue }
                    repeat { indexes.append(try reader.strings()) } while try reader.nextElement()
                case "search": search = try reader.strings()
                case "searchVersion": searchVersion = Int(clamping: try reader.integer())
                default: try reader.skipValue()
                }
            } while try reader.nextMember()
            try reader.end()
        }
    }
}

extension TableShape.Column {
    fileprivate func append(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", value: name)
        writer.member("slot", value: Int64(slot))
        writer.member("kind", value: kind)
        if path != [name] { writer.member("path", value: path) }
        if let nested {
            writer.name("nested")
            nested.append(to: &writer)
        }
        if isLocalOnly { writer.member("local", value: true) }
        if isRetired { writer.member("retired", value: true) }
        writer.endObject()
    }

    fileprivate init(_ reader: inout JSONReader) throws {
        self.init(name: "", slot: 0, kind: "", path: [], isLocalOnly: false)
        var path: [String]?
        guard try reader.beginObject() else { throw reader.error(kind: .unexpectedByte) }
        repeat {
            switch try reader.name().decode() {
            case "name": name = try reader.string().decode()
            case "slot": slot = Int(clamping: try reader.integer())
            case "kind": kind = try reader.string().decode()
            case "path": path = try reader.strings()
            case "nested": nested = try NestedShape(&reader)
            case "local": isLocalOnly = try reader.boolean()
            case "retired": isRetired = try reader.boolean()
            default: try reader.skipValue()
            }
        } while try reader.nextMember()
        self.path = path ?? [name]
    }
}
