// Ids of some users of a log. The log is in the order of a hash, so that the first users of a part are a random sample.

import PermissionEvents

extension EventLogWriter {
  /// Ids of users as the log has them: at most 1,024, the first of its parts.
  package func sampleUsers() throws -> [[UInt8]] { try UserSample.ids(parts) }
}

extension LogSnapshot {
  /// Ids of users as the log has them: at most 1,024, the first of its parts.
  package func sampleUsers() throws -> [[UInt8]] { try UserSample.ids(parts) }
}

private enum UserSample {
  static let most = 1024

  static func ids(_ parts: [PartReader]) throws -> [[UInt8]] {
    var ids: [[UInt8]] = []
    // Of many parts some are enough: the largest have most of the users.
    let largest = parts.sorted { $0.footer.rows > $1.footer.rows }.prefix(4)
    for part in largest where !part.footer.blocks.isEmpty {
      let block = try BlockDecoder(part: part)
      try block.open(0)
      try block.load(.keys)
      for user in 0..<min(block.users, most / largest.count) { ids.append(block.userID(user).bytes) }
    }
    return ids
  }
}
