// The texts of a dictionary. They are copied once, so that a message that replaces or lengthens the dictionary does not touch
// the batches that are still being read.

import Buffers

/// Some texts of a dictionary, one after another. A text that is null is an empty one: both are absent.
final class ArrowTexts: @unchecked Sendable {
  // Unchecked: nothing is written after init.
  let count: Int
  /// Where each text begins, and the last one ends.
  private let offsets: Buffer<Int>
  private let memory: PaddedBuffer

  /// The texts of a column.
  /// - Throws: if the column's offsets are not in it.
  init(_ column: ArrowColumn, isLarge: Bool) throws(ArrowDamage) {
    try column.check(0..<column.rows)
    var size = 0
    for row in 0..<column.rows where column.isValid(row) { size += column.text(row, isLarge: isLarge).count }
    var memory = PaddedBuffer(capacity: size)
    var offsets = Buffer<Int>(capacity: column.rows + 1)
    for row in 0..<column.rows {
      offsets.append(memory.count)
      if column.isValid(row) { memory.append(column.text(row, isLarge: isLarge).bytes) }
    }
    offsets.append(memory.count)
    count = column.rows
    self.offsets = offsets
    self.memory = memory
  }

  /// The texts of two in one.
  init(_ first: ArrowTexts, _ second: ArrowTexts) {
    count = first.count + second.count
    var memory = PaddedBuffer(capacity: first.memory.count + second.memory.count)
    var offsets = Buffer<Int>(capacity: count + 1)
    for texts in [first, second] {
      for index in 0..<texts.count { offsets.append(memory.count + texts.offsets[index]) }
      memory.append(texts.memory.bytes.bytes)
    }
    offsets.append(memory.count)
    self.offsets = offsets
    self.memory = memory
  }

  /// A text by its index, which is below `count`.
  @inline(__always)
  subscript(_ index: Int) -> PaddedBytes { memory[offsets[index]..<offsets[index + 1]] }
}

/// All texts of a dictionary, as of one message. Another one has other texts, or more.
final class ArrowDictionary: Sendable {
  let count: Int
  /// Each with the index of its first text; the longest first.
  let pieces: [(first: Int, texts: ArrowTexts)]

  /// The texts that it began with. Of two dictionaries with the same beginning, one has all that the other has.
  let beginning: ArrowTexts

  convenience init(_ texts: ArrowTexts) { self.init([(0, texts)], count: texts.count, beginning: texts) }

  private init(_ pieces: [(first: Int, texts: ArrowTexts)], count: Int, beginning: ArrowTexts) {
    self.pieces = pieces
    self.count = count
    self.beginning = beginning
  }

  /// The dictionary with more texts at its end. Pieces of about one length become one, so that there are few of them, however
  /// many messages add to the dictionary, and no text is copied often.
  func appending(_ texts: ArrowTexts) -> ArrowDictionary {
    var pieces = pieces
    var added = (first: count, texts: texts)
    while let last = pieces.last, last.texts.count <= added.texts.count {
      added = (last.first, ArrowTexts(last.texts, added.texts))
      pieces.removeLast()
    }
    pieces.append(added)
    return ArrowDictionary(pieces, count: count + texts.count, beginning: beginning)
  }

  /// A text by its index, which is below `count`.
  func text(_ index: Int) -> PaddedBytes {
    for piece in pieces.reversed() where index >= piece.first { return piece.texts[index - piece.first] }
    return .none
  }
}
