/// The stable names of all change rules. Ignores refer to them, so a name is never reused.
package enum ChangeRule: String, Sendable, CaseIterable {
    // Entities.
    case entityAdded = "entity-added"
    case entityRemoved = "entity-removed"
    case entityRenamed = "entity-renamed"
    case keyChanged = "key-changed"
    case remoteChanged = "remote-changed"
    case versionLowered = "version-lowered"
    case versionNotRaised = "version-not-raised"
    case unknownFieldsForbidden = "unknown-fields-forbidden"
    case unknownFieldsAllowed = "unknown-fields-allowed"
    case indexesChanged = "indexes-changed"
    case limitLowered = "limit-lowered"
    case limitRaised = "limit-raised"

    // Conflict resolution.
    case strategyChanged = "strategy-changed"
    case granularityChanged = "granularity-changed"
    case mergeRuleAdded = "merge-rule-added"
    case mergeRuleRemoved = "merge-rule-removed"
    case mergeRuleChanged = "merge-rule-changed"
    case createdChanged = "created-changed"
    case updatedChanged = "updated-changed"
    case deletedChanged = "deleted-changed"
    case firstUniqueChanged = "settling-changed"
    case uniqueAdded = "unique-added"
    case uniqueRemoved = "unique-removed"
    case referenceAdded = "reference-added"
    case referenceRemoved = "reference-removed"
    case referenceChanged = "reference-changed"
    case deleteRuleChanged = "delete-rule-changed"
    case treeChanged = "tree-changed"
    case tombstonesShortened = "tombstones-shortened"
    case tombstonesLengthened = "tombstones-lengthened"
    case setChanged = "set-changed"

    // Fields.
    case fieldAdded = "field-added"
    case fieldRemoved = "field-removed"
    case fieldRenamed = "field-renamed"
    case wireNameChanged = "wire-name-changed"
    case localOnlyChanged = "local-only-changed"
    case requiredAdded = "required-added"
    case requiredRemoved = "required-removed"
    case nullAllowed = "null-allowed"
    case nullForbidden = "null-forbidden"
    case defaultChanged = "default-changed"

    // Types.
    case typeChanged = "type-changed"
    case memberTypeChanged = "member-type-changed"
    case typeWidened = "type-widened"
    case typeNarrowed = "type-narrowed"
    case enumChanged = "enum-changed"
    case constraintTightened = "constraint-tightened"
    case constraintLoosened = "constraint-loosened"

    // The list of ignores.
    case unusedIgnore = "unused-ignore"
}

extension ChangeRule {
    /// The area that a change of this kind affects.
    package var area: SchemaChange.Area {
        switch self {
        case .entityRemoved, .entityRenamed, .keyChanged, .versionLowered, .versionNotRaised, .indexesChanged,
            .limitLowered, .limitRaised, .uniqueAdded, .uniqueRemoved, .fieldRenamed, .typeChanged,
            .unusedIgnore:
            .store
        case .strategyChanged, .granularityChanged, .mergeRuleAdded, .mergeRuleRemoved, .mergeRuleChanged,
            .createdChanged, .updatedChanged, .deletedChanged, .firstUniqueChanged, .referenceAdded,
            .referenceRemoved, .referenceChanged, .deleteRuleChanged, .treeChanged, .tombstonesShortened,
            .tombstonesLengthened, .setChanged:
            .merge
        case .entityAdded, .remoteChanged, .unknownFieldsForbidden, .unknownFieldsAllowed, .fieldAdded,
            .fieldRemoved, .wireNameChanged, .localOnlyChanged, .requiredAdded, .requiredRemoved,
            .nullAllowed,
            .nullForbidden, .defaultChanged, .memberTypeChanged, .typeWidened, .typeNarrowed, .enumChanged,
            .constraintTightened, .constraintLoosened:
            .wire
        }
    }

    /// The default severity; circumstances may change it.
    package var severity: SchemaChange.Severity {
        switch self {
        case .entityAdded, .unknownFieldsForbidden, .unknownFieldsAllowed, .indexesChanged, .limitRaised,
            .uniqueRemoved,
            .tombstonesLengthened, .fieldAdded, .fieldRemoved, .fieldRenamed, .enumChanged:
            .safe
        default: .breaking
        }
    }

    /// What the rule is about, in one sentence.
    package var explanation: String { Self.explanations[self] ?? "" }
}
