// Names of files that carry a number: a word and sixteen hexadecimal digits in lower case.

/// What a manifest keeps of a file whose name is a word and the file's id.
protocol NumberedFile {
  static var word: String { get }
  var id: UInt64 { get }
}

extension NumberedFile {
  static func name(_ id: UInt64) -> String { word + "-" + FileName.digits(id) }

  /// The id in a file's name; nil if it is not a name with this word.
  static func id(name: String) -> UInt64? {
    guard name.hasPrefix(word + "-") else { return nil }
    let digits = name.utf8.dropFirst(word.utf8.count + 1)
    guard digits.count == 16,
      digits.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { return nil }
    return UInt64(Substring(digits), radix: 16)
  }
}

enum FileName {
  /// The directory that a path's name is in.
  static func directory(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: 0x2F) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Sixteen hexadecimal digits.
  static func digits(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
