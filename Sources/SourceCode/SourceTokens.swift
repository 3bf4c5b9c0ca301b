// The tokens of Swift and Objective-C, as far as calls can be recognised by them: words and marks. Comments, texts and patterns are left
// out, but not the code inside a text, as in "\(call())".

/// What a file is written in.
public enum SourceLanguage: Sendable {
  case swift, objectiveC

  /// By the end of a file's name; nil for other files.
  public init?(fileName: String) {
    if fileName.hasSuffix(".swift") {
      self = .swift
    } else if [".m", ".mm", ".h", ".pch"].contains(where: fileName.hasSuffix) {
      self = .objectiveC
    } else {
      return nil
    }
  }
}

struct SourceToken {
  enum Kind: Equatable {
    /// A name, a keyword or a number.
    case word
    /// A text or a pattern; its content is left out.
    case text
    /// Any other byte.
    case mark(UInt8)
    /// `#if` and its like, to the end of the line.
    case directive
  }

  let kind: Kind
  let range: Range<Int>
  /// From 1.
  let line: Int
}

/// Reads the tokens of a file. Any bytes have tokens: what is no Swift or Objective-C has other ones than it should.
struct SourceLexer {
  private let bytes: [UInt8]
  private let language: SourceLanguage
  private var position = 0
  private var line = 1
  private(set) var tokens: [SourceToken] = []
  /// Whether a long text has no end, so that code may have been taken for text.
  private(set) var isTorn = false
  /// The numbers of `#` with which no pattern ends from here on.
  private var endless: Set<Int> = []

  /// Texts within the code of a text, and so on.
  private static let mostDepth = 32
  private static let beforePatterns = ["return", "in", "case", "else", "throw", "try", "await"]
  private static let directives = ["if", "ifdef", "ifndef", "elseif", "elif", "else", "endif"]

  init(_ bytes: [UInt8], _ language: SourceLanguage) {
    (self.bytes, self.language) = (bytes, language)
    code(depth: 0)
  }

  private func byte(_ offset: Int = 0) -> UInt8 {
    position + offset < bytes.count ? bytes[position + offset] : 0
  }

  private func starts(with text: StaticString, at start: Int) -> Bool {
    let count = text.utf8CodeUnitCount
    guard start + count <= bytes.count else { return false }
    return (0..<count).allSatisfy { bytes[start + $0] == text.utf8Start[$0] }
  }

  private mutating func advance(_ count: Int = 1) {
    for _ in 0..<count where position < bytes.count {
      if bytes[position] == newline { line += 1 }
      position += 1
    }
  }

  private mutating func append(_ kind: SourceToken.Kind, from start: Int, line: Int) {
    tokens.append(SourceToken(kind: kind, range: start..<position, line: line))
  }

  /// Reads to the end, or within a text to the parenthesis that ends its code.
  private mutating func code(depth: Int) {
    var open = 0
    while position < bytes.count {
      let (start, first, startLine) = (position, bytes[position], line)
      if isBlank(first) {
        advance()
      } else if first == slash, byte(1) == slash {
        while position < bytes.count, bytes[position] != newline { position += 1 }
      } else if first == slash, byte(1) == UInt8(ascii: "*") {
        comment()
      } else if isPartOfName(first) {
        while position < bytes.count, isPartOfName(bytes[position]) { position += 1 }
        append(.word, from: start, line: startLine)
      } else if first == quote {
        text(depth: depth, pounds: 0)
        append(.text, from: start, line: startLine)
      } else if first == UInt8(ascii: "#"), language == .swift {
        pounds(depth: depth)
      } else if first == UInt8(ascii: "'"), language == .objectiveC {
        character()
      } else if first == UInt8(ascii: "#"), let word = directive() {
        skipDirective(from: word)
        append(.directive, from: start, line: startLine)
      } else if first == slash, language == .swift, beginsPattern(), let end = endOfPattern() {
        position = end
        append(.text, from: start, line: startLine)
      } else {
        if first == UInt8(ascii: "(") { open += 1 }
        if first == UInt8(ascii: ")") {
          if open == 0, depth > 0 { return }
          open -= 1
        }
        advance()
        append(.mark(first), from: start, line: startLine)
      }
    }
  }

  /// Comments of Swift are nested.
  private mutating func comment() {
    var depth = 0
    while position < bytes.count {
      if byte() == slash, byte(1) == UInt8(ascii: "*"), depth == 0 || language == .swift {
        depth += 1
        advance(2)
      } else if byte() == UInt8(ascii: "*"), byte(1) == slash {
        depth -= 1
        advance(2)
        if depth == 0 { return }
      } else {
        advance()
      }
    }
  }

  /// `#` of Swift: a raw text, a pattern, a directive, or others.
  private mutating func pounds(depth: Int) {
    let (start, startLine) = (position, line)
    var count = 0
    while byte(count) == UInt8(ascii: "#") { count += 1 }
    if byte(count) == quote {
      text(depth: depth, pounds: count)
      append(.text, from: start, line: startLine)
    } else if byte(count) == slash, skipPattern(pounds: count) {
      append(.text, from: start, line: startLine)
    } else if count == 1, let word = directive() {
      skipDirective(from: word)
      append(.directive, from: start, line: startLine)
    } else {
      position += count
      append(.mark(UInt8(ascii: "#")), from: start, line: startLine)
    }
  }

  /// Goes to the end of its line, or of the last of its lines.
  private mutating func skipDirective(from word: Int) {
    position = word
    while position < bytes.count, bytes[position] != newline {
      // A line of C that goes on in the next one.
      if bytes[position] == UInt8(ascii: "\\"), byte(1) == newline { advance() }
      advance()
    }
  }

  private mutating func text(depth: Int, pounds: Int) {
    position += pounds
    // `#"""#` is a quotation mark, and not the begin of a long text.
    let isLong =
      language == .swift && starts(with: "\"\"\"", at: position) && (pounds == 0 || !endsInLine(pounds: pounds))
    position += isLong ? 3 : 1
    while position < bytes.count {
      let byte = bytes[position]
      if byte == quote, !isLong || starts(with: "\"\"\"", at: position) {
        let after = position + (isLong ? 3 : 1)
        if hasPounds(pounds, at: after) {
          position = after + pounds
          return
        }
        position += 1
      } else if byte == newline, !isLong {
        // It has no end: the next line is code again.
        return
      } else if byte == UInt8(ascii: "\\"), hasPounds(pounds, at: position + 1) {
        position += 1 + pounds
        if language == .swift, self.byte() == UInt8(ascii: "("), depth < Self.mostDepth {
          position += 1
          code(depth: depth + 1)
          if position < bytes.count { position += 1 }
        } else {
          advance()
        }
      } else {
        advance()
      }
    }
    isTorn = true
  }

  /// Whether a raw text that begins here ends in its line.
  private func endsInLine(pounds: Int) -> Bool {
    var end = position + 1
    while end < bytes.count, bytes[end] != newline {
      if bytes[end] == quote, hasPounds(pounds, at: end + 1) { return true }
      end += 1
    }
    return false
  }

  private func hasPounds(_ count: Int, at start: Int) -> Bool {
    guard start + count <= bytes.count else { return count == 0 }
    return (0..<count).allSatisfy { bytes[start + $0] == UInt8(ascii: "#") }
  }

  /// A character of C, like `'"'`.
  private mutating func character() {
    position += 1
    while position < bytes.count, bytes[position] != newline {
      if bytes[position] == UInt8(ascii: "\\") { advance() }
      let isEnd = byte() == UInt8(ascii: "'")
      advance()
      if isEnd { return }
    }
  }

  /// The end of the word of a line like `#if`, by which it is recognised; nil for others.
  private func directive() -> Int? {
    var start = position + 1
    while start < bytes.count, bytes[start] == space || bytes[start] == tab { start += 1 }
    var end = start
    while end < bytes.count, isPartOfName(bytes[end]) { end += 1 }
    let word = bytes[start..<end]
    return Self.directives.contains { word.elementsEqual($0.utf8) } ? end : nil
  }

  /// Goes past a pattern like `#/…/#`, also of several lines.
  private mutating func skipPattern(pounds: Int) -> Bool {
    guard !endless.contains(pounds) else { return false }
    var end = position + pounds + 1
    while end < bytes.count {
      if bytes[end] == slash, hasPounds(pounds, at: end + 1) {
        advance(end + 1 + pounds - position)
        return true
      }
      end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    // The next one of them need not look again.
    endless.insert(pounds)
    return false
  }

  /// Whether a slash may begin a pattern: a division has something before it.
  private func beginsPattern() -> Bool {
    guard let last = tokens.last else { return true }
    if last.kind == .word { return Self.beforePatterns.contains { bytes[last.range].elementsEqual($0.utf8) } }
    guard case .mark(let mark) = last.kind else { return false }
    return "(,=:[{!&|?;".utf8.contains(mark)
  }

  /// The end of a pattern like `/[a-z]/`, which is on one line; nil if no pattern begins here.
  private func endOfPattern() -> Int? {
    guard byte(1) != space, byte(1) != tab else { return nil }
    var end = position + 1
    while end < bytes.count, bytes[end] != newline {
      if bytes[end] == slash { return end + 1 }
      end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    return nil
  }
}

private let newline = UInt8(ascii: "\n")
private let space = UInt8(ascii: " ")
private let tab = UInt8(ascii: "\t")
private let slash = UInt8(ascii: "/")
private let quote = UInt8(ascii: "\"")

private func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 }

/// Bytes of other alphabets are parts of names.
private func isPartOfName(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
  case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...: true
  default: false
  }
}
