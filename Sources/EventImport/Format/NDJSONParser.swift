// Chunks of NDJSON to events: the common form of a line by `CommonLine`, every other line by simdjson.

import PermissionEvents

/// Parses chunks of lines. Owned by one thread.
final class NDJSONParser {
  private let assembler: EventAssembler
  private let object: JSONObject
  private var common: CommonLine
  /// False sends every line along the general path; both give the same result.
  private let usesCommonLine: Bool

  init(_ assembler: EventAssembler, usesCommonLine: Bool) throws(ImportError) {
    self.assembler = assembler
    self.usesCommonLine = usesCommonLine
    common = CommonLine(assembler)
    do {
      object = try JSONObject()
    } catch {
      common.deallocate()
      throw error
    }
  }

  deinit {
    common.deallocate()
    object.deallocate()
  }

  /// Appends the chunk's events to the assembler's batch.
  func parse(_ chunk: Chunk, into result: inout ChunkResult) {
    let memory = UnsafeRawPointer(chunk.memory)
    let end = chunk.end
    var common = self.common
    defer { self.common = common }
    var line = chunk.linesBefore
    var accepted = 0
    var position = chunk.start
    while position < end {
      // A line that was cut is longer than any in the common form.
      if usesCommonLine, let next = common.parse(memory + position) {
        position = next - memory
        accepted += 1
        line += 1
        continue
      }
      let stop = ByteSearch.firstNewline(memory, position..<end + 1) ?? end
      parseLine(
        UnsafeRawBufferPointer(start: memory + position, count: stop - position), number: line,
        isCut: chunk.endsOverlong && stop == end, into: &result)
      position = stop + 1
      line += 1
    }
    common.finishAttributes()
    result.counts.lines += accepted
    result.counts.events += accepted
    // The newline behind the content is not one of the file.
    result.lineEnds = line + chunk.linesAfter - (position > end ? 1 : 0)
  }

  private func parseLine(
    _ line: UnsafeRawBufferPointer, number: Int, isCut: Bool, into result: inout ChunkResult
  ) {
    if isCut || line.count > ImportLimit.line { return result.reject(.tooLongLine, line: number, text: line) }
    if line.allSatisfy({ ByteSearch.isBlank($0) }) { return }
    do throws(Rejection) {
      let unknown = try object.parse(line)
      try assembler.append(object.values, form: .json)
      result.accept(ignoredFields: unknown, isRespelled: assembler.isRespelled)
    } catch {
      result.reject(error, line: number, text: line)
    }
  }
}
