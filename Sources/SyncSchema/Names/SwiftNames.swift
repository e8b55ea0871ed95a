/// Names that generated Swift code can use.
package enum SwiftNames {
    /// The most characters in the name of a field, type or entity.
    static let maxLength = 64

    /// Whether a name is an ASCII letter followed by ASCII letters, digits and underscores, within the length
    /// limit.
    static func isIdentifier(_ name: String) -> Bool {
        let bytes = name.utf8
        guard bytes.count <= maxLength, let first = bytes.first, isLetter(first) else { return false }
        return bytes.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_") }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    /// Names that a stored property of a generated struct cannot have. The compiler reserves them, or the
    /// struct already has such a member, or generated code uses a type of that name, which the property would
    /// hide.
    package static let reservedMembers: Set<String> = words(
        text: """
            self Self init Type Protocol hashValue unknownFields CodingKeys Fields
            Adapter EntityKey ID RawValue
            UnknownFields ModelType FieldCodec FieldDescriptor EntityDescriptor RecordKey Field DefaultValue
            CalendarDate Date Data Decimal Set UUID
            """
    )

    /// Names that a case of a generated enum cannot have. They get the suffix `Value`.
    package static let reservedCases: Set<String> = [
        "self", "Self", "init", "Type", "Protocol", "unknown", "none", "some", "rawValue", "hashValue",
        "hash",
        "encode", "allCases",
    ]

    /// Names that a generated type cannot have: Swift keywords, and types of the standard library, Foundation
    /// and SyncCore that generated code uses.
    package static let reservedTypes: Set<String> = words(
        text: """
            Any AnyObject AnyHashable Type Protocol Self Void Never Optional Result Error Task Actor MainActor
            String Substring Character Unicode StaticString Bool Int Int8 Int16 Int32 Int64 Int128 UInt UInt8 UInt16
            UInt32 UInt64 UInt128 Float Float16 Float80 Double Decimal Array ArraySlice ContiguousArray Set Dictionary
            Range ClosedRange Sequence Collection Comparable Equatable Hashable Hasher Identifiable Sendable Codable
            Encodable Decodable Encoder Decoder EncodingError DecodingError CodingKey CodingKeys CaseIterable
            RawRepresentable CustomStringConvertible LosslessStringConvertible ExpressibleByStringLiteral KeyPath
            Mirror Duration Clock Regex Foundation Swift Data Date DateComponents Calendar TimeZone Locale UUID URL
            URLRequest URLSession Notification Bundle FileManager Process Thread Timer JSONEncoder JSONDecoder NSObject
            UnsafeBufferPointer UnsafeRawBufferPointer KeyedDecodingContainer KeyedEncodingContainer ID RawValue
            SyncCore SyncRuntime SyncStore SyncSQLite SyncWire SyncSchema SyncDynamic SyncEntities EntitySync
            SyncEntity SyncRegistry NestedObject OpenEnum TypedKey FieldGroup FieldConvertible FieldReader FieldWriter
            DefaultValue WireText TransferObject ModelType FieldCodec UnknownField UnknownFields Adapter EntityKey
            EntityAdapter EntityDescriptor EntityLayout FieldDescriptor FieldType ReferenceDescriptor MergeRule
            MergeStrategy MergeGranularity DeleteRule RowReader RowBinder RecordRow RecordBuilder FieldPresence
            FieldError FieldValue Record RecordKey RecordForm RecordEncoder RecordDecoder SyncRecord SyncError
            CalendarDate Timestamp DecimalText JSONReader JSONWriter JSONText JSONError EditTimestamp VersionVector
            LocalStore RemoteBackend FileSystem Change Revision Field Fields
            """
    ).union(keywords)

    /// Whether a generated type with this name, or a companion such as its adapter, would hide another type.
    static func isReserved(title: String) -> Bool {
        ([""] + companionSuffixes).contains { reservedTypes.contains(title + $0) }
    }

    /// A valid title for an entity.
    static func title(for entity: String) -> String {
        let title = Words.upperCamelCase(name: entity)
        return isReserved(title: title) || shadowedTypes.contains(title) ? title + "Record" : title
    }

    /// Names of SwiftUI, Observation, SyncCore and other modules that an app's file may import along with the
    /// generated types.
    package static let shadowedTypes: Set<String> = words(
        text: """
            Transaction View State Binding Text List Image Group Section Label Color Font Link Menu Button Form Path
            Shape Table Grid Divider Spacer Toggle Picker Slider Stepper Alert Scene App Window Environment Animation
            Gesture Layout Preview Observable Observation Published Subject Publisher Model Query Operation Progress
            Host Port Unit Dimension Measurement Scanner Stream Selector Context Event Tab
            Digest VersionMetadata FieldTimestamps Sibling DeviceID SyncState LocalRecord RecordHeader EntityCounts
            JournalEntry HistoryEntry Rejection RemotePage RemoteItem RemoteSession SessionRequest OutgoingChange
            PushReceipt FileKind SyncClock RandomSource StoreTransaction StoreSnapshot DirectWrite
            """
    )

    /// Swift's keywords. Fields and enum cases may have these names in backquotes.
    package static let keywords: Set<String> = words(
        text: """
            associatedtype borrowing class consuming deinit enum extension fileprivate func import init inout internal
            let nonisolated open operator precedencegroup private protocol public rethrows static struct subscript
            typealias var break case catch continue default defer do else fallthrough for guard if in repeat return
            switch throw where while as false is nil self Self super throws true try await async _ Any
            """
    )

    /// Suffixes of an entity's companion types: `BookmarkDTO`, `BookmarkAdapter`.
    package static let companionSuffixes = ["DTO", "Adapter"]

    private static func words(text: String) -> Set<String> {
        Set(text.split { $0 == " " || $0 == "\n" }.map(String.init))
    }
}
