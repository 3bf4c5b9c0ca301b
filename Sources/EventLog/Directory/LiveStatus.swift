// What a server that feeds a log says of itself: a small file beside the manifest. It is no part of the log's state: it may be missing or
// old, and then it is not known.
//
//   permlog live 1
//   received 1795827383206
//   read 1795827383206
//   waiting 0
//   quarantined 3

import PermissionEvents

/// How far live events reach.
public struct LiveStatus: Sendable, Hashable {
  /// When the newest body came that the server has on its disk, in milliseconds since 1970.
  public var received: Milliseconds
  /// When the newest body came whose events are in the log; no later one is, as far as it is known.
  public var read: Milliseconds
  /// Bytes of bodies that wait to be read.
  public var waitingBytes: Int
  /// Events and pieces of bodies that were not understood, and wait for a mended mapping.
  public var quarantined: Int

  public init(received: Milliseconds, read: Milliseconds, waitingBytes: Int, quarantined: Int) {
    (self.received, self.read, self.waitingBytes, self.quarantined) = (received, read, waitingBytes, quarantined)
  }

  static let fileName = "live"
  static let temporaryName = "live-new"
  static let maximumLength = 1 << 10
  private static let title = "permlog live 1"

  var text: String {
    [Self.title, "received \(received)", "read \(read)", "waiting \(waitingBytes)", "quarantined \(quarantined)", ""]
      .joined(separator: "\n")
  }

  /// - Returns: nil for any other text, and for that of a later version.
  init?(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count == 6, lines[0] == Self.title, lines[5].isEmpty else { return nil }
    func value(_ line: Int, _ name: String) -> Int? {
      guard lines[line].hasPrefix(name + " ") else { return nil }
      return Int(lines[line].dropFirst(name.count + 1)).flatMap { $0 >= 0 ? $0 : nil }
    }
    guard let received = value(1, "received"), let read = value(2, "read"), let waiting = value(3, "waiting"),
      let quarantined = value(4, "quarantined"), received <= Timestamp.latest, read <= Timestamp.latest
    else { return nil }
    self.init(
      received: Milliseconds(received), read: Milliseconds(read), waitingBytes: waiting, quarantined: quarantined)
  }
}

extension LogDirectory {
  /// What the server that feeds the log last said; nil if none does, or if it cannot be read.
  package func liveStatus() -> LiveStatus? {
    guard let bytes = try? contents(LiveStatus.fileName, maximum: LiveStatus.maximumLength) else { return nil }
    return LiveStatus(String(bounded: bytes))
  }

  /// Replaces it. The log must exist; its commits are not touched, so that no lock is needed.
  package func write(_ status: LiveStatus) throws {
    let directory = try opened()
    _ = try directory.readManifest()
    try? directory.files.remove(directory.file(LiveStatus.temporaryName))
    let created = try OpenFile(directory.file(LiveStatus.temporaryName), .create, directory.files)
    do {
      try created.write(Array(status.text.utf8), at: 0)
      try directory.files.rename(created.path, to: directory.file(LiveStatus.fileName))
    } catch {
      created.discard()
      throw error
    }
    try created.close()
  }
}
