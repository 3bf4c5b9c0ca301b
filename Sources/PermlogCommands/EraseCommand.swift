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
        permlog erase --users-from requests.txt --receipt erased-2026-11.json
        permlog erase --user anna@example.com --link-file accounts.csv
        permlog erase --user someone@example.com --hash-users key
        permlog erase --readmit 8C1B3F6E-2D7A-4E55-9A0B-0F3C6D1E7A42
        permlog erase --user someone@example.com --key erased.key
        permlog erase --move-key erased.key
        permlog erase --hash-event-ids --hash-users key
        permlog erase --import-list erased.list --log new-log
      """)

  @OptionGroup var log: WrittenLogOptions
  @OptionGroup var appearance: TextOptions
  @OptionGroup var hashing: UserHashOptions
  @OptionGroup var erasures: ErasureKeyOptions

  @Option(
    "The user's id; can be given several times. An id with spaces at its ends is also looked for without them.",
    value: "id")
  var user: [String] = []

  @Option(
    "A file of ids, one a line, or - for standard input. Empty lines, and lines that begin with #, are skipped.",
    value: "file"
  )
  var usersFrom: String?

  @Option(
    "A CSV file of pairs, account,install: who names an account erases its installs, too. Nothing of the file is stored.",
    value: "file")
  var linkFile: String?

  @Flag(help: "Also erase ids that differ from a given one only in case, spaces or the form of a UUID.")
  var otherSpellings = false

  @Flag(help: "End with exit status 0 even if the log does not have one of the ids.")
  var allowMissing = false

  @Option("Write a receipt of the erasure to this new file, without ids in clear.", value: "file")
  var receipt: String?

  @Option("Output format: text, or json with what became of each id.", value: "format")
  var format: SummaryFormat = .text

  @Option("Accept an erased user again; can be given several times.", value: "id")
  var readmit: [String] = []

  @Option(
    "Move the key of the list of erased users out of the log, into this new file. Cannot be combined.",
    value: "keyfile")
  var moveKey: String?

  @Option("Write the list of erased users to this new file, for --import-list on another machine.", value: "file")
  var exportList: String?

  @Option(
    "Keep out the erased users of another log, too: the file of its --export-list. A list of this log must have the same key.",
    value: "file")
  var importList: String?

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
    let erasesNobody = user.isEmpty && usersFrom == nil && !dryRun
    if erasesNobody,
      linkFile != nil || otherSpellings || allowMissing && readmit.isEmpty || receipt != nil || format == .json
    {
      throw ValidationError(
        "--link-file, --other-spellings, --allow-missing, --receipt and --format json go with --user and --users-from; --allow-missing also with --readmit"
      )
    }
    if dryRun, receipt != nil { throw ValidationError("--dry-run erases nothing, so it has no receipt") }
    let namesNobody = erasesNobody && readmit.isEmpty
    let isAlone = namesNobody && erasures.key == nil && importList == nil && exportList == nil
    guard exportList == nil else {
      guard namesNobody, hashing.hashUsers.isEmpty, erasures.key == nil, importList == nil, moveKey == nil,
        !hashEventIDs
      else { throw ValidationError("--export-list cannot be combined: it changes nothing in the log") }
      return
    }
    guard !hashEventIDs else {
      guard isAlone, moveKey == nil, !hashing.hashUsers.isEmpty else {
        throw ValidationError(
          "--hash-event-ids needs --hash-users KEYFILE and no other option: hash the ids, and erase in another command")
      }
      return
    }
    guard moveKey == nil else {
      guard isAlone, hashing.hashUsers.isEmpty else {
        throw ValidationError("--move-key cannot be combined: move the key, and erase in another command")
      }
      return
    }
    guard importList == nil else {
      guard namesNobody, hashing.hashUsers.isEmpty else {
        throw ValidationError(
          "--import-list can be combined with --key only: take the list over, and erase in another command")
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
    var missing: String?
    var isMixed = false
    let text = try CommandFailure.wrap {
      if let moveKey {
        try log.open().moveErasureKey(to: moveKey)
        return "moved the key out of the log, into \(shown(moveKey))\n" + care(of: moveKey)
      }
      if hashEventIDs, let key = try hashing.key(besides: log.log.path) {
        return try log.open().hashEventIDs(key: key)
          ? "event ids are stored as keyed hashes from now on\n" : "event ids are already stored as keyed hashes\n"
      }
      if let exportList { return try Self.text(exported: writeList(of: log.open(), to: exportList), exportList) }
      if let importList {
        return Self.text(adopted: try log.open().adoptErasures(from: importList, erasureKey: erasures.source()))
      }
      var ids = user.map { Array($0.utf8) }
      if let usersFrom { ids += try UserIDFile.named(usersFrom) }
      let key = try hashing.key(besides: log.log.path)
      let erasureKey = erasures.source()
      let log = try log.open()
      guard readmit.isEmpty else {
        let result = try log.readmit(users: readmit.map { Array($0.utf8) }, key: key, erasureKey: erasureKey)
        if !result.notErased.isEmpty, !allowMissing {
          let style = appearance.style()
          missing =
            "not erased in this log: " + listed(result.notErased.map { style.legible(String(bounded: $0)) }, most: 20)
          Output.setStatusIfUnread(CommandFailure.holds("").status)
        }
        return Self.text(result)
      }
      let links = try linkFile.map(UserIDFile.readLinks) ?? [:]
      let erasure =
        dryRun
        ? try log.previewErasure(
          of: ids, links: links, otherSpellings: otherSpellings, key: key, erasureKey: erasureKey)
        : try log.erase(
          users: ids, links: links, otherSpellings: otherSpellings, key: key, erasureKey: erasureKey, receipt: receipt)
      missing = allowMissing ? nil : Self.missing(erasure, appearance.style())
      isMixed = erasure.isMixed
      if missing != nil { Output.setStatusIfUnread(CommandFailure.holds("").status) }
      if format == .json { return String(bounded: erasure.json(path: log.path, isDryRun: dryRun)) }
      return erasureText(erasure)
    }
    if dryRun {
      try Output.result(text)
    } else if format == .json || !log.quiet {
      try Output.summary(text)
    }
    if isMixed {
      Output.message(
        "WARNING: this log names users in several ways: erase this person again with each other --hash-users key, and without a key."
      )
    }
    if let missing { throw CommandFailure.holds(missing) }
  }

  /// The requests that are not fulfilled; nil if all are.
  private static func missing(_ erasure: Erasure, _ style: TextStyle) -> String? {
    let ids = erasure.notFound
    guard let first = ids.first else { return nil }
    let names = listed(ids.map { style.legible(String(bounded: $0)) }, most: 20)
    return ids.count == 1 && erasure.named == 1
      ? "the log does not have \(style.legible(String(bounded: first))), so the request is not fulfilled"
      : "the log does not have \(grouped(ids.count)) of \(counted(erasure.named, "id", "ids")), so these requests are not fulfilled: \(names)"
  }

  /// Writes the list of erased users.
  /// - Returns: how many ids it has.
  private func writeList(of log: PermissionLog, to path: String) throws -> Int {
    guard let list = try log.exportErasures() else { return 0 }
    let stream = try ResultStream(
      path: path, option: "--export-list", besides: ProtectedFiles(log: self.log.log.path), isPrivate: true)
    try list.bytes.withUnsafeBytes { try stream.write($0) }
    try stream.close()
    return list.users
  }

  private static func text(exported users: Int, _ path: String) throws -> String {
    guard users > 0 else { throw CommandFailure.failed("no user is erased in this log, so no list was written") }
    return "wrote \(counted(users, "keyed hash", "keyed hashes")) of ids to \(path)\n"
  }

  private static func text(adopted: Erasure) -> String {
    "keeps out \(counted(adopted.keptOut, "more id", "more ids")) from now on\n"
      + "erased \(counted(adopted.events, "event", "events")) of \(counted(adopted.found, "user", "users"))\n"
  }

  private func erasureText(_ result: Erasure) -> String {
    let events = counted(result.events, "event", "events")
    var text = "\(dryRun ? "would erase" : "erased") \(events) of \(counted(result.found, "user", "users"))"
    if result.parts > 0 { text += ", from \(counted(result.parts, "part", "parts"))" }
    text += "\n"
    if result.linked > 0 {
      text +=
        "\(counted(result.linked, "linked id", "linked ids")) of the same \(result.linked == 1 ? "user goes" : "users go") too\n"
    }
    let style = appearance.style()
    for request in result.requests {
      text += "  \(style.legible(String(bounded: request.id))): \(sentence(request, style))\n"
    }
    text += accounts(result.accounts, of: result.notFound.count)
    let new = result.keptOut
    if new > 0 {
      text += "\(counted(new, dryRun ? "id" : "id is", dryRun ? "ids" : "ids are"))"
      text += dryRun ? " would be kept out from then on\n" : " kept out from now on\n"
    }
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

  /// What became of one id.
  private func sentence(_ request: ErasedID, _ style: TextStyle) -> String {
    let day = request.requestedBefore.map { " on " + Timestamp.text($0).prefix(10) } ?? ""
    func names(_ ids: [[UInt8]]) -> String { listed(ids.map { style.legible(String(bounded: $0)) }, most: 3) }
    let stays = request.spellings.count == 1 ? "which stays" : "which stay"
    let other = "; the log also has \(names(request.spellings)), \(stays): --other-spellings"
    switch request.outcome {
    case .erased:
      var text = (dryRun ? "would be erased, " : "erased, ") + counted(request.events, "event", "events")
      if request.events == 0 { text += ", and the numbers of its other rows" }
      if request.linked > 0 { text += ", with \(counted(request.linked, "linked id", "linked ids"))" }
      if request.installs > 0 {
        text += ", of \(grouped(request.installsFound)) of \(counted(request.installs, "install", "installs"))"
      }
      if !request.alsoErased.isEmpty { text += ", as \(names(request.alsoErased))" }
      return request.spellings.isEmpty ? text : text + other
    case .erasedBefore: return "erased before\(day)" + (request.spellings.isEmpty ? "" : other)
    case .keptOutBefore: return "kept out before; whether it had events then was not recorded"
    case .otherSpelling:
      return "NOT FOUND, but the log has \(names(request.spellings)), \(stays): --other-spellings"
    case .notFound:
      let asked = day.isEmpty ? "" : "; asked for before\(day)"
      let erased = request.spellings.isEmpty ? "" : "; erased before: \(names(request.spellings))"
      return "NOT FOUND, no events here" + asked + erased
    }
  }

  /// Warns that the log's users are installs, but the ids look like accounts.
  private func accounts(_ ids: [[UInt8]], of missing: Int) -> String {
    guard let first = ids.first else { return "" }
    let which =
      ids.count == 1
      ? "\(shown(String(bounded: first))) looks like the id of an account"
      : "\(ids.count == missing ? "these ids look" : "\(grouped(ids.count)) of these ids look") like ids of accounts"
    return "the users of this log look like installs, and \(which): erasing by account finds no users here\n"
      + "find the account's installs (device ids) in your own data: --link-file FILE takes pairs of account,install\n"
  }

  /// How to keep a key outside the log.
  private func care(of path: String) -> String {
    "keep it, and a copy of it, away from the log: without it nothing can be ingested or erased here\n"
      + "from now on give --key \(shown(path)) to ingest and erase\n"
  }

  private func shown(_ path: String) -> String { appearance.style().legible(path) }

  private static func text(_ result: Readmission) -> String {
    let text =
      result.readmitted > 0
      ? "\(counted(result.readmitted, "user is", "users are")) accepted again; their events return with the next "
        + "ingest that has them\nids that were erased with them (linked ids, installs, other spellings) stay out until they are named too\n"
        + "name all ids of a person in one command: an id that a file links with one that stays out is erased again\n"
      : "no user is accepted again\n"
    if result.areFormerIDsUnknown {
      Output.message(
        "WARNING: users were erased before this log was rekeyed, and a pseudonym does not show which of them it is. If the events do not "
          + "come back, give the id of the exports.")
    }
    return text
  }
}
