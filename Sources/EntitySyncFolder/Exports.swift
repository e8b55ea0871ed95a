// A folder as an app's remote.
@_exported public import struct SyncFileBackend.FolderBackend
@_exported public import struct SyncFileBackend.FolderDevice
@_exported public import struct SyncFileBackend.RetiredDevice
