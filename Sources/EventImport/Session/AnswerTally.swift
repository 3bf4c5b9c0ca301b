// Yes and no by permission, over all that an import read. Many answers of one side alone are rarely the truth: mostly a word
// was not understood, or one of the two events is not exported.

import Threads
import PermissionEvents

/// Answers of one permission.
public struct AnswerCount: Equatable, Sendable {
  public var permission: String
  public var granted = 0
  public var denied = 0

  /// So many answers of one side, and none of the other.
  public static let suspicious = 50

  public var isOneSided: Bool { granted + denied >= Self.suspicious && (granted == 0 || denied == 0) }
}

/// Counts of a whole import; safe to use from several threads.
final class AnswerTally: Sendable {
  private let counts = Mutex<[[UInt8]: (granted: Int, denied: Int)]>([:])

  func add(_ permission: [UInt8], granted: Int, denied: Int) {
    counts.withLock {
      let known = $0[permission] ?? (0, 0)
      $0[permission] = (known.granted + granted, known.denied + denied)
    }
  }

  /// By the permission's name. The system hides a no from those who read health data, and mail is no permission.
  var list: [AnswerCount] {
    counts.withLock { counts in
      counts.map {
        AnswerCount(permission: String(decoding: $0.key, as: UTF8.self), granted: $0.value.0, denied: $0.value.1)
      }
    }.filter { UnansweredPermission(rawValue: $0.permission) == nil }.sorted { $0.permission < $1.permission }
  }
}

/// Counts of one thread, for one dictionary.
struct AnswerCounter {
  /// By the context's code.
  private var granted: [Int] = []
  private var denied: [Int] = []

  mutating func count(_ batch: EventBatch) {
    for event in batch.events {
      let kind = event.kindCode
      guard
        kind == EventKind.granted.rawValue || kind == EventKind.denied.rawValue || kind == EventKind.reEnabled.rawValue
      else { continue }
      let context = Int(event.context)
      if context >= granted.count {
        granted += [Int](repeating: 0, count: context + 64 - granted.count)
        denied += [Int](repeating: 0, count: context + 64 - denied.count)
      }
      if kind == EventKind.denied.rawValue { denied[context] += 1 } else { granted[context] += 1 }
    }
  }

  /// Hands the counts over under the permissions' names.
  func flush(_ dictionary: EventDictionary, to tally: AnswerTally) {
    guard granted.contains(where: { $0 > 0 }) || denied.contains(where: { $0 > 0 }) else { return }
    let contents = dictionary.contents
    for (code, context) in contents.contexts.enumerated() where code < granted.count {
      guard granted[code] + denied[code] > 0 else { continue }
      tally.add(
        contents.values[StringField.permission.rawValue][Int(context.permission)], granted: granted[code],
        denied: denied[code])
    }
  }
}
