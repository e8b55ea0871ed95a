import ArgumentParser
import EntitySync

/// `retire`: says that a device will not return.
struct RetireCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retire",
        abstract: "Say that a device will not return; prints its id.",
        discussion: """
            The remote then keeps nothing for it any more, deleted records above all. Should it come back, it has to \
            sync with '--rejoin'.
            """
    )

    @Argument(help: "The device's id, or its name where only one device has it.")
    var device: String

    @Option(help: ArgumentHelp("The shared folder; that of the last sync by default.", valueName: "dir"))
    var remote: String?

    @OptionGroup var options: StoreOptions

    func run() throws {
        let workspace = try options.workspace()
        let store = try workspace.openForReading()
        let remote = try remote.map { try RemoteArgument($0) } ?? RemoteArgument(lastOf: store)
        guard let own = try store.read({ try $0.value(StoreValueName.device) }).flatMap({ DeviceID($0) })
        else {
            throw SyncError.noRemote()
        }
        guard case .folder(let path) = remote else { throw SyncError.folderOnly("retire") }
        let backend = FolderBackend(root: path)
        let devices = try backend.devices()
        let retired = try Self.find(device, among: devices, own: own)
        let lease = try store.lease()
        defer { lease.close() }
        do {
            try backend.retire(retired, by: own)
        } catch let error as SyncError where error.kind == .notFound {
            throw SyncError.noSuchDevice(devices, isAmbiguous: false)
        }
        try Printer.print { printer in
            guard options.json else { return try printer.line(retired.description) }
            try printer.json { writer in
                writer.beginObject()
                writer.member("device", retired.description)
                writer.endObject()
            }
        }
    }

    /// The device of that id or name. One whose folder is gone is known by its id only.
    private static func find(_ text: String, among devices: [FolderDevice], own: DeviceID) throws -> DeviceID
    {
        let named = devices.filter { !$0.label.isEmpty && $0.label == text }
        let id = named.count == 1 ? named[0].device : DeviceID(text)
        guard let id else { throw SyncError.noSuchDevice(devices, isAmbiguous: named.count > 1) }
        guard id != own else { throw SyncError.cannotRetireItself() }
        return id
    }
}
