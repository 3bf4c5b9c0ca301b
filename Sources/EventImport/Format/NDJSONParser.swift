// Chunks of NDJSON to events: the common form of a line by `CommonLine`, every other line by simdjson.

import Buffers
import PermissionEvents

/// Parses chunks of lines. Owned by one thread.
final class NDJSONParser {
  private let assembler: EventAssembler
  private let object: CanonicalObject
  private let names: CanonicalNames
  @exclusivity(unchecked) private var common: CommonLine
  /// False sends every line along the general path; both give the same result.
  private let usesCommonLine: Bool

  init(_ assembler: EventAssembler, names: CanonicalNames, usesCommonLine: Bool) throws(ImportError) {
    self.assembler = assembler
    self.names = names
    self.usesCommonLine = usesCommonLine
    object = try CanonicalObject()
    common = CommonLine(assembler)
  }

  /// Appends the chunk's events to the assembler's batch.
  func parse(_ chunk: Chunk, into result: inout ChunkResult) {
    let text = chunk.text
    var line = chunk.linesBefore
    var position = chunk.start
    while position < text.count {
      // A line that was cut is longer than any in the common form.
      if usesCommonLine {
        let accepted = common.parse(text, from: &position)
        line += accepted
        result.counts.lines += accepted
        result.counts.events += accepted
        if position >= text.count { break }
      }
      let stop = ByteSearch.firstNewline(text.bytes, position..<text.count) ?? text.count
      parseLine(text[position..<stop], number: line, isCut: chunk.endsOverlong && stop == text.count, into: &result)
      position = stop + 1
      line += 1
    }
    common.finishAttributes()
    // The newline after the content is not one of the file.
    result.lineEnds = line + chunk.linesAfter - (position > text.count ? 1 : 0)
  }

  private func parseLine(_ line: PaddedBytes, number: Int, isCut: Bool, into result: inout ChunkResult) {
    if isCut || line.count > ImportLimit.line { return result.reject(.tooLongLine, line: number, text: line.bytes) }
    if line.bytes.allSatisfy({ ByteSearch.isBlank($0) }) { return }
    do throws(Rejection) {
      let unknown = try object.parse(line)
      let isStored = try assembler.append(object.values, form: .json) { () throws(Rejection) in
        try names.read(object.values, line: number, into: &result, .json) {
          (extractor: RecordExtractor) throws(Rejection) in
          _ = try extractor.readJSON(line)
        }
      }
      guard isStored else { return result.passOver() }
      result.accept(ignoredFields: unknown, isRespelled: assembler.isRespelled)
    } catch {
      names.note(error, line: number, into: &result)
      result.reject(error, line: number, text: line.bytes)
    }
  }
}
