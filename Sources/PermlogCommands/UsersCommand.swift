// `permlog users`: the users whom a log leaves out of answers.

import ArgumentParser
import Permlog
import ReportRendering

struct UsersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "users", abstract: "Leave internal and test users out of every answer.",
    discussion: """
      The log keeps a list of ids. Every question leaves these users out, as if they had no events, and says how many \
      it left out. No event changes: export and backup have them, and users include undoes it. To remove a \
      person for good, use permlog erase.

      Example:
        permlog users exclude --from team.txt
        permlog users exclude --id 8C1B3F6E-2D7A-4E55-9A0B-0F3C6D1E7A42
        permlog users list
        permlog users include --id 8C1B3F6E-2D7A-4E55-9A0B-0F3C6D1E7A42
      """,
    subcommands: [UsersExcludeCommand.self, UsersIncludeCommand.self, UsersListCommand.self])
}

/// The ids of a change.
struct NamedUsers: ParsableArguments {
  @Option("The user's id; can be given several times.", value: "id")
  var id: [String] = []

  @Option(
    "A file of ids, one a line, or - for standard input. Empty lines, and lines that begin with #, are skipped.",
    value: "file")
  var from: String?

  @Option(
    "The key with which the log was filled, if its users are hashed. Ids are then as in the exports, or as the log exports them. After permlog rekey give all keys, the oldest first.",
    value: "keyfile")
  var hashUsers: [String] = []

  func validate() throws {
    guard !id.isEmpty || from != nil else { throw ValidationError("name the users: --id ID or --from FILE") }
    guard let id = id.first(where: { $0.unicodeScalars.contains("\u{FFFD}") }) else { return }
    throw ValidationError("the id \(id) is not UTF-8: put it in a file, byte for byte, and give the file with --from")
  }

  func ids() throws -> [[UInt8]] {
    try id.map { Array($0.utf8) } + (from.map { try UserIDFile.named($0, option: "--from") } ?? [])
  }
}

struct UsersExcludeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "exclude", abstract: "Leave users out of every answer from now on.",
    usage: "permlog users exclude <options>",
    discussion: """
      Ids without events can be listed, too: they are left out as soon as they have events.

      Example:
        permlog users exclude --from team.txt
      """)

  @OptionGroup var users: NamedUsers
  @OptionGroup var log: WrittenLogOptions

  func run() throws {
    let result = try CommandFailure.wrap {
      let log = try log.open()
      return try log.exclude(users: users.ids(), key: UserHashOptions.key(users.hashUsers, besides: log.path))
    }
    guard !log.quiet else { return }
    var text = "\(counted(result.changed, "id is", "ids are")) left out of every answer from now on"
    let known = result.named - result.changed
    if known > 0 { text += "; \(counted(known, "id was", "ids were")) left out before" }
    text += "\n\(counted(result.withEvents, "of these ids has", "of these ids have")) events in the log\n"
    try Output.summary(text + "the list has \(counted(result.listed, "id", "ids"))\n")
  }
}

struct UsersIncludeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "include", abstract: "Take users back into every answer.",
    usage: "permlog users include <options>",
    discussion: """
      Example:
        permlog users include --id 8C1B3F6E-2D7A-4E55-9A0B-0F3C6D1E7A42
      """)

  @OptionGroup var users: NamedUsers
  @OptionGroup var log: WrittenLogOptions
  @OptionGroup var appearance: TextOptions

  func run() throws {
    let result = try CommandFailure.wrap {
      let log = try log.open()
      return try log.include(users: users.ids(), key: UserHashOptions.key(users.hashUsers, besides: log.path))
    }
    let others = result.named - result.changed
    let missing = others > 0 ? CommandFailure.holds("\(counted(others, "id was", "ids were")) not in the list") : nil
    if let missing { Output.setStatusIfUnread(missing.status) }
    if !log.quiet {
      var text = "\(counted(result.changed, "id is", "ids are")) in every answer again\n"
      if !result.linked.isEmpty {
        let style = appearance.style()
        let names = listed(result.linked.map { style.legible(String(bounded: $0)) }, most: 20)
        text += "still left out through linked ids of the list: \(names)\n"
      }
      try Output.summary(text + "the list has \(counted(result.listed, "id", "ids"))\n")
    }
    if let missing { throw missing }
  }
}

struct UsersListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Print the ids that the log leaves out.",
    discussion: """
      One id a line, as the log stores it. users include --from reads such a list, but for ids that begin with #.

      Example:
        permlog users list
      """)

  @OptionGroup var log: LogOptions

  func run() throws {
    let users = try CommandFailure.wrap { try log.open().excludedUsers() }
    try Output.result(users.flatMap { $0 + [0x0A] })
    guard !log.quiet, users.isEmpty else { return }
    Output.message("the log leaves no user out")
  }
}
