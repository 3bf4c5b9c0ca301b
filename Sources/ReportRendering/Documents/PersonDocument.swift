// What a log has of one person, as a page that the person can read: each event, each journey, and what the names mean.

import PermissionEvents

/// Everything that a log has of one person.
public struct PersonData: Sendable, Equatable {
  public struct Field: Sendable, Equatable {
    public var name: String
    public var value: String

    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
  }

  /// The id that was asked for.
  public var id: String
  /// Ids of the log that differ from it only in case, spaces or the form of a UUID. Their data is not here.
  public var otherSpellings: [String] = []
  /// The ids of the person in the log: the id, and those that are linked with it. Empty if the log has nothing of the person.
  public var ids: [String] = []
  /// Whether the person is erased and kept out; nil if the key of the list of erased users is needed and was not given.
  public var isKeptOut: Bool?
  /// When the erasure was asked for first, in milliseconds since 1970; nil if it was not, or if that was not recorded.
  public var keptOutSince: Milliseconds?
  /// Whether the log then had events of the person; nil if that was not recorded.
  package var hadEvents: Bool?
  /// In the order of their times; absent fields are left out.
  public var events: [[Field]] = []
  /// What permlog makes of the events: one row a permission.
  public var journeys: [[Field]] = []
  /// Which numbers of rows of the person's phones arrived, in the order of their times.
  public var numbers: [[Field]] = []
  /// Ids that came in one session with an id of the person.
  public var sessions: [[String]] = []
  /// Names of files that have an id of the person.
  public var files: [String] = []
  /// Whether the log's list of excluded users has an id of the person: then no answer counts the person.
  public var isExcluded = false

  /// Whether the log names users in several ways (plain ids and hashes, or hashes of several keys): then it may have more of the
  /// person under another name.
  public var isMixed = false

  package init(id: String) { self.id = id }

  /// Whether the log has anything of the person.
  public var isFound: Bool {
    !events.isEmpty || !numbers.isEmpty || !sessions.isEmpty || !files.isEmpty || ids.count > 1 || isExcluded
  }
}

extension PersonData {
  /// What the fields of events and journeys mean.
  public static func meaning(of name: String) -> String { meanings[name] ?? "a field of a later version of permlog" }

  private static let meanings: [String: String] = [
    "event_id": "the name of the event, from the app, or made of its content",
    "user_id": "the id under which the event is stored",
    "timestamp": "when it happened, in UTC",
    "event": "what happened: see the names of events",
    "permission": "the permission of iOS that it is about",
    "status": "what iOS said about the permission",
    "variant": "the message that was shown, if several were compared",
    "experiment": "the comparison of messages",
    "surface": "the screen of the app",
    "feature": "the feature of the app that was used",
    "app_version": "the version of the app",
    "os_version": "the version of iOS",
    "platform": "the kind of device",
    "locale": "the language of the device",
    "country": "the country, as the app recorded it",
    "t0": "when the app first asked for the permission",
    "outcome": "how the asking ended",
    "partial": "whether the permission was given in part",
    "answer_at": "when the answer came",
    "first_prompt_at": "when the dialog of iOS was first shown",
    "enabled_at": "when the permission was given later",
    "revoked_at": "when the permission was taken back",
    "settings_prompt_at": "when the app first suggested to open Settings",
    "settings_opened_at": "when Settings were opened after that",
    "active_days": "days with use of the app in the 28 days after the answer",
    "feature_events": "uses of a feature in these days",
    "retained_1": "whether the app was used a day later",
    "retained_7": "whether the app was used 7 days later",
    "retained_30": "whether the app was used 30 days later",
    "begins_with": "whether the app explained first, or showed the dialog at once",
    "found_on_at": "when the permission was first seen to be given",
    "found_on_partial": "whether it was then given in part",
    "enabled_partial": "whether it was given in part later",
    "upgraded_at": "when a permission that was given in part was given in full",
    "as_of": "the time up to which the row is computed",
    "first_number": "the first of the numbers that the app gave its events, which arrived one after the other",
    "last_number": "the last of them",
    "began": "when the first of them was sent, to the quarter of an hour, in UTC",
  ]

  /// What the names of events mean.
  public static func meaning(of kind: EventKind) -> String {
    switch kind {
    case .explanationShown: "the app explained why it asks"
    case .promptShown: "the dialog of iOS was shown"
    case .granted: "the permission was given"
    case .denied: "the permission was refused"
    case .skipped: "the person chose not to answer then"
    case .settingsPromptShown: "the app suggested to open Settings"
    case .settingsOpened: "Settings were opened from the app"
    case .reEnabled: "the permission was given in Settings"
    case .revoked: "the permission was taken back"
    case .statusChecked: "the app looked up the permission"
    case .featureUsed: "a feature of the app was used"
    case .appActive: "the app was used"
    case .appInstalled: "the app was installed"
    case .assigned: "a message was assigned to the person"
    case .lost: "the app could not keep some events"
    case .pickerUsed: "something was chosen in a picker of iOS, which needs no permission"
    }
  }

  /// The page as text or HTML, in UTF-8.
  package func render(_ form: Document.Form, log: String, _ style: TextStyle) -> [UInt8] {
    let style = style.of(form)
    var document = Document(title: "Data about \(id)")
    document.head = [.words("All that the log \(log) has of this person. Times are in UTC.")]
    if !otherSpellings.isEmpty {
      document.head.append(
        .caution(
          "The log also has \(listed(otherSpellings, most: 20)), which differs only in case, spaces or the form of a UUID. "
            + "Ask for it by that id.", .exclamation))
    }
    if isMixed {
      document.head.append(
        .caution(
          "The log names users in several ways: events of this person under another key, or under the plain id, are not here. "
            + "Ask again with each key, and without one.", .exclamation))
    }
    guard isFound else {
      document.sections = [Section("none", "Nothing found", [.paragraph(absence)])]
      return document.render(form, style)
    }
    document.sections.append(Section("ids", "Ids", [.facts(identity, width: 12)]))
    document.sections.append(
      Section(
        "events", "Events, \(NumberText.count(events.count))",
        events.isEmpty ? [.paragraph("None.")] : [.facts(events.map(Self.line), width: 26)]))
    if !numbers.isEmpty {
      document.sections.append(
        Section(
          "numbers", "Numbers of events that arrived, also of events that are not stored",
          [.facts(numbers.map(Self.numbered), width: 26)]))
    }
    if !journeys.isEmpty {
      document.sections.append(
        Section(
          "journeys", "Computed from them",
          journeys.flatMap { row -> [Block] in
            let shown = row.filter { !["user_id", "permission"].contains($0.name) }
            return [
              .paragraph(row.first { $0.name == "permission" }?.value ?? ""),
              .facts(shown.map { Fact($0.name, $0.value) }, width: 22),
            ]
          }))
    }
    let kinds = EventKind.allCases.filter { kind in events.contains { $0.contains(Field("event", kind.name)) } }
    let names = fieldNames.map { Fact($0, Self.meaning(of: $0)) }
    document.sections.append(
      Section(
        "meaning", "What the names mean",
        [.facts(kinds.map { Fact($0.name, Self.meaning(of: $0)) } + names, width: 24)]))
    return document.render(form, style)
  }

  /// Why there is nothing.
  private var absence: String {
    switch isKeptOut {
    case true?:
      let day = keptOutSince.map { " on " + Timestamp.text($0).prefix(10) } ?? ""
      let request =
        switch hadEvents {
        case true?: "The person was erased\(day)"
        case false?: "An erasure was asked for\(day), when the log had no event either"
        case nil: "An erasure was asked for\(day)"
        }
      return "The log has no event of this person. \(request), and a keyed hash of the id keeps later events out."
    case false?: return "The log has nothing of this person, under this spelling of the id."
    case nil:
      return
        "The log has no event of this person. Whether the person is erased and kept out is not known without the key of the list of "
        + "erased users."
    }
  }

  private var identity: [Fact] {
    var facts = ids.enumerated().map { Fact($0.offset == 0 ? "stored as" : "", $0.element) }
    if ids.count > 1 { facts.append(Fact("linked", "the app said that these ids are one person")) }
    if isExcluded { facts.append(Fact("left out", "no answer of this log counts the person")) }
    facts += sessions.prefix(20).map { Fact("session", "these ids came in one session: " + $0.joined(separator: ", ")) }
    facts += files.prefix(20).map { Fact("file", "the name of a file that was read has the id: \($0)") }
    return facts
  }

  private static func numbered(_ run: [Field]) -> Fact {
    func value(_ name: String) -> String? { run.first { $0.name == name }?.value }
    let rest = ["app_version", "platform"].compactMap { name in value(name).map { "\(name) \($0)" } }
    let numbers = "\(value("first_number") ?? "") to \(value("last_number") ?? "")"
    return Fact(value("began") ?? "", ([numbers] + rest).joined(separator: ", "))
  }

  private static func line(_ event: [Field]) -> Fact {
    func value(_ name: String) -> String { event.first { $0.name == name }?.value ?? "" }
    let rest = event.filter { !["event_id", "user_id", "timestamp", "event", "permission"].contains($0.name) }
      .map { "\($0.name) \($0.value)" }
    let what = [value("event"), value("permission")].filter { !$0.isEmpty }.joined(separator: " ")
    return Fact(value("timestamp"), ([what] + rest + ["event_id " + value("event_id")]).joined(separator: ", "))
  }

  /// The names of all fields here, in the order of their first use.
  public var fieldNames: [String] {
    var seen: Set<String> = []
    return (events + journeys + numbers).joined().map(\.name).filter { seen.insert($0).inserted }
  }
}
