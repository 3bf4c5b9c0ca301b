// Property lists in their three forms, read as what was written.

import Foundation
import PropertyLists
import Testing

@Suite struct PropertyListTests {
  static let head = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">

    """

  static let content: [String: any Sendable] = [
    "NSCameraUsageDescription": "Scan & pay: <ä 漢字 🎉>", "UIBackgroundModes": ["location", "audio"], "n": 5, "b": true,
    "d": ["x": ["y": ""], "list": [String]()] as [String: any Sendable], "when": Date(timeIntervalSince1970: 0),
    "data": Data([1, 2]),
  ]

  private static let tree: PropertyList = .dictionary([
    "NSCameraUsageDescription": .text("Scan & pay: <ä 漢字 🎉>"),
    "UIBackgroundModes": .list([.text("location"), .text("audio")]), "n": .number("5"), "b": .boolean(true),
    "d": .dictionary(["x": .dictionary(["y": .text("")]), "list": .list([])]), "when": .other, "data": .other,
  ])

  @Test("What Foundation writes as XML and as binary is read as the same", arguments: [true, false])
  func foundation(isBinary: Bool) throws {
    let data = try PropertyListSerialization.data(
      fromPropertyList: Self.content, format: isBinary ? .binary : .xml, options: 0)
    #expect(try PropertyList(Array(data)) == Self.tree)
  }

  @Test("A binary list is read with references of one to eight bytes", arguments: [1, 2, 3, 8])
  func binary(referenceSize: Int) throws {
    #expect(try PropertyList(BinaryWriter.bytes(Self.content, referenceSize: referenceSize)) == Self.tree)
  }

  @Test("More than fourteen items have a count of their own")
  func counts() throws {
    let texts = (0..<300).map { String(repeating: "ä", count: $0 % 20) }
    let expected = PropertyList.list(texts.map { .text($0) })
    #expect(try PropertyList(BinaryWriter.bytes(texts)) == expected)
  }

  @Test("Comments, CDATA, references, empty elements and blanks are XML's")
  func xml() throws {
    let text =
      Self.head + """
        <!-- <dict> --><dict>
          <key>a&amp;b</key> <string>1 &lt; 2 &#65;&#x1F389;<![CDATA[ <raw> & ]]><!-- no --></string>
          <key>e</key><string/> <key>f</key><false></false><key>g</key><dict/><key>h</key><array/>
          <key>r</key><real> 1.5</real>
        </dict></plist>
        <!-- end -->
        """
    let expected: [String: PropertyList] = [
      "a&b": .text("1 < 2 A🎉 <raw> & "), "e": .text(""), "f": .boolean(false), "g": .dictionary([:]), "h": .list([]),
      "r": .number("1.5"),
    ]
    #expect(try PropertyList(Array(text.utf8)) == .dictionary(expected))
  }

  private static let strings = """
    // One line
    /* Several
       lines */
    "NSCameraUsageDescription" = "Für \\"Belege\\"\\n\\U00e4\\UD83C\\uDF89 \\101";
    NSContactsUsageDescription = 'Freunde';
    bare = some.word/1;
    alone;

    """

  /// As UTF-16 with a mark.
  static func wide(_ text: String, isLow: Bool) -> [UInt8] {
    let units = [0xFEFF] + Array(text.utf16)
    return units.flatMap { (unit: UInt16) -> [UInt8] in
      let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
      return isLow ? bytes.reversed() : bytes
    }
  }

  private static let tables: [[UInt8]] = [
    Array(strings.utf8), [0xEF, 0xBB, 0xBF] + Array(strings.utf8), wide(strings, isLow: true),
    wide(strings, isLow: false),
  ]

  @Test("Tables of texts are read in UTF-8 and UTF-16, with and without marks", arguments: tables)
  func oldStyle(bytes: [UInt8]) throws {
    let expected: [String: PropertyList] = [
      "NSCameraUsageDescription": .text("Für \"Belege\"\nä🎉 A"), "NSContactsUsageDescription": .text("Freunde"),
      "bare": .text("some.word/1"), "alone": .text("alone"),
    ]
    #expect(try PropertyList(bytes) == .dictionary(expected))
  }

  @Test("An Xcode project is an old-style list with braces, lists and data")
  func project() throws {
    let text =
      "// !$*UTF8*$!\n{ archiveVersion = 1; objects = { A /* x */ = { isa = B; files = (C, \"D\",); d = <0f bd>; }; }; }\n"
    let expected: [String: PropertyList] = [
      "archiveVersion": .text("1"),
      "objects": .dictionary([
        "A": .dictionary(["isa": .text("B"), "files": .list([.text("C"), .text("D")]), "d": .other])
      ]),
    ]
    #expect(try PropertyList(Array(text.utf8)) == .dictionary(expected))
  }

  @Test("A table of texts may be empty or all comment")
  func empty() throws {
    #expect(try PropertyList([]) == .dictionary([:]))
    #expect(try PropertyList(Array("/* Localized versions of Info.plist keys */\n".utf8)) == .dictionary([:]))
  }

  private static let refused: [(text: String, sentence: String)] = [
    (
      head + "<dict><key>k</key><string>1</string>\n<key>k</key><string>2</string></dict></plist>",
      "line 5: the key k occurs twice, with two values"
    ),
    (head + "<dict><key>k</key></dict></plist>", "line 4: the key k has no value"),
    (head + "<dict>\n<string>1</string></dict></plist>", "line 5: a key is missing before <string>"),
    (head + "<dict><key>k</key><text>1</text></dict></plist>", "line 4: <text> is not a value of a property list"),
    (head + "<dict><key>k</key><string>a</strin></dict></plist>", "line 4: </string> is missing"),
    (
      head + "<dict><key>k</key><string>a & b</string></dict></plist>",
      "line 4: an & does not begin a reference; write &amp;"
    ),
    (
      head + "<dict><key>k</key><string>&nbsp;</string></dict></plist>",
      "line 4: &nbsp; is not a reference of a property list"
    ),
    (head + "<dict><key>k</key>", "line 4: it ends early"), (head, "line 4: it ends early"),
    (head + "<dict/></plist>\n<dict/>", "line 5: something follows the end of the property list"),
    (head + "<dict>\n<<<<<<< HEAD\n</dict></plist>", "line 5: a tag does not end"),
    (
      "<!DOCTYPE plist [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>\n<plist><string>&a;</string></plist>",
      "line 1: it defines entities of its own, which no Info.plist needs"
    ),
    ("\"k\" = \"1\";\n\"k\" = \"2\";", "line 2: the key k occurs twice, with two values"),
    ("\"k\" = \"1\"\n\"l\" = \"2\";", "line 2: a semicolon is missing after the key k"),
    ("\"k\" = \"1;\n", "line 1: a text does not end"), ("/* k", "line 1: a comment does not end"),
    ("\"k\" = \"\\Uzz\";", "line 1: \\U is not followed by the four digits of a character"),
    ("{ k = (a b); }", "line 1: a comma is missing in a list"), ("{ k = 1;", "line 1: it ends early"),
    ("\"k\" = \"\\344\";", "line 1: an octal number is not an ASCII character"),
  ]

  @Test("A refusal says the line and what is wrong", arguments: refused.indices)
  func refusals(index: Int) { expect(Array(Self.refused[index].text.utf8), Self.refused[index].sentence) }

  @Test("The same key twice with the same value does no harm")
  func same() throws {
    #expect(try PropertyList(Array("k = 1; k = 1;".utf8)) == .dictionary(["k": .text("1")]))
  }

  @Test("Two values for a key below the top are as Xcode takes them: the file is read")
  func twiceBelow() throws {
    let inner = "<key>icons</key><dict><key>a</key><string>1</string><key>a</key><string>2</string></dict>"
    let text = Self.head + "<dict>\(inner)<key>k</key><string>v</string></dict></plist>"
    #expect(try PropertyList(Array(text.utf8)).dictionary?["k"]?.text == "v")
  }

  @Test("Text in another encoding is refused, and not guessed")
  func encodings() {
    let neither = "its text is neither UTF-8 nor UTF-16 with a byte order mark. Save it as UTF-8"
    expect(Array("\"k\" = \"".utf8) + [0xE4] + Array("\";".utf8), neither)
    expect(Array(Self.wide("\"k\" = \"1\";", isLow: true).dropFirst(2)), neither)
    expect([0xFF, 0xFE, 0x00, 0xD8, 0x20, 0x00], neither)
    expect([0xFF, 0xFE, 0x20], "it is cut off: UTF-16 has an even number of bytes")
    expect([0xFF, 0xFE, 0, 0, 0x20, 0, 0, 0], "its text is in UTF-32. Save it as UTF-8")
    let latin = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<plist><string>ä</string></plist>"
    expect(Array(latin.utf8), "its text is in ISO-8859-1. Save it as UTF-8")
    // Where all is ASCII the two are the same.
    #expect(throws: Never.self) { try PropertyList(Array(latin.replacing("ä", with: "a").utf8)) }
  }
}

/// Expects a refusal with a sentence.
func expect(_ bytes: [UInt8], _ sentence: String, sourceLocation: SourceLocation = #_sourceLocation) {
  do {
    let list = try PropertyList(bytes)
    Issue.record("it was read as \(list)", sourceLocation: sourceLocation)
  } catch { #expect(error.sentence == sentence, sourceLocation: sourceLocation) }
}
