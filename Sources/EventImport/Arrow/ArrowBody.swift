// The bytes of one message's body. Chunks of a batch share them by reference; the last one's end frees them.

import Buffers

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Bytes that are read once and not written any more, with `PaddedBytes.padding` after them.
final class ArrowBody: @unchecked Sendable {
  // Unchecked: nobody writes after the memory has been filled.
  private let memory: UnsafeMutableRawPointer
  let count: Int

  /// Bytes that are asked for before any have come: memory grows with what is really there, and not with what a message says.
  private static let firstStep = 1 << 20

  /// Reads a number of bytes.
  /// - Throws: what the source throws.
  /// - Returns: nil if there is not enough memory, or not so many bytes.
  static func read(
    _ count: Int, from source: any ByteSource
  ) throws(ImportError) -> (body: ArrowBody?, isShort: Bool) {
    var room = min(count, firstStep)
    guard var memory = malloc(room + PaddedBytes.padding) else { return (nil, false) }
    var filled = 0
    while true {
      do throws(ImportError) {
        filled += try source.fill(UnsafeMutableRawBufferPointer(start: memory + filled, count: room - filled))
      } catch {
        free(memory)
        throw error
      }
      if filled < room {
        free(memory)
        return (nil, true)
      }
      if room == count { break }
      room = count - room > room ? room * 2 : count
      guard let larger = realloc(memory, room + PaddedBytes.padding) else {
        free(memory)
        return (nil, false)
      }
      memory = larger
    }
    memset(memory + count, 0, PaddedBytes.padding)
    return (ArrowBody(memory, count), false)
  }

  private init(_ memory: UnsafeMutableRawPointer, _ count: Int) {
    self.memory = memory
    self.count = count
  }

  deinit { free(memory) }

  /// Where the body begins; valid as long as it is kept.
  var start: UnsafeRawPointer { UnsafeRawPointer(memory) }

  /// A part that a message names.
  func part(offset: Int64, count: Int64) throws(ArrowDamage) -> UnsafeRawBufferPointer {
    guard offset >= 0, count >= 0, count <= self.count, offset <= Int64(self.count) - count else {
      throw ArrowDamage("a buffer is not in its message")
    }
    return UnsafeRawBufferPointer(start: start + Int(offset), count: Int(count))
  }
}
