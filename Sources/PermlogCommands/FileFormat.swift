// The format of a result by the name of the file that it goes to.

import ArgumentParser
import Permlog

extension ResultOptions {
  /// The format that was asked for, else the one that the output file's name says, else the command's own.
  /// - Throws: if nothing was asked for and the name says a format that the command does not have.
  func format<Format: NamedFormat>(_ asked: Format?, else own: Format) throws -> Format {
    try FileFormat.choose(asked, output, else: own)
  }
}

/// Formats that options and endings of file names name.
typealias NamedFormat = CaseIterable & RawRepresentable<String>

enum FileFormat {
  /// What endings of file names say, as names of formats.
  private static let endings = [
    "html": "html", "htm": "html", "json": "json", "ndjson": "ndjson", "jsonl": "ndjson", "csv": "csv",
    "md": "markdown",
    "markdown": "markdown", "txt": "text",
  ]

  /// The name of the format that a file's name says; nil if it says none.
  static func named(by path: String) -> String? {
    guard let name = path.split(separator: "/").last, let dot = name.lastIndex(of: "."), dot > name.startIndex else {
      return nil
    }
    return endings[name[dot...].dropFirst().lowercased()]
  }

  /// The format that was asked for, else the one that a file's name says, else the command's own. A name that contradicts
  /// what was asked for is told.
  static func choose<Format: NamedFormat>(_ asked: Format?, _ path: String?, else own: Format) throws -> Format {
    guard let path, let name = named(by: path) else { return asked ?? own }
    if let asked {
      if contradicts(asked.rawValue, name) {
        Output.message("permlog: \(path) holds \(asked.rawValue), as --format says, though its name says \(name)")
      }
      return asked
    }
    if let format = Format(rawValue: name) { return format }
    // Lines of JSON are often named .json, and text is what a command writes to a file of any other name.
    if name == "text" || !contradicts(own.rawValue, name) { return own }
    let known = Format.allCases.map(\.rawValue).joined(separator: ", ")
    throw CommandFailure.usage(
      "--output \(path): the name says \(name), which this command does not write; it writes \(known). Name the file "
        + "otherwise, or choose one with --format.")
  }

  /// Whether a file of this format is not expected under a name that says another. A vendor's format has no ending of its own.
  private static func contradicts(_ format: String, _ name: String) -> Bool {
    format != name && endings.values.contains(format) && (format, name) != ("ndjson", "json")
  }
}
