// What is in a log, from its footers alone.

import PermissionEvents

package struct LogInformation: Sendable {
  package struct Part: Sendable {
    package var name: String
    package var events: Int
    package var bytes: Int
    package var blocks: Int
    package var times: ClosedRange<Milliseconds>
  }

  package var generation: UInt64
  package var parts: [Part]
  /// Users who are kept out.
  package var erasedUsers: Int
  /// Events before this time are kept out.
  package var expiredBefore: Milliseconds?
  /// Distinct values in use by field, in bytewise order.
  package var values: [StringField: [String]]
  /// What this program does not know.
  package var unknown: UnknownVocabulary
  package var events: Int { parts.reduce(0) { $0 + $1.events } }
  package var bytes: Int { parts.reduce(0) { $0 + $1.bytes } }
}

extension LogSnapshot {
  package var information: LogInformation {
    var values: [StringField: Set<[UInt8]>] = [:]
    for part in parts {
      let dictionary = part.footer.dictionary
      for field in StringField.allCases where field != .permission {
        let texts = dictionary.values[field.rawValue].filter { !$0.isEmpty }
        values[field, default: []].formUnion(texts)
      }
      for context in dictionary.contexts where context.permission != 0 {
        let name = dictionary.value(.permission, context.permission)
        values[.permission, default: []].insert(name)
      }
    }
    return LogInformation(
      generation: manifest.generation,
      parts: parts.map {
        .init(
          name: $0.name, events: Int($0.footer.rows), bytes: Int($0.description.length),
          blocks: $0.footer.blocks.count, times: $0.footer.minimumTime...$0.footer.maximumTime)
      },
      erasedUsers: Int(manifest.erasures?.users ?? 0), expiredBefore: manifest.expiredBefore,
      values: values.mapValues { values in
        values.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
      },
      unknown: unknown)
  }
}
