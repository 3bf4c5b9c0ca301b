// A file of sums being written, answer by answer.

/// Makes the bytes of a file of sums. The same answers in the same order are always the same bytes.
package struct SumsWriter {
  private var out = SumsText()

  /// - Parameter job: nil for sums whose shards nobody counts.
  package init(_ job: SumsJob? = nil) {
    out.line("\(SumsFormat.magic) \(SumsFormat.version)")
    if let job { out.add(job) }
  }

  package mutating func add(_ question: SumsQuestion, _ tables: [SumTable]) {
    switch question {
    case .encoded(let json): out.line("question", json)
    case .named(let fold, let facts):
      out.line("fold", fold.utf8)
      for (name, value) in facts.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
        out.line("asked", words: [name, value])
      }
    }
    for table in tables { out.add(table) }
  }

  /// The bytes with their checksum.
  package consuming func finish() -> [UInt8] {
    out.endWithChecksum()
    return out.bytes
  }
}
