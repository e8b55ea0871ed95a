import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// Merging has a short way for plain versions. It must never come to anything but what the long one comes to.
@Suite struct PlainMergeTests {
    private static let fields = [
        Entities.tags,
        FieldDescriptor(name: "status", type: .string(), isRequired: true, defaultJSON: #""new""#),
        FieldDescriptor(name: "deletedAt", type: .dateTime, isNullable: true),
        FieldDescriptor(name: "draft", type: .string(), isLocalOnly: true),
    ]

    @Test(arguments: MergeStrategy.allCases, MergeGranularity.allCases)
    func plainVersionsMeetAsAllDo(strategy: MergeStrategy, granularity: MergeGranularity) throws {
        let known = Entities.note(
            strategy: strategy,
            granularity: granularity,
            fields: Self.fields,
            deleted: "deletedAt"
        )
        let ruled = Entities.note(strategy: strategy, granularity: granularity, fields: Entities.rules)
        let older = Entities.note(strategy: strategy, granularity: granularity)
        let pairs: [(EntityDescriptor, EntityDescriptor?)] = [(known, nil), (ruled, nil), (ruled, older)]
        for (entity, older) in pairs {
            var met = Met()
            for number in 0..<20 {
                try meet(entity: entity, older: older, number: UInt64(number), met: &met)
            }
            #expect(met.plainly > 100, "\(met) of \(strategy) by \(granularity)")
            #expect(met.otherwise > 50, "\(met) of \(strategy) by \(granularity)")
        }
    }

    /// How many pairs met by the short way, and how many had to take the long one.
    private struct Met {
        var plainly = 0
        var otherwise = 0
    }

    private func meet(
        entity: EntityDescriptor,
        older: EntityDescriptor?,
        number: UInt64,
        met: inout Met
    )
        throws
    {
        var seed = Seed(number)
        let versions = try MergeLaws(descriptor: entity, older: older).history(seed: &seed, steps: 14)
        for _ in 0..<16 {
            guard let left = versions.randomElement(using: &seed),
                let right = versions.randomElement(using: &seed)
            else { continue }
            do {
                for joinsTimes in [false, true] {
                    var merge = Merge(descriptor: entity, joinsAgreedTimes: joinsTimes)
                    let isPlain = merge.plainly(left: left, right: right, joinsTimes: joinsTimes) != nil
                    let short = (merge(left, right: right), merge.agreed(left: left, right: right))
                    merge.meetsPlainly = false
                    let long = (merge(left, right: right), merge.agreed(left: left, right: right))
                    if short != long { Issue.record("seed \(number): \(left) meets \(right)") }
                    if isPlain { met.plainly += 1 } else { met.otherwise += 1 }
                }
            }
        }
    }
}
