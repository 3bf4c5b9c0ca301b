// `permlog erase`: a user out of the log for good.

import ArgumentParser
import Permlog
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
      guard (1...PermissionLog.longestUserID).contains(id.utf8.count) else {
        throw ValidationError(
          "a user id has 1 to \(PermissionLog.longestUserID) bytes, and this one has \(id.utf8.count)")
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
      let key = try hashing.key()
      let log = try log.open()
      guard readmit.isEmpty else {
        return Self.text(try log.readmit(users: readmit.map { Array($0.utf8) }, key: key))
      }
      return Self.text(try log.erase(users: ids, key: key), isHashed: key != nil)
    }
    try Output.result(text)
  }

  private static func text(_ result: Erasure, isHashed: Bool) -> String {
    let events = counted(result.events, "event", "events")
    var text = "erased \(events) of \(counted(result.found, "user", "users"))"
    if result.parts > 0 { text += ", from \(counted(result.parts, "part", "parts"))" }
    text += "\n"
    let (new, named) = (result.keptOut, result.named)
    // Who was kept out before can have no events.
    if result.found < new {
      let missing = "\(counted(new - result.found, "id", "ids")) of \(grouped(named))"
      text += "\(named == 1 ? "this id" : missing) had no events here: check the spelling, byte for byte\n"
      if !isHashed { text += "if the log was filled with --hash-users, give the same key here\n" }
    }
    if new > 0 { text += "\(counted(new, "id is", "ids are")) kept out from now on\n" }
    return text + (new < named ? "\(counted(named - new, "id was", "ids were")) kept out before\n" : "")
  }

  private static func text(_ result: Readmission) -> String {
    var text = "\(counted(result.readmitted, "user is", "users are")) let in again; "
    text += "their events come back with the next ingest that has them\n"
    let others = result.named - result.readmitted
    if others > 0 { text += "\(counted(others, "id was", "ids were")) not erased\n" }
    return text
  }
}
