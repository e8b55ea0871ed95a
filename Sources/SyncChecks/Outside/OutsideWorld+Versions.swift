import SyncCore
import SyncRuntime

/// The newer version of an app in an outside world.
extension OutsideWorld {
    /// The entities of the newest version.
    var entities: [EntityDescriptor] { versions.new }

    /// What people write into the fields of an entity of either version.
    func roles(of entity: EntityDescriptor) -> FieldRoles? { versions.roles[entity] }

    // MARK: Names of fields

    /// The name that a field had first. The oracle knows fields by it, because a person writes into the same one.
    func firstName(of index: Int, in entity: EntityDescriptor) -> String {
        versions.firstName(entity.fields[index].name, of: entity.name)
    }

    /// The first names of some fields.
    func firstNames(of fields: [Int], in entity: EntityDescriptor) -> [String] {
        fields.map { firstName(of: $0, in: entity) }
    }

    /// The first names of all fields.
    func firstNames(of entity: EntityDescriptor) -> [String] {
        firstNames(of: Array(entity.fields.indices), in: entity)
    }

    /// The position of a field by its first name.
    func position(of name: String, in entity: EntityDescriptor) -> Int? {
        entity.fields.indices.first { firstName(of: $0, in: entity) == name }
    }

    // MARK: Updates

    /// Updates a device to the newer version. What its person holds open is shown by that again.
    func update(_ device: OutsideDevice) throws {
        guard versions.areTwo, !device.isUpdated else { return }
        let before = device.entities
        do { try device.update(to: versions.new) } catch {
            let message = (error as? SyncError)?.message ?? "\(error)"
            return report(.noSurprise, text: "\(device.name) cannot be updated: \(message)")
        }
        device.forms = device.forms.compactMap { form in
            guard let former = before.first(where: { $0.name == form.place.entity }),
                let entity = device.descriptor(name: form.place.entity)
            else { return nil }
            var form = form
            form.record = reread(form.record, from: former, as: entity)
            return form
        }
        log(device: device, text: "is updated to the newer version")
    }

    /// Updates the devices that still have the older version.
    func updateAll() throws {
        guard versions.areTwo else { return }
        var draw = Seed(story.seed ^ 0x6c_6174_6572)
        for device in present.shuffled(using: &draw) { try update(device) }
    }

    // MARK: Words

    /// The words of records whose entity only older apps have. Their tables stay in each store, and return with a
    /// version that has the entity.
    func foundByOlderApps(_ views: [DeviceView]) throws -> Set<String> {
        guard versions.served.count > versions.new.count else { return [] }
        return try views.reduce(into: []) { found, view in
            try view.device.update(to: versions.served)
            found.formUnion(try view.device.found(oracle: oracle))
        }
    }

    // MARK: Drafts

    /// A record as the newer version of an app reads what the older one has kept of it, as a program would that keeps
    /// drafts of its own.
    private func reread(_ record: Record, from former: EntityDescriptor, as entity: EntityDescriptor)
        -> Record
    {
        var read = Record(empty: entity)
        read.unknown = record.unknown
        for (index, field) in entity.fields.enumerated() {
            guard let position = position(of: firstName(of: index, in: entity), in: former) else {
                take(field, at: index, in: &read)
                continue
            }
            read.values[index] = record.values[position]
            if case (.number, .integer(let number)?) = (field.type, record.values[position]) {
                read.values[index] = .number(Double(number))
            }
        }
        return read
    }

    /// Sets a field to the value that the record had as a member that its version did not know.
    private func take(_ field: FieldDescriptor, at index: Int, in record: inout Record) {
        guard !field.isLocalOnly,
            let found = record.unknown.firstIndex(where: { $0.path == field.wirePath.last })
        else { return }
        let json = record.unknown.remove(at: found).json
        record.values[index] = json == "null" ? .null : field.type.adopting(value: .json(json))
    }
}

extension OutsideVersions {
    /// The promises that hold in a world with these versions.
    var promises: Set<OutsidePromise> {
        var promises = Set(OutsidePromise.allCases)
        // Apps of both versions decide the same conflict in different ways. Where they have written the same record,
        // devices show different values and say so ('records-differ'), and 'sync --rejoin' mends it.
        let isDecidedOtherwise = have(
            .merge,
            .strategy,
            .granularity,
            .unique,
            .reference,
            .deleteRule,
            .cyclic,
            .ordered
        )
        // Where an app of the one version has written what the other does not allow, a device that had the value goes
        // on showing it, and one that pulls it refuses it and shows what it had. Both keep every word.
        let isRefused = have(.narrowed, .required, .nullable)
        if isDecidedOtherwise || isRefused {
            promises.subtract([
                .sameEverywhere, .sameNextToConflicts, .newcomerSame, .comesToRest, .inSyncIsTrue,
                .noDifference, .fieldsFlow, .ruleDecides, .oneOfEach, .referencesMove, .referencesReturn,
            ])
        }
        if changes.contains(where: { $0.kind == .defaulted && $0.isReversed }) {
            // Older apps fill a record that lacks the field with its default. Newer ones take what such an app stored
            // for a member of their own, and it is not known any more who wrote it.
            promises.subtract([
                .sameEverywhere, .sameNextToConflicts, .newcomerSame, .inSyncIsTrue, .noDifference,
            ])
        }
        // What stood in a field before it was a reference is no key of a record. The app shows it as it is.
        if isRefused || have(.reference) { promises.remove(.referencesStand) }
        return promises
    }
}
