// Reads an app's Info.plist and the files next to it for an audit. None of these files has been checked by anyone.

import EventImport
import EventLog
public import PermissionAnalysis
import PropertyLists
import SystemCalls

extension AppPurposes {
  /// Reads an Info.plist: XML, binary or old-style, of a built app or of a project's source; or the Info.plist in a
  /// folder like `App.app`. Also reads the translations in the folder, and keys in the build settings of an Xcode
  /// project.
  /// - Throws: `notFound` or `inputOutput` if a file cannot be read; `usage` if the path is not an Info.plist;
  ///   `dataRefused` if a file is damaged, or if the keys may be in places that cannot be read.
  public init(infoPlist path: String) throws(PermlogError) { try self.init(infoPlist: path, project: nil) }

  /// - Parameter project: the one that it is looked for in; nil for those near it.
  private init(infoPlist path: String, project named: ProjectFile?) throws(PermlogError) {
    let path = try Self.infoPlist(path)
    self.init(file: path)
    filesRead = [path]
    let isPreprocessed = try PropertyListFile.isPreprocessed(path)
    let content = isPreprocessed ? [:] : try PropertyListFile.dictionary(path)
    let folder = PlistFolder(of: path)
    var project = named.map { XcodeProject([$0], infoPlist: path) }
    if project == nil, !Self.isBuilt(content) { project = try XcodeProject(beside: folder, infoPlist: path) }
    try read(content, project)
    if isPreprocessed { unknown.append("\(path) has lines like #if, which are read when the app is built") }
    guard Self.isBuilt(content) || content["CFBundleIdentifier"] != nil || project != nil || isPreprocessed else {
      throw PermlogError(
        .dataRefused,
        "\(path): it has no CFBundleIdentifier. Xcode adds keys to such a file when it builds the app, and usage sentences may "
          + "be among them. Give the Info.plist of the built app, as in App.app.", argument: .infoPlist)
    }
    try readTranslations(folder, content, project)
    findLines()
  }

  /// Reads the Info.plists of an app and its extensions, each file once, even if it is named twice. A project, a workspace and a folder with
  /// projects stand for those of their apps and extensions.
  package static func all(_ paths: [String]) throws(PermlogError) -> [AppPurposes] {
    var apps: [AppPurposes] = []
    for path in paths {
      let found: [AppPurposes]
      switch try XcodeArgument(path) {
      case .file: found = [try AppPurposes(infoPlist: path)]
      case .archive(let path): found = try AppArchive(path).apps()
      case .projects(let projects, let name, let missing):
        var inside = try Self.apps(of: projects, namedBy: name)
        inside[0].unknown += missing.map { "\($0), which \(name) names, is not there" }
        found = inside
      }
      for app in found where !apps.contains(where: { WholeFile.resolved($0.file) == WholeFile.resolved(app.file) }) {
        apps.append(app)
      }
    }
    return apps
  }

  /// The apps and extensions of projects. Some may be of libraries alone.
  private static func apps(of projects: [String], namedBy path: String) throws(PermlogError) -> [AppPurposes] {
    var apps: [AppPurposes] = []
    for project in projects { apps += try Self.apps(ofProject: project) }
    guard !apps.isEmpty else {
      throw PropertyListFile.refusal(path, "it has no target that is an app or an extension")
    }
    return apps
  }

  private static func apps(ofProject path: String) throws(PermlogError) -> [AppPurposes] {
    let project = try ProjectFile(path + "/project.pbxproj")
    var apps: [AppPurposes] = []
    for target in project.targets where target.hasInfoPlist {
      let named = target.settings.value("INFOPLIST_FILE")
      if let named, named.isKnown, !named.text.isEmpty, SmallFile.isRegular(project.inside(named.text)) {
        apps.append(try AppPurposes(infoPlist: project.inside(named.text), project: project))
      } else {
        apps.append(try AppPurposes(target, of: project, at: path))
      }
    }
    return apps
  }

  /// A target without a file of its own, or with one that is not there.
  private init(
    _ target: ProjectFile.Target, of project: ProjectFile, at path: String
  ) throws(PermlogError) {
    self.init(file: "target \(target.name) of \(path)")
    self.path = path + "/project.pbxproj"
    let built = XcodeProject(project, target)
    (sentences, unknown, build, filesRead) = (built.sentences, built.unknown, built.build, built.paths)
    noteMisspelled(sentences.keys)
    if let named = target.settings.value("INFOPLIST_FILE"), !named.text.isEmpty {
      unknown.append("\(named.text), which is the Info.plist of \(target.name), is not there")
    }
    isExtension = !target.isApp
    system = built.system ?? .iOS
    oldestSystem = built.oldestSystem(system)
    // A new project has a folder for each target, with its table of translations.
    try readTranslations(PlistFolder(of: project.inside(target.name + "/Info.plist")), [:], built)
    findLines()
  }

  private static func infoPlist(_ path: String) throws(PermlogError) -> String {
    guard path != "-" else {
      throw .usage(
        "standard input cannot be an Info.plist: its translations are files next to it. Name a file.", .infoPlist)
    }
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return path }
    let inside = ["/Info.plist", "/Contents/Info.plist"].map {
      (path.hasSuffix("/") ? String(path.dropLast()) : path) + $0
    }
    guard let found = inside.first(where: { stat($0, &status) == 0 }) else {
      throw PermlogError(
        .notFound,
        "\(path): this folder has no Info.plist and no Xcode project. Name the file, a project, or a built app like App.app.",
        argument: .infoPlist)
    }
    return found
  }

  /// Whether it has keys that Xcode writes when it builds.
  private static func isBuilt(_ content: [String: PropertyList]) -> Bool {
    ["DTSDKName", "DTPlatformName", "DTXcode"].contains { content[$0] != nil }
  }

  private mutating func read(_ content: [String: PropertyList], _ project: XcodeProject?) throws(PermlogError) {
    sentences = Self.sentences(of: content, in: file)
    if let settings = project?.settings {
      for (key, sentence) in sentences { sentences[key]?.text = sentence.text.map { settings.expanded($0).text } }
    }
    for (key, sentence) in project?.sentences ?? [:] where sentences[key] == nil { sentences[key] = sentence }
    noteMisspelled(Set(content.keys).union(sentences.keys))
    unknown = project?.unknown ?? []
    build = project?.build
    filesRead += project?.paths ?? []
    backgroundModes = try PropertyListFile.texts("UIBackgroundModes", in: content, file)
    hasBonjourServices = try !PropertyListFile.texts("NSBonjourServices", in: content, file).isEmpty
    let package = content["CFBundlePackageType"]?.text ?? "APPL"
    isExtension =
      content["NSExtension"] != nil || content["EXAppExtensionAttributes"] != nil
      || package != "APPL" && !package.contains("$") || project?.isApp == false
    system = Self.system(content) ?? project?.system ?? .iOS
    let version = system == .macOS ? "LSMinimumSystemVersion" : "MinimumOSVersion"
    oldestSystem = content[version]?.text.flatMap(Self.major) ?? project?.oldestSystem(system)
  }

  /// The usage sentences of a dictionary. A key for only some devices counts if there is no key for all devices.
  static func sentences(of content: [String: PropertyList], in file: String) -> [String: Sentence] {
    var sentences: [String: Sentence] = [:]
    for (key, value) in content where UsageKey.isUsageKey(key) { sentences[key] = Sentence(value.text, in: file) }
    let keys = content.keys.map { (name: $0, whole: UsageKey.withoutDevice($0)) }
    for key in keys.filter({ $0.name != $0.whole && UsageKey.isUsageKey($0.whole) }).sorted(by: { $0.name < $1.name })
    where sentences[key.whole] == nil {
      sentences[key.whole] = Sentence(content[key.name]?.text, in: file)
    }
    return sentences
  }

  /// - Returns: nil if the file does not say it.
  private static func system(_ content: [String: PropertyList]) -> System? {
    let platform = content["DTPlatformName"]?.text ?? content["CFBundleSupportedPlatforms"]?.list?.first?.text
    switch platform?.lowercased() {
    case "iphoneos", "iphonesimulator": return .iOS
    case "macosx": return .macOS
    case nil: break
    default: return .other
    }
    if content["WKApplication"] != nil || content["WKWatchKitApp"] != nil { return .other }
    let isMac = content["LSMinimumSystemVersion"] != nil || content["NSPrincipalClass"]?.text == "NSApplication"
    return isMac ? .macOS : nil
  }

  /// The first number of a version; nil for a variable.
  static func major(_ version: String) -> Int? { Int(version.prefix { $0 != "." }) }

  // MARK: The languages of an app, and its usage sentences in them

  /// Texts in the app's development language replace the texts in the Info.plist itself, as they do for users.
  mutating func readTranslations(
    _ folder: PlistFolder, _ content: [String: PropertyList], _ project: XcodeProject?
  ) throws(PermlogError) {
    var byLanguage: [String: [String: Sentence]] = [:]
    // A file may be found in the folder and by the project.
    var read: Set<String> = []
    for language in try PropertyListFile.texts("CFBundleLocalizations", in: content, file) {
      byLanguage[PlistFolder.language(language)] = [:]
    }
    for language in try folder.languages() + PlistFolder.languages(of: project?.tables ?? []) {
      if byLanguage[language.name] == nil { byLanguage[language.name] = [:] }
      for table in language.tables where read.insert(WholeFile.resolved(table)).inserted {
        filesRead.append(table)
        let sentences = Self.sentences(of: try PropertyListFile.dictionary(table), in: table)
        byLanguage[language.name, default: [:]].merge(sentences) { first, _ in first }
      }
    }
    var catalogLanguage: String?
    let catalogs = (project?.tables ?? []).filter { $0.hasSuffix(".xcstrings") }
    for path in try folder.catalogs() + catalogs where read.insert(WholeFile.resolved(path)).inserted {
      filesRead.append(path)
      let catalog = try StringCatalog(path)
      catalogLanguage = catalogLanguage ?? catalog.sourceLanguage
      untranslatable.formUnion(catalog.untranslatable)
      for (language, texts) in catalog.texts {
        byLanguage[language, default: [:]].merge(texts.mapValues { Sentence($0, in: path) }) { first, _ in first }
      }
    }
    try checkCount(of: Array(byLanguage.keys))
    let declared = content["CFBundleDevelopmentRegion"]?.text.flatMap { $0.contains("$") ? nil : $0 }
    let own = PlistFolder.language(declared ?? project?.developmentLanguage ?? catalogLanguage ?? "en")
    developmentLanguage = Self.withoutRegion(own)
    // The language itself counts before the base, which has no language.
    for name in Self.unique([own, developmentLanguage, "Base"]).reversed() {
      // Also keys that the Info.plist lacks: apps of the App Store are shipped so.
      for (key, sentence) in byLanguage.removeValue(forKey: name) ?? [:] { sentences[key] = sentence }
    }
    guard sentences.count <= Self.mostSentences else {
      throw PropertyListFile.refusal(
        file, "with the files next to it, it has \(sentences.count) usage sentences, but no app has more than 1,000")
    }
    translations = byLanguage.sorted { $0.key < $1.key }.map { Translation($0.key, $0.value) }
  }

  /// Every sentence is looked up in every language. CLDR has fewer than 1,000 languages, and the system asks for some
  /// 30 permissions.
  private static let mostLanguages = 1_000
  private static let mostSentences = 1_000
  /// Bytes of the name of a language, such as `zh-Hant-HK`.
  private static let longestLanguage = 100

  private func checkCount(of languages: [String]) throws(PermlogError) {
    guard languages.count <= Self.mostLanguages else {
      throw PropertyListFile.refusal(
        file, "with the files next to it, it has \(languages.count) languages, but no app has more than 1,000")
    }
    if languages.contains(where: { $0.utf8.count > Self.longestLanguage }) {
      throw PropertyListFile.refusal(
        file, "it or a file next to it has a language with a name longer than \(Self.longestLanguage) bytes")
    }
  }

  private static func unique(_ names: [String]) -> [String] {
    names.enumerated().filter { !names[..<$0.offset].contains($0.element) }.map(\.element)
  }

  /// `en` for `en-US`, `zh-Hant` for `zh-TW`; `zh-Hans` stays.
  private static func withoutRegion(_ language: String) -> String {
    let parts = language.split(separator: "-")
    guard parts.count > 1, let last = parts.last, last.count <= 3 else { return language }
    return languages(servedFrom: language)[1]
  }
}

// MARK: Xcode's string catalogs (`InfoPlist.xcstrings`): JSON with all languages of a table

struct StringCatalog {
  private(set) var sourceLanguage: String?
  /// Texts of usage keys by language and key. Languages without texts are included.
  private(set) var texts: [String: [String: String]] = [:]
  /// Keys that are marked as not to be translated.
  private(set) var untranslatable: Set<String> = []

  /// - Throws: if the file cannot be read or is not a string catalog.
  init(_ path: String) throws(PermlogError) {
    let tree = try PropertyListFile.object(path)
    guard case .object(let strings) = tree["strings"] else {
      throw PropertyListFile.refusal(path, "it is not a string catalog: it has no strings")
    }
    if case .text(let language) = tree["sourceLanguage"] { sourceLanguage = PlistFolder.language(language) }
    for string in strings {
      let isUsage = UsageKey.isUsageKey(string.key)
      if isUsage, string.value["shouldTranslate"] == .boolean(false) { untranslatable.insert(string.key) }
      guard case .object(let languages) = string.value["localizations"] else { continue }
      for language in languages {
        let name = PlistFolder.language(language.key)
        let text = isUsage ? Self.text(language.value) : nil
        guard texts[name]?[string.key] == nil else {
          throw PropertyListFile.refusal(path, "\(string.key) occurs twice in \(name)")
        }
        texts[name, default: [:]][string.key] = text
      }
    }
  }

  /// The text of a language, or the first of its variations by device; nil if it is not translated yet.
  private static func text(_ value: JSONTree) -> String? {
    if let unit = value["stringUnit"] {
      guard case .text(let text) = unit["value"] else { return nil }
      return unit["state"] == .text("new") && text.isEmpty ? nil : text
    }
    guard case .object(let kinds) = value["variations"] else { return nil }
    for kind in kinds {
      guard case .object(let cases) = kind.value else { continue }
      for one in cases { if let text = text(one.value) { return text } }
    }
    return nil
  }
}
