// The presets: a mapping for each vendor, as a text to read and to change. They are read by the same code as a user's own files.
//
// A vendor's text (Sources/CVendors/vendors) is two documents of YAML: the vendor's name with the way to recognise its
// tables, and the mapping. Only the mapping is shown.

import CVendors
import PermissionEvents
import Threads

package enum Presets {
  /// In the order in which they are tried for a file.
  package static let names: [String] = (0..<cv_count()).map { String(cString: cv_vendor($0).name) }

  /// A vendor's text, which is part of the program; nil for an unknown name.
  private static func bytes(_ name: String) -> UnsafeBufferPointer<UInt8>? {
    guard let vendor = names.firstIndex(of: name).map({ cv_vendor($0) }) else { return nil }
    return UnsafeBufferPointer(start: vendor.text, count: vendor.length)
  }

  private static func documents(_ name: String) -> (card: [UInt8], mapping: [UInt8])? {
    guard let text = bytes(name) else { return nil }
    let mark = Array("\n---\n".utf8)
    let end = text.indices.first { text[$0...].starts(with: mark) } ?? text.endIndex
    return (Array(text[..<end]), Array(text[end...].dropFirst(mark.count)))
  }

  // MARK: What the vendors are called

  /// The vendor's name in sentences, which is the first line of its text; nil for an unknown name.
  package static func title(_ name: String) -> String? {
    bytes(name).map { title(of: $0) }
  }

  private static func title(of text: UnsafeBufferPointer<UInt8>) -> String {
    String(bounded: text.prefix { $0 != 0x0A }.dropFirst("title: ".utf8.count))
  }

  /// Whether it is another form of a vendor's events, whose title has the vendor once: its second line says of which.
  package static func isOtherForm(_ name: String) -> Bool { bytes(name).map { isOtherForm($0) } ?? false }

  private static func isOtherForm(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let end = text.firstIndex(of: 0x0A), end + 3 < text.count else { return false }
    return text[end + 1] == 0x6F && text[end + 2] == 0x66 && text[end + 3] == 0x3A
  }

  /// All vendors, as an enumeration in a sentence. The help of a command has it, so that each start pays for it.
  package static var titles: String {
    var all: [String] = []
    for index in 0..<cv_count() {
      let vendor = cv_vendor(index)
      let text = UnsafeBufferPointer(start: vendor.text, count: vendor.length)
      if !isOtherForm(text) { all.append(title(of: text)) }
    }
    return all.dropLast().joined(separator: ", ") + " and " + (all.last ?? "")
  }

  // MARK: Mappings

  /// The YAML of a preset; nil for an unknown name.
  /// - Parameter words: for options that are given with an import.
  package static func text(_ name: String, saying words: RemedyWords = { $0.advice }) -> String? {
    documents(name).map {
      String(bounded: $0.mapping).replacing("{{project zone}}", with: words(.nameProjectZone))
    }
  }

  private static let read = Mutex<[String: Mapping]>([:])

  package static func mapping(_ name: String) throws(MappingError) -> Mapping? {
    if let known = read.withLock({ $0[name] }) { return known }
    guard let text = documents(name)?.mapping else { return nil }
    let mapping = try Mapping(yaml: text, name: name)
    read.withLock { $0[name] = mapping }
    return mapping
  }

  // MARK: Tables of a vendor's events, flattened by whoever keeps them

  /// How a vendor's table is recognised, by the letters of its columns' names.
  package struct Table: Sendable {
    package let preset: String
    /// All of these must be present, and one of the others.
    let all: [String]
    let one: [String]
    /// The column of the install, if its name does not say that it is one.
    package let install: String?

    /// - Returns: nil if tables of the vendor are not recognised, or the vendor is unknown.
    package init?(_ preset: String) throws(MappingError) {
      guard let card = documents(preset)?.card else { return nil }
      var reader = try YAMLReader(try YAMLDocument.parse(card, name: preset), name: preset, what: "a vendor")
      _ = try reader.text("title")
      _ = try reader.text("of")
      let node = reader.take("table")
      try reader.finish("a vendor")
      guard let node else { return nil }
      var table = try YAMLReader(node, name: preset, what: "table")
      self.preset = preset
      all = try table.texts("all")
      one = try table.texts("one")
      install = try table.text("install")
      try table.finish("table")
    }

    func fits(_ names: Set<String>) -> Bool {
      !all.isEmpty && names.isSuperset(of: all) && (one.isEmpty || !names.isDisjoint(with: one))
    }
  }

  /// The vendor with these columns: of several the one with the most required columns; nil if no vendor matches.
  package static func table(_ columns: Set<String>) -> Table? {
    names.compactMap { try? Table($0) }.filter { $0.fits(columns) }.max { $0.all.count < $1.all.count }
  }
}
