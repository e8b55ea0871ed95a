package import SyncModel

extension EntityDescriptor {
    /// Converts the error of a value that does not fit its field to one for a person.
    package func fitting<Result>(body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as FieldError {
            throw SyncError.doesNotFit(entity: name, error: error)
        } catch let error as JSONError {
            throw SyncError.notJSON(what: "The \(name) record", error: error)
        }
    }
}
