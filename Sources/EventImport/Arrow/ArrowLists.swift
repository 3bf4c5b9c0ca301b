// Where the columns of one batch are: a batch lists the nodes and buffers of all columns one after another.

/// The lists of a batch, or of a dictionary's texts.
struct ArrowLists {
  let rows: Int
  private let body: ArrowBody
  private let nodes: FlatVector
  private let buffers: FlatVector
  /// Buffers that views have beyond those of every column: before the first view, the second and so on.
  private var viewBuffers = [0]

  /// Rows of a batch beyond those that its bytes can hold: columns of nothing but nulls take no bytes.
  private static let rowsWithoutBytes = 1024
  private static let missingLists = ArrowDamage("a batch does not say where its columns are")

  /// - Returns: nil if the body is compressed.
  init?(_ table: FlatTable, _ body: ArrowBody) throws(ArrowDamage) {
    guard try !table.has(3) else { return nil }
    let rows = try table.number(0, else: 0 as Int64)
    guard rows >= 0, rows <= body.count * 8 + Self.rowsWithoutBytes else {
      throw ArrowDamage("a batch has more rows than its bytes can hold")
    }
    guard let nodes = try table.vector(1, of: 16), let buffers = try table.vector(2, of: 16) else {
      throw Self.missingLists
    }
    self.rows = Int(rows)
    self.body = body
    self.nodes = nodes
    self.buffers = buffers
    guard let counts = try table.vector(4, of: 8) else { return }
    for view in 0..<counts.count {
      let count = try counts.number(view)
      guard count >= 0, count <= buffers.count else { throw .outside }
      viewBuffers.append(viewBuffers[view] + Int(count))
    }
  }

  /// A column that is read.
  /// - Parameter start: what comes before it in the lists.
  func column(
    _ type: ArrowType, _ start: ArrowShape, _ dictionary: ArrowDictionary?, holdsJSON: Bool = false
  ) throws(ArrowDamage) -> ArrowColumn {
    guard try nodes.number(start.nodes) == rows else {
      throw ArrowDamage("a column does not have as many rows as its batch")
    }
    return try ArrowColumn(
      type, holdsJSON: holdsJSON, rows: rows, nulls: nodes.number(start.nodes, word: 1), dictionary: dictionary
    ) { place throws(ArrowDamage) in try part(start, place)
    }
  }

  /// Which values of a column that nobody asks for are there; nil for all of them.
  func validity(_ field: ArrowField, _ start: ArrowShape) throws(ArrowDamage) -> UnsafeRawBufferPointer? {
    guard field.hasValidity, try nodes.number(start.nodes, word: 1) != 0 else { return nil }
    let bits = try part(start, 0)
    guard bits.count >= (rows + 7) / 8 else { throw .missingValidity }
    return bits
  }

  private func part(_ start: ArrowShape, _ place: Int) throws(ArrowDamage) -> UnsafeRawBufferPointer {
    guard start.views < viewBuffers.count else { throw Self.missingLists }
    let index = start.buffers + viewBuffers[start.views] + place
    return try body.part(offset: buffers.number(index), count: buffers.number(index, word: 1))
  }
}
