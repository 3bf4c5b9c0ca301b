// Under which names a log knows its users. Ingested under two keys, or once under a key and once without, one person would be
// two users, and an erasure would find half of the events.

import PermissionEvents

/// The names that one ingest gives users.
package enum UserNaming: Sendable, Hashable {
  /// The ids of the exports.
  case plain
  /// Pseudonyms under a key, which is told by its check.
  case hashed(check: UInt64)
}

/// What a manifest keeps of the names of a log's users: nothing if none was ever hashed, so that such a log stays as older
/// versions know it.
package struct UserNamings: Sendable, Equatable {
  /// Checks of the keys, rising.
  private(set) var keys: [UInt64] = []
  /// True if users came under plain ids, too.
  private(set) var hasPlain = false

  /// More is no accident any more.
  static let limit = 64

  package init() {}

  var isEmpty: Bool { keys.isEmpty && !hasPlain }

  /// True if one person can be two users.
  var isMixed: Bool { keys.count + (hasPlain ? 1 : 0) > 1 }

  func contains(_ naming: UserNaming) -> Bool {
    switch naming {
    case .plain: hasPlain
    case .hashed(let check): keys.contains(check)
    }
  }

  mutating func insert(_ naming: UserNaming) {
    switch naming {
    case .plain: hasPlain = true
    case .hashed(let check): if !keys.contains(check) { keys = (keys + [check]).sorted() }
    }
  }

  /// False for what no writer notes.
  var isValid: Bool {
    isEmpty || !keys.isEmpty && keys.count <= Self.limit && zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 }
  }

  // MARK: The manifest

  var lines: [String] {
    (hasPlain ? ["users plain"] : []) + keys.map { "users hashed \(FileName.digits($0))" }
  }

  /// Takes a line; false if it is none of these. Whether it is just what is written is for the caller to see.
  mutating func read(_ words: [Substring]) -> Bool {
    guard words.count > 1, words[0] == "users" else { return false }
    if words.count == 2, words[1] == "plain" {
      hasPlain = true
    } else if words.count == 3, words[1] == "hashed", let check = UInt64(words[2], radix: 16) {
      keys.append(check)
    } else {
      return false
    }
    return true
  }
}
