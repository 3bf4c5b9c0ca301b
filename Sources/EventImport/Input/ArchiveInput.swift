// What libarchive's callbacks read from.

import Buffers

/// Gives libarchive the bytes of a source. It keeps the first error, because C cannot pass it on.
final class ArchiveInput {
  static let size = 1 << 16
  let source: any ByteSource
  let memory = PaddedBuffer(capacity: ArchiveInput.size)
  var error: ImportError?
  /// Zeros at the end of what was read, as far as a tar's end mark asks.
  private var zeros = 0
  private var isEnded = false

  /// The end mark of a tar is two blocks of zeros. One is enough to know that no member is missing.
  private static let tarEnd = 512

  init(_ source: any ByteSource) { self.source = source }

  /// All was read, and it ended as a tar does.
  var hasTarEnd: Bool { isEnded && zeros >= Self.tarEnd }

  func read() throws(ImportError) -> Int {
    let count = try source.read(into: memory.room)
    isEnded = count == 0
    let tail = memory.room[..<count].suffix(Self.tarEnd)
    if let last = tail.lastIndex(where: { $0 != 0 }) {
      zeros = tail.endIndex - last - 1
    } else {
      zeros = min(Self.tarEnd, zeros + tail.count)
    }
    return count
  }
}
