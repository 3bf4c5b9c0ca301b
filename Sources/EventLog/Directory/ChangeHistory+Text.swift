// The lines of a manifest that tell of changes of the past.

import PermissionEvents

extension ChangeHistory {
  /// One line for the sitting, then one for each change.
  var lines: [String] {
    var lines: [String] = []
    if let sitting {
      lines.append("ingests since \(sitting.start)" + (sitting.reach.map { " reach \($0)" } ?? ""))
    }
    return lines
      + changes.map {
        "\($0.kind.rawValue) first \($0.first) last \($0.last) reach \($0.reach) oldest \($0.oldest) count \($0.count)"
      }
  }

  /// Takes a line; false if it is none of these. Whether it is just what is written is for the caller to see.
  mutating func read(_ words: [Substring]) -> Bool {
    if words.count == 3 || words.count == 5, words[0] == "ingests", let start = Milliseconds(words[2]) {
      sitting = Sitting(start: start, reach: words.count == 5 ? Milliseconds(words[4]) : nil)
      return true
    }
    guard words.count == 11, let kind = PastChange.Kind(rawValue: String(words[0])), let first = Milliseconds(words[2]),
      let last = Milliseconds(words[4]), let reach = Milliseconds(words[6]), let oldest = Milliseconds(words[8]),
      let count = Int(words[10])
    else { return false }
    changes.append(PastChange(kind: kind, first: first, last: last, reach: reach, oldest: oldest, count: count))
    return true
  }
}
