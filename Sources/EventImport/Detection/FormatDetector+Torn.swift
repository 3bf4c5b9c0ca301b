// Files none of whose first lines can be read whole: too long, or torn. Only the keys that stand there tell something.

import EventMapping

extension FormatDetector {
  private static let longestKey = 64

  /// All short texts in quotes.
  var quotedKeys: Set<[UInt8]> {
    var result = Set<[UInt8]>()
    var start: Int?
    var i = 0
    while i < head.count {
      switch head[i] {
      case 0x5C: i += 1
      case ByteSearch.newline: start = nil
      case ByteSearch.quote:
        if let begin = start {
          if i - begin <= Self.longestKey { result.insert(Array(head[begin..<i])) }
          start = nil
        } else {
          start = i + 1
        }
      default: break
      }
      i += 1
    }
    return result
  }

  /// Canonical lines of which none is whole are told what is wrong with them, line by line.
  func looksCanonical(_ keys: Set<[UInt8]>, hasLines: Bool) -> Bool {
    let known = ImportField.required.map { keys.contains(Array(ImportField.names[$0].utf8)) }
    return hasLines ? known.contains(true) : known.allSatisfy { $0 }
  }

  /// A vendor whose places all stand somewhere as keys. One that is told by what is absent comes last.
  func torn(_ programs: [MappingProgram], _ keys: Set<[UInt8]>) -> MappingProgram? {
    func has(_ place: PropertyReference) -> Bool {
      if case .pointer(let path) = place { return path.allSatisfy { keys.contains(Array($0.utf8)) } }
      return keys.contains(Array(place.text.utf8))
    }
    let ordered = programs.filter(\.record.unless.isEmpty) + programs.filter { !$0.record.unless.isEmpty }
    return ordered.first { $0.record.recognise.contains { !$0.isEmpty && $0.allSatisfy(has) } }
  }
}
