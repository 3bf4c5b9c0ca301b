// `permlog erase`: removes users from the log for good.

import ArgumentParser
import Permlog
import ReportRendering
import SystemCalls

struct EraseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase", abstract: "Remove users for good, from every file of the log.",
    discussion: """
      Later ingests leave these users out and count their events, until --readmit. For that, the log keeps a keyed \
      hash of the id, not the id. Copies elsewhere are not touched: exports, backups, snapshots of the file system. \
      --dry-run prints what would be removed and changes no file.

      The key of the hashes is in the log, unless the first erasure names a file with --key. If the key is in the log, \
      anyone who can read the log's files can test whether a guessed id was erased. With --key, the file is created if \
      it does not exist. ingest and erase need it from then on: keep it, and a copy of it, away from the log. \
      --move-key moves the key from the log into a new file.

      Example:
        permlog erase --user 8C1B3F6E-2D7A-4E55-9A0B-0F3C6D1E7A42
        permlog erase --users-from requests.txt --dry-run
        permlog erase --user someone@example.com --hash-users key
        permlog erase --readmit 8C1B3F6E-2D7A-4E55-9A0B-0F3C6D1E7A42
        permlog erase --user someone@example.com --key erased.key
        permlog erase --move-key erased.key
        permlog erase --hash-event-ids --hash-users key
        permlog erase --adopt erased.list --log new-log
      """)

  @OptionGroup var log: WrittenLogOptions
  @OptionGroup var appearance: TextOptions
  @OptionGroup var hashing: UserHashOptions
  @OptionGroup var erasures: ErasureKeyOptions

  @Option(
    "The user's id; can be given several times. An id with spaces at its ends is also looked for without them.",
    value: "id")
  var user: [String] = []

  @Option("A file of ids, one a line, or - for standard input.", value: "file")
  var usersFrom: String?

  @Option("Accept an erased user again; can be given several times.", value: "id")
  var readmit: [String] = []

  @Option(
    "Move the key of the list of erased users out of the log, into this new file. Cannot be combined.",
    value: "keyfile")
  var moveKey: String?

  @Option(
    "Keep out the erased users of another log: the file of its permlog export --with-erasures. The log must have no list of its own.",
    value: "file")
  var adopt: String?

  @Flag(
    name: .customLong("hash-event-ids"),
    help: """
      Store keyed hashes instead of the event ids that apps wrote, in a log that was filled with --hash-users before \
      event ids were hashed too. Needs --hash-users and no other option.
      """)
  var hashEventIDs = false

  @Flag(help: "Print what would be removed, and change no file.")
  var dryRun = false

  mutating func validate() throws {
    let namesNobody = user.isEmpty && usersFrom == nil && readmit.isEmpty && !dryRun
    let isAlone = namesNobody && erasures.key == nil && adopt == nil
    guard !hashEventIDs else {
      guard isAlone, moveKey == nil, hashing.hashUsers != nil else {
        throw ValidationError(
          "--hash-event-ids needs --hash-users KEYFILE and no other option: hash the ids, and erase in another command")
      }
      return
    }
    guard moveKey == nil else {
      guard isAlone, hashing.hashUsers == nil else {
        throw ValidationError("--move-key cannot be combined: move the key, and erase in another command")
      }
      return
    }
    guard adopt == nil else {
      guard namesNobody, hashing.hashUsers == nil else {
        throw ValidationError(
          "--adopt can be combined with --key only: take the list over, and erase in another command")
      }
      return
    }
    guard !user.isEmpty || usersFrom != nil || !readmit.isEmpty else {
      throw ValidationError("name the users: --user ID, --users-from FILE, or --readmit ID")
    }
    guard readmit.isEmpty || user.isEmpty && usersFrom == nil else {
      throw ValidationError("--readmit cannot be combined: erase and readmit in two commands")
    }
    if dryRun, !readmit.isEmpty {
      throw ValidationError("--dry-run goes with --user and --users-from; --readmit removes nothing")
    }
    for id in user + readmit {
      guard (1...PermissionLog.longestUserID).contains(id.utf8.count) else {
        throw ValidationError(
          "a user id has 1 to \(PermissionLog.longestUserID) bytes, but this one has \(id.utf8.count)")
      }
      // The parser replaces bytes that are not UTF-8, so it would be another id.
      guard !id.unicodeScalars.contains("\u{FFFD}") else {
        throw ValidationError(
          "this id is not UTF-8: put it in a file, byte for byte, and give the file with --users-from")
      }
    }
  }

  func run() throws {
    let text = try CommandFailure.wrap {
      if let moveKey {
        try log.open().moveErasureKey(to: moveKey)
        return "moved the key out of the log, into \(shown(moveKey))\n" + care(of: moveKey)
      }
      if hashEventIDs, let key = try hashing.key(besides: log.log.path) {
        return try log.open().hashEventIDs(key: key)
          ? "event ids are stored as keyed hashes from now on\n" : "event ids are already stored as keyed hashes\n"
      }
      if let adopt {
        return Self.text(adopted: try log.open().adoptErasures(from: adopt, erasureKey: erasures.source()))
      }
      var ids = user.map { Array($0.utf8) }
      if let usersFrom { ids += try UserIDFile.read(usersFrom) }
      let key = try hashing.key(besides: log.log.path)
      let erasureKey = erasures.source()
      let log = try log.open()
      guard readmit.isEmpty else {
        return Self.text(try log.readmit(users: readmit.map { Array($0.utf8) }, key: key, erasureKey: erasureKey))
      }
      let erasure =
        dryRun
        ? try log.previewErasure(of: ids, key: key, erasureKey: erasureKey)
        : try log.erase(users: ids, key: key, erasureKey: erasureKey)
      return erasureText(erasure, isHashed: key != nil)
    }
    if dryRun || !log.quiet { try Output.result(text) }
  }

  private static func text(adopted: Erasure) -> String {
    "keeps out \(counted(adopted.keptOut, "id", "ids")) of the list from now on\n"
      + "erased \(counted(adopted.events, "event", "events")) of \(counted(adopted.found, "user", "users"))\n"
  }

  private func erasureText(_ result: Erasure, isHashed: Bool) -> String {
    let events = counted(result.events, "event", "events")
    var text = "\(dryRun ? "would erase" : "erased") \(events) of \(counted(result.found, "user", "users"))"
    if result.parts > 0 { text += ", from \(counted(result.parts, "part", "parts"))" }
    text += "\n"
    if result.linked > 0 {
      text +=
        "\(counted(result.linked, "linked id", "linked ids")) of the same \(result.linked == 1 ? "user goes" : "users go") too\n"
    }
    let (new, named) = (result.keptOut, result.named)
    if !result.notFound.isEmpty {
      let missing = "\(counted(result.notFound.count, "id", "ids")) of \(grouped(named))"
      text += "\(named == 1 ? "this id" : missing) had no events here: check the spelling exactly\n"
      text += list(result.notFound)
      text += accounts(result.accounts, of: result.notFound.count)
      if !isHashed { text += "if the log was filled with --hash-users, give the same key here\n" }
    }
    if new > 0 {
      text += "\(counted(new, dryRun ? "id" : "id is", dryRun ? "ids" : "ids are"))"
      text += dryRun ? " would be kept out from then on\n" : " kept out from now on\n"
    }
    if result.isMixed {
      text +=
        "this log names users in several ways: erase this person again with each other --hash-users key, and without a key\n"
    }
    let before = named + result.linked - new
    if before > 0 { text += "\(counted(before, "id was", "ids were")) kept out before\n" }
    switch result.newList {
    case .keyInside:
      text +=
        "the key of the list of erased users \(dryRun ? "would be" : "is") in the log: anyone who can read the log's "
        + "files can test whether a guessed id was erased. "
        + (dryRun ? "--key FILE keeps it elsewhere\n" : "permlog erase --move-key FILE moves it elsewhere\n")
    case .keyMade(let path):
      text += dryRun ? "the key \(shown(path)) would be made\n" : "made the key \(shown(path))\n" + care(of: path)
    case .keyGiven: if !dryRun, let path = erasures.key { text += care(of: path) }
    case nil: break
    }
    return text + (dryRun ? "nothing was changed\n" : "")
  }

  private static let shownIDs = 20

  private func list(_ ids: [[UInt8]]) -> String {
    let more = ids.count - Self.shownIDs
    return ids.prefix(Self.shownIDs).map { "  " + shown(String(bounded: $0)) + "\n" }.joined()
      + (more > 0 ? "  and \(grouped(more)) more\n" : "")
  }

  /// Warns that the log's users are installs, but the ids look like accounts.
  private func accounts(_ ids: [[UInt8]], of missing: Int) -> String {
    guard let first = ids.first else { return "" }
    let which =
      ids.count == 1
      ? "\(shown(String(bounded: first))) looks like the id of an account"
      : "\(ids.count == missing ? "these ids look" : "\(grouped(ids.count)) of these ids look") like ids of accounts"
    return "the users of this log look like installs, and \(which): erasing by account finds no users here\n"
      + "find the account's installs (device ids) in your own data and erase those\n"
  }

  /// How to keep a key outside the log.
  private func care(of path: String) -> String {
    "keep it, and a copy of it, away from the log: without it nothing can be ingested or erased here\n"
      + "from now on give --key \(shown(path)) to ingest and erase\n"
  }

  private func shown(_ path: String) -> String { appearance.style().legible(path) }

  private static func text(_ result: Readmission) -> String {
    var text =
      result.readmitted > 0
      ? "\(counted(result.readmitted, "user is", "users are")) accepted again; their events return with the next "
        + "ingest that has them\n" : "no user is accepted again\n"
    let others = result.named - result.readmitted
    if others > 0 { text += "\(counted(others, "id was", "ids were")) not erased\n" }
    return text
  }
}

enum UserIDFile {
  static let longest = PermissionLog.longestUserID

  /// The ids of a file, or of standard input for `-`. Line feeds end lines, with or without a carriage return before
  /// them. A byte-order mark and empty lines are skipped; everything else is kept as it is. If the file cannot be read
  /// to its end, or a line cannot be an id, this throws before anything is changed.
  static func read(_ path: String) throws -> [[UInt8]] {
    func failure() -> CommandFailure {
      .failed(
        "--users-from \(path): \(String(cString: strerror(errno))). Name a file that can be read. Nothing was changed.")
    }
    let descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure() }
    defer { if descriptor > 0 { close(descriptor) } }
    var ids: [[UInt8]] = []
    var (line, number): ([UInt8], Int) = ([], 1)
    func checkLength(_ most: Int) throws {
      guard line.count > most else { return }
      throw CommandFailure.badData(
        "--users-from \(path), line \(number): a user id has 1 to \(longest) bytes, but this line is longer. "
          + "Nothing was changed.")
    }
    func endLine() throws {
      if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
      if line.last == 0x0D { line.removeLast() }
      try checkLength(longest)
      if !line.isEmpty { ids.append(line) }
      line.removeAll(keepingCapacity: true)
      number += 1
    }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = buffer.withUnsafeMutableBytes { SystemCalls.read(descriptor, $0) }
      if count < 0 { throw failure() }
      if count == 0 { break }
      for byte in buffer[..<count] {
        if byte == 0x0A {
          try endLine()
        } else {
          line.append(byte)
          // A line is not read beyond the longest id. A byte-order mark and a carriage return do not count.
          try checkLength(longest + 4)
        }
      }
    }
    try endLine()
    return ids
  }
}
