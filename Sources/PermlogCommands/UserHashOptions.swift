// `--hash-users KEYFILE`: user ids as keyed hashes.

import ArgumentParser
import Permlog

/// The key under which user ids are replaced.
struct UserHashOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The log has a keyed hash (HMAC-SHA-256) in place of user ids. The key is the file's bytes, 16 or more.",
      valueName: "keyfile"))
  var hashUsers: String?

  /// The key; nil where none was given.
  func key() throws(PermlogError) -> UserKey? {
    guard let path = hashUsers else { return nil }
    return try UserKey(contentsOf: path)
  }
}
