/// What a person chose for records that were edited here and elsewhere, in place of the schema's strategy.
///
/// A copy decides only about this device's own edits. How versions of others look together is the schema's matter, so
/// that devices with different choices show the same.
extension EntityDescriptor {
    /// What a copy was made of.
    struct Choice: Sendable {
        let bySchema: EntityDescriptor
        /// The copy that leaves decisions to a person; nil if this is that one.
        let asking: EntityDescriptor?
    }

    /// What the schema says: the descriptor itself, unless it is a copy.
    package var bySchema: EntityDescriptor { shared.choice?.bySchema ?? self }

    /// Decides about records that are marked in conflict: a copy leaves them to a person, whatever was chosen since.
    package var asking: EntityDescriptor { shared.choice?.asking ?? self }

    /// Whether this is a copy, whatever its strategy.
    package var isCopy: Bool { shared.choice != nil }

    /// Whether a person chose another strategy than the schema's.
    package var isChosen: Bool { bySchema.strategy != strategy }

    /// The copies by which the most recent edit wins, and by which this device's edit is kept and a person decides. Nil
    /// under `set-union`, which loses neither.
    package var choices: (recent: EntityDescriptor, asking: EntityDescriptor)? {
        guard strategy != .setUnion else { return nil }
        let asking = EntityDescriptor(bySchema: self, strategy: .preserveLocal, asking: nil)
        return (EntityDescriptor(bySchema: self, strategy: .lastWriteWins, asking: asking), asking)
    }
}
