// An app's declarations as they lie on a disk: built apps and projects' sources, translations, and files that are refused.

import Foundation
import PermissionAnalysis
import Testing

@testable import Permlog

@Suite struct InfoPlistTests: AppFileSuite {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test(
    "A built app is read from its folder: a binary list, its languages and the oldest system", arguments: [true, false])
  func built(isMac: Bool) throws {
    let inside = isMac ? "Acme.app/Contents/" : "Acme.app/"
    let resources = isMac ? inside + "Resources/" : inside
    var content = Self.source
    content["DTPlatformName"] = isMac ? "macosx" : "iphoneos"
    content[isMac ? "LSMinimumSystemVersion" : "MinimumOSVersion"] = "14.2"
    content["CFBundleDevelopmentRegion"] = "en"
    content["CFBundleLocalizations"] = ["en", "pt-BR"]
    let path = try write(inside + "Info.plist", plist(content, binary: true))
    try write(resources + "de.lproj/InfoPlist.strings", plist(["NSCameraUsageDescription": "Belege"], binary: true))
    try write(resources + "fr.lproj/Localizable.strings", "\"a\" = \"b\";")
    try FileManager.default.createDirectory(
      atPath: directory.file(resources + "ja.lproj"), withIntermediateDirectories: true)
    let app = try AppPurposes(infoPlist: directory.file("Acme.app"))
    #expect(app.file == path && app.system == (isMac ? .macOS : .iOS) && app.oldestSystem == 14)
    #expect(app.backgroundModes == ["location"] && app.hasBonjourServices && !app.isExtension)
    #expect(app.sentences == ["NSCameraUsageDescription": .init("Scan receipts with your camera.", in: path)])
    // An empty folder is no language of the app.
    #expect(app.translations.map(\.language) == ["de", "fr", "pt-BR"])
    #expect(app.translations[0].sentences["NSCameraUsageDescription"]?.text == "Belege")
    #expect(try AppPurposes(infoPlist: path) == app)
  }

  @Test("A project's source has languages beside it and in Resources, old names and a base among them")
  func source() throws {
    let path = try write("App/Info.plist", plist(Self.source))
    try write("App/Base.lproj/InfoPlist.strings", "NSCameraUsageDescription = \"Base\";")
    let own = try write("App/Resources/English.lproj/InfoPlist.strings", "NSCameraUsageDescription = \"Own\";")
    let german = "/* ä */ \"NSCameraUsageDescription\" = \"Über Belege\"; CFBundleName = x;"
    try write(
      "App/de_AT.lproj/InfoPlist.strings",
      Array(Data([0xFF, 0xFE]) + (german.data(using: .utf16LittleEndian) ?? Data())))
    let app = try AppPurposes(infoPlist: path)
    #expect(app.sentences == ["NSCameraUsageDescription": .init("Own", in: own, line: 1)])
    #expect(app.developmentLanguage == "en" && app.oldestSystem == nil)
    #expect(app.translations.map(\.language) == ["de-AT"])
    #expect(app.translations.first?.sentences.mapValues(\.text) == ["NSCameraUsageDescription": "Über Belege"])
  }

  @Test("A string catalog has all languages; what is still to be translated is not there")
  func catalog() throws {
    let path = try write("Info.plist", plist(Self.source))
    try write(
      "InfoPlist.xcstrings",
      """
      {"sourceLanguage": "fr", "version": "1.0", "strings": {
        "CFBundleName": {"localizations": {"it": {"stringUnit": {"state": "translated", "value": "Acme"}}}},
        "NSCameraUsageDescription": {"extractionState": "extracted_with_value", "localizations": {
          "fr": {"stringUnit": {"state": "new", "value": "Pour les reçus"}},
          "de": {"variations": {"device": {"iphone": {"stringUnit": {"state": "translated", "value": "Belege"}}}}},
          "ja": {"stringUnit": {"state": "new", "value": ""}}}},
        "NSContactsUsageDescription": {"shouldTranslate": false, "comment": "no localizations: one text for all"},
        "NSMotionUsageDescription": {"shouldTranslate": false, "localizations": {}}}}
      """)
    let app = try AppPurposes(infoPlist: path)
    #expect(app.developmentLanguage == "fr" && app.sentences["NSCameraUsageDescription"]?.text == "Pour les reçus")
    #expect(app.translations.map(\.language) == ["de", "it", "ja"])
    #expect(app.translations.map { $0.sentences["NSCameraUsageDescription"]?.text } == ["Belege", nil, nil])
    #expect(app.untranslatable == ["NSContactsUsageDescription", "NSMotionUsageDescription"])
  }

  @Test("Two targets in a folder have tables by their names")
  func namedTables() throws {
    let share = try write("Share-Info.plist", plist(["NSExtension": [String: String](), "CFBundleIdentifier": "a"]))
    try write("de.lproj/Share-InfoPlist.strings", "NSCameraUsageDescription = \"Teilen\";")
    let app = try AppPurposes(infoPlist: share)
    let framework = try write("F-Info.plist", plist(["CFBundlePackageType": "FMWK", "CFBundleIdentifier": "f"]))
    #expect(try AppPurposes(infoPlist: framework).isExtension)
    #expect(app.isExtension && app.translations.first?.sentences.count == 1)
  }

  @Test("More languages or sentences than any app has, and names that are none, are refused")
  func tooMany() throws {
    func refusal(_ change: (inout [String: any Sendable]) -> Void) throws -> PermlogError? {
      var content = Self.source
      change(&content)
      let path = try write("Info.plist", plist(content))
      return self.refusal(path)
    }
    #expect(try refusal { $0["CFBundleLocalizations"] = (0..<1_000).map { "l\($0)" } } == nil)
    let many = try refusal { $0["CFBundleLocalizations"] = (0...1_000).map { "l\($0)" } }
    #expect(many?.code == .dataRefused && many?.message.contains("it has 1001 languages") == true)
    #expect(try refusal { $0["CFBundleLocalizations"] = [String(repeating: "-", count: 100)] } == nil)
    let long = try refusal { $0["CFBundleLocalizations"] = [String(repeating: "-", count: 101)] }
    #expect(long?.code == .dataRefused && long?.message.contains("longer than 100 bytes") == true)
    #expect(try refusal { for index in 1..<1_000 { $0["NS\(index)UsageDescription"] = "a" } } == nil)
    let keys = try refusal { for index in 0..<1_000 { $0["NS\(index)UsageDescription"] = "a" } }
    #expect(keys?.code == .dataRefused && keys?.message.contains("it has 1001 usage sentences") == true)
  }

  @Test("An app made in a region of China has texts in the script of it")
  func chinese() throws {
    var content = Self.source
    content["CFBundleDevelopmentRegion"] = "zh_TW"
    let app = try AppPurposes(infoPlist: try write("Info.plist", plist(content)))
    #expect(app.developmentLanguage == "zh-Hant")
  }

  private func refusal(_ path: String) -> PermlogError? { failure { _ = try AppPurposes(infoPlist: path) } }

  @Test("A fragment of a source without its project is refused: keys may be where they are not seen")
  func fragment() throws {
    let path = try write("Info.plist", plist(["UIBackgroundModes": ["location"]]))
    let error = refusal(path)
    #expect(error?.code == .dataRefused && error?.argument == .infoPlist)
    #expect(error?.message.hasPrefix(path + ": it has no CFBundleIdentifier.") == true)
    #expect(error?.message.contains("Give the Info.plist of the built app") == true)
  }

  @Test("What is no Info.plist is refused by name")
  func refusals() throws {
    #expect(refusal("-")?.code == .usage)
    #expect(refusal(directory.file("none.plist"))?.code == .notFound)
    #expect(refusal(directory.path)?.message.contains("this folder has no Info.plist") == true)
    #expect(refusal("/dev/null")?.message.contains("it is not a regular file") == true)
    let text = try write("a.plist", "<plist><dict>\n<key>a</key></dict></plist>")
    #expect(refusal(text)?.message == "\(text): line 2: the key a has no value. Correct the file, or name another.")
    #expect(refusal(try write("b.plist", "(a)"))?.message.contains("it is a property list without keys") == true)
    let modes = try write("c.plist", plist(["CFBundleIdentifier": "a", "UIBackgroundModes": "location"]))
    #expect(refusal(modes)?.message.contains("UIBackgroundModes is not a list of texts") == true)
    let large = try write("d.plist", [UInt8](repeating: 0x20, count: 4 << 20 | 1))
    #expect(refusal(large)?.message.contains("it is larger than 4 MiB") == true)
    #expect(
      refusal(try write("e.plist", [UInt8](repeating: 0x20, count: 4 << 20)))?.message.contains("CFBundleIdentifier")
        == true)
  }

  @Test("A damaged table or catalog beside a good Info.plist is refused, and named")
  func damagedTables() throws {
    let path = try write("Info.plist", plist(Self.source))
    let table = try write("de.lproj/InfoPlist.strings", "NSCameraUsageDescription = \"a\"\nb = c;")
    #expect(refusal(path)?.message.hasPrefix(table + ": line 2: a semicolon is missing") == true)
    try write("de.lproj/InfoPlist.strings", "NSCameraUsageDescription = 5;")
    #expect(refusal(path) == nil)
    for (text, problem) in [("{", "not an object of valid JSON"), ("{\"strings\": 5}", "it is not a string catalog")] {
      let catalog = try write("InfoPlist.xcstrings", text)
      #expect(refusal(path)?.message.hasPrefix(catalog) == true)
      #expect(refusal(path)?.message.contains(problem) == true)
    }
  }

  @Test("A file that is named twice is read once")
  func twice() throws {
    let path = try write("A.app/Info.plist", plist(["CFBundleIdentifier": "a"]))
    let other = try write("B.app/Info.plist", plist(["CFBundleIdentifier": "b"]))
    let apps = try AppPurposes.all([directory.file("A.app"), path, directory.file("B.app/../A.app/Info.plist"), other])
    #expect(apps.map(\.file) == [path, other])
  }

  @Test("A value that is no text is a finding, and not a text")
  func noText() throws {
    let path = try write("Info.plist", plist(["CFBundleIdentifier": "a", "NSCameraUsageDescription": 5]))
    let sentence = try #require(try AppPurposes(infoPlist: path).sentences["NSCameraUsageDescription"])
    #expect(sentence.text == nil && sentence.file == path && sentence.line ?? 0 > 1)
  }

  @Test("The sample app has the problems that data/README.md lists, and no others")
  func sample() throws {
    let app = try AppPurposes(infoPlist: Sample.root + "/data/app/Info.plist")
    let asked: Set = [
      "notifications", "camera", "contacts", "location_when_in_use", "microphone", "photo_library", "tracking",
    ]
    let found = PurposeCheck.candidates([app], asked: asked).compactMap { candidate -> String? in
      guard case .purpose(let finding) = candidate.detail else { return nil }
      return "\(candidate.check.rawValue) \(finding.key) \(finding.language ?? "own")"
    }
    #expect(
      found == [
        "missing_purpose NSMicrophoneUsageDescription own",
        "unused_purpose NSBluetoothPeripheralUsageDescription own",
        "weak_purpose NSContactsUsageDescription own",
        "weak_purpose NSCameraUsageDescription fr",
        "deprecated_key NSBluetoothPeripheralUsageDescription own",
        "missing_translation NSUserTrackingUsageDescription own",
      ])
  }

  @Test("An app as it is uploaded has its extensions in it, and is left as it was")
  func uploaded() throws {
    var content = Self.source
    content["DTXcode"] = "2600"
    var share = content
    share["NSExtension"] = ["NSExtensionPointIdentifier": "com.apple.share-services"]
    let members: [(String, [UInt8])] = [
      ("Payload/Acme.app/PlugIns/Share.appex/Info.plist", try plist(share, binary: true)),
      ("Payload/Acme.app/Info.plist", try plist(content, binary: true)),
      ("Payload/Acme.app/de.lproj/InfoPlist.strings", try plist(["NSCameraUsageDescription": "Belege"], binary: true)),
      ("Payload/Acme.app/Frameworks/F.framework/Info.plist", try plist([:])),
      ("Payload/Acme.app/../../../x.app/Info.plist", try plist([:])), ("Payload/Acme.app/Acme", [1, 2, 3]),
      ("iTunesMetadata.plist", [1]),
    ]
    let path = try write("Acme.ipa", StoredZip.file(members))
    let before = try FileManager.default.contentsOfDirectory(atPath: NSTemporaryDirectory()).filter {
      $0.hasPrefix("permlog-") && $0.utf8.count == 14
    }
    let apps = try AppPurposes.all([path])
    #expect(
      apps.map(\.file) == [
        path + "/Payload/Acme.app/Info.plist", path + "/Payload/Acme.app/PlugIns/Share.appex/Info.plist",
      ])
    #expect(apps.map(\.isExtension) == [false, true] && apps.map(\.unknown) == [[], []])
    #expect(apps[0].translations.map(\.language) == ["de"] && apps[0].filesRead == [path])
    #expect(apps[0].sentences["NSCameraUsageDescription"]?.file == path + "/Payload/Acme.app/Info.plist")
    let after = try FileManager.default.contentsOfDirectory(atPath: NSTemporaryDirectory()).filter {
      $0.hasPrefix("permlog-") && $0.utf8.count == 14
    }
    #expect(Set(after).isSubset(of: before))
    try write("Bare.ipa", StoredZip.file([("Payload/a.txt", [1])]))
    try write("Text.ipa", "no zip")
    try write("Damaged.ipa", StoredZip.file([("Payload/A.app/Info.plist", Array("bplist00damaged".utf8))]))
    for (name, words) in [
      ("Bare.ipa", "it has no app"), ("Text.ipa", "Text.ipa"), ("Gone.ipa", "Gone.ipa"),
      ("Damaged.ipa", "Damaged.ipa/Payload/A.app/Info.plist"),
    ] {
      let error = failure { _ = try AppPurposes.all([directory.file(name)]) }
      #expect(error?.message.contains(words) == true, "\(error?.message ?? name)")
    }
  }
}

/// A zip whose members are not compressed.
private enum StoredZip {
  static func file(_ members: [(name: String, bytes: [UInt8])]) -> [UInt8] {
    var (file, directory): ([UInt8], [UInt8]) = ([], [])
    for member in members {
      let name = Array(member.name.utf8)
      let size = number(member.bytes.count, 4)
      let facts =
        number(20, 2) + number(0, 2) + number(0, 2) + number(0, 4) + number(Int(crc(member.bytes)), 4) + size + size
        + number(name.count, 2) + number(0, 2)
      directory +=
        [0x50, 0x4B, 1, 2] + number(20, 2) + facts + number(0, 2) + number(0, 2) + number(0, 2)
        + number(0o100644 << 16, 4) + number(file.count, 4) + name
      file += [0x50, 0x4B, 3, 4] + facts + name + member.bytes
    }
    let end =
      number(0, 4) + number(members.count, 2) + number(members.count, 2) + number(directory.count, 4)
      + number(file.count, 4) + number(0, 2)
    return file + directory + [0x50, 0x4B, 5, 6] + end
  }

  private static func number(_ value: Int, _ bytes: Int) -> [UInt8] {
    (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private static func crc(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~UInt32(0)) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { rest, _ in rest >> 1 ^ (rest & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
  }
}
