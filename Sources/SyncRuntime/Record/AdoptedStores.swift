package import SyncCore

extension StoreSnapshot {
    /// Whether a version that was read from a store can be saved here: from this one, or from one whose records were
    /// adopted.
    package func holds(versionsOf store: StoreID) throws -> Bool {
        try store == storeID || adoptedStores().contains(store.hex)
    }

    fileprivate func adoptedStores() throws -> [String] {
        try value(name: StoreValue.adoptedStores)?.split(separator: ",").map(String.init) ?? []
    }
}

extension StoreTransaction {
    /// Notes that the records of a store were adopted, so that a form that has one of them open can be saved.
    func adoptVersions(of store: StoreID) throws {
        let known = try adoptedStores()
        if known.contains(store.hex) { return }
        try setValue(StoreValue.adoptedStores, value: (known + [store.hex]).joined(separator: ","))
    }
}
