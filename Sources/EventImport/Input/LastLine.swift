// Last lines that are cut off: an export that ended early, or a copy that was interrupted. Without its end a file may lack any
// number of lines, so it is refused like one that cannot be unpacked to its end.

import Buffers

/// The end of a line of a chunk.
enum LineEnd {
  /// A line end follows, or the last line's text is all there.
  case whole
  /// Only the beginning of the line is in the chunk.
  case tooLong
  /// The file ends without a line end.
  case missing

  /// - Parameter stop: where the line's text ends.
  @inline(__always)
  init(_ chunk: Chunk, at stop: Int) {
    if stop < chunk.end {
      self = .whole
    } else if chunk.endsOverlong {
      self = .tooLong
    } else {
      self = chunk.endsOpen ? .missing : .whole
    }
  }
}

/// Where a line was cut off.
enum LineCut: Equatable {
  /// Inside a JSON object.
  case object
  /// After some of a record's cells.
  case cells(found: Int, expected: Int)
  /// Inside a quoted cell.
  case quotes

  /// Nil if the line that was rejected is complete, or if that cannot be known.
  init?(_ text: UnsafeRawBufferPointer, _ reason: Rejection, isJSON: Bool) {
    if isJSON {
      guard Self.isUnfinished(text) else { return nil }
      self = .object
    } else if case .tooFewCells(let found, let minimum) = reason {
      self = .cells(found: found, expected: minimum)
    } else {
      return nil
    }
  }

  /// Whether a text begins with an object, and ends inside one.
  static func isUnfinished(_ text: some Collection<UInt8>) -> Bool {
    guard text.first(where: { !ByteSearch.isBlank($0) }) == 0x7B else { return false }
    var walk = EnvelopeWalk()
    for byte in text { walk.step(byte) }
    return !walk.isOutside
  }

  var text: String {
    switch self {
    case .object: "it ends inside its JSON object"
    case .cells(let found, let expected): "it has \(found) of \(expected) cells"
    case .quotes: "it ends inside a quoted cell"
    }
  }
}
