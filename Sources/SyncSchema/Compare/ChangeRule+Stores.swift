extension ChangeRule {
    /// Whether a breaking change of this kind keeps an existing store from opening, or from showing a record that is in it.
    package var breaksStores: Bool {
        switch self {
        case .entityRemoved, .entityRenamed, .keyChanged, .versionLowered, .fieldRenamed, .requiredAdded,
            .nullForbidden, .typeChanged, .memberTypeChanged, .typeNarrowed:
            true
        default: false
        }
    }
}

extension SchemaChange {
    /// Whether a store of the older schemas refuses to open, or shows less than before.
    public var breaksStores: Bool {
        severity == .breaking && ignored == nil && ChangeRule(rawValue: rule)?.breaksStores == true
    }
}
