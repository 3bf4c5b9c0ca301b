// How text is drawn: its width, colour, and whether it may use signs beyond ASCII. The options decide, else the environment,
// else the terminal.

import ArgumentParser
import Permlog
import ReportRendering

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Options of every command that prints text.
struct TextOptions: ParsableArguments {
  enum Color: String, CaseIterable, ExpressibleByArgument { case auto, always, never }

  @Option(help: "Colour in text: auto (on a terminal), always, never.")
  var color = Color.auto

  @Flag(help: "Use ASCII characters only, in text, as in a locale without UTF-8.")
  var ascii = false

  /// - Parameter toFile: the text goes to a file that was named, and not to standard output.
  func style(toFile: Bool = false) -> TextStyle {
    let isTerminal = Output.isTerminal && !toFile
    return TextStyle(
      width: Terminal.width(isTerminal: isTerminal),
      hasColor: Terminal.hasColor(color, isTerminal: isTerminal, toFile: toFile),
      isASCII: ascii || !Terminal.isUTF8, words: CommandWords.text)
  }
}

/// What the environment says of the terminal.
enum Terminal {
  /// The terminal's width, else `COLUMNS`, else 80; from 60 to 120.
  static func width(isTerminal: Bool) -> Int {
    let columns = variable("COLUMNS").flatMap { Int($0) }
    var size = winsize()
    let isKnown = isTerminal && ioctl(1, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return min(120, max(60, isKnown ? Int(size.ws_col) : columns ?? 80))
  }

  /// The option, then `NO_COLOR`, then `FORCE_COLOR`, then whether it is a terminal that has colours. A file is none:
  /// `FORCE_COLOR` is set for whole builds, and escapes in a file are seldom meant.
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

  /// Whether the terminal has more than lines of letters.
  static var isCapable: Bool { variable("TERM").map { $0 != "dumb" } ?? false }

  /// Whether the locale's characters are UTF-8. Where none is set, it is the C locale, as POSIX has it: the mail of a cron job
  /// has no other.
  static let isUTF8: Bool = {
    let locale = variable("LC_ALL") ?? variable("LC_CTYPE") ?? variable("LANG") ?? "C"
    let name = locale.lowercased()
    return name.contains("utf-8") || name.contains("utf8")
  }()

  /// A variable of the environment; nil if it is empty, which counts as not set.
  static func variable(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }
}
