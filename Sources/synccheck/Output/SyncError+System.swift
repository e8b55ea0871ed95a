import EntitySync
import Foundation
import SyncCore

/// What the system says about a failed operation on files.
extension SyncError {
    /// The system's description of an error number.
    static func reason(number: Int32) -> String { String(cString: strerror(number)) }

    /// Whether the number means that a person may not do that.
    static func isNotPermitted(_ number: Int32?) -> Bool {
        number.map { [EACCES, EPERM, EROFS].contains($0) } ?? false
    }

    /// The system's number of an error, as far as it is known.
    static func posixCode(error: any Error) -> Int32? {
        if let error = error as? StorageError, error.number != 0 { return error.number }
        if let error = error as? POSIXError { return error.code.rawValue }
        let error = error as NSError
        if error.domain == NSPOSIXErrorDomain { return Int32(error.code) }
        if let inner = error.userInfo[NSUnderlyingErrorKey] as? any Error, let code = posixCode(error: inner)
        {
            return code
        }
        // NB: on Linux, errors of Foundation lose their underlying one on the way to `NSError`.
        return error.domain == NSCocoaErrorDomain ? posixCode(cocoa: error.code) : nil
    }

    private static func posixCode(cocoa code: Int) -> Int32? {
        switch code {
        case NSFileNoSuchFileError, NSFileReadNoSuchFileError: ENOENT
        case NSFileReadNoPermissionError, NSFileWriteNoPermissionError: EACCES
        case NSFileWriteOutOfSpaceError: ENOSPC
        case NSFileWriteVolumeReadOnlyError: EROFS
        case NSFileWriteFileExistsError: EEXIST
        default: nil
        }
    }
}
