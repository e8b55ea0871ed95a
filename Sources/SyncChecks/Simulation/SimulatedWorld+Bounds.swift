/// What a world may cost.
extension SimulatedWorld {
    /// Requests of a sync that moves nothing, with a token that must be refreshed, a remote that must be joined anew, and
    /// records that are refused.
    private static let requestsOfAnySync = 8
    /// Bytes that a handful of records with their history take on a device: far more than they need, far less than what
    /// grows with each sync.
    private static let storeBytes = 4 << 20
    /// Bytes of an account's folder, all devices' parts of it.
    private static let folderBytes = 1 << 20

    /// A sync asks as often as what it moves calls for, once nothing is wrong any more.
    func checkRequests(_ device: SimulatedDevice, requests: Int, moved: Int) throws {
        guard requests > Self.requestsOfAnySync + moved else { return }
        throw StoryViolation(
            rule: "requests-bounded",
            description: "A sync of \(device.name) that moves \(moved) records asks \(requests) times."
        )
    }

    /// Neither store nor folder grows without end.
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
