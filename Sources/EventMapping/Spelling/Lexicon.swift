// The words in names and answers of permission events, and their possible meanings. Any other word is unknown, and an
// event with an unknown word beside an answer is not read: the word might reverse its meaning.

import PermissionEvents

/// The possible meanings of a word, or of a few words joined by underscores.
struct Traits: OptionSet, Hashable, Sendable {
  let rawValue: UInt32

  /// Permission, authorization, access.
  static let marker = Traits(rawValue: 1 << 0)
  static let yes = Traits(rawValue: 1 << 1)
  static let no = Traits(rawValue: 1 << 2)
  static let skip = Traits(rawValue: 1 << 3)
  static let revoked = Traits(rawValue: 1 << 4)
  static let reEnabled = Traits(rawValue: 1 << 5)
  /// In the present: `allow`. Before the permission it is a call to act, after it the answer.
  static let call = Traits(rawValue: 1 << 6)
  /// The app's own screen.
  static let own = Traits(rawValue: 1 << 7)
  /// A screen that asks, read as the system's.
  static let prompt = Traits(rawValue: 1 << 8)
  /// The same, but beside a marker only.
  static let weakPrompt = Traits(rawValue: 1 << 9)
  /// A page of the app: after the permission it is the app's own screen, before it a location in the app.
  static let page = Traits(rawValue: 1 << 10)
  /// Explicitly the system's.
  static let system = Traits(rawValue: 1 << 11)
  static let shown = Traits(rawValue: 1 << 12)
  static let asked = Traits(rawValue: 1 << 13)
  static let tapped = Traits(rawValue: 1 << 14)
  /// Result, response: distinguishes an answer from a status check.
  static let answer = Traits(rawValue: 1 << 15)
  static let settings = Traits(rawValue: 1 << 16)
  static let settingsPrompt = Traits(rawValue: 1 << 17)
  static let settingsOpened = Traits(rawValue: 1 << 18)
  /// The answer was given in the Settings app.
  static let inSettings = Traits(rawValue: 1 << 19)
  /// Reverses its neighbours, or means that it did not happen.
  static let negator = Traits(rawValue: 1 << 20)
  /// It was so before.
  static let earlier = Traits(rawValue: 1 << 21)
  /// It may come, it was tried, it is something else.
  static let doubt = Traits(rawValue: 1 << 22)
  /// Says nothing, wherever it is.
  static let filler = Traits(rawValue: 1 << 23)
  /// A location in the app or a word of bookkeeping: no meaning beside a marker.
  static let neutral = Traits(rawValue: 1 << 24)
  /// An outcome that needs no marker: `camera_denied`.
  static let plain = Traits(rawValue: 1 << 25)
  /// The same, for permissions that are not a switch of the app's own.
  static let switched = Traits(rawValue: 1 << 26)
  static let number = Traits(rawValue: 1 << 27)
  /// The word of a button that the app's own screens have as well: `allow`, unlike `grant`.
  static let button = Traits(rawValue: 1 << 28)
  /// Before the permission it negates (`no_permission`), after it it is an answer.
  static let determiner = Traits(rawValue: 1 << 29)
  /// A page on top of others: the app's own screen at any position of its word.
  static let overlay = Traits(rawValue: 1 << 31)
  /// `true` or `false`. Ambiguous next to another answer.
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

  var isUnknown: Bool { traits.isEmpty && permission == nil && status == nil }
}

/// The words of a text, separated by spaces, as tables of words are written.
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

  /// Adds entries, separated by spaces. New meanings are added to those of existing entries.
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

  subscript(_ text: String) -> Lexeme? { entries[text] }

  /// All entries, for tests that go through them.
  var all: [Lexeme] { entries.values.sorted { $0.text < $1.text } }

  /// The lexemes of a name: at each position the longest entry, else an unknown word.
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

  /// Whether an unknown word may reverse the meaning: it is a known word with a negating prefix (`ungranted`), or is
  /// not in plain Latin letters, so that its language is not supported.
  private func mayTurn(_ word: String) -> Bool {
    if word.utf8.contains(where: { $0 >= 0x80 }) { return true }
    return Self.prefixes.contains { prefix in
      word.hasPrefix(prefix) && tellingWords.contains(String(word.dropFirst(prefix.count)))
    }
  }

  // MARK: The words of keys: words that name an answer, and words that mean a value of something else, or from before the event

  /// Nouns with an answer as their value: `dialog_result`, `user_choice`.
  static let answerKeys = wordSet(
    """
    result results response responded answer answered outcome decision decided choice selection selected action reply verdict
    """)
  static let statusKeys = wordSet("status state auth authorization authorisation")
  /// Switches: beside a permission's word they are a state that an app sends with every event.
  static let switchKeys = wordSet(
    """
    enabled enable enables disabled subscribed unsubscribed opted_in opted_out turned_on turned_off re_enabled reenabled
    activate deactivated switch_on switched_off not_enabled opt_out optout
    """)
  /// Words that do not change the meaning of an answer's word.
  static let aroundKeys = wordSet(
    """
    is was has been the a of to for by user users final new current currently now event app ios i_os android os system native
    sys device sdk value text name label code title type kind string raw native rn expo un av ph cl att actual given got set
    returned received last_step step screen page view my your our their his her update updated change changed prompt dialog
    request requested web api apple google mobile iphone ipad property properties prop props param params data payload key
    """)
  /// Words for the state before the event, or without an event.
  static let keysOfBefore = wordSet(
    """
    previous previously prev prior old before initial initially last first was_already already earlier existing formerly had
    original past from default expected assumed planned cached stored saved still since ever once never predicted
    """)
  /// Words for something that a key measures or names instead of the answer.
  static let measures = wordSet(
    """
    count counts number num total totals times time at on_date date datetime timestamp ts duration ms millis seconds sec secs
    minutes hours days day index position idx length size rate ratio score percent percentage version url uri link id ids uuid
    hash token reason reasons via source message error errors description method list options option eligible can could
    should would may will again attempts attempt retries limit max min age level language locale color colour format lat lng
    latitude longitude accuracy icon image sound
    """)
  /// Subjects that have answers and states of their own.
  static let otherSubjects = wordSet(
    """
    email emails e_mail mail sms whatsapp telegram slack discord newsletter marketing promo promotional promotions gdpr ccpa
    cookie cookies consent terms privacy policy tos eula payment payments purchase purchases order orders billing subscription
    subscriptions trial plan premium membership account login logged logged_in sign_in signin signup sign_up registration session
    network connection connectivity wifi internet cellular vpn proxy app_state application lifecycle sync upload download
    import export battery call calls video audio game match level quiz survey poll test tests experiment variant ab coupon
    discount refund ticket ride trip booking flight hotel loan credit credits coin coins points reward rewards card
    transaction transfer ad ads advertising invite invitation invitations friend friends kyc verification verified identity
    delivery shipping cart checkout order_status profile onboarding tutorial feature flag http response_code server
    request_id storage in_app inapp marital employment united us country region city address health_status feed job task
    """)

  /// Objects that go with every row and say how things were before the event, by the words of their key.
  static let stateObjects = wordSet(
    """
    user_properties user_property userproperties user_props super_properties super_props superproperties person_properties
    person_props profile_properties profile_props user_traits user_attributes user_attribute user_data user_info traits trait
    context contexts derived_contexts set set_once group_properties group_props groups group device_properties
    device_info global_properties global_context common_properties default_properties app_info device geo
    initial_properties initial_user_properties user_state permission_states permissions_state permission_snapshot person_set
    """)
  /// The same, if they are objects: `user_choice` is an answer.
  static let stateObjectsAlone = wordSet(
    """
    user person profile settings preferences session app library os screen_info permissions consent flags
    integrations metadata headers
    """)
  /// Columns with parts of an address, beside which `state` is one too.
  static let addresses = wordSet("city zip zip_code zipcode postal_code postalcode postcode county dma")

  /// Objects and prefixes that hold what an app says of the event.
  static let propertyObjects = wordSet(
    """
    event_properties event_property properties props prop event_props event_params event_parameters params parameters param
    custom_attributes event_attributes event_data attributes payload data details custom custom_properties customs
    event_custom extra extras values body
    """)
}
