// `permlog mapping draft`: a mapping to begin with, for a file of no known form.

import ArgumentParser
import Permlog

struct MappingDraftCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "draft", abstract: "Write a mapping to begin with, guessed from the head of a file.",
    discussion: """
      Each guess stands beside the value that it was made from, shortened; what could not be guessed is a line to fill in. \
      Nothing is stored.

      Example:
        permlog mapping draft export.csv > mine.yaml
        permlog mapping check export.csv --mapping mine.yaml
      """)

  @Argument(help: ArgumentHelp("A file, packed or not, or - for standard input.", valueName: "file"))
  var file: String

  func run() throws {
    let draft = try CommandFailure.wrap { try VendorMappings.draft(from: file, saying: CommandWords.text) }
    try Output.result(draft)
  }
}
