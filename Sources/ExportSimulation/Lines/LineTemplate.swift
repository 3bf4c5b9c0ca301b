// An export's lines by a template: text with fields in angle brackets, taken apart once and filled in for each event.
//
//   <kind>                       a field of `LineField`; nothing if the event has none
//   <time>  <received-240+skew>  a time as text: when it happened or was received, milliseconds later or earlier, and by how
//                                much the device's clock is ahead
//   <ms time>                    the same as milliseconds since 1970
//   <if status>…<else>…<end>     only if the event has the field; `else` may be left out

import Buffers
import PermissionEvents

enum LineField: String {
  // Ids, as UUIDs unless the name has another form.
  case event, eventLower = "event lower"
  case user, userLower = "user lower", userDigits = "user digits"
  /// A row's own id: a copy of the event has another.
  case row
  case person, device, session, network
  /// The account's id, an opaque short name; there is one after the login.
  case account
  case number
  // The event's number among the user's events: from 1, and in bundles of eight.
  case serial, bundle, bundlePlace = "bundle place"
  // What happened.
  case name, kind, permission, status, letter, experiment, surface, feature, date
  /// `granted` or `denied`, of an answer.
  case result
  /// There if the permission was turned on in Settings.
  case settings
  case installed
  /// There if the user was given a variant. Such an event has an experiment and its letter, and no permission.
  case assigned
  case app, os
  // Of the user's country.
  case code, country, language, locale, localeDashed = "locale dashed", localeSmall = "locale small", zone, seconds

  var mayBeAbsent: Bool {
    switch self {
    case .account, .permission, .status, .letter, .experiment, .surface, .feature, .result, .settings, .installed,
      .assigned:
      true
    default: false
    }
  }
}

final class LineTemplate {
  enum Step: BitwiseCopyable {
    case text(PaddedBytes)
    case field(LineField)
    case time(isReceived: Bool, offset: Int, isSkewed: Bool, isNumber: Bool)
    /// Goes on at a step unless the event has the field.
    case unless(LineField, to: Int)
    case jump(to: Int)
  }

  @exclusivity(unchecked) private var steps = Buffer<Step>()
  @exclusivity(unchecked) private var texts: PaddedBuffer
  private let words: LineWords

  init(_ text: String, _ words: LineWords) {
    self.words = words
    texts = PaddedBuffer(capacity: text.utf8.count)
    // The `if` and `else` steps without an end so far.
    var open: [Int] = []
    func close(at target: Int) {
      guard let step = open.popLast() else { return }
      if case .unless(let field, _) = steps[step] { steps[step] = .unless(field, to: target) }
      if case .jump = steps[step] { steps[step] = .jump(to: target) }
    }
    for (i, part) in text.utf8.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false).enumerated() {
      let pieces = part.split(separator: UInt8(ascii: ">"), maxSplits: 1, omittingEmptySubsequences: false)
      if i > 0, let first = pieces.first {
        let name = String(bounded: first)
        switch name {
        case "end": close(at: steps.count)
        case "else":
          close(at: steps.count + 1)
          open.append(steps.count)
          steps.append(.jump(to: 0))
        case _ where name.hasPrefix("if "):
          open.append(steps.count)
          steps.append(.unless(Self.field(String(name.dropFirst(3))), to: 0))
        default: append(Self.time(name) ?? .field(Self.field(name)), inside: open)
        }
      }
      if let literal = pieces.last, !literal.isEmpty {
        texts.append(literal)
        steps.append(.text(texts[texts.count - literal.count..<texts.count]))
      }
    }
    precondition(open.isEmpty, "an if without an end")
  }

  /// Appends a step; one for a field that an event may not have asks first, unless an `if` around it has.
  private func append(_ step: Step, inside open: [Int]) {
    if case .field(let field) = step, field.mayBeAbsent {
      let isKnown = open.contains { if case .unless(let asked, _) = steps[$0] { asked == field } else { false } }
      if !isKnown { steps.append(.unless(field, to: steps.count + 2)) }
    }
    steps.append(step)
  }

  private static func field(_ name: String) -> LineField {
    guard let field = LineField(rawValue: name) else { preconditionFailure("no field \(name)") }
    return field
  }

  /// A time field; nil for any other.
  private static func time(_ name: String) -> Step? {
    let isNumber = name.hasPrefix("ms ")
    var rest = name.dropFirst(isNumber ? 3 : 0)
    let isReceived = rest.hasPrefix("received")
    guard isReceived || rest.hasPrefix("time") else { return nil }
    let isSkewed = rest.hasSuffix("+skew")
    rest = rest.dropFirst(isReceived ? 8 : 4).dropLast(isSkewed ? 5 : 0)
    return .time(isReceived: isReceived, offset: Int(rest) ?? 0, isSkewed: isSkewed, isNumber: isNumber)
  }

  func write(_ event: SimulatedEvent, _ user: SimulatedUser, into out: inout LineBuffer) {
    let (steps, count) = (steps.unsafeAddress, steps.count)
    var i = 0
    while i < count {
      switch steps[i] {
      case .text(let text): out.text(text)
      case .field(let field): write(field, event, user, into: &out)
      case .time(let isReceived, let offset, let isSkewed, let isNumber):
        let time = (isReceived ? event.received : event.time) + Int64(offset) + (isSkewed ? user.clockSkew : 0)
        if isNumber { out.decimal(time) } else { out.time(time, words.dates, mark: words.timeMark) }
      case .unless(let field, let target):
        if !has(field, event, user) {
          i = target
          continue
        }
      case .jump(let target):
        i = target
        continue
      }
      i += 1
    }
  }

  @inline(__always)
  private func has(_ field: LineField, _ event: SimulatedEvent, _ user: SimulatedUser) -> Bool {
    switch field {
    case .account: user.hasLoggedIn(event)
    case .permission: event.permission != SimulatedEvent.absent && event.kind != .assigned
    case .status: event.status != .none
    case .letter, .experiment: event.message != .none
    case .surface: event.surface != SimulatedEvent.absent
    case .feature: event.feature != SimulatedEvent.absent
    case .result: event.kind == .granted || event.kind == .reEnabled || event.kind == .denied
    case .settings: event.kind == .reEnabled
    case .installed: event.kind == .appInstalled
    case .assigned: event.kind == .assigned
    default: true
    }
  }

  @inline(__always)
  private func write(
    _ field: LineField, _ event: SimulatedEvent, _ user: SimulatedUser, into out: inout LineBuffer
  ) {
    switch field {
    case .event: out.uuid(user.eventID(event.serial), uppercase: true)
    case .eventLower: out.uuid(user.eventID(event.serial))
    case .user: out.uuid((user.idHigh, user.idLow), uppercase: true)
    case .userLower: out.uuid((user.idHigh, user.idLow))
    case .userDigits:
      out.hexadecimal(user.idHigh, bytes: 8, uppercase: true)
      out.hexadecimal(user.idLow, bytes: 8, uppercase: true)
    case .row:
      let id = user.eventID(event.serial)
      out.uuid((id.low ^ UInt64(truncatingIfNeeded: event.received), id.high))
    case .person: out.uuid((user.idLow, user.key))
    case .device: out.uuid((user.key, user.idLow), uppercase: true)
    case .session: out.uuid((user.idLow, user.idHigh))
    case .network: out.uuid((user.key, user.idHigh))
    case .account:
      out.byte(UInt8(ascii: "u"))
      out.byte(UInt8(ascii: "_"))
      out.hexadecimal(user.key, bytes: 4)
    case .number: out.decimal(Int64(user.key >> 24))
    case .serial: out.decimal(Int64(event.serial) + 1)
    case .bundle: out.decimal(Int64(event.serial >> 3) + 1)
    case .bundlePlace: out.decimal(Int64(event.serial & 7))
    case .name: out.text(words.names[Int(event.kind.rawValue)])
    case .kind: out.text(words.kinds[Int(event.kind.rawValue)])
    case .permission: out.text(words.permissions[Int(event.permission)])
    case .status: out.text(words.statuses[Int(event.status.rawValue)])
    case .letter: out.byte(event.message == .b ? UInt8(ascii: "B") : UInt8(ascii: "A"))
    case .experiment:
      out.text(
        event.kind == .settingsPromptShown
          ? words.settingsExperiments[Int(event.permission)] : words.experiments[Int(event.permission)])
    case .surface: out.text(words.surfaces[Int(event.surface)])
    case .feature: out.text(words.features[Int(event.feature)])
    case .date: out.date(event.time, words.dates)
    case .result: out.text(words.kinds[Int((event.kind == .denied ? EventKind.denied : .granted).rawValue)])
    case .settings: out.text(words.settings[0])
    case .installed, .assigned: out.text(words.kinds[Int(event.kind.rawValue)])
    case .app: out.text(words.appVersions[Int(event.appVersion)])
    case .os: out.text(words.osVersions[Int(event.osVersion)])
    case .code: out.text(words.codes[user.country])
    case .country: out.text(words.countries[user.country])
    case .language: out.text(words.languages[user.country])
    case .locale: out.text(words.locales[user.country])
    case .localeDashed: out.text(words.localesDashed[user.country])
    case .localeSmall: out.text(words.localesSmall[user.country])
    case .zone: out.text(words.zones[user.country])
    case .seconds: out.text(words.seconds[user.country])
    }
  }
}

/// Words by the indexes that events and users carry.
final class LineWords {
  let dates: DateTexts
  /// Between a date and a time of day.
  let timeMark: UInt8
  let names: LineTexts
  let kinds = LineTexts(EventKind.names)
  let statuses = LineTexts(AuthorizationStatus.names)
  let permissions: LineTexts
  let experiments: LineTexts
  let settingsExperiments: LineTexts
  let surfaces: LineTexts
  let settings = LineTexts(["settings"])
  let features = LineTexts(AppVocabulary.features)
  let appVersions: LineTexts
  let osVersions = LineTexts(AppVocabulary.osVersions)
  // By country.
  let codes = LineTexts(AppVocabulary.countries.map(\.code))
  let countries = LineTexts(AppVocabulary.countries.map(\.name))
  let languages = LineTexts(AppVocabulary.countries.map(\.language))
  let locales = LineTexts(AppVocabulary.countries.map(\.locale))
  let localesDashed = LineTexts(AppVocabulary.countries.map(\.localeDashed))
  let localesSmall = LineTexts(AppVocabulary.countries.map { $0.localeDashed.lowercased() })
  let zones = LineTexts(AppVocabulary.countries.map(\.zone))
  let seconds = LineTexts(AppVocabulary.countries.map { String($0.hours * 3600) })

  init(_ options: SimulationOptions, _ format: SimulatedFormat) {
    dates = DateTexts(options)
    timeMark = UInt8(ascii: format == .amplitude || format == .snowplow ? " " : "T")
    names = LineTexts(format.eventNames)
    let population = options.population
    permissions = LineTexts(population.permissions)
    experiments = LineTexts(population.experiments)
    settingsExperiments = LineTexts(PermissionModel.all.map(\.settingsExperiment))
    surfaces = LineTexts(population.surfaces)
    appVersions = LineTexts(population.appVersions(days: options.days))
  }
}

extension AppVocabulary.Country {
  fileprivate var localeDashed: String { String(locale.map { $0 == "_" ? "-" : $0 }) }
}
