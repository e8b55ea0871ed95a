import SyncCore

/// The accounts of a device, their folders, and the one in use.
///
/// Every account operation takes effect with one write of the index. The index lists a folder before the folder is
/// made, as doomed until its operation is done.
struct AccountIndex: Equatable {
    /// The folder of the account in use; nil before the first.
    var active: String?
    /// The accounts in the order in which they were added.
    var entries: [Entry] = []
    /// Folders to be removed.
    var doomed: [String] = []
    /// An adoption that has begun.
    var adoption: Adopting?

    /// An account and its folder.
    struct Entry: Equatable {
        var id: AccountID
        var folder: String
    }

    /// An adoption of the guest's records.
    struct Adopting: Equatable {
        var guest: String
        var target: Entry
    }

    func entry(of id: AccountID) -> Entry? { entries.first { $0.id == id } }

    func holds(_ folder: String) -> Bool { entries.contains { $0.folder == folder } }

    /// Makes an account the one in use.
    mutating func activate(entry: Entry) {
        if !entries.contains(entry) { entries.append(entry) }
        doomed.removeAll { $0 == entry.folder }
        active = entry.folder
    }

    /// Marks a folder for removal.
    mutating func forget(_ folder: String) {
        entries.removeAll { $0.folder == folder }
        if !doomed.contains(folder) { doomed.append(folder) }
    }

    /// Completes an adoption: the account is in use, and the guest's folder is marked for removal.
    mutating func finish(_ adoption: Adopting) {
        forget(adoption.guest)
        activate(entry: adoption.target)
        self.adoption = nil
    }
}

extension AccountIndex {
    private static let format: Int64 = 1

    /// The index as JSON.
    var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("format", value: Self.format)
        writer.member("active", value: active)
        writer.name("accounts")
        writer.beginArray()
        for entry in entries { entry.append(to: &writer) }
        writer.endArray()
        writer.member("doomed", value: doomed)
        if let adoption {
            writer.member("guest", value: adoption.guest)
            writer.name("target")
            adoption.target.append(to: &writer)
        }
        writer.endObject()
        return writer.bytes
    }

    /// Reads the bytes of an index. Throws `SyncError` for anything else.
    init(_ bytes: [UInt8]) throws {
        do {
            self = try bytes.withUnsafeBufferPointer { buffer in
                var reader = try JSONReader(buffer)
                let index = try AccountIndex(&reader)
                try reader.end()
                return index
            }
        } catch is JSONError { throw SyncError.damagedAccountIndex() }
        guard active.map(holds) ?? true else { throw SyncError.damagedAccountIndex() }
    }

    private init(_ reader: inout JSONReader) throws {
        var format: Int64?
        var (guest, target): (String?, Entry?) = (nil, nil)
        guard try reader.beginObject() else { throw SyncError.damagedAccountIndex() }
        repeat {
            switch try reader.name().decode() {
            case "format": format = Int64(String(decoding: try reader.number(), as: UTF8.self))
            case "active": active = try reader.null() ? nil : try reader.folder()
            case "accounts": try reader.elements { entries.append(try Entry(&$0)) }
            case "doomed": try reader.elements { doomed.append(try $0.folder()) }
            case "guest": guest = try reader.folder()
            case "target": target = try Entry(&reader)
            default: throw SyncError.damagedAccountIndex()
            }
        } while try reader.nextMember()
        guard format == Self.format, (guest == nil) == (target == nil) else {
            throw SyncError.damagedAccountIndex()
        }
        if let guest, let target { adoption = Adopting(guest: guest, target: target) }
    }
}

extension AccountIndex.Entry {
    fileprivate func append(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", value: id.text)
        writer.member("folder", value: folder)
        writer.endObject()
    }

    fileprivate init(_ reader: inout JSONReader) throws {
        var (id, folder): (AccountID?, String?) = (nil, nil)
        guard try reader.beginObject() else { throw SyncError.damagedAccountIndex() }
        repeat {
            switch try reader.name().decode() {
            case "id": id = try reader.null() ? .guest : AccountID(try reader.string().decode())
            case "folder": folder = try reader.folder()
            default: throw SyncError.damagedAccountIndex()
            }
        } while try reader.nextMember()
        guard let id, let folder else { throw SyncError.damagedAccountIndex() }
        self.init(id: id, folder: folder)
    }
}

extension JSONReader {
    fileprivate mutating func elements(body: (inout JSONReader) throws -> Void) throws {
        guard try beginArray() else { return }
        repeat { try body(&self) } while try nextElement()
    }

    /// Reads a folder's name. Rejects a name that could lead to another place.
    fileprivate mutating func folder() throws -> String {
        let name = try string().decode()
        let isPlain = name.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x61...0x66).contains($0) || $0 == 0x2d
        }
        guard isPlain, (1...64).contains(name.utf8.count) else { throw SyncError.damagedAccountIndex() }
        return name
    }
}
