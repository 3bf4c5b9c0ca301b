// zstd through libzstd, one context a thread.

import CZstd

/// Compresses streams; owned by one thread.
final class Compressor {
  private let context: OpaquePointer

  /// Level 1: on columns that are already transformed higher levels cost much and gain little.
  static let level: Int32 = 1

  init() throws {
    guard let context = ZSTD_createCCtx() else { throw LogError(.inputOutput, "no memory for a compressor") }
    self.context = context
  }

  deinit { ZSTD_freeCCtx(context) }

  /// Room that so many bytes can take when compressed.
  static func bound(_ count: Int) -> Int { ZSTD_compressBound(count) }

  /// Compresses into `out`, which has `bound` bytes of room; returns how many were written.
  func compress(_ bytes: UnsafeRawBufferPointer, into out: UnsafeMutableRawPointer) throws -> Int {
    let n = ZSTD_compressCCtx(context, out, Self.bound(bytes.count), bytes.baseAddress, bytes.count, Self.level)
    guard ZSTD_isError(n) == 0 else {
      throw LogError(.inputOutput, "cannot compress: \(String(cString: ZSTD_getErrorName(n)))")
    }
    return n
  }

  /// The compressed bytes.
  func compress(_ bytes: [UInt8]) throws -> [UInt8] {
    let bound = Self.bound(bytes.count)
    return try [UInt8](unsafeUninitializedCapacity: bound) { out, count in
      guard let base = out.baseAddress else { return }
      count = try bytes.withUnsafeBytes { try compress($0, into: base) }
    }
  }
}

/// Decompresses streams; owned by one thread.
final class Decompressor {
  private let context: OpaquePointer

  init() throws {
    guard let context = ZSTD_createDCtx() else { throw LogError(.inputOutput, "no memory for a decompressor") }
    self.context = context
  }

  deinit { ZSTD_freeDCtx(context) }

  /// True if the bytes are a frame of exactly `out.count` bytes, which are then in `out`.
  func decompress(_ bytes: UnsafeRawBufferPointer, into out: UnsafeMutableRawBufferPointer) -> Bool {
    let n = ZSTD_decompressDCtx(context, out.baseAddress, out.count, bytes.baseAddress, bytes.count)
    return ZSTD_isError(n) == 0 && n == out.count
  }
}
