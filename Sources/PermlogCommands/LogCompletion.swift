// The shell's completions from the log at hand: its variants, experiments, permissions and weeks. Without a log there
// are no completions, and never a message on standard error.

import ArgumentParser
import PermissionEvents
import Permlog
import SystemCalls

extension CompletionKind {
  static var permissions: CompletionKind { .custom { words, _, _ in LogCompletion(words).names(.permission) } }
  static var experiments: CompletionKind { .custom { words, _, _ in LogCompletion(words).names(.experiment) } }
  static var weeks: CompletionKind { .custom { words, _, _ in LogCompletion(words).weeks } }
  /// A message is named once.
  static var variants: CompletionKind {
    .custom { words, index, _ in
      let completion = LogCompletion(words)
      let others = Set(words.indices.filter { $0 != index }.map { completion.words[$0] })
      return completion.names(.variant, except: others)
    }
  }
}

private struct LogCompletion {
  /// The words as the command would get them.
  let words: [String]

  init(_ words: [String]) { self.words = words.map(Self.unquoted) }

  /// The newest first, because they are the most useful.
  var weeks: [String] {
    guard let parts = information?.parts, let first = parts.map(\.times.lowerBound).min(),
      let last = parts.map(\.times.upperBound).max()
    else { return [] }
    let weeks = (first: CalendarWeek(day: Self.day(first)), last: CalendarWeek(day: Self.day(last)))
    return (weeks.first.index...weeks.last.index).suffix(200).reversed().map { CalendarWeek(index: $0).text }
  }

  func names(_ field: StringField, except others: Set<String> = []) -> [String] {
    (information?.values[field] ?? []).filter { !others.contains($0) }.compactMap(Self.completion)
  }

  private static func day(_ time: Milliseconds) -> DayNumber { floorDivide(time, millisecondsPerDay) }

  private var information: LogInformation? {
    let environment = Terminal.variable("PERMLOG_LOG")
    return try? PermissionLog(log ?? environment ?? LogOptions.defaultPath).information()
  }

  /// The value of `--log`. bash splits words at `=`.
  private var log: String? {
    for (index, word) in words.enumerated() {
      if word.hasPrefix("--log=") { return String(word.dropFirst(6)) }
      guard word == "--log" else { continue }
      let value = words.dropFirst(index + 1)
      return value.first == "=" ? value.dropFirst().first : value.first
    }
    return nil
  }

  /// A word without the shell's quotes, if they are simple: bash and zsh hand over the word as it was typed.
  private static func unquoted(_ word: String) -> String {
    var text = ""
    var quote: Character?
    var isEscaped = false
    for character in word {
      if isEscaped {
        text.append(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if character == quote {
        quote = nil
      } else if quote == nil, character == "'" || character == "\"" {
        quote = character
      } else {
        text.append(character)
      }
    }
    guard word.hasPrefix("~/"), let home = Terminal.variable("HOME") else { return text }
    return home + text.dropFirst()
  }

  /// A name in the form for the shell's script; nil if it is safer to type it. Names come from exports. bash's script
  /// expands the words that it is given, and zsh's reads a description after a colon. bash also puts `$` and backticks
  /// on the line unquoted, where they would be run.
  private static func completion(_ name: String) -> String? {
    guard !name.isEmpty, Output.isLegible(name) else { return nil }
    switch CompletionShell.requesting {
    case .some(.bash):
      guard !name.contains("$"), !name.contains("`") else { return nil }
      return escaped(name, "\\\"' ;&|<>(){}[]*?~!#")
    case .some(.zsh): return escaped(name, "\\:")
    default: return name
    }
  }

  private static func escaped(_ name: String, _ special: String) -> String {
    String(name.flatMap { special.contains($0) ? ["\\", $0] : [$0] })
  }
}
