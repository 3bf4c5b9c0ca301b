// The lines of an app's files on which its keys are, so that an editor can show them.

import PermissionAnalysis

extension AppPurposes {
  /// Adds to each sentence the line of its key, as far as its file is text.
  mutating func findLines() {
    var lines: [String: KeyLines] = [:]
    func line(_ key: String, _ file: String) -> Int? {
      if lines[file] == nil { lines[file] = KeyLines(file) }
      return lines[file]?.line(key)
    }
    for (key, sentence) in sentences { sentences[key]?.line = line(key, sentence.file) }
    for index in translations.indices {
      for (key, sentence) in translations[index].sentences {
        translations[index].sentences[key]?.line = line(key, sentence.file)
      }
    }
  }
}

/// The first line of each key in one file.
private struct KeyLines {
  private var byKey: [String: Int] = [:]

  private static let end = Array("UsageDescription".utf8)
  private static let longestKey = 128

  /// Of a file that cannot be read, or is not text, no line is known.
  init(_ path: String) {
    let bytes = try? SmallFile.read(
      path, limit: PropertyListFile.mostBytesOfProject, argument: .infoPlist, isRegular: true)
    guard let bytes, !bytes.starts(with: "bplist".utf8) else { return }
    var line = 1
    var matched = 0
    for (index, byte) in bytes.enumerated() {
      if byte == 0x0A { line += 1 }
      // No part of the end begins like the whole, but for its first letter.
      matched = byte == Self.end[matched] ? matched + 1 : byte == Self.end[0] ? 1 : 0
      guard matched == Self.end.count else { continue }
      matched = 0
      let start = bytes[...index].suffix(Self.longestKey).lastIndex { !Self.isLetter($0) }
      let key = String(bounded: bytes[((start ?? max(-1, index - Self.longestKey)) + 1)...index])
      // In build settings it is `INFOPLIST_KEY_` and the key.
      if byKey[key] == nil { byKey[key] = line }
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }

  func line(_ key: String) -> Int? { byKey[key] }
}
