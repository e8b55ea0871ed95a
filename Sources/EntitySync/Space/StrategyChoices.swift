import SyncCore

/// The ways in which a person can let the records of each type merge. Made once for a space or for all accounts.
struct StrategyChoices: Sendable {
    private var choices: [String: Choice] = [:]

    private struct Choice: Sendable {
        let type: any SyncEntity.Type
        let recent: EntityDescriptor
        let asking: EntityDescriptor
    }

    init(of types: [any SyncEntity.Type]) {
        for type in types {
            let entity = type.adapter.descriptor
            guard let (recent, asking) = entity.choices else { continue }
            choices[entity.name] = Choice(type: type, recent: recent, asking: asking)
        }
    }

    /// The entity that decides as the person chose. `isRecent`: whether the most recent edit wins; nil for what the
    /// schema says.
    func deciding(_ entity: EntityDescriptor, isRecent: (any SyncEntity.Type) -> Bool?) -> EntityDescriptor {
        guard let choice = choices[entity.name] else { return entity }
        let isRecent = isRecent(choice.type) ?? (entity.strategy == .lastWriteWins)
        return isRecent ? choice.recent : choice.asking
    }
}
