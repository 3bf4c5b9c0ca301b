// A workbook of a spreadsheet (.xlsx, ECMA-376): a zip with parts that name the sheets, the texts that cells share, and
// the number formats that are dates. Memory is limited for any parts.

import Buffers

/// An open workbook; its sheets are read one at a time.
final class Workbook {
  struct Sheet {
    var name: String
    var part: String
    var isHidden: Bool
  }

  let name: String
  private let file: InputFile
  private(set) var sheets: [Sheet] = []
  private(set) var is1904 = false
  /// By the number of a cell's style.
  private(set) var isDate: [Bool] = []
  private var sharedText: [UInt8] = []
  private var sharedEnds: [Int] = []

  private static let mostSharedBytes = 256 << 20
  private static let mostShared = 8_000_000
  private static let mostSheets = 1000
  private static let mostStyles = 1 << 17

  /// - Parameter part: the workbook's main part, as the zip names it.
  init(_ file: InputFile, part main: String, name: String) throws(ImportError) {
    self.file = file
    self.name = name
    let slash = main.lastIndex(of: "/").map { main.index(after: $0) } ?? main.startIndex
    let folder = String(main[..<slash])
    let targets = try relations(of: folder + "_rels/" + main[slash...] + ".rels", from: folder)
    try readMain(main, targets)
    try readStyles(folder)
    try readShared(folder)
  }

  func tooLarge(_ what: String) -> ImportError { .workbook(name, "has \(what)") }

  /// The text of a part; nil if the workbook does not have it.
  func tokens(of part: String) throws(ImportError) -> (XMLTokens, any ByteSource)? {
    let archive = try ArchiveReader(reopening: file, name: name)
    let wanted = (name + "!" + part).lowercased()
    while try archive.nextMember() {
      if archive.member.lowercased() == wanted { return (XMLTokens(archive, name: name), archive) }
    }
    return nil
  }

  /// A text that cells share; nil if the number does not exist.
  func shared(_ index: Int) -> ArraySlice<UInt8>? {
    guard sharedEnds.indices.contains(index) else { return nil }
    return sharedText[(index == 0 ? 0 : sharedEnds[index - 1])..<sharedEnds[index]]
  }

  // MARK: Parts

  /// The sheets' parts by the ids that the main part has for them.
  private func relations(of part: String, from folder: String) throws(ImportError) -> [String: String] {
    var targets: [String: String] = [:]
    guard let (tokens, _) = try tokens(of: part) else { return targets }
    while true {
      let token = try tokens.next()
      if token == .eof { return targets }
      guard case .start = token, tokens.element == "Relationship", targets.count < Self.mostSheets * 4,
        let id = tokens.text(of: "Id"), let target = tokens.text(of: "Target"),
        tokens.text(of: "Type")?.hasSuffix("/worksheet") == true
      else { continue }
      targets[id] = target.hasPrefix("/") ? String(target.dropFirst()) : folder + target
    }
  }

  private func readMain(_ part: String, _ targets: [String: String]) throws(ImportError) {
    guard let (tokens, _) = try tokens(of: part) else { return }
    while true {
      let token = try tokens.next()
      if token == .eof { return }
      guard case .start = token else { continue }
      if tokens.element == "workbookPr" {
        is1904 = ["1", "true", "on"].contains(tokens.text(of: "date1904"))
      } else if tokens.element == "sheet", sheets.count < Self.mostSheets,
        let id = tokens.attributes.last(where: { $0.name == "id" })?.value,
        let target = targets[String(bounded: id)]
      {
        let state = tokens.text(of: "state")
        sheets.append(
          Sheet(name: tokens.text(of: "name") ?? "", part: target, isHidden: state != nil && state != "visible"))
      }
    }
  }

  private func readStyles(_ folder: String) throws(ImportError) {
    guard let (tokens, _) = try tokens(of: folder + "styles.xml") else { return }
    var formats: [Int: Bool] = [:]
    var isCells = false
    while true {
      let token = try tokens.next()
      if token == .eof { return }
      if token == .end, tokens.element == "cellXfs" { isCells = false }
      guard case .start = token else { continue }
      switch tokens.element {
      case "cellXfs": isCells = true
      case "numFmt":
        if let id = tokens.number(of: "numFmtId"), let code = tokens["formatCode"], formats.count < Self.mostStyles {
          formats[id] = CellNumber.isDate(format: code)
        }
      case "xf" where isCells && isDate.count < Self.mostStyles:
        let id = tokens.number(of: "numFmtId") ?? 0
        isDate.append(formats[id] ?? CellNumber.isDate(builtIn: id))
      default: break
      }
    }
  }

  private func readShared(_ folder: String) throws(ImportError) {
    guard let (tokens, _) = try tokens(of: folder + "sharedStrings.xml") else { return }
    var isText = false
    // How to say a text is beside it in Japanese workbooks.
    var isPhonetic = false
    while true {
      switch try tokens.next() {
      case .eof: return
      case .start(let isEmpty):
        if tokens.element == "t" { isText = !isEmpty && !isPhonetic }
        if tokens.element == "rPh" { isPhonetic = !isEmpty }
        if tokens.element == "si", isEmpty { sharedEnds.append(sharedText.count) }
      case .end:
        if tokens.element == "t" { isText = false }
        if tokens.element == "rPh" { isPhonetic = false }
        if tokens.element == "si" { sharedEnds.append(sharedText.count) }
        if sharedEnds.count > Self.mostShared { throw tooLarge("more than \(Self.mostShared) different texts") }
      case .text:
        if isText { sharedText += tokens.text }
        if sharedText.count > Self.mostSharedBytes { throw tooLarge("more than 256 MiB of texts") }
      }
    }
  }
}

// MARK: XML of workbooks as a stream of tags and texts: as much of it as spreadsheets write. A document type, and so entities of the
// file's own, is refused.

/// Reads one part of a workbook, with one tag or one text in memory.
final class XMLTokens {
  enum Token: Equatable {
    /// Its name and attributes are those of the reader; no end follows `<v/>`.
    case start(isEmpty: Bool)
    case end
    case text
    case eof
  }

  private let source: any ByteSource
  private let name: String
  private let input = PaddedBuffer(capacity: 1 << 16)
  private var available = 0
  private var taken = 0
  private var tag: [UInt8] = []
  private var isFirst = true

  /// The element's name without its namespace.
  private(set) var element = ""
  /// Attributes of the last start, their names without namespaces.
  private(set) var attributes: [(name: String, value: [UInt8])] = []
  private(set) var text: [UInt8] = []

  private static let longestTag = 1 << 16

  init(_ source: any ByteSource, name: String) {
    self.source = source
    self.name = name
  }

  func damaged(_ cause: String) -> ImportError { .damaged(name, "the workbook", cause: cause) }

  /// The value of an attribute of the last start.
  subscript(_ attribute: String) -> [UInt8]? { attributes.first { $0.name == attribute }?.value }

  func text(of attribute: String) -> String? { self[attribute].map { String(bounded: $0) } }

  /// A number without a sign; nil if it is not a number or has more than nine digits.
  func number(of attribute: String) -> Int? { self[attribute].flatMap { Self.number($0) } }

  static func number(_ text: some Collection<UInt8>) -> Int? {
    guard (1...9).contains(text.count), text.allSatisfy({ $0 &- 48 <= 9 }) else { return nil }
    return text.reduce(0) { $0 * 10 + Int($1 - 48) }
  }

  func next() throws(ImportError) -> Token {
    while let byte = try peek() {
      if isFirst {
        isFirst = false
        guard byte != 0xFE, byte != 0xFF, byte != 0 else { throw damaged("a part is not UTF-8") }
      }
      guard byte == 0x3C else {
        try readText()
        return .text
      }
      taken += 1
      if let token = try readTag() { return token }
    }
    return .eof
  }

  private func peek() throws(ImportError) -> UInt8? {
    if taken == available {
      taken = 0
      available = try source.read(into: input.room)
      if available == 0 { return nil }
    }
    return input.room[taken]
  }

  private func byte() throws(ImportError) -> UInt8 {
    guard let byte = try peek() else { throw damaged("a part ends inside a tag") }
    taken += 1
    return byte
  }

  private func readText() throws(ImportError) {
    text.removeAll(keepingCapacity: true)
    while let byte = try peek(), byte != 0x3C {
      taken += 1
      text.append(byte)
      guard text.count <= ImportLimit.line else { throw damaged("a text is longer than 1 MiB") }
    }
    if text.contains(0x26) { text = try decoded(text) }
  }

  /// Nil if it is not an element.
  private func readTag() throws(ImportError) -> Token? {
    tag.removeAll(keepingCapacity: true)
    var quote: UInt8?
    while true {
      let byte = try byte()
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == 0x3E {
        break
      } else if byte == 0x22 || byte == 0x27 {
        quote = byte
      }
      tag.append(byte)
      guard tag.count <= Self.longestTag else { throw damaged("a tag is longer than 64 KiB") }
      if tag.first == 0x21 || tag.first == 0x3F {
        quote = nil
        if tag.elementsEqual("!--".utf8) { return try skip(past: "-->") }
        if tag.elementsEqual("![CDATA[".utf8) { return try readCharacters() }
        if tag.first == 0x3F { return try skip(past: "?>") }
        if tag.count == 8 { throw damaged("a part has a document type, which workbooks do not have") }
      }
    }
    guard let first = tag.first, first != 0x21 else { throw damaged("a tag is empty or a declaration") }
    if first == 0x2F {
      element = Self.local(tag.dropFirst().prefix { !ByteSearch.isSpace($0) })
      return .end
    }
    let isEmpty = tag.last == 0x2F
    if isEmpty { tag.removeLast() }
    try readElement()
    return .start(isEmpty: isEmpty)
  }

  private func readElement() throws(ImportError) {
    var rest = tag[...]
    let name = rest.prefix { !ByteSearch.isSpace($0) }
    element = Self.local(name)
    attributes.removeAll(keepingCapacity: true)
    rest = rest[name.endIndex...]
    while let start = rest.firstIndex(where: { !ByteSearch.isSpace($0) }) {
      guard let equals = rest[start...].firstIndex(of: 0x3D),
        let open = rest[equals...].firstIndex(where: { $0 == 0x22 || $0 == 0x27 }),
        let close = rest[(open + 1)...].firstIndex(of: rest[open])
      else { throw damaged("an attribute has no value") }
      let value = Array(rest[(open + 1)..<close])
      attributes.append(
        (
          Self.local(rest[start..<equals].prefix { !ByteSearch.isSpace($0) }),
          value.contains(0x26) ? try decoded(value) : value
        ))
      rest = rest[(close + 1)...]
    }
  }

  private static func local(_ name: some Collection<UInt8>) -> String {
    let parts = name.split(separator: 0x3A)
    return String(bounded: parts.last.map { Array($0) } ?? [])
  }

  private func skip(past end: StaticString) throws(ImportError) -> Token? {
    let wanted = end.withUTF8Buffer { Array($0) }
    var last: [UInt8] = []
    while last != wanted {
      last.append(try byte())
      if last.count > wanted.count { last.removeFirst() }
    }
    return nil
  }

  private func readCharacters() throws(ImportError) -> Token {
    text.removeAll(keepingCapacity: true)
    while !text.suffix(3).elementsEqual("]]>".utf8) {
      text.append(try byte())
      guard text.count <= ImportLimit.line else { throw damaged("a text is longer than 1 MiB") }
    }
    text.removeLast(3)
    return .text
  }

  /// The five entities of XML and numbers of characters.
  private func decoded(_ bytes: [UInt8]) throws(ImportError) -> [UInt8] {
    var result: [UInt8] = []
    var rest = bytes[...]
    while let start = rest.firstIndex(of: 0x26) {
      result += rest[..<start]
      guard let end = rest[start...].prefix(12).firstIndex(of: 0x3B) else { throw damaged("an entity does not end") }
      let name = String(bounded: rest[(start + 1)..<end])
      switch name {
      case "amp": result.append(0x26)
      case "lt": result.append(0x3C)
      case "gt": result.append(0x3E)
      case "quot": result.append(0x22)
      case "apos": result.append(0x27)
      default:
        let isHex = name.hasPrefix("#x") || name.hasPrefix("#X")
        guard name.hasPrefix("#"), let code = UInt32(name.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10),
          let scalar = Unicode.Scalar(code)
        else { throw damaged("an entity is not predefined in XML") }
        result += Array(String(scalar).utf8)
      }
      rest = rest[(end + 1)...]
    }
    return result + rest
  }
}
