// The style of text: its width, its colours, and whether it may use other characters than ASCII. The options decide,
// else the environment, else the terminal.

import ArgumentParser
import Permlog
import ReportRendering
import SystemCalls

struct TextOptions: ParsableArguments {
  enum Color: String, CaseIterable, ExpressibleByArgument { case auto, always, never }

  @Option(help: "Colour in text: auto (on a terminal), always, never.")
  var color = Color.auto

  @Flag(help: "Use ASCII characters only, in text, as in a locale without UTF-8.")
  var ascii = false

  /// - Parameter toFile: the text goes to a named file, not to standard output.
  func style(toFile: Bool = false) -> TextStyle {
    let isTerminal = Output.isTerminal && !toFile
    return TextStyle(
      width: Terminal.width(isTerminal: isTerminal),
      hasColor: Terminal.hasColor(color, isTerminal: isTerminal, toFile: toFile),
      isASCII: ascii || !Terminal.isUTF8, words: ToolWords.text)
  }
}

/// The terminal as the environment describes it.
enum Terminal {
  /// The terminal's width, else `COLUMNS`, else 80; from 60 to 120.
  static func width(isTerminal: Bool) -> Int {
    let columns = variable("COLUMNS").flatMap { Int($0) }
    var size = winsize()
    let isKnown = isTerminal && ioctl(1, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return min(120, max(60, isKnown ? Int(size.ws_col) : columns ?? 80))
  }

  /// The option decides, then `NO_COLOR`, then `FORCE_COLOR`, then whether the output is a terminal with colours. A
  /// file gets no colours: `FORCE_COLOR` is set for whole builds, and escapes in a file are seldom meant.
  static func hasColor(_ choice: TextOptions.Color, isTerminal: Bool, toFile: Bool) -> Bool {
    switch choice {
    case .always: return true
    case .never: return false
    case .auto: break
    }
    guard variable("NO_COLOR") == nil, !toFile else { return false }
    if let force = variable("FORCE_COLOR") { return force != "0" && force != "false" }
    return isTerminal && isCapable
  }

  /// Whether the terminal can do more than plain lines.
  static var isCapable: Bool { variable("TERM").map { $0 != "dumb" } ?? false }

  /// Whether the locale's characters are UTF-8. Without a locale it is the C locale, as POSIX defines: the mail of a
  /// cron job has no other.
  static let isUTF8: Bool = {
    let locale = variable("LC_ALL") ?? variable("LC_CTYPE") ?? variable("LANG") ?? "C"
    let name = locale.lowercased()
    return name.contains("utf-8") || name.contains("utf8")
  }()

  /// A variable of the environment. An empty one counts as not set.
  static func variable(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value).bounded
  }
}

// MARK: The format of a result from the name of its file

/// Formats with names for options and for the endings of files.
typealias NamedFormat = CaseIterable & RawRepresentable<String>

enum FileFormat {
  /// The format for each ending of a file's name.
  private static let endings = [
    "html": "html", "htm": "html", "json": "json", "ndjson": "ndjson", "jsonl": "ndjson", "csv": "csv",
    "md": "markdown",
    "markdown": "markdown", "txt": "text", "eml": "eml", "sarif": "sarif",
  ]

  /// The format for a file's name; nil if its ending is unknown.
  static func named(by path: String) -> String? {
    ending(of: path).flatMap { endings[$0] }
  }

  /// The ending in small letters, without its dot; nil without one.
  private static func ending(of path: String) -> String? {
    guard let name = path.split(separator: "/").last, let dot = name.lastIndex(of: "."), dot > name.startIndex else {
      return nil
    }
    return name[dot...].dropFirst().lowercased()
  }

  /// Endings of files that no format of permlog is, and how to make them.
  private static let others = [
    "pdf": "Write a page (.html), open it in a browser, and print it to a file.",
    "docx": "Write a page (.html), which word processors open.",
    "doc": "Write a page (.html), which word processors open.",
    "xlsx": "Write CSV (.csv), which spreadsheets open.", "xls": "Write CSV (.csv), which spreadsheets open.",
    "png": "Write a page (.html), which has drawings as SVG.",
    "jpg": "Write a page (.html), which has drawings as SVG.",
    "parquet": "Write CSV (.csv), and convert it.",
  ]

  private static func checkEnding(_ path: String) throws {
    guard let ending = ending(of: path), let way = others[ending] else { return }
    throw CommandFailure.usage("--output \(path): permlog writes no files of the kind .\(ending). \(way)")
  }

  /// The given format, else the format of the file's name, else the command's own. If the name contradicts the given
  /// format, a message is printed.
  static func choose<Format: NamedFormat>(_ asked: Format?, _ path: String?, else own: Format) throws -> Format {
    if let path { try checkEnding(path) }
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
      "--output \(path): the name says \(name), which this command does not write; it writes \(known). Rename the "
        + "file, or choose a format with --format.")
  }

  /// Whether a file's name suggests another format than its content. A vendor's format has no ending of its own.
  private static func contradicts(_ format: String, _ name: String) -> Bool {
    format != name && endings.values.contains(format) && (format, name) != ("ndjson", "json")
  }
}

// MARK: The title of a page

enum PageTitle {
  private static let longest = 200

  /// Throws for an unusable title, or for a title with another format.
  static func checkTitle(_ title: String?, _ format: String) throws {
    guard let title else { return }
    if title.allSatisfy(\.isWhitespace) || title.count > longest {
      throw CommandFailure.usage("--title must be a text of 1 to \(longest) characters")
    }
    guard format == "html" || format == "markdown" else {
      throw CommandFailure.usage("--title is for the formats html and markdown")
    }
  }
}

// MARK: A number of bytes on the command line: 500kB, 100MB, 1GB

struct ByteSize: ExpressibleByArgument, CustomStringConvertible {
  var bytes: Int

  private static let units = [("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000), ("B", 1)]

  init(bytes: Int) { self.bytes = bytes }

  init?(argument: String) {
    let text = argument.lowercased()
    guard let (name, unit) = Self.units.first(where: { text.hasSuffix($0.0.lowercased()) }),
      let number = Int(text.dropLast(name.count)), number >= 0
    else { return nil }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: unit)
    guard !overflow else { return nil }
    self.bytes = bytes
  }

  var description: String {
    guard bytes > 0, let (name, unit) = Self.units.first(where: { bytes % $0.1 == 0 }) else { return "\(bytes)B" }
    return "\(bytes / unit)\(name)"
  }

  var defaultValueDescription: String { description }
}
