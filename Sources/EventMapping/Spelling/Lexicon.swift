// The words that names and answers of permission events are made of, and what each can say. Whatever is not here is an
// unknown word, and an unknown word beside an answer leaves the event unread: it might turn its meaning.

import PermissionEvents

/// What a word, or a few words joined by underscores, can say.
struct Traits: OptionSet, Hashable, Sendable {
  let rawValue: UInt32

  /// Permission, authorization, access.
  static let marker = Traits(rawValue: 1 << 0)
  static let yes = Traits(rawValue: 1 << 1)
  static let no = Traits(rawValue: 1 << 2)
  static let skip = Traits(rawValue: 1 << 3)
  static let revoked = Traits(rawValue: 1 << 4)
  static let reEnabled = Traits(rawValue: 1 << 5)
  /// In the present: `allow`. Before what is asked for it calls to do so, after that it is the answer.
  static let call = Traits(rawValue: 1 << 6)
  /// The app's own screen.
  static let own = Traits(rawValue: 1 << 7)
  /// A screen that asks, taken for the system's.
  static let prompt = Traits(rawValue: 1 << 8)
  /// The same, but beside a marker only.
  static let weakPrompt = Traits(rawValue: 1 << 9)
  /// A page of the app: after the permission it is the app's own screen, before it a place.
  static let page = Traits(rawValue: 1 << 10)
  /// The system's, in so many words.
  static let system = Traits(rawValue: 1 << 11)
  static let shown = Traits(rawValue: 1 << 12)
  static let asked = Traits(rawValue: 1 << 13)
  static let tapped = Traits(rawValue: 1 << 14)
  /// Result, response: what tells an answer from a look at the state.
  static let answer = Traits(rawValue: 1 << 15)
  static let settings = Traits(rawValue: 1 << 16)
  static let settingsPrompt = Traits(rawValue: 1 << 17)
  static let settingsOpened = Traits(rawValue: 1 << 18)
  /// The answer was given in the Settings app.
  static let inSettings = Traits(rawValue: 1 << 19)
  /// Turns what is beside it, or says that it did not come to pass.
  static let negator = Traits(rawValue: 1 << 20)
  /// It was so before.
  static let earlier = Traits(rawValue: 1 << 21)
  /// It may come, it was tried, it is something else.
  static let doubt = Traits(rawValue: 1 << 22)
  /// Says nothing, wherever it is.
  static let filler = Traits(rawValue: 1 << 23)
  /// A place in the app or a word of bookkeeping: says nothing beside a marker.
  static let neutral = Traits(rawValue: 1 << 24)
  /// An outcome that needs no marker: `camera_denied`.
  static let plain = Traits(rawValue: 1 << 25)
  /// The same, of permissions that are no switch of the app's own.
  static let switched = Traits(rawValue: 1 << 26)
  static let number = Traits(rawValue: 1 << 27)
  /// The word of a button that the app's own screens have as well: `allow`, unlike `grant`.
  static let button = Traits(rawValue: 1 << 28)
  /// Before what is asked for it negates (`no_permission`), after that it answers.
  static let determiner = Traits(rawValue: 1 << 29)
  /// A page that lies over others: the app's own screen wherever its word is.
  static let overlay = Traits(rawValue: 1 << 31)
  /// True or false: with another answer beside it nobody knows of which of the two it speaks.
  static let boolean = Traits(rawValue: 1 << 30)

  static let outcomes: Traits = [.yes, .no, .skip, .revoked, .reEnabled]
}

/// A word, or a few that belong together, as it was found.
struct Lexeme: Sendable {
  var traits: Traits
  /// By its name in the taxonomy.
  var permission: String?
  /// The word is a permission's beside a marker alone, and with nothing before it that may make another thing of it.
  var isFragile = false
  var status: AuthorizationStatus?
  var text: String

  /// Nothing is known of it.
  var isUnknown: Bool { traits.isEmpty && permission == nil && status == nil }
}

/// The words of a text, parted by blanks: how tables of words are written down.
package func wordList(_ text: String) -> [String] { text.split(whereSeparator: \.isWhitespace).map(String.init) }
package func wordSet(_ text: String) -> Set<String> { Set(wordList(text)) }

struct Lexicon: Sendable {
  private var entries: [String: Lexeme] = [:]
  /// The words of all entries that say what happened.
  private var tellingWords: Set<String> = []
  /// Words of the longest entry.
  private var longest = 1

  static let shared: Lexicon = {
    var lexicon = Lexicon()
    lexicon.addAnswers()
    lexicon.addScreens()
    lexicon.addTurns()
    lexicon.addPermissions()
    lexicon.addPlaces()
    return lexicon
  }()

  /// Adds entries, parted by blanks; what an entry says is added to what it said before.
  mutating func add(_ texts: String, _ traits: Traits, status: AuthorizationStatus? = nil) {
    for key in wordList(texts) {
      var lexeme = entries[key] ?? Lexeme(traits: [], text: key)
      lexeme.traits.formUnion(traits)
      lexeme.status = status ?? lexeme.status
      set(key, lexeme)
    }
  }

  mutating func add(permission: String, _ key: String, _ isFragile: Bool) {
    var lexeme = entries[key] ?? Lexeme(traits: [], text: key)
    lexeme.permission = permission
    lexeme.isFragile = isFragile
    set(key, lexeme)
  }

  private mutating func set(_ key: String, _ lexeme: Lexeme) {
    entries[key] = lexeme
    let words = key.split(separator: "_").map(String.init)
    longest = max(longest, words.count)
    if !lexeme.traits.isDisjoint(with: [.outcomes, .shown, .asked, .tapped]) { tellingWords.formUnion(words) }
  }

  /// The entry of a text; nil if there is none.
  subscript(_ text: String) -> Lexeme? { entries[text] }

  /// All entries, for tests that go through them.
  var all: [Lexeme] { entries.values.sorted { $0.text < $1.text } }

  /// The lexemes of a name: at each place the longest entry, else an unknown word.
  func lexemes(of name: NormalName) -> [Lexeme] {
    let words = name.words
    var result: [Lexeme] = []
    var i = 0
    while i < words.count {
      var count = min(longest, words.count - i)
      while count > 1, entries[words[i..<i + count].joined(separator: "_")] == nil { count -= 1 }
      let text = words[i..<i + count].joined(separator: "_")
      if let known = entries[text] {
        result.append(known)
      } else if text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) {
        result.append(Lexeme(traits: .number, text: text))
      } else {
        result.append(Lexeme(traits: mayTurn(text) ? .negator : [], text: text))
      }
      i += count
    }
    return result
  }

  private static let prefixes = ["un", "dis", "non", "in", "im", "ir", "il", "mis", "de", "anti", "re", "not", "no"]

  /// An unknown word that is made of one that is known and a prefix that turns it (`ungranted`), or that is not in plain
  /// Latin letters and so of a language that nobody here reads.
  private func mayTurn(_ word: String) -> Bool {
    if word.utf8.contains(where: { $0 >= 0x80 }) { return true }
    return Self.prefixes.contains { prefix in
      word.hasPrefix(prefix) && tellingWords.contains(String(word.dropFirst(prefix.count)))
    }
  }
}
