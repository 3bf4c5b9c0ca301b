// Files whose form was named, and which are read in it whatever their rows look like: of many files of one export each must be read in
// the same way, also one that happens to have bad rows alone.

import EventMapping

extension FormatDetector {
  /// Only what is around the records is still to be found out.
  /// - Parameters:
  ///   - offset: where the content begins.
  ///   - first: the first byte that is not blank.
  ///   - start: of the line of `first`.
  ///   - lines: line ends before it.
  func fixed(
    _ program: MappingProgram, offset: Int, first: Int, start: Int, lines: Int
  ) throws(ImportError) -> DetectedFormat {
    switch program.record.form {
    case .tsv:
      return .content(.records(program, .tsv(program.record.columns)), offset: start, lines: lines)
    case .csv:
      let dialects = CSVDialect.all(head, from: start, lines: lines)
      guard let dialect = recognised(program, dialects) ?? dialects.first else {
        throw .unreadableHeader(name, line: lines + 1)
      }
      return content(program, dialect)
    case .json:
      if try isEnvelope(of: program, from: first) { return .envelope }
      return .content(.records(program, .json), offset: offset, lines: 0)
    }
  }

  /// True for an array of records, and for a document around one that is no record itself.
  private func isEnvelope(of program: MappingProgram, from first: Int) throws(ImportError) -> Bool {
    if unwrapped { return false }
    if head[first] == 0x5B { return HeadSketch.isList(head[first...]) }
    guard head[first] == 0x7B, EnvelopeWalk.member(head[first...]) != nil else { return false }
    return try recognised([program], headLines(from: first, atMost: 1)) == nil
  }
}
