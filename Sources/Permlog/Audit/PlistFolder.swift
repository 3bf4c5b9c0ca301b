// What lies beside an Info.plist: folders of languages, and tables of translations.

import EventLog
import PermissionAnalysis

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The folder of an Info.plist.
struct PlistFolder {
  let path: String
  /// Names of tables of translations, the usual one first. Two targets in one folder have tables with their names before, as
  /// `Share-Info.plist` and `Share-InfoPlist.strings`.
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

  /// A folder of one language, with its tables.
  struct Language {
    /// Like `de` or `pt-BR`; `Base` for texts of no language.
    let name: String
    let tables: [String]
  }

  /// Folders like `de.lproj` that hold anything, here and in `Resources`, in order.
  func languages() throws(PermlogError) -> [Language] {
    var found: [Language] = []
    for folder in [path, path + "/Resources"] {
      for name in try Self.names(in: folder) where name.hasSuffix(".lproj") {
        let place = folder + "/" + name
        let inside = try Self.names(in: place)
        let language = Self.language(String(name.dropLast(6)))
        // `mul` holds catalogs of all languages.
        if inside.isEmpty || language == "mul" { continue }
        found.append(
          Language(
            name: language,
            tables: tables.map { $0 + ".strings" }.filter(inside.contains).map { place + "/" + $0 }))
      }
    }
    return found
  }

  /// Paths of string catalogs.
  func catalogs() throws(PermlogError) -> [String] {
    var found: [String] = []
    for folder in [path, path + "/Resources"] {
      let names = try Self.names(in: folder)
      found += tables.map { $0 + ".xcstrings" }.filter(names.contains).map { folder + "/" + $0 }
    }
    return found
  }

  /// Names in a folder, in order; none if it is no folder.
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
