// What stands around a word of code: the call that it begins, its arguments, and what it is called of.

/// The tokens of a file, to be asked about.
struct SourceTokens {
  let language: SourceLanguage
  private let bytes: [UInt8]
  private let tokens: [SourceToken]

  /// How far a call is looked at.
  private static let reach = 300
  private static let longestName = 128

  init(_ bytes: [UInt8], _ tokens: [SourceToken], _ language: SourceLanguage) {
    (self.bytes, self.tokens, self.language) = (bytes, tokens, language)
  }

  var indices: Range<Int> { tokens.indices }

  func kind(_ index: Int) -> SourceToken.Kind { tokens[index].kind }

  func line(_ index: Int) -> Int { tokens[index].line }

  func length(_ index: Int) -> Int { tokens[index].range.count }

  // As it is: names that are looked for are ASCII.
  func text(_ index: Int) -> String { String(decoding: bytes[tokens[index].range].prefix(1_024), as: UTF8.self) }

  func isWord(_ index: Int) -> Bool { tokens.indices.contains(index) && tokens[index].kind == .word }

  func isWord(_ index: Int, _ word: String) -> Bool {
    isWord(index) && bytes[tokens[index].range].elementsEqual(word.utf8)
  }

  func isMark(_ index: Int, _ mark: Unicode.Scalar) -> Bool {
    tokens.indices.contains(index) && tokens[index].kind == .mark(UInt8(ascii: mark))
  }

  private func isMark(_ index: Int, oneOf marks: StaticString) -> Bool {
    guard tokens.indices.contains(index), case .mark(let mark) = tokens[index].kind else { return false }
    return (0..<marks.utf8CodeUnitCount).contains { marks.utf8Start[$0] == mark }
  }

  private func isWord(_ index: Int, oneOf words: [String]) -> Bool { words.contains { isWord(index, $0) } }

  func beginsWithCapital(_ index: Int) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(bytes[tokens[index].range.lowerBound])
  }

  // MARK: - Calls

  private static let keywords = [
    "case", "return", "in", "else", "try", "await", "throw", "where", "is", "as", "if", "guard", "while", "switch",
  ]

  /// Whether something is called of the token before a dot: `.requestX` after a keyword or a parenthesis is a case of an enumeration.
  func isValue(_ index: Int) -> Bool {
    isWord(index) && !isWord(index, oneOf: Self.keywords) || isMark(index, oneOf: ")]}?!")
  }

  /// Whether a brace after a name is its closure: in `if x.requestY {` it is the body.
  func isClosure(after index: Int) -> Bool {
    guard isMark(index + 1, "{") else { return false }
    var depth = 0
    for next in stride(from: index, through: max(0, index - Self.reach), by: -1) {
      if isMark(next, oneOf: ")]") { depth += 1 }
      if isMark(next, oneOf: "([") { depth -= 1 }
      if depth < 0 || isMark(next, oneOf: "{};") { return true }
      if isWord(next, oneOf: ["if", "guard", "while", "switch", "for"]) { return false }
    }
    return true
  }

  /// The arguments with which a value of a type is made; nil if none is made there.
  func creation(_ index: Int) -> [SourceArgument]? {
    guard language == .swift else {
      let isMade = isWord(index + 1, oneOf: ["alloc", "new"]) && isMark(index - 1, "[")
      let isMadeByDot = isMark(index + 1, ".") && isWord(index + 2, oneOf: ["alloc", "new"])
      return isMade || isMadeByDot ? [] : nil
    }
    if isMark(index + 1, "("), !isWord(index - 1, oneOf: ["func", "case"]) { return arguments(after: index) }
    if isMark(index + 1, "."), isWord(index + 2, "init"), isMark(index + 3, "(") { return arguments(after: index + 2) }
    // `lazy var central: CBCentralManager = .init(…)`
    let end = isMark(index + 1, oneOf: "?!") ? index + 2 : index + 1
    guard isMark(index - 1, ":"), isMark(end, "="), isMark(end + 1, "."), isWord(end + 2, "init") else { return nil }
    return isMark(end + 3, "(") ? arguments(after: end + 2) : nil
  }

  /// Whether an Objective-C line declares or defines a method, or a C function.
  func isDeclaration(_ index: Int) -> Bool {
    guard language == .objectiveC else { return false }
    var first = index
    while first > 0, index - first < Self.reach, tokens[first - 1].line == tokens[index].line {
      // A line may have a whole method.
      if isMark(first - 1, oneOf: "{};") { return false }
      first -= 1
    }
    return isMark(first, oneOf: "-+") || isWord(first, "extern")
  }

  /// `@selector(requestX:)`
  func isSelector(_ index: Int) -> Bool { isMark(index - 1, "(") && isWord(index - 2, "selector") }

  // MARK: - Arguments

  /// Of a call of Swift. A closure that follows it does not count.
  func arguments(after index: Int) -> [SourceArgument] {
    guard isMark(index + 1, "(") else { return [] }
    var found: [SourceArgument] = []
    var current = SourceArgument()
    var isEmpty = true
    var depth = 0
    var braces = 0
    for next in (index + 2)..<max(index + 2, min(tokens.count, index + 2 + Self.reach)) {
      switch tokens[next].kind {
      case .mark(UInt8(ascii: ")")) where depth == 0: return isEmpty ? found : found + [current]
      case .mark(UInt8(ascii: ",")) where depth == 0:
        found.append(current)
        (current, isEmpty) = (SourceArgument(), true)
        continue
      case .mark(UInt8(ascii: ":"))
      where depth == 0 && current.label == nil && current.words.count == 1 && current.count == 1:
        current = SourceArgument(label: text(next - 1))
        continue
      case .mark(let mark):
        if "([{".utf8.contains(mark) { depth += 1 }
        if ")]}".utf8.contains(mark) { depth -= 1 }
        if mark == UInt8(ascii: "{") { braces += 1 }
        if mark == UInt8(ascii: "}") { braces -= 1 }
        current.add(String(Unicode.Scalar(mark)))
      case .word:
        let word = text(next)
        // What a closure does is no argument.
        if braces == 0 { current.words.insert(word) }
        current.add(word)
      case .text, .directive: current.add("\"")
      }
      isEmpty = false
    }
    return found + [current]
  }

  /// The arguments of a message of Objective-C, from its first part on: `[store requestAccessForEntityType:a completion:b]`.
  func message(from index: Int) -> [SourceArgument] {
    var found: [SourceArgument] = []
    var depth = 0
    var braces = 0
    for next in index..<min(tokens.count, index + Self.reach) {
      switch tokens[next].kind {
      case .mark(let mark):
        if mark == UInt8(ascii: "]"), depth == 0 { return found }
        if "([{".utf8.contains(mark) { depth += 1 }
        if ")]}".utf8.contains(mark) { depth -= 1 }
        if mark == UInt8(ascii: "{") { braces += 1 }
        if mark == UInt8(ascii: "}") { braces -= 1 }
        if mark != UInt8(ascii: ":") || depth > 0, !found.isEmpty {
          found[found.count - 1].add(String(Unicode.Scalar(mark)))
        }
      case .word:
        let word = text(next)
        if depth == 0, isMark(next + 1, ":") {
          found.append(SourceArgument(label: word))
        } else if !found.isEmpty {
          if braces == 0 { found[found.count - 1].words.insert(word) }
          found[found.count - 1].add(word)
        }
      default: continue
      }
    }
    return found
  }

  // MARK: - Receivers and types

  /// The names before a dot of Swift, with those of calls: `UNUserNotificationCenter.current().` has two.
  func names(before dot: Int) -> [String] {
    var names: [String] = []
    var index = dot - 1
    while index >= 0, names.count < 8 {
      while isMark(index, oneOf: "?!") { index -= 1 }
      if isMark(index, ")"), let open = opening(of: index) { index = open - 1 }
      guard isWord(index) else { break }
      names.append(text(index))
      index -= 1
      guard isMark(index, ".") else { break }
      index -= 1
    }
    return names
  }

  private func opening(of close: Int) -> Int? {
    var depth = 0
    for index in stride(from: close, through: max(0, close - Self.reach), by: -1) {
      if isMark(index, ")") { depth += 1 }
      if isMark(index, "(") { depth -= 1 }
      if depth == 0 { return index }
    }
    return nil
  }

  /// The words of the receiver of a message: `[PHPhotoLibrary requestAuthorization:…]`, `[[UNUserNotificationCenter current…] …]`.
  func receiver(before index: Int) -> [String] {
    var names: [String] = []
    var depth = 0
    for next in stride(from: index - 1, through: max(0, index - 64), by: -1) {
      if isMark(next, "]") { depth += 1 }
      if isMark(next, "[") {
        if depth == 0 { break }
        depth -= 1
      }
      if isWord(next) { names.append(text(next)) }
    }
    return names
  }

  /// Whether the word after it is the name of a type that the file declares.
  func isType(_ index: Int) -> Bool {
    isWord(index, oneOf: ["class", "struct", "enum", "actor", "protocol", "typealias"])
      || isMark(index - 1, "@") && isWord(index, oneOf: ["interface", "protocol"])
  }

  /// The name of the variable whose type or value begins with a word; nil if it begins none.
  func variable(before index: Int) -> String? {
    if language == .objectiveC {
      guard isMark(index + 1, "*"), isWord(index + 2), length(index + 2) <= Self.longestName else { return nil }
      return text(index + 2)
    }
    guard isMark(index - 1, oneOf: "=:"), isWord(index - 2), length(index - 2) <= Self.longestName else { return nil }
    // `flag ? other : HKHealthStore()`
    return isMark(index - 3, "?") ? nil : text(index - 2)
  }
}

/// An argument of a call.
struct SourceArgument {
  var label: String?
  var words: Set<String> = []
  /// The number of its tokens.
  private(set) var count = 0
  /// Its first tokens.
  private var start = ""

  init(label: String? = nil) { self.label = label }

  mutating func add(_ token: String) {
    count += 1
    if start.utf8.count < 48 { start += token }
  }

  enum Kinds { case none, some, unknown }

  /// Whether it has any kinds: `[]` and `nil` have none, and of a variable it is not known.
  var kinds: Kinds {
    if ["nil", "[]", "Set()", ".init()", "Set([])", "NULL", "[NSSetset]", "[NSSetnew]"].contains(start) {
      return .none
    }
    if start.hasPrefix("Set<"), start.hasSuffix(">()") || start.hasSuffix(">([])") { return .none }
    if start.hasPrefix("nilas") { return .none }
    let isList = start.hasPrefix("[") || start.hasPrefix("Set([")
    return isList ? .some : .unknown
  }
}
