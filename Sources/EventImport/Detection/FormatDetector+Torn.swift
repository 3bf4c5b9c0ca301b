// Files with first lines that are all too long or broken. Only their visible keys can be used.

import EventMapping

extension FormatDetector {
  private static let longestKey = 64

  /// The lines of the head that are not JSON objects, or not complete.
  func brokenLines(from first: Int) throws(ImportError) -> [ArraySlice<UInt8>] {
    let probe = try probe()
    let isCut = FileHead.isCut(head) && head.last != ByteSearch.newline
    return head[first...].split(separator: ByteSearch.newline).filter { line in
      isCut && line.endIndex == head.endIndex || !probe.isObject(Array(line))
    }
  }

  static func quotedKeys(_ lines: [ArraySlice<UInt8>]) -> Set<[UInt8]> {
    var result = Set<[UInt8]>()
    for line in lines { quoted(in: line) { key, _, _ in result.insert(Array(key)) } }
    return result
  }

  /// Goes through the short texts in quotes of a line: where each ends, and how many brackets are open there.
  private static func quoted(
    in line: ArraySlice<UInt8>, _ body: (_ key: ArraySlice<UInt8>, _ end: Int, _ depth: Int) -> Void
  ) {
    var start: Int?
    var depth = 0
    var isEscaped = false
    for (i, byte) in zip(line.indices, line) {
      if isEscaped {
        isEscaped = false
        continue
      }
      switch byte {
      case 0x5C: isEscaped = true
      case ByteSearch.quote:
        if let begin = start {
          if i - begin <= longestKey { body(line[begin..<i], i + 1, depth) }
          start = nil
        } else {
          start = i + 1
        }
      case 0x7B, 0x5B: depth += start == nil ? 1 : 0
      case 0x7D, 0x5D: depth -= start == nil ? 1 : 0
      default: break
      }
    }
  }

  /// Whether incomplete lines show all the fields that canonical lines need, as keys of their own and not of an inner
  /// object. Such lines are rejected one by one, with the reason.
  func looksCanonical(_ lines: [ArraySlice<UInt8>]) -> Bool {
    var found = Set<Int>()
    for line in lines {
      Self.quoted(in: line) { key, end, depth in
        guard depth == 1, line[end...].first(where: { !ByteSearch.isBlank($0) }) == 0x3A else { return }
        if let field = ImportField.index(of: key) { found.insert(field) }
      }
    }
    return ImportField.required.allSatisfy(found.contains)
  }

  /// Whether a line has values at a mapping's paths for user, event and time.
  func fits(_ program: RecordFormat, _ lines: [[UInt8]]) throws(ImportError) -> Bool {
    let probe = try probe()
    let record = program.record
    for user in record.user {
      for time in record.time { probe.add([[Self.rooted(user.from), Self.rooted(time)]], target: 0) }
    }
    return lines.contains { probe.target($0) != nil }
  }

  private static func rooted(_ place: PropertyReference) -> PropertyReference {
    if case .name(let name) = place { return .pointer([name]) }
    return place
  }

  /// A vendor with all its paths somewhere among the keys. Vendors that are recognised by missing keys come last.
  func torn(_ programs: [RecordFormat], _ keys: Set<[UInt8]>) -> RecordFormat? {
    func has(_ place: PropertyReference) -> Bool {
      if case .pointer(let path) = place { return path.allSatisfy { keys.contains(Array($0.utf8)) } }
      return keys.contains(Array(place.text.utf8))
    }
    let ordered = programs.filter(\.record.unless.isEmpty) + programs.filter { !$0.record.unless.isEmpty }
    return ordered.first { $0.record.recognise.contains { !$0.isEmpty && $0.allSatisfy(has) } }
  }

  /// Whether the file is one line that is cut off, which may not show whose it is: whoever reads it says that it is cut off. The
  /// whole records of a document around records can be kept.
  func isCutLine(from first: Int) -> Bool {
    if unwrapped || FileHead.isCut(head) || head[first...].contains(ByteSearch.newline) { return false }
    let next = head[first...].dropFirst().first { !ByteSearch.isBlank($0) }
    return next ?? ByteSearch.quote == ByteSearch.quote && LineCut.isUnfinished(head[first...])
      && EnvelopeWalk.member(head[first...]) == nil
  }

  // MARK: Companions, which hold no events. Such a file is passed over, so it must be one without doubt.

  /// Lines of another table: all of them have all paths of one of several lists.
  func isTable(of programs: [RecordFormat], _ lines: [[UInt8]]) throws(ImportError) -> Bool {
    let probe = try probe()
    for program in programs { probe.add(program.record.companions.filter { $0.count > 1 }, target: 0) }
    return !lines.isEmpty && lines.allSatisfy { probe.target($0) != nil }
  }

  /// One document with a list at the only wanted path.
  func isList(of programs: [RecordFormat], from first: Int) throws(ImportError) -> Bool {
    if FileHead.isCut(head) { return false }
    let probe = try probe()
    let slots = programs.flatMap(\.record.companions).filter { $0.count == 1 }.joined().map { probe.slot($0) }
    return slots.contains { probe.isList(Array(head[first...]), $0) }
  }

  func isPretty(from first: Int) -> Bool {
    let end = head[first...].firstIndex(of: ByteSearch.newline) ?? head.count
    return end < head.count && head[(first + 1)..<end].allSatisfy { ByteSearch.isBlank($0) }
  }
}
