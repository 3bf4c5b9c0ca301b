// Files that come along with exports and hold no events. Such a file is passed over, so it must be one without doubt.

import EventMapping

extension FormatDetector {
  /// Lines of another table: all of them have all places of one list of several.
  func isTable(of programs: [MappingProgram], _ lines: [[UInt8]]) throws(ImportError) -> Bool {
    let probe = try probe()
    for program in programs { probe.add(program.record.companions.filter { $0.count > 1 }, target: 0) }
    return !lines.isEmpty && lines.allSatisfy { probe.target($0) != nil }
  }

  /// One document with a list at the only place that is asked for.
  func isList(of programs: [MappingProgram], from first: Int) throws(ImportError) -> Bool {
    if FileHead.isCut(head) { return false }
    let probe = try probe()
    let slots = programs.flatMap(\.record.companions).filter { $0.count == 1 }.joined().map { probe.slot($0) }
    return slots.contains { probe.isList(Array(head[first...]), $0) }
  }

  /// A record over several lines.
  func isPretty(from first: Int) -> Bool {
    let end = head[first...].firstIndex(of: ByteSearch.newline) ?? head.count
    return end < head.count && head[(first + 1)..<end].allSatisfy { ByteSearch.isBlank($0) }
  }
}
