// zstd through libzstd, one context a thread.

import CZstd

/// Compresses streams; owned by one thread.
final class Compressor {
  private let context: OpaquePointer
  private var buffer: [UInt8] = []

  /// Level 1: on columns that are already transformed higher levels cost much and gain little.
  static let level: Int32 = 1

  init() throws {
    guard let context = ZSTD_createCCtx() else { throw LogError(.inputOutput, "no memory for a compressor") }
    self.context = context
  }

  deinit { ZSTD_freeCCtx(context) }

  /// Appends the compressed bytes to `out`; the number of them.
  func compress(_ bytes: UnsafeRawBufferPointer, into out: inout [UInt8]) throws -> Int {
    let bound = ZSTD_compressBound(bytes.count)
    if buffer.count < bound { buffer = [UInt8](repeating: 0, count: bound) }
    let n = buffer.withUnsafeMutableBytes {
      ZSTD_compressCCtx(context, $0.baseAddress, bound, bytes.baseAddress, bytes.count, Self.level)
    }
    guard ZSTD_isError(n) == 0 else {
      throw LogError(.inputOutput, "cannot compress: \(String(cString: ZSTD_getErrorName(n)))")
    }
    out.append(contentsOf: buffer[..<n])
    return n
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

  /// True where the bytes are a frame of exactly `out.count` bytes, which are then in `out`.
  func decompress(_ bytes: UnsafeRawBufferPointer, into out: UnsafeMutableRawBufferPointer) -> Bool {
    let n = ZSTD_decompressDCtx(context, out.baseAddress, out.count, bytes.baseAddress, bytes.count)
    return ZSTD_isError(n) == 0 && n == out.count
  }
}
