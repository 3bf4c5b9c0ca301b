// The spellings in which a property named `message_variant` turns up.

enum PropertySpelling {
  /// All usual spellings of a name, itself first. A name that is not in lower case with underscores is meant as it stands.
  static func variants(of name: String) -> [String] {
    let isPlain = name.utf8.allSatisfy { ($0 >= 97 && $0 <= 122) || ($0 >= 48 && $0 <= 57) || $0 == 0x5F }
    guard isPlain, !name.isEmpty else { return [name] }
    let words = name.split(separator: "_").map(String.init)
    guard let first = words.first else { return [name] }
    func capital(_ word: String) -> String { word.prefix(1).uppercased() + word.dropFirst() }
    let capitals = words.map(capital)
    var result = [
      name, first + capitals.dropFirst().joined(), capitals.joined(), capitals.joined(separator: " "),
      words.joined(separator: " "), capital(words.joined(separator: " ")), words.joined(separator: "-"),
      name.uppercased(), words.joined(), capitals.joined(separator: "_"),
    ]
    var seen = Set<String>()
    result.removeAll { !seen.insert($0).inserted }
    return result
  }
}
