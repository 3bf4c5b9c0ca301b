// `permlog rekey`: another key for a log of pseudonyms.

import ArgumentParser
import Permlog
import ReportRendering

struct RekeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rekey", abstract: "Give a log of hashed users another key.",
    usage: "permlog rekey <keyfile> ... <options>",
    discussion: """
      For a log that was filled with --hash-users, if others may know its key, or if keys are to be changed regularly. All \
      pseudonyms of users and events are hashed once more, under the new key. With the log and the old key alone, a person can \
      no longer be found. Only the list of erased users keeps its hashes: the old key and this list \
      show whether an id was erased. erase --move-key takes the list's key out of the log. Make the new key with head -c 32 /dev/urandom > key-2027. Answers stay the same, and erased users \
      stay out.

      From then on ingest, erase and export --user need both keys, in this order: --hash-users OLD --hash-users NEW. So keep the \
      old key, too. Copies of the log, and exports of it, have the old pseudonyms.

      An export of a log that is ingested under another key would double all persons; permlog refuses it.

      Example:
        permlog rekey key-2026 key-2027
        permlog ingest exports/ --hash-users key-2026 --hash-users key-2027
      """)

  @Argument("The files of all keys of the log, the oldest first, and then that of the new key.", value: "keyfile")
  var keys: [String]

  @OptionGroup var log: WrittenLogOptions

  func validate() throws {
    guard keys.count > 1 else { throw ValidationError("give the log's key and the new one: permlog rekey OLD NEW") }
  }

  func run() throws {
    let result = try CommandFailure.wrap {
      let log = try log.open()
      guard let old = try UserHashOptions.key(keys.dropLast(), besides: log.path),
        let new = try UserHashOptions.key(keys.suffix(1), besides: log.path)
      else { throw CommandFailure.usage("give the log's key and the new one: permlog rekey OLD NEW") }
      return try log.rekey(from: old, to: new)
    }
    guard !log.quiet else { return }
    let options = keys.map { "--hash-users \(CommandWords.quoted($0))" }.joined(separator: " ")
    let change = result.map { result in
      "\(counted(result.users, "user has", "users have")) another pseudonym, in \(counted(result.events, "event", "events"))"
        + (result.forgotNumbers ? "\nthe numbers of events are forgotten: which of them arrived is counted anew" : "")
    }
    try Output.summary(
      "\(change ?? "the log has this key already; nothing was changed")\ningest, erase and export --user need all keys from now on: \(options)\n"
    )
  }
}
