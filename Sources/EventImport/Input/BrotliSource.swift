// Unpacks Brotli. Its data begin with no mark, so that a file is known by its name alone: `.br`.

import Buffers
import CBrotli

/// The bytes of a Brotli stream (RFC 7932). Windows larger than the standard has are refused: a stream of 16 MiB is the most that is kept.
final class BrotliSource: ByteSource {
  private let source: any ByteSource
  private let name: String
  private let input = PaddedBuffer(capacity: 1 << 16)
  private let state: OpaquePointer
  private var available = 0
  private var taken = 0
  private var hasEnded = false
  /// Damage after bytes that are given out first.
  private var failure: ImportError?

  init(_ source: any ByteSource, name: String) throws(ImportError) {
    guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else { throw .outOfMemory(name) }
    self.state = state
    self.source = source
    self.name = name
  }

  deinit { BrotliDecoderDestroyInstance(state) }

  var storedBytes: Int { source.storedBytes }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    if let failure { throw failure }
    guard !hasEnded, !buffer.isEmpty else { return 0 }
    var out = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var room = buffer.count
    while room == buffer.count {
      var next = input.room.baseAddress.map { UnsafePointer($0.assumingMemoryBound(to: UInt8.self)) + taken }
      var left = available - taken
      let result = BrotliDecoderDecompressStream(state, &left, &next, &room, &out, nil)
      taken = available - left
      switch result {
      case BROTLI_DECODER_RESULT_SUCCESS:
        hasEnded = true
        do throws(ImportError) { try requireEnd() } catch { return try given(buffer.count - room, then: error) }
        return buffer.count - room
      case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT:
        guard room == buffer.count else { break }
        taken = 0
        available = try source.read(into: input.room)
        if available == 0 { throw .damaged(name, "the Brotli data", cause: "it ends in the middle") }
      case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: break
      default:
        // As it is: one of the library's few texts.
        let cause = String(cString: BrotliDecoderErrorString(BrotliDecoderGetErrorCode(state)))
        return try given(buffer.count - room, then: .damaged(name, "the Brotli data", cause: cause))
      }
    }
    return buffer.count - room
  }

  /// What was unpacked before the damage comes first.
  private func given(_ count: Int, then error: ImportError) throws(ImportError) -> Int {
    guard count > 0 else { throw error }
    failure = error
    return count
  }

  private func requireEnd() throws(ImportError) {
    let more = taken < available ? 1 : try source.read(into: input.room)
    guard more == 0 else { throw .damaged(name, "the Brotli data", cause: "other data follows its end") }
  }

  static func isNamed(_ name: String) -> Bool { name.lowercased().hasSuffix(".br") }
}
