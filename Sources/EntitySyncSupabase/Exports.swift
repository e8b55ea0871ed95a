// A Supabase project as an app's remote.
@_exported public import protocol SyncHTTPClient.CredentialSource
@_exported public import struct SyncHTTPClient.HTTPEnvironment
@_exported public import struct SyncHTTPClient.HTTPRetry
@_exported public import struct SyncHTTPClient.ServerURL
@_exported public import struct SyncServerBackend.HTTPLimits
@_exported public import struct SyncSupabaseBackend.SupabaseBackend
