import ArgumentParser
import EntitySync
import SyncCore
import SyncFileBackend
import SyncRuntime

/// `retire`: declares that a device will not return.
struct RetireCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retire",
        abstract: "Say that a device will not return; prints its id.",
        discussion: """
            This store syncs first: what the folder has lost of the device and this store holds is published again. \
            Then the remote keeps nothing for the device any more, deleted records above all. The output says how \
            many segments the device has published that never arrived. If the device comes back, it learns that it \
            was retired, and joins anew by itself.
            """
    )

    @Argument(help: "The device's id, or its name where only one device has it.")
    var device: String

    @Option(
        help: ArgumentHelp("The shared folder; that of the last sync by default.", valueName: "dir"),
        completion: .directory
    )
    var remote: String?

    @OptionGroup var options: StoreOptions

    func run() async throws {
        let workspace = try options.workspace()
        let named = try remote.map { try RemoteArgument($0) }
        let store = try workspace.openExisting()
        let remote = try named ?? RemoteArgument(lastOf: store)
        guard
            let own = try store.read({ try $0.value(name: StoreValueName.device) }).flatMap({
                DeviceID($0)
            })
        else {
            throw SyncError.noRemote()
        }
        guard case .folder(let path) = remote else { throw SyncError.folderOnly(command: "retire") }
        let backend = FolderBackend(root: path)
        let devices = try await backend.devices()
        let retired = try Self.find(device, among: devices, own: own)
        let label = devices.first { $0.device == own }?.label
        try await takeOver(
            store,
            backend: backend,
            workspace: workspace,
            label: label ?? StandardStreams.hostName
        )
        let given = try await retire(retired, store: store, backend: backend, devices: devices)
        if given.givenUp > 0 { StandardStreams.write(Self.warning(given: given), to: .error) }
        try Printer.print { printer in
            guard options.json else { return try printer.line(text: retired.description) }
            try printer.json { writer in
                writer.beginObject()
                writer.member(name: "device", text: retired.description)
                writer.member(name: "givenUp", count: Int(given.givenUp))
                writer.endObject()
            }
        }
    }

    /// Publishes records again that the folder has lost and this store still has.
    private func takeOver(
        _ store: any LocalStore,
        backend: FolderBackend,
        workspace: Workspace,
        label: String
    ) async throws {
        let engine = SyncEngine(
            store: store,
            backend: backend,
            environment: SyncEnvironment(clock: workspace.clock, random: workspace.random, label: label),
            onProgress: ProgressLine.onTerminal
        )
        _ = try await engine.sync(SyncOptions(replacesLosses: true))
    }

    private func retire(
        _ device: DeviceID,
        store: any LocalStore,
        backend: FolderBackend,
        devices: [FolderDevice]
    ) async throws -> RetiredDevice {
        let lease = try store.lease()
        defer { lease.close() }
        // The sync may have given this store a new identity.
        guard
            let own = try store.read({ try $0.value(name: StoreValueName.device) }).flatMap({
                DeviceID($0)
            })
        else { throw SyncError.noRemote() }
        do {
            return try await backend.retire(device, by: own)
        } catch let error as SyncError where error.kind == .notFound {
            throw SyncError.noSuchDevice(devices: devices, isAmbiguous: false)
        }
    }

    private static func warning(given: RetiredDevice) -> String {
        let segments = given.givenUp == 1 ? "1 segment" : "\(given.givenUp) segments"
        return
            "warning: \(segments) that the device has published never arrived here; nobody waits for what is in there.\n"
    }

    /// Finds a device by id or name. A device without a folder is only known by its id.
    private static func find(_ text: String, among devices: [FolderDevice], own: DeviceID) throws -> DeviceID
    {
        let named = devices.filter { !$0.label.isEmpty && $0.label == text }
        let id = named.count == 1 ? named[0].device : DeviceID(text)
        guard let id else { throw SyncError.noSuchDevice(devices: devices, isAmbiguous: named.count > 1) }
        guard id != own else { throw SyncError.cannotRetireItself() }
        return id
    }
}
