enum FolderIdleRatio {
    static func measure(_ bench: Bench) async throws -> Measurement {
        throw Unmeasured(reason: "not there yet")
    }
}
