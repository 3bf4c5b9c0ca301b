// `permlog erase`: a user out of the log for good.

import ArgumentParser
import EventLog
import PermissionEvents
import ReportRendering

struct EraseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract: "Remove users for good, from every file of the log.",
    discussion: """
      Later ingests leave these users out and count their events, until --readmit. For that a keyed hash of the id is
      kept, not the id. Copies elsewhere are not touched: exports, backups, snapshots of the file system.

      Example:
        permlog erase --user 8C1B3F6E-2D7A-4E55-9A0B-0F3C6D1E7A42
        permlog erase --users-from requests.txt
        permlog erase --user someone@example.com --hash-users key
        permlog erase --readmit 8C1B3F6E-2D7A-4E55-9A0B-0F3C6D1E7A42
      """)

  @OptionGroup var log: LogOptions

  @OptionGroup var hashing: UserHashOptions

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The user's id; can be given several times. With blanks at its ends it is also looked for without them.",
      valueName: "id"))
  var user: [String] = []

  @Option(help: ArgumentHelp("A file of ids, one a line, or - for standard input.", valueName: "file"))
  var usersFrom: String?

  @Option(help: ArgumentHelp("Let an erased user in again; can be given several times.", valueName: "id"))
  var readmit: [String] = []

  mutating func validate() throws {
    guard !user.isEmpty || usersFrom != nil || !readmit.isEmpty else {
      throw ValidationError("name the users: --user ID, --users-from FILE, or --readmit ID")
    }
    guard readmit.isEmpty || user.isEmpty && usersFrom == nil else {
      throw ValidationError("--readmit goes alone: erase and readmit in two commands")
    }
    for id in user + readmit {
      guard (1...UserIDFile.longest).contains(id.utf8.count) else {
        throw ValidationError("a user id has 1 to \(UserIDFile.longest) bytes, and this one has \(id.utf8.count)")
      }
      // What stands for bytes that are not UTF-8, and so would be another id.
      guard !id.unicodeScalars.contains("\u{FFFD}") else {
        throw ValidationError("this id is not UTF-8: put it in a file, byte for byte, and name that with --users-from")
      }
    }
  }

  func run() throws {
    let text = try CommandFailure.wrap {
      var ids = user.map { Array($0.utf8) }
      if let usersFrom { ids += try UserIDFile.read(usersFrom) }
      // The log knows these users by their hashes.
      let key = try hashing.key()
      func stored(_ ids: [[UInt8]]) -> [[UInt8]] {
        // An ingest cuts blanks at the ends of ids; one that kept them, or an older version, did not.
        let all = ids.flatMap { id in
          let trimmed = id.withUnsafeBytes { Array(IdentifierText.trimmed($0)) }
          return trimmed == id || trimmed.isEmpty ? [id] : [id, trimmed]
        }
        return key.map { key in all.map { key.pseudonym(of: $0) } } ?? all
      }
      let writer = try EventLogWriter(log.directory, threads: log.threadCount, mayCreate: false)
      defer { writer.close() }
      return readmit.isEmpty
        ? try erase(stored(ids), writer, isHashed: key != nil)
        : try readmit(stored(readmit.map { Array($0.utf8) }), writer)
    }
    try Output.result(text)
  }

  private func erase(_ ids: [[UInt8]], _ writer: EventLogWriter, isHashed: Bool) throws -> String {
    let named = Set(ids).count
    let counts = try writer.erase(ids)
    let events = counted(counts.events, "event", "events")
    var text = "erased \(events) of \(counted(counts.found, "user", "users"))"
    if counts.parts > 0 { text += ", from \(counted(counts.parts, "part", "parts"))" }
    text += "\n"
    let new = counts.users
    // Who was kept out before can have no events.
    if counts.found < new {
      let missing = "\(counted(new - counts.found, "id", "ids")) of \(grouped(named))"
      text += "\(named == 1 ? "this id" : missing) had no events here: check the spelling, byte for byte\n"
      if !isHashed { text += "if the log was filled with --hash-users, give the same key here\n" }
    }
    if new > 0 { text += "\(counted(new, "id is", "ids are")) kept out from now on\n" }
    return text + (new < named ? "\(counted(named - new, "id was", "ids were")) kept out before\n" : "")
  }

  private func readmit(_ ids: [[UInt8]], _ writer: EventLogWriter) throws -> String {
    let named = Set(ids)
    let count = try writer.readmit(Array(named))
    var text = "\(counted(count, "user is", "users are")) let in again; "
    text += "their events come back with the next ingest that has them\n"
    if count < named.count { text += "\(counted(named.count - count, "id was", "ids were")) not erased\n" }
    return text
  }
}
