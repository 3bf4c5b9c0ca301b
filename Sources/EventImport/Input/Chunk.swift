// A piece of the input: whole lines of one file, in memory that a thread keeps and uses again.

/// What all chunks of one file, or of one member of an archive, have in common.
final class InputSource: Sendable {
  /// The name for messages.
  let name: String
  /// What its lines are.
  let layout: InputLayout

  init(name: String, layout: InputLayout) {
    self.name = name
    self.layout = layout
  }
}

/// Whole lines, with a newline and `padding` readable bytes behind them. Owned by one thread.
final class Chunk {
  /// Readable bytes behind the content: a look at the end of a UUID that is not there (36), and what simdjson asks for.
  static let padding = 128
  static let capacity = ImportLimit.chunk + ImportLimit.line + (1 << 16)

  let memory: UnsafeMutableRawPointer
  /// The content is `memory[start..<end]`.
  var start = 0
  private(set) var end = 0
  /// Ordinal in the run.
  var ordinal: UInt64 = 0
  var source = InputSource(name: "", layout: .lines)
  /// Line ends that were skipped before the content.
  var linesBefore = 0
  /// Line ends that were skipped behind the content.
  var linesAfter = 0
  /// Line ends of the file before the chunk, and the line of an open quote there; for files whose cells may have quotes.
  var lineEndsBefore = 0
  var quoteLine: Int?
  /// The last line is longer than is allowed; only its beginning is here.
  var endsOverlong = false
  /// What is still to be read, for a plain file.
  var pending: PlainRange?

  init() {
    memory = .allocate(byteCount: Self.capacity + Self.padding, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: Self.capacity + Self.padding)
  }

  deinit { memory.deallocate() }

  func reset(ordinal: UInt64, source: InputSource) {
    self.ordinal = ordinal
    self.source = source
    start = 0
    end = 0
    linesBefore = 0
    linesAfter = 0
    lineEndsBefore = 0
    quoteLine = nil
    endsOverlong = false
    pending = nil
  }

  /// Ends the content and puts the newline behind it.
  func finish(end: Int) {
    self.end = end
    (memory + end).storeBytes(of: 0x0A, as: UInt8.self)
  }

  var isEmpty: Bool { start == end }
  /// The content's bytes.
  var content: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory + start, count: end - start) }
}
