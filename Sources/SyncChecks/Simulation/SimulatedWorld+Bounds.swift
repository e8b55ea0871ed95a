/// The resource limits of a world.
extension SimulatedWorld {
    /// The most requests of a sync that moves nothing: with a token refresh, a rejoin and refused records.
    private static let requestsOfAnySync = 8
    /// The most bytes of a store with a few records and their history: much more than needed, but less than a
    /// store that grows with each sync.
    private static let storeBytes = 4 << 20
    /// The most bytes of an account's folder, with the parts of all devices.
    private static let folderBytes = 1 << 20

    /// Checks that the number of requests matches the number of moved records once there are no faults.
    func checkRequests(_ device: SimulatedDevice, requests: Int, moved: Int) throws {
        guard requests > Self.requestsOfAnySync + moved else { return }
        throw StoryViolation(
            rule: "requests-bounded",
            description: "A sync of \(device.name) that moves \(moved) records asks \(requests) times."
        )
    }

    /// Checks that store and folder do not grow without bound.
    func checkSize(_ device: SimulatedDevice, account: String) throws {
        let folder = device.disk.bytes(under: Self.folder(account: account))
        let store = device.disk.bytes(under: "/") - folder
        guard store > Self.storeBytes || folder > Self.folderBytes else { return }
        throw StoryViolation(
            rule: "size-bounded",
            description:
                "\(device.name) holds \(store) bytes, and \(folder) in its folder, for a handful of records."
        )
    }
}
