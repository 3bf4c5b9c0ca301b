// The files next to an app's Info.plist: folders of languages, and tables of translations; and how each is read.

import EventImport
import EventLog
import PropertyLists
import SystemCalls

struct PlistFolder {
  let path: String
  /// Names of tables of translations, the usual one first. If two targets share a folder, their tables have prefixes,
  /// as in `Share-Info.plist` and `Share-InfoPlist.strings`.
  private let tables: [String]

  init(of infoPlist: String) {
    let slash = infoPlist.lastIndex(of: "/")
    path = slash.map { $0 == infoPlist.startIndex ? "/" : String(infoPlist[..<$0]) } ?? "."
    let name = slash.map { infoPlist[$0...].dropFirst() } ?? infoPlist[...]
    tables =
      ["InfoPlist"]
      + (name.hasSuffix("Info.plist") ? [name.dropLast(10) + "InfoPlist"] : [])
      .filter { $0 != "InfoPlist" }
  }

  struct Language {
    /// For example `de` or `pt-BR`; `Base` for texts without a language.
    let name: String
    let tables: [String]
  }

  /// Folders like `de.lproj` that are not empty, here and in `Resources`, in order.
  func languages() throws(PermlogError) -> [Language] {
    var found: [Language] = []
    for folder in [path, path + "/Resources"] {
      for name in try Self.names(in: folder) where name.hasSuffix(".lproj") {
        let subfolder = folder + "/" + name
        let inside = try Self.names(in: subfolder)
        let language = Self.language(String(name.dropLast(6)))
        // `mul` holds catalogs of all languages.
        if inside.isEmpty || language == "mul" { continue }
        found.append(
          Language(
            name: language,
            tables: tables.map { $0 + ".strings" }.filter(inside.contains).map { subfolder + "/" + $0 }))
      }
    }
    return found
  }

  /// Of tables like `Resources/de.lproj/InfoPlist.strings`, in their order.
  static func languages(of tables: [String]) -> [Language] {
    tables.compactMap { table in
      let parts = table.split(separator: "/")
      guard table.hasSuffix(".strings"), parts.count > 1, parts[parts.count - 2].hasSuffix(".lproj") else { return nil }
      return Language(name: language(String(parts[parts.count - 2].dropLast(6))), tables: [table])
    }
  }

  func catalogs() throws(PermlogError) -> [String] {
    var found: [String] = []
    for folder in [path, path + "/Resources"] {
      let names = try Self.names(in: folder)
      found += tables.map { $0 + ".xcstrings" }.filter(names.contains).map { folder + "/" + $0 }
    }
    return found
  }

  /// Names in a folder, in order; empty if it is not a folder.
  static func names(in folder: String) throws(PermlogError) -> [String] {
    var status = stat()
    guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return [] }
    do { return try SystemFileSystem().list(folder).sorted() } catch { throw PermlogError(error) }
  }

  /// The name of a language as Apple writes it now: `de` for `German`, `pt-BR` for `pt_BR`.
  static func language(_ name: String) -> String {
    let old = [
      "English": "en", "German": "de", "French": "fr", "Spanish": "es", "Italian": "it", "Japanese": "ja",
      "Dutch": "nl",
    ]
    return old[name] ?? name.replacing("_", with: "-")
  }
}

// MARK: Small files of an app: read whole, regular files only; every error has the file and what to do

enum PropertyListFile {
  /// The largest Info.plists and translations of public apps have less than 1 MiB.
  static let mostBytes = 4 << 20
  /// For an Xcode project, which describes every file of an app.
  static let mostBytesOfProject = 64 << 20

  static func dictionary(_ path: String, mostBytes: Int = mostBytes) throws(PermlogError) -> [String: PropertyList] {
    let list: PropertyList
    do { list = try PropertyList(try bytes(path, mostBytes: mostBytes)) } catch let error as PropertyListError {
      throw refusal(path, error.sentence)
    } catch { throw PermlogError(error) }
    guard let pairs = list.dictionary else { throw refusal(path, "it is a property list without keys") }
    return pairs
  }

  /// Whether a text has lines for the C preprocessor (`#if`), which Xcode runs over it if the project wants that.
  static func isPreprocessed(_ path: String) throws(PermlogError) -> Bool {
    let words = ["if", "ifdef", "ifndef", "include", "define"]
    return try bytes(path, mostBytes: mostBytes).split(separator: 0x0A).contains { line in
      let text = line.drop { $0 == 0x20 || $0 == 0x09 }
      guard text.first == UInt8(ascii: "#") else { return false }
      return words.contains { text.dropFirst().starts(with: ($0 + " ").utf8) }
    }
  }

  static func object(_ path: String) throws(PermlogError) -> JSONTree {
    guard let tree = JSONTree(document: try bytes(path, mostBytes: mostBytes)) else {
      throw refusal(path, "it is not an object of valid JSON")
    }
    return tree
  }

  /// The texts of a list under a key; empty if the key is missing.
  static func texts(_ key: String, in pairs: [String: PropertyList], _ path: String) throws(PermlogError) -> [String] {
    guard let value = pairs[key] else { return [] }
    let items = value.list ?? []
    let texts = items.compactMap(\.text)
    guard value.list != nil, texts.count == items.count else { throw refusal(path, "\(key) is not a list of texts") }
    return texts
  }

  static func refusal(_ path: String, _ problem: String) -> PermlogError {
    PermlogError(.dataRefused, "\(path): \(problem). Correct the file, or name another.", argument: .infoPlist)
  }

  private static func bytes(_ path: String, mostBytes: Int) throws(PermlogError) -> [UInt8] {
    guard let bytes = try SmallFile.read(path, limit: mostBytes, argument: .infoPlist, isRegular: true) else {
      throw PermlogError(
        .dataRefused, "\(path): it is larger than \(mostBytes >> 20) MiB, too large for such a file. Name another.",
        argument: .infoPlist)
    }
    return bytes
  }
}
