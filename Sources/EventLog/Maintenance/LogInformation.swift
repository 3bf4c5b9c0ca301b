// What is in a log, from its footers alone.

import PermissionEvents

public struct LogInformation: Sendable {
  public struct Part: Sendable {
    public var name: String
    public var events: Int
    public var bytes: Int
    public var blocks: Int
    public var times: ClosedRange<Milliseconds>
  }

  public var generation: UInt64
  /// A name for this state of the log: SHA-256 of the manifest, 64 hexadecimal digits. Only kept elsewhere does it tell that the directory
  /// was replaced by an older copy.
  public var fingerprint: String
  public var parts: [Part]
  /// Users who are kept out.
  public var erasedUsers: Int
  /// Events before this time are kept out.
  public var expiredBefore: Milliseconds?
  /// Distinct values in use by field, in bytewise order.
  public var values: [StringField: [String]]
  /// What this program does not know.
  public var unknown: UnknownVocabulary
  /// Times of the oldest and of the newest event; nil for an empty log.
  public var times: ClosedRange<Milliseconds>? {
    guard let low = parts.map(\.times.lowerBound).min(), let high = parts.map(\.times.upperBound).max() else {
      return nil
    }
    return low...high
  }
  public var events: Int { parts.reduce(0) { $0 + $1.events } }
  public var bytes: Int { parts.reduce(0) { $0 + $1.bytes } }
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
      generation: manifest.generation, fingerprint: manifest.fingerprint,
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
