// Workbooks (.xlsx): which sheet is read, how cells become texts, and what hostile parts cannot do.

import Foundation
import PermissionEvents
import Testing

@testable import EventImport

/// The parts of a workbook; a part that is nil is left out.
private struct Parts {
  var sheets: [(name: String, rows: String)]
  var shared: String?
  var styles: String?
  var properties = ""
  var states: [Int: String] = [:]

  var members: [ArchiveMember] {
    let namespace = "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\""
    let relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    var list = ""
    var targets = "<Relationship Id=\"rX\" Type=\"\(relation)/styles\" Target=\"styles.xml\"/>"
    var parts: [ArchiveMember] = []
    for (index, sheet) in sheets.enumerated() {
      let state = states[index].map { " state=\"\($0)\"" } ?? ""
      list += "<sheet name=\"\(sheet.name)\" sheetId=\"\(index + 1)\"\(state) r:id=\"r\(index)\"/>"
      targets += "<Relationship Id=\"r\(index)\" Type=\"\(relation)/worksheet\" Target=\"worksheets/s\(index).xml\"/>"
      parts.append(
        (
          "xl/worksheets/s\(index).xml",
          "<?xml version=\"1.0\"?><!-- a sheet --><worksheet \(namespace)><sheetData>\(sheet.rows)</sheetData></worksheet>"
        ))
    }
    if let shared { parts.append(("xl/sharedStrings.xml", "<sst \(namespace)>\(shared)</sst>")) }
    if let styles { parts.append(("xl/styles.xml", "<styleSheet \(namespace)>\(styles)</styleSheet>")) }
    return [
      ("[Content_Types].xml", "<Types/>"),
      ("xl/workbook.xml", "<workbook \(namespace)><workbookPr\(properties)/><sheets>\(list)</sheets></workbook>"),
      ("xl/_rels/workbook.xml.rels", "<Relationships>\(targets)</Relationships>"),
    ] + parts
  }
}

/// A row of texts within their cells.
private func row(_ number: Int, _ cells: [String]) -> String {
  "<row r=\"\(number)\">" + cells.map { "<c t=\"inlineStr\"><is><t>\($0)</t></is></c>" }.joined() + "</row>"
}

private let heading = row(1, ["user_id", "timestamp", "event", "permission"])
private func line(_ number: Int, _ user: String = "u1", time: String = "2026-03-02T10:00:00Z") -> String {
  row(number, [user, time, "granted", "camera"])
}

@Suite struct WorkbookTests {
  private func read(_ members: [ArchiveMember], _ options: ImportOptions = testOptions(future: true)) throws
    -> ImportOutcome
  {
    try importText(Data(ZipBytes(members: members).bytes), options)
  }

  private func failure(_ members: [ArchiveMember]) throws -> ImportError {
    try #require(#expect(throws: ImportError.self) { try read(members) })
  }

  /// The cells of a sheet as the reader of CSV gets them.
  private func cells(_ parts: Parts) throws -> String {
    let directory = try TemporaryDirectory()
    let path = try directory.write("book.xlsx", Data(ZipBytes(members: parts.members).bytes))
    return String(decoding: try HeadSketch(path: FilePath(path)).wholeLines, as: UTF8.self)
  }

  @Test func aSheetIsReadLikeCSV() throws {
    let parts = Parts(sheets: [
      ("Events &amp; more", heading + line(2) + line(4, "u,2") + row(5, ["u3", "never", "x"]))
    ])
    let outcome = try read(parts.members)
    #expect(outcome.events.map(\.user) == ["u1", "u,2"])
    // The line is the row's number in the sheet.
    #expect(outcome.rejects.map(\.line) == [5])
    #expect(outcome.rejects.first?.file.hasSuffix("input!Events & more") == true)
  }

  @Test func cellsBecomeTexts() throws {
    let styles = """
      <numFmts><numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy hh:mm"/><numFmt numFmtId="165" formatCode="0.00&quot; days&quot;"/>
      </numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>
      <cellXfs><xf numFmtId="0"/><xf numFmtId="22"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs>
      """
    let shared =
      "<si><t>a</t></si><si/><si><r><t>b </t></r><r><t>&lt;c&gt;</t></r><rPh><t>no</t></rPh></si><si><t>d_x000A_e&#10;f</t></si>"
    let values = """
      <c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>2</v></c><c t="s"><v>3</v></c>\
      <c><v>1772445600000</v></c><c><v>1.7724456E12</v></c><c><v>1.77E+17</v></c><c><v>1772445600.1229999</v></c>\
      <c s="1"><v>46083.416666666664</v></c><c s="2"><v>46083.5</v></c><c s="3"><v>2.5</v></c>\
      <c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c><c t="d"><v>2026-03-02T10:00:00</v></c><c t="str"><f>A1</f><v>say "x"</v></c>
      """
    let names = (0..<15).map { "n\($0)" }
    let text = try cells(Parts(sheets: [("s", row(1, names) + "<row>\(values)</row>")], shared: shared, styles: styles))
    #expect(
      text == names.joined(separator: ",") + "\n"
        + #"a,,"b <c>","d e f",1772445600000,1772445600000,"1.77E+17",1772445600.123,"#
        + #""2026-03-02 10:00:00","2026-03-02 12:00:00",2.5,true,,2026-03-02T10:00:00,"say ""x""""# + "\n")
    let old = try cells(
      Parts(
        sheets: [("s", row(1, ["a", "b", "c"]) + "<row><c s=\"1\"><v>44621.416666666664</v></c></row>")],
        styles: styles,
        properties: " date1904=\"1\""))
    #expect(old == "a,b,c\n\"2026-03-02 10:00:00\",,\n")
  }

  @Test(arguments: [
    ("1", "1900-01-01 00:00:00"), ("59", "1900-02-28 00:00:00"), ("61", "1900-03-01 00:00:00"), ("0.5", "12:00:00"),
    ("46083.416672453706", "2026-03-02 10:00:00.500"), ("2958465.999", "9999-12-31 23:58:33.600"),
  ]) func daysFrom1900(number: String, text: String) {
    #expect(CellNumber.date(Array(number.utf8), is1904: false).map { String(decoding: $0, as: UTF8.self) } == text)
  }

  @Test func numbersThatAreNoDates() {
    for text in ["60", "-1", "2958466", "1e300", "nan", "inf", "", "x"] {
      #expect(CellNumber.date(Array(text.utf8), is1904: false) == nil, "\(text)")
    }
    for (number, text) in [
      ("0.1", "0.1"), ("-0.5", "-0.5"), ("3.1400000000000001", "3.14"), ("1e5", "100000"), ("1E-7", "1E-7"),
      ("123456789012345678", "123456789012345678"), ("nan", "nan"), ("99.999999999999999", "100"), ("x", "x"),
      ("-0", "0"),
    ] { #expect(String(decoding: CellNumber.text(Array(number.utf8)), as: UTF8.self) == text) }
    for format in ["d.m.yy", "hh:mm", "[h]:mm", "yyyy\\-mm\\-dd;@", "[$-407]d. mmmm yyyy", "\"on \"d", "ss.000"] {
      #expect(CellNumber.isDate(format: Array(format.utf8)), "\(format)")
    }
    for format in [
      "General", "0.00", "#,##0 \"days\"", "[Red]0", "0\\d", "@", "0;\"d\"", "[Magenta]0_d", "0.0E+00", "\"", "[", "",
    ] {
      #expect(!CellNumber.isDate(format: Array(format.utf8)), "\(format)")
    }
  }

  @Test func theFirstSheetWithAHeadingIsRead() throws {
    let notes = row(1, ["Exported on Monday"]) + "<row><c><v>3</v></c></row>"
    let pair = row(1, ["Report", "Permissions"]) + row(2, ["by", "Anna"])
    let other = heading + line(2, "other")
    let events = row(3, ["Title"]) + row(5, ["user_id", "timestamp", "event", "permission"]) + line(6)
    let all = Parts(
      sheets: [("n", notes), ("p", pair), ("h", other), ("e", events), ("o", other)], states: [2: "hidden"])
    let outcome = try read(all.members)
    #expect(outcome.events.map(\.user) == ["u1"])
    let hidden = try read(Parts(sheets: [("n", notes), ("h", other)], states: [1: "veryHidden"]).members)
    #expect(hidden.events.map(\.user) == ["other"])
    // A table that begins further right, and notes beside it.
    let shifted = """
      <row r="2"><c r="C2" t="inlineStr"><is><t>user_id</t></is></c><c r="D2" t="inlineStr"><is><t>timestamp</t></is></c>\
      <c r="E2" t="inlineStr"><is><t>event</t></is></c></row>\
      <row r="3"><c r="A3"><v>1</v></c><c r="C3" t="inlineStr"><is><t>u7</t></is></c><c r="D3"><v>1772445600</v></c>\
      <c r="E3" t="inlineStr"><is><t>app_active</t></is></c><c r="G3" t="inlineStr"><is><t>note</t></is></c></row>\
      <row r="4"><c r="C4" t="inlineStr"><is><t>u8</t></is></c><c r="D4"><v>1772445600</v></c>\
      <c r="E4" t="inlineStr"><is><t>app_active</t></is></c></row>
      """
    #expect(try read(Parts(sheets: [("s", shifted)]).members).events.map(\.user) == ["u7", "u8"])
  }

  @Test func whatHasNoTableIsRefusedWithAWayOut() throws {
    let notes = row(1, ["Exported on Monday"]) + "<row><c><v>3</v></c></row>"
    for parts in [Parts(sheets: []), Parts(sheets: [("n", notes)]), Parts(sheets: [("e", "")])] {
      let error = try failure(parts.members)
      #expect(error.code == .unknownFormat && error.message.contains("has no sheet with a heading"), "\(error.message)")
      #expect(error.message.contains("save as CSV: File, Save As"))
    }
    for (members, what) in [
      ([("mimetype", "x"), ("content.xml", "<x/>"), ("META-INF/manifest.xml", "<x/>")], "an OpenDocument file"),
      ([("[Content_Types].xml", "<Types/>"), ("xl/workbook.bin", "x")], "a binary Excel file"),
    ] as [([ArchiveMember], String)] {
      #expect(try failure(members).message.contains("is \(what)"), "\(what)")
    }
    let old = #expect(throws: ImportError.self) {
      try importText(Data([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1] + [UInt8](repeating: 0, count: 600)))
    }
    #expect(old?.message.contains("an Excel file in the old format (.xls) or with a password") == true)
    #expect(old?.message.contains("save as CSV") == true)
  }

  @Test(arguments: [
    ("<!DOCTYPE x [<!ENTITY a \"b\">]>", "a document type"), ("&unknown;", "an entity"),
    ("<row r=\"0\"/>", "out of order"),
    ("<row r=\"9999999\"/>", "out of order"), ("<row r=\"3\"/><row r=\"3\"/>", "out of order"),
    ("<row><c r=\"ZZZ1\"><v>1</v></c></row>", "out of order"),
    ("<row><c r=\"B1\"/><c r=\"A1\"><v>1</v></c></row>", ""),
    ("<row><c r=\"B1\"><v>1</v></c><c r=\"A1\"><v>1</v></c></row>", "out of order"),
    ("<row><c r=\"17\"><v>1</v></c></row>", "has no column"),
    ("<row><c t=\"s\"><v>0</v></c></row>", "refers to a missing text"),
    ("<row><c t=\"s\"><v>-1</v></c></row>", "refers to a missing text"),
    ("<row><c><v>1", "ends inside a"), ("<row a=>", "an attribute has no value"), ("<row", "inside its rows"),
    ("< >", ""),
    ("<row>" + String(repeating: "<c><v>1</v></c>", count: 20_000) + "</row>", "out of order"),
    ("<row x=\"" + String(repeating: "y", count: 70_000) + "\"/>", "longer than 64 KiB"),
    ("<row><c><v>" + String(repeating: "1", count: 2 << 20) + "</v></c></row>", "longer than 1 MiB"),
    (
      "<row><c t=\"inlineStr\"><is>"
        + String(repeating: "<t>" + String(repeating: "x", count: 1000) + "</t>", count: 2000)
        + "</is></c></row>", "longer than 1 MiB"
    ),
  ]) func hostileSheetsAreRefused(rows: String, cause: String) throws {
    var members = Parts(sheets: [("s", heading + line(2))]).members
    let index = try #require(members.firstIndex { $0.name.hasSuffix("s0.xml") })
    let end = try #require(members[index].text.range(of: "</sheetData>"))
    // Cut off where the sheet's rows end, so that a part can also be torn.
    members[index].text =
      String(members[index].text[..<end.lowerBound]) + rows + (cause == "ends inside a" ? "" : "</sheetData>")
    if cause.isEmpty { return #expect(try read(members).events.count == 1) }
    let error = try failure(members)
    #expect(error.code == .damaged && error.message.contains(cause), "\(error.message)")
  }

  @Test func missingPartsAreNoTrap() throws {
    let whole = Parts(
      sheets: [("s", heading + line(2) + "<row><c t=\"s\" s=\"7\"><v>0</v></c></row>")], shared: "<si><t>u9</t></si>",
      styles: "<cellXfs><xf/></cellXfs>"
    ).members
    #expect(try read(whole).events.count == 1)
    for left in 1..<whole.count {
      var members = whole
      members.remove(at: left)
      _ = try? read(members)
    }
    for left in whole.indices {
      var members = whole
      members[left].text = "\u{FEFF}"
      _ = try? read(members)
    }
  }

  @Test func mangledPartsAreNoTrap() throws {
    var random = SeededGenerator(seed: 11)
    let whole = Parts(
      sheets: [("s", heading + (2..<8).map { line($0) }.joined() + "<row><c s=\"1\"><v>46083.4</v></c></row>")],
      shared: "<si><t>u9 &amp; _x0041_</t></si>",
      styles:
        "<numFmts><numFmt numFmtId=\"164\" formatCode=\"[h]:mm\"/></numFmts><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"164\"/></cellXfs>"
    ).members
    let letters = Array("<>/\"'&;=![]-? \u{0}0129ZrcsvtxAé".utf8)
    for _ in 0..<300 {
      var members = whole
      let part = Int.random(in: 0..<members.count, using: &random)
      var bytes = Array(members[part].text.utf8)
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[place] = letters.randomElement(using: &random) ?? 0
        case 1: bytes.remove(at: place)
        default: bytes = Array(bytes.prefix(max(1, place)))
        }
        if bytes.isEmpty { bytes = [0x3C] }
      }
      members[part].text = String(decoding: bytes, as: UTF8.self)
      _ = try? read(members)
    }
  }

  @Test func aTornWorkbookIsKeptInPartIfAsked() throws {
    var members = Parts(sheets: [("s", heading + (2..<200).map { line($0, "u\($0)") }.joined())]).members
    let index = try #require(members.firstIndex { $0.name.hasSuffix("s0.xml") })
    members[index].text = String(members[index].text.prefix(members[index].text.count - 400))
    #expect(try failure(members).code == .damaged)
    var options = testOptions(future: true)
    options.rows.keepsPartialFiles = true
    #expect((150..<199).contains(try read(members, options).events.count))
  }
}
