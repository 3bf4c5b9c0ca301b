// `--hash-users KEYFILE`: user ids as keyed hashes.

import ArgumentParser
import EventImport

/// The key under which user ids are replaced.
struct UserHashOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The log has a keyed hash (HMAC-SHA-256) in place of user ids. The key is the file's bytes, 16 or more.",
      valueName: "keyfile"))
  var hashUsers: String?

  /// The key; nil where none was given.
  func key() throws -> UserKey? {
    guard let path = hashUsers else { return nil }
    let bytes = try SmallFile.read(path, limit: UserKey.maximumBytes, option: "--hash-users")
    guard let bytes, let key = UserKey(bytes) else {
      throw CommandFailure.usage(
        """
        --hash-users \(path): the key has \(bytes.map { "\($0.count)" } ?? "more than \(UserKey.maximumBytes)") bytes; \
        it must have \(UserKey.minimumBytes) to \(UserKey.maximumBytes). Make one with: \
        head -c 32 /dev/urandom > \(path)
        """)
    }
    return key
  }
}
