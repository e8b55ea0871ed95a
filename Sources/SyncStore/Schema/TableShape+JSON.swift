import SyncCore

/// The JSON form in the catalogue: `{"version":1,"key":["id"],"columns":[{"name":"id",…}],"indexes":[["a"]]}`.
extension TableShape {
    var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("version")
        writer.integer(Int64(version))
        writer.name("key")
        writer.texts(texts: key)
        writer.name("columns")
        writer.beginArray()
        for column in columns { column.append(to: &writer) }
        writer.endArray()
        writer.name("indexes")
        writer.beginArray()
        for index in indexes { writer.texts(texts: index) }
        writer.endArray()
        if !search.isEmpty {
            writer.name("search")
            writer.texts(texts: search)
            writer.name("searchVersion")
            writer.integer(Int64(searchVersion))
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
                case "version": version = try reader.int()
                case "key": key = try reader.texts()
                case "columns":
                    guard try reader.beginArray() else { continue }
                    repeat { columns.append(try Column(&reader)) } while try reader.nextElement()
                case "indexes":
                    guard try reader.beginArray() else { continue }
                    repeat { indexes.append(try reader.texts()) } while try reader.nextElement()
                case "search": search = try reader.texts()
                case "searchVersion": searchVersion = try reader.int()
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
        writer.name("name")
        writer.string(name)
        writer.name("slot")
        writer.integer(Int64(slot))
        writer.name("kind")
        writer.string(kind)
        if path != [name] {
            writer.name("path")
            writer.texts(texts: path)
        }
        if let nested {
            writer.name("nested")
            nested.append(to: &writer)
        }
        if isLocalOnly {
            writer.name("local")
            writer.boolean(true)
        }
        if isRetired {
            writer.name("retired")
            writer.boolean(true)
        }
        writer.endObject()
    }

    fileprivate init(_ reader: inout JSONReader) throws {
        self.init(name: "", slot: 0, kind: "", path: [], isLocalOnly: false)
        var path: [String]?
        guard try reader.beginObject() else { throw reader.error(kind: .unexpectedByte) }
        repeat {
            switch try reader.name().decode() {
            case "name": name = try reader.string().decode()
            case "slot": slot = try reader.int()
            case "kind": kind = try reader.string().decode()
            case "path": path = try reader.texts()
            case "nested": nested = try NestedShape(&reader)
            case "local": isLocalOnly = try reader.boolean()
            case "retired": isRetired = try reader.boolean()
            default: try reader.skipValue()
            }
        } while try reader.nextMember()
        self.path = path ?? [name]
    }
}

extension JSONWriter {
    fileprivate mutating func texts(texts: [String]) {
        beginArray()
        for text in texts { string(text) }
        endArray()
    }
}

extension JSONReader {
    fileprivate mutating func texts() throws -> [String] {
        var texts: [String] = []
        guard try beginArray() else { return texts }
        repeat { texts.append(try string().decode()) } while try nextElement()
        return texts
    }

    fileprivate mutating func int() throws -> Int {
        guard let value = Int(String(decoding: try number(), as: UTF8.self)) else {
            throw error(kind: .numberOutOfRange)
        }
        return value
    }
}
