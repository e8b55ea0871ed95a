import SyncCore
import Testing

/// The ways in which the fields of an entity merge.
enum MergeKind: CaseIterable, CustomTestStringConvertible {
    case wholeRecord, byField, addWins, asked, askedByField

    var testDescription: String { "\(strategy.rawValue), \(granularity.rawValue)" }

    var strategy: MergeStrategy {
        switch self {
        case .wholeRecord, .byField: .lastWriteWins
        case .addWins: .setUnion
        case .asked, .askedByField: .preserveLocal
        }
    }

    var granularity: MergeGranularity { self == .byField || self == .askedByField ? .field : .record }
}
