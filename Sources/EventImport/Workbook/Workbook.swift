// A workbook of a spreadsheet (.xlsx, ECMA-376): a zip whose parts say where the sheets are, which texts their cells share, and
// which number formats are dates. What is held is bounded, whatever the parts say.

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

  /// A text that cells share; nil if there is none of that number.
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
        let target = targets[String(decoding: id, as: UTF8.self)]
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
