// What an Xcode project says of an app's Info.plist: its targets, configurations, build settings and schemes.

import Foundation
import PermissionAnalysis
import Testing

@testable import Permlog

@Suite struct XcodeProjectTests: AppFileSuite {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// One configuration of a target, or of the project (without a target).
  private struct Configuration {
    var target: String? = "App"
    var name = "Release"
    var settings = ""
    /// The id of the object that is its `.xcconfig` file.
    var base: String?
  }

  private static func project(_ configurations: [Configuration], objects: String = "", kind: String = "application")
    -> String
  {
    let targets = Set(configurations.compactMap(\.target)).sorted()
    func list(_ target: String?) -> String {
      let ids = configurations.indices.filter { configurations[$0].target == target }.map { "C\($0)" }
      return
        "L\(target ?? "") = { isa = XCConfigurationList; buildConfigurations = (\(ids.joined(separator: ", "))); };"
    }
    let objects =
      configurations.enumerated().map { index, one in
        "C\(index) = { isa = XCBuildConfiguration; \(one.base.map { "baseConfigurationReference = \($0); " } ?? "")"
          + "buildSettings = { \(one.settings) }; name = \(one.name); };"
      }
      + targets.map {
        "T\($0) = { isa = PBXNativeTarget; name = \($0); productType = \"com.apple.product-type.\(kind)\"; "
          + "buildConfigurationList = L\($0); };"
      } + [nil].map(list) + targets.map { list($0) } + [objects]
    return """
      // !$*UTF8*$!
      { archiveVersion = 1; objects = {
        P = { isa = PBXProject; developmentRegion = de; buildConfigurationList = L; knownRegions = (de, Base, );
          targets = (\(targets.map { "T" + $0 }.joined(separator: ", "))); };
        \(objects.joined(separator: "\n"))
      }; rootObject = P; }
      """
  }

  private static let file = "INFOPLIST_FILE = \"$(SRCROOT)/App/Info.plist\"; GENERATE_INFOPLIST_FILE = YES; "

  /// An app whose Info.plist says nothing, beside a project.
  private func app(_ project: String, files: [String: String] = [:], scheme: String? = nil) throws -> AppPurposes {
    let path = try write("App/Info.plist", plist(["UIBackgroundModes": ["location"]]))
    try write("Acme.xcodeproj/project.pbxproj", project)
    for (name, text) in files { try write(name, text) }
    if let scheme { try write("Acme.xcodeproj/xcshareddata/xcschemes/App.xcscheme", scheme) }
    return try AppPurposes(infoPlist: path)
  }

  private func keys(_ app: AppPurposes) -> [String: String?] { app.sentences.mapValues(\.text) }

  @Test("Keys in build settings are read, those of the file's own target")
  func buildSettings() throws {
    let app = try app(
      Self.project([
        Configuration(target: nil, settings: "IPHONEOS_DEPLOYMENT_TARGET = 15.0;"),
        Configuration(
          settings: Self.file
            + "INFOPLIST_KEY_NSCameraUsageDescription = \"Scan receipts\"; INFOPLIST_KEY_CFBundleDisplayName = x;"),
        Configuration(
          target: "Other",
          settings:
            "INFOPLIST_FILE = Other/Info.plist; INFOPLIST_KEY_NSMotionUsageDescription = m; GENERATE_INFOPLIST_FILE = YES;"
        ),
      ]))
    #expect(keys(app) == ["NSCameraUsageDescription": "Scan receipts"])
    #expect(app.sentences.values.first?.file.hasSuffix("Acme.xcodeproj/project.pbxproj") == true)
    #expect(app.developmentLanguage == "de" && app.oldestSystem == 15 && app.unknown.isEmpty)
    #expect(app.build == AppPurposes.Build(target: "App", configuration: "Release"))
  }

  @Test("Only what is shipped counts: not Debug, not the simulator, and nothing without a generated Info.plist")
  func shipped() throws {
    let camera = "INFOPLIST_KEY_NSCameraUsageDescription"
    func found(_ release: String, debug: String = "", scheme: String? = nil) throws -> [String: String?] {
      let app = try app(
        Self.project([
          Configuration(target: nil, name: "Debug"), Configuration(target: nil, name: "Release"),
          Configuration(name: "Debug", settings: Self.file + debug),
          Configuration(name: "Release", settings: Self.file + release),
        ]), scheme: scheme)
      #expect(app.unknown.isEmpty)
      return keys(app)
    }
    #expect(try found("", debug: camera + " = a;").isEmpty)
    #expect(try found(camera + " = a;") == ["NSCameraUsageDescription": "a"])
    #expect(try found("\"\(camera)[sdk=iphonesimulator*]\" = a;").isEmpty)
    #expect(try found("\"\(camera)[sdk=iphoneos*]\" = a; \(camera) = b;") == ["NSCameraUsageDescription": "a"])
    #expect(try found("\"\(camera)[config=Debug]\" = a;").isEmpty)
    #expect(
      try found("\(camera) = a; SDKROOT = macosx; \"\(camera)[sdk=macosx*]\" = m;") == ["NSCameraUsageDescription": "m"]
    )
    // A scheme archives another configuration than the one called Release.
    func scheme(_ archive: String, _ target: String = "TApp") -> String {
      """
      <Scheme><BuildAction><BuildActionEntries><BuildActionEntry buildForRunning = "YES" buildForArchiving = "YES">
      <BuildableReference BlueprintIdentifier = "\(target)" BlueprintName = "App"/></BuildActionEntry></BuildActionEntries></BuildAction>
      <LaunchAction buildConfiguration = "Debug"/><ArchiveAction
         buildConfiguration = "\(archive)" revealArchiveInOrganizer = "YES"/></Scheme>
      """
    }
    #expect(try found("", debug: camera + " = a;", scheme: scheme("Debug")) == ["NSCameraUsageDescription": "a"])
    #expect(try found("", debug: camera + " = a;", scheme: scheme("Debug", "TOther")).isEmpty)
    #expect(try found("", debug: camera + " = a;", scheme: scheme("None")).isEmpty)
    try FileManager.default.removeItem(atPath: directory.file("Acme.xcodeproj"))
    let fixed = try app(
      Self.project([
        Configuration(settings: "INFOPLIST_FILE = App/Info.plist; GENERATE_INFOPLIST_FILE = NO; \(camera) = a;")
      ]))
    #expect(fixed.sentences.isEmpty && fixed.unknown.isEmpty)
  }

  @Test("A key for one system or device is there, after one for all; all files that are read are named")
  func conditions() throws {
    var content = Self.source
    content["NSCameraUsageDescription~ipad"] = "For pads"
    content["NSContactsUsageDescription-iphoneos~iphone"] = "For phones"
    content["NSMotionUsageDescription~other"] = "Nobody's"
    let path = try write("App/Info.plist", plist(content))
    let project = try write(
      "Acme.xcodeproj/project.pbxproj",
      Self.project([
        Configuration(
          settings: "\"INFOPLIST_FILE[sdk=iphoneos*]\" = App/Info.plist; GENERATE_INFOPLIST_FILE = YES; "
            + "\"INFOPLIST_KEY_NSSiriUsageDescription[sdk=iphoneos*]\" = \"On phones\";"),
        Configuration(
          target: "Other", settings: "INFOPLIST_FILE = Other/Info.plist; INFOPLIST_KEY_NSMotionUsageDescription = m;"),
      ]))
    let table = try write("App/fr.lproj/InfoPlist.strings", "\"NSCameraUsageDescription~ipad\" = \"Tickets\";")
    let catalog = try write("App/InfoPlist.xcstrings", "{\"strings\": {}}")
    let app = try AppPurposes(infoPlist: path)
    #expect(
      keys(app) == [
        "NSCameraUsageDescription": "Scan receipts with your camera.", "NSContactsUsageDescription": "For phones",
        "NSSiriUsageDescription": "On phones",
      ])
    #expect(app.translations.map { $0.sentences["NSCameraUsageDescription"]?.text } == ["Tickets"])
    #expect(app.unknown.isEmpty)
    #expect(Set(app.filesRead.map(WholeFile.resolved)) == Set([path, project, table, catalog].map(WholeFile.resolved)))
  }

  /// A file reference in a group with a folder.
  private static let base = """
    G = { isa = PBXGroup; children = (F); path = Config; sourceTree = "<group>"; };
    F = { isa = PBXFileReference; path = App.xcconfig; sourceTree = "<group>"; };
    """

  @Test("Settings in .xcconfig files are read, with what they include, and the levels count in Xcode's order")
  func settingsFiles() throws {
    let files = [
      "Config/App.xcconfig": """
      // The app's texts
      #include "Texts/Common.xcconfig"
      #include? "Local.xcconfig"
      INFOPLIST_KEY_NSCameraUsageDescription = Scan $(THING) // what it is for
      INFOPLIST_KEY_NSMotionUsageDescription[sdk=iphonesimulator*] = never
      INFOPLIST_KEY_NSSiriUsageDescription = ${inherited} and $(OTHER)
      INFOPLIST_KEY_NSContactsUsageDescription = below
      """,
      "Config/Texts/Common.xcconfig":
        "#include \"../App.xcconfig\"\nTHING = receipts;\r\nINFOPLIST_KEY_NSCameraUsageDescription = first",
    ]
    let app = try app(
      Self.project(
        [
          Configuration(target: nil, settings: "INFOPLIST_KEY_NSSiriUsageDescription = Order;"),
          Configuration(settings: Self.file + "INFOPLIST_KEY_NSContactsUsageDescription = above;", base: "F"),
        ], objects: Self.base), files: files)
    #expect(
      keys(app) == [
        "NSCameraUsageDescription": "Scan receipts", "NSSiriUsageDescription": "Order and $(OTHER)",
        "NSContactsUsageDescription": "above",
      ])
    #expect(app.sentences["NSCameraUsageDescription"]?.file.hasSuffix("Config/App.xcconfig") == true)
    #expect(app.unknown.isEmpty)
    #expect(app.filesRead.contains { $0.hasSuffix("Common.xcconfig") })
  }

  @Test("A file with settings that is not there is said, and so is a target that is not found")
  func unknown() throws {
    let own = Configuration(settings: Self.file, base: "F")
    let gone = try app(Self.project([own], objects: Self.base))
    #expect(
      gone.unknown.count == 1
        && gone.unknown[0] == "Config/App.xcconfig is not there, and may have more settings")
    let included = try app(
      Self.project([own], objects: Self.base), files: ["Config/App.xcconfig": "#include \"Pods/x.xcconfig\""])
    #expect(included.unknown.first?.contains("Config/Pods/x.xcconfig is not there") == true)
    let variable = Configuration(
      settings:
        "INFOPLIST_FILE = App/Info.plist; GENERATE_INFOPLIST_FILE = \"$(MAYBE)\"; INFOPLIST_KEY_NSSiriUsageDescription = a;"
    )
    let generated = try app(Self.project([variable]))
    #expect(
      generated.unknown == ["GENERATE_INFOPLIST_FILE is $(MAYBE), which has no known value"]
        && generated.sentences.isEmpty)
    // That of another target is of no importance.
    let other = Configuration(target: "Other", settings: "INFOPLIST_FILE = Other/Info.plist;", base: "F2")
    #expect(try app(Self.project([Configuration(settings: Self.file), other])).unknown.isEmpty)
    #expect(try app(Self.project([other])).unknown == ["no target of Acme.xcodeproj has this file"])
  }

  @Test("A project stands for its apps and extensions, also without files of their own")
  func wholeProject() throws {
    let generated = "GENERATE_INFOPLIST_FILE = YES; "
    try write("App/Info.plist", plist(["NSContactsUsageDescription": "To find your friends here."]))
    try write(
      "New/InfoPlist.xcstrings",
      """
      {"sourceLanguage": "en", "strings": {"NSCameraUsageDescription": {"localizations": {
        "fr": {"stringUnit": {"state": "translated", "value": "Pour les reçus"}}}}}}
      """)
    let camera = "INFOPLIST_KEY_NSCameraUsageDescription = \"Scan your receipts\"; "
    try write(
      "Acme.xcodeproj/project.pbxproj",
      Self.project([
        Configuration(settings: Self.file),
        Configuration(target: "New", settings: generated + camera),
        Configuration(target: "Watch", settings: generated + "SDKROOT = watchos;"),
        Configuration(target: "Gone", settings: generated + "INFOPLIST_FILE = Gone/Info.plist;"),
      ]))
    let project = directory.file("Acme.xcodeproj")
    let apps = try AppPurposes.all([project + "/"])
    #expect(apps.map { $0.build?.target } == ["App", "Gone", "New", "Watch"])
    #expect(
      apps.map { $0.sentences.keys.sorted() }
        == [["NSContactsUsageDescription"], [], ["NSCameraUsageDescription"], []])
    #expect(apps[2].file == "target New of " + project && apps[2].translations.map(\.language) == ["fr"])
    #expect(apps[1].unknown == ["Gone/Info.plist, which is the Info.plist of Gone, is not there"])
    #expect(apps.map(\.system) == [.iOS, .iOS, .iOS, .other])
    // One of them may be a helper that asks for nothing: a key is missing if no app has it.
    let known = apps.filter(\.unknown.isEmpty)
    let found = PurposeCheck.candidates(known, asked: ["camera", "contacts", "siri"]).filter {
      $0.check == .missingPurpose
    }
    #expect(found.map(\.permission) == ["siri"])
    try write("Empty.xcodeproj/project.pbxproj", Self.project([Configuration()], kind: "bundle.unit-test"))
    let error = failure { _ = try AppPurposes.all([directory.file("Empty.xcodeproj")]) }
    #expect(error?.message.contains("no target that is an app or an extension") == true)
  }

  private static let generate = "GENERATE_INFOPLIST_FILE"
  private static let siri = "INFOPLIST_KEY_NSSiriUsageDescription"

  /// What an `.xcconfig` file may look like: each sets `GENERATE_INFOPLIST_FILE` and a text, or does not.
  @Test(
    "Lines of .xcconfig files are read as Xcode reads them",
    arguments: [
      ("\(generate) = YES\r\(siri) = Order\r", "Order"), ("\(generate) = \\\nYES\n\(siri) = Order", "Order"),
      ("\(generate) = YES\n\(generate)[sdk=iphoneos*] = $(inherited)\n\(siri) = Order", "Order"),
      ("\(generate) = y\n\(siri)[config=Rel*] = Order", "Order"),
      ("\(generate) = YES\n\(siri)[config=Release2] = Order", nil),
      ("\(generate) = YES\n\(siri)[sdk=iphoneos12*] = Order", nil), ("\(generate) = NO\n\(siri) = Order", nil),
      ("\(generate) = YES\n\(siri)[sdk=iphoneos*] = Order\n\(siri) = Later", "Later"),
      ("# include \"B.xcconfig\"", "From B"), ("#include \"Sub//B.xcconfig\"", "From Sub"),
      ("#include? \"B\"", "From B"), ("#include \"Sub/C.xcconfig\"", "From B"),
      ("#include? \"None.xcconfig\"\n\(generate) = YES\n\(siri) = Order", "Order"),
    ] as [(String, String?)])
  func lines(of file: String, _ text: String?) throws {
    let both = "\(Self.generate) = YES\n\(Self.siri) = "
    let app = try app(
      Self.project(
        [Configuration(settings: "INFOPLIST_FILE = App/Info.plist;", base: "F")], objects: Self.base),
      files: [
        "Config/App.xcconfig": file, "Config/B.xcconfig": both + "From B", "Config/Sub/B.xcconfig": both + "From Sub",
        "Config/Sub/C.xcconfig": "#include? \"A.xcconfig\"\n#include \"../B.xcconfig\"",
      ])
    #expect(app.unknown.isEmpty && app.sentences["NSSiriUsageDescription"]?.text == text)
  }

  @Test("An include that is not understood may have more settings")
  func strangeInclude() throws {
    let own = Configuration(settings: Self.file, base: "F")
    for line in ["#include <X.xcconfig>", "#include \"<DEVELOPER_DIR>/X.xcconfig\"", "#import \"X.xcconfig\""] {
      #expect(try app(Self.project([own], objects: Self.base), files: ["Config/App.xcconfig": line]).unknown.count == 1)
    }
  }

  @Test("The target says what the file does not: its platform, its kind, and that a test shares it")
  func kinds() throws {
    func found(_ settings: String, kind: String = "application") throws -> [String?] {
      let app = try app(Self.project([Configuration(settings: Self.file + settings)], kind: kind))
      return PurposeCheck.candidates([app], asked: ["camera", "face_id"]).filter {
        $0.check == .missingPurpose && $0.leftOut == nil && $0.severity == .error
      }.map(\.permission)
    }
    #expect(try found("") == ["camera", "face_id"])
    #expect(try found("SDKROOT = macosx;") == ["camera"])
    #expect(try found("SDKROOT = appletvos;") == [])
    #expect(try found("SDKROOT = auto; SUPPORTED_PLATFORMS = \"macosx iphoneos\";") == ["camera", "face_id"])
    #expect(try found("", kind: "framework") == [])
    let camera = "INFOPLIST_KEY_NSCameraUsageDescription = a; "
    // A second app of the same file without the key: which of them asks is not known.
    let other = Configuration(target: "Zwei", settings: Self.file)
    let both = Self.project([Configuration(settings: Self.file + camera), other])
    let shared = try self.app(both)
    #expect(shared.sentences.isEmpty)
    #expect(shared.unknown == ["App and Zwei have this file, but not all of them have NSCameraUsageDescription"])
    let second = "name = Zwei; productType = \"com.apple.product-type."
    #expect(
      keys(try self.app(both.replacing(second + "application", with: second + "bundle.unit-test"))) == [
        "NSCameraUsageDescription": "a"
      ])
    // The project has another configuration than the target.
    let store = try self.app(
      Self.project([
        Configuration(target: nil, settings: camera), Configuration(name: "AppStore", settings: Self.file),
      ]))
    #expect(keys(store) == ["NSCameraUsageDescription": "a"] && store.build?.configuration == "AppStore")
  }

  @Test("A key that only a table has counts; no key of a file for the preprocessor is known")
  func notCertain() throws {
    func checks(_ app: AppPurposes) -> [AuditCheck] {
      PurposeCheck.candidates([app], asked: ["camera"]).filter { $0.leftOut == nil && $0.check != .weakPurpose }.map(
        \.check)
    }
    let path = try write("App/Info.plist", plist(["CFBundleIdentifier": "a"]))
    try write("App/en.lproj/InfoPlist.strings", "NSCameraUsageDescription = \"Scan your receipts\";")
    #expect(checks(try AppPurposes(infoPlist: path)) == [])
    try FileManager.default.removeItem(atPath: directory.file("App/en.lproj"))
    try write("App/Info.plist", "<plist><dict>\n  #ifdef STORE\n<key>CFBundleIdentifier</key>\n#endif\n</dict></plist>")
    #expect(checks(try AppPurposes(infoPlist: path)) == [.notKnown])
  }

  @Test("Settings that name each other, doubled with each name or in a circle, end", .timeLimit(.minutes(20)))
  func endless() throws {
    let doubled = (0..<200).map { "V\($0) = \"$(V\($0 + 1))$(V\($0 + 1))\";" }.joined(separator: " ")
    let many = (0..<5_000).map { "INFOPLIST_KEY_X\($0) = \"$(V0)\";" }.joined(separator: " ")
    let circle = "A = \"$(B)\"; B = \"$(A)\"; INFOPLIST_KEY_NSSiriUsageDescription = \"$(A)$(V0)\"; "
    let app = try app(Self.project([Configuration(settings: Self.file + circle + doubled + many)]))
    #expect(app.sentences.keys.sorted() == ["NSSiriUsageDescription"])
    let group = "G = { isa = PBXGroup; children = (F, G); path = a; }; F = { isa = PBXFileReference; path = x; };"
    let lost = try self.app(Self.project([Configuration(settings: Self.file, base: "F")], objects: group))
    #expect(lost.unknown.count == 1)
  }

  @Test("Text that is no text is refused by name")
  func refusedSettings() throws {
    let utf16 = Array("A = b".utf16).flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    try write("Config/App.xcconfig", utf16)
    let error = failure {
      _ = try app(Self.project([Configuration(settings: Self.file, base: "F")], objects: Self.base))
    }
    #expect(error?.code == .dataRefused && error?.message.contains("App.xcconfig: it is not text in UTF-8") == true)
    try write(
      "Config/App.xcconfig", [0xEF, 0xBB, 0xBF] + Array("INFOPLIST_KEY_NSSiriUsageDescription = Order\r\n".utf8))
    let marked = try app(Self.project([Configuration(settings: Self.file, base: "F")], objects: Self.base))
    #expect(keys(marked) == ["NSSiriUsageDescription": "Order"])
  }

  @Test("Values of an Info.plist have variables of the target")
  func variables() throws {
    var content = Self.source
    content["NSCameraUsageDescription"] = "$(CAMERA_TEXT)"
    content["NSMotionUsageDescription"] = "$(NOT_SET)"
    let path = try write("App/Info.plist", plist(content))
    try write(
      "Acme.xcodeproj/project.pbxproj",
      Self.project([Configuration(settings: Self.file + "CAMERA_TEXT = \"Scan your receipts\";")]))
    #expect(
      keys(try AppPurposes(infoPlist: path)) == [
        "NSCameraUsageDescription": "Scan your receipts", "NSMotionUsageDescription": "$(NOT_SET)",
      ])
  }

  @Test("If no target names the file for certain, nothing is known of its keys")
  func anyTarget() throws {
    let path = try write("Info.plist", plist([:]))
    try write(
      "Acme.xcodeproj/project.pbxproj",
      Self.project([
        Configuration(
          settings:
            "INFOPLIST_FILE = \"$(PLIST)\"; INFOPLIST_KEY_NSMotionUsageDescription = m; GENERATE_INFOPLIST_FILE = YES;")
      ]))
    let app = try AppPurposes(infoPlist: path)
    #expect(app.sentences.isEmpty)
    #expect(app.unknown == ["Acme.xcodeproj does not say which target has this file"] && app.build == nil)
  }

  @Test("A built app has its keys in its Info.plist, whatever a project beside it says")
  func builtBesideAProject() throws {
    let path = try write("Acme.app/Info.plist", plist(["DTXcode": "1700", "CFBundleIdentifier": "a"]))
    try write(
      "Acme.xcodeproj/project.pbxproj",
      Self.project([Configuration(settings: "INFOPLIST_KEY_NSMotionUsageDescription = m;")]))
    #expect(try AppPurposes(infoPlist: path).sentences.isEmpty)
  }

  @Test("Translations are found where the target has them among its resources")
  func resources() throws {
    let key = "NSCameraUsageDescription"
    try write("App/Info.plist", plist([key: "Scan your receipts here."]))
    let german = try write("Texts/de.lproj/InfoPlist.strings", "\(key) = \"Zum Scannen von Belegen\";")
    try write("Texts/fr.lproj/InfoPlist.strings", "\(key) = \"Pour scanner\";")
    try write("Texts/it.lproj/Other.strings", "a = b;")
    var project = Self.project(
      [Configuration(settings: Self.file)],
      objects: """
        R = { isa = PBXResourcesBuildPhase; files = (B, B2, B3); };
        B = { isa = PBXBuildFile; fileRef = V; }; B2 = { isa = PBXBuildFile; fileRef = O; }; B3 = { isa = PBXBuildFile; fileRef = V; };
        V = { isa = PBXVariantGroup; name = InfoPlist.strings; path = Texts; sourceTree = "<group>"; children = (VD, VF, VG); };
        VD = { isa = PBXFileReference; name = de; path = de.lproj/InfoPlist.strings; sourceTree = "<group>"; };
        VF = { isa = PBXFileReference; name = fr; path = fr.lproj/InfoPlist.strings; sourceTree = "<group>"; };
        VG = { isa = PBXFileReference; name = es; path = es.lproj/InfoPlist.strings; sourceTree = "<group>"; };
        O = { isa = PBXFileReference; path = Texts/it.lproj/Other.strings; sourceTree = SOURCE_ROOT; };
        """)
    project = project.replacing(
      "isa = PBXNativeTarget; name = App;", with: "isa = PBXNativeTarget; buildPhases = (R); name = App;")
    try write("Acme.xcodeproj/project.pbxproj", project)
    let app = try #require(try AppPurposes.all([directory.file("Acme.xcodeproj")]).first)
    // The project's own region is German.
    #expect(app.sentences[key]?.text == "Zum Scannen von Belegen")
    #expect(app.translations.map(\.language) == ["fr"])
    #expect(app.filesRead.filter { $0.hasSuffix("de.lproj/InfoPlist.strings") }.count == 1)
    #expect(app.filesRead.contains { FileManager.default.contentsEqual(atPath: $0, andPath: german) })
  }

  @Test("A workspace stands for the projects that it names, and a folder for those in it")
  func workspaces() throws {
    try write("App/Info.plist", plist(["NSContactsUsageDescription": "To find your friends here."]))
    try write("Acme.xcodeproj/project.pbxproj", Self.project([Configuration(settings: Self.file)]))
    try write("Pods/Pods.xcodeproj/project.pbxproj", Self.project([Configuration()], kind: "framework"))
    try write(
      "Sub/Other.xcodeproj/project.pbxproj",
      Self.project([Configuration(target: "Other", settings: "GENERATE_INFOPLIST_FILE = YES; ")]))
    let workspace = directory.file("Acme.xcworkspace")
    try write(
      "Acme.xcworkspace/contents.xcworkspacedata",
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <Workspace version = "1.0">
         <FileRef
            location = "group:Acme.xcodeproj">
         </FileRef>
         <Group location = "container:Sub" name = "Sub">
            <FileRef location = "group:Other.xcodeproj"></FileRef>
            <FileRef location = "group:R&amp;D.xcodeproj"></FileRef>
            <!-- <FileRef location = "group:Old.xcodeproj"></FileRef> -->
         </Group>
         <FileRef location = "group:Pods/Pods.xcodeproj"></FileRef>
         <FileRef location = "absolute:/gone/Pods/Pods.xcodeproj"></FileRef>
         <FileRef location = "group:notes.md"></FileRef>
      </Workspace>
      """)
    func targets(_ path: String) throws -> [String?] { try AppPurposes.all([path]).map { $0.build?.target } }
    #expect(try targets(workspace) == ["App", "Other"])
    // The app may be in the project that is not there.
    let unknown = try AppPurposes.all([workspace]).flatMap(\.unknown)
    #expect(unknown.count == 1 && unknown[0].hasSuffix("R&D.xcodeproj, which \(workspace) names, is not there"))
    try write(
      "Sub/R&D.xcodeproj/project.pbxproj",
      Self.project([Configuration(target: "Lab", settings: "GENERATE_INFOPLIST_FILE = YES; ")]))
    #expect(try AppPurposes.all([workspace]).flatMap(\.unknown).isEmpty)
    try FileManager.default.removeItem(atPath: directory.file("Sub/R&D.xcodeproj"))
    #expect(try targets(workspace + "/") == ["App", "Other"])
    #expect(try targets(directory.file("")) == ["App"])
    #expect(try targets(directory.file("Sub")) == ["Other"])
    try write("Bare.xcworkspace/contents.xcworkspacedata", "<Workspace></Workspace>")
    try write("Made/project.yml", "name: A")
    try write("Pods/x", "")
    for (name, words) in [
      ("Bare.xcworkspace", "names no Xcode project"), ("Gone.xcworkspace", "contents.xcworkspacedata"),
      ("Made", "Make it with xcodegen, which reads project.yml"),
      ("Pods", "no target that is an app"),
    ] {
      let error = failure { _ = try AppPurposes.all([directory.file(name)]) }
      #expect(error?.message.contains(words) == true, "\(error?.message ?? name)")
    }
  }
}
