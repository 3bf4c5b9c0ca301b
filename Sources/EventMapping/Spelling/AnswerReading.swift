// Reads an answer from the value of a property: `Don’t Allow`, `PERMISSION_GRANTED`, `false`. Every word must be known:
// a value is short, and one unknown word may reverse it.

import PermissionEvents

struct AnswerReading: Equatable, Sendable {
  enum Meaning: Equatable, Sendable {
    case outcome(Traits)
    /// It says what happened and no answer: `shown`, `requested`.
    case act(Traits)
    /// It says nothing of an answer: `tap`, an empty word.
    case nothing
    /// The present access stays, and the requested wider one is refused: "Keep Only While Using".
    case keeps
    /// Unknown words without any word about an answer: `California`.
    case foreign
    /// Unknown or contradictory.
    case unclear
  }

  var said: Meaning
  var status: AuthorizationStatus?

  /// Answers that are not words of the lexicon: they have this meaning only as a whole value, not in a name.
  private static let values: [String: AnswerReading] = [
    "default": AnswerReading(said: .outcome(.skip), status: .notDetermined),
    "prompt": AnswerReading(said: .outcome(.skip), status: .notDetermined),
    "prompt_with_rationale": AnswerReading(said: .outcome(.skip), status: .notDetermined),
    // React Native's word for iOS's restricted: the user cannot decide.
    "unavailable": AnswerReading(said: .outcome(.no), status: .restricted),
    "not_available": AnswerReading(said: .outcome(.no), status: .restricted),
    "on": AnswerReading(said: .outcome(.yes)),
    "off": AnswerReading(said: .outcome(.no)),
    "none": AnswerReading(said: .unclear),
    "opt_out": AnswerReading(said: .outcome(.no)),
    "opt_in": AnswerReading(said: .outcome(.yes)),
    "authorized": AnswerReading(said: .outcome(.yes), status: .authorized),
    "authorised": AnswerReading(said: .outcome(.yes), status: .authorized),
    "sharing_authorized": AnswerReading(said: .outcome(.yes), status: .authorized),
    "allowed_always": AnswerReading(said: .outcome(.yes), status: .authorized),
  ]

  /// Words around an answer that say nothing.
  private static let around = wordSet(
    """
    permission permissions status state authorization authorisation result results response ph cl kcl k av att cn ek
    hk cb ios android os app tracking manager package user the button btn tapped tap clicked click pressed press
    selected by was is has been access for notification system native dialog prompt alert rn expo
    """)
}

extension AnswerReading {
  /// - Parameter value: the text as exported.
  init(_ value: some Collection<UInt8>) {
    let name = NormalName(value)
    if name.isDoubtful || Self.isList(value) {
      self.init(said: .unclear)
      return
    }
    if let title = ButtonTitles.reading(value, name) {
      self = title
      return
    }
    let text = Self.core(name.text)
    if let known = Self.values[text] {
      self = known
      return
    }
    self.init(lexemes: Lexicon.shared.lexemes(of: NormalName(text)))
  }

  /// Several answers in one value, `Allow/Don’t Allow`, or one that was cut: `Ask App…`.
  private static func isList(_ value: some Collection<UInt8>) -> Bool {
    let bytes = Array(value)
    if FoldedText.folded(bytes).contains(where: { $0 == 0x2C || $0 == 0x2F || $0 == 0x7C || $0 == 0x3B || $0 == 0x3D })
    {
      return true
    }
    guard bytes.suffix(3).elementsEqual("…".utf8) || bytes.suffix(3).elementsEqual("...".utf8) else { return false }
    return !ButtonTitles.hasEllipsis(NormalName(bytes))
  }

  /// `permission_status_authorized` and `results_unavailable` without the type's name before them.
  private static func core(_ text: String) -> String {
    // `UNAuthorizationStatus` begins as a negation does.
    let text = text.hasPrefix("un_authorization_status_") ? text.dropFirst(3) : text[...]
    var words = text.split(separator: "_")[...]
    while words.count > 1, let first = words.first, around.contains(String(first)), first != "prompt" {
      words = words.dropFirst()
    }
    return words.joined(separator: "_")
  }

  private init(lexemes: [Lexeme]) {
    said = .nothing
    var outcomes: Traits = []
    var acts: Traits = []
    var (answers, booleans, declines) = (0, 0, 0)
    var isUnknown = lexemes.isEmpty
    for lexeme in lexemes {
      if Self.around.contains(lexeme.text) { continue }
      if !lexeme.traits.isDisjoint(with: [.negator, .doubt, .earlier]) || lexeme.text == "from" {
        said = .unclear
        return
      }
      let saysOutcome = !lexeme.traits.isDisjoint(with: .outcomes)
      if saysOutcome {
        // Two words of no may make a yes, and a false beside an answer is of which one?
        if lexeme.traits.contains(.boolean) { booleans += 1 }
        if !lexeme.traits.isDisjoint(with: [.no, .revoked]) { declines += 1 }
        answers += 1
        outcomes.formUnion(lexeme.traits.intersection(.outcomes))
        status = status ?? lexeme.status
      } else if lexeme.traits == .number {
        // 2 is authorized to one framework and denied to another, 0 is granted to Android.
        said = .unclear
        return
      } else if lexeme.isUnknown {
        isUnknown = true
      } else {
        acts.formUnion(
          lexeme.traits.intersection([.shown, .asked, .settingsOpened, .settingsPrompt, .settings, .own, .inSettings]))
      }
    }
    if outcomes.contains(.reEnabled) { outcomes.remove(.yes) }
    if declines > 1 || booleans > 0 && answers > 1 {
      said = .unclear
      return
    }
    if isUnknown {
      said = outcomes.isEmpty ? .foreign : .unclear
    } else if outcomes.isEmpty {
      said = acts.isEmpty ? .nothing : .act(acts)
    } else if let only = Self.single(outcomes) {
      switch acts {
      case []: said = .outcome(only)
      // An answer in the Settings app is a return or a revocation.
      case .inSettings: said = .outcome(only == .yes ? .reEnabled : only == .no ? .revoked : only)
      // A no to the app's own screen is "not now".
      case .own where only == .no || only == .skip: said = .outcome(.skip)
      default: said = .unclear
      }
    } else {
      said = .unclear
    }
  }

  /// The only outcome; nil of none and of several.
  static func single(_ outcomes: Traits) -> Traits? {
    let all: [Traits] = [.yes, .no, .skip, .revoked, .reEnabled]
    let found = all.filter { outcomes.contains($0) }
    return found.count == 1 ? found.first : nil
  }
}

/// Reads an authorization status from a value, in the spellings of platforms and vendors.
package enum StatusWords {
  /// The status that a value means, in any spelling; nil if it is not a status, or ambiguous. Numbers are not: 2 is
  /// authorized for notifications and denied for the camera.
  package static func status(_ value: some Collection<UInt8>) -> AuthorizationStatus? {
    // "OK" is a button's title, and of a status mostly the word of an interface that a call went well.
    if NormalName(value).text == "ok" { return nil }
    let reading = AnswerReading(value)
    guard case .outcome(let said) = reading.said else { return nil }
    if let status = reading.status { return status }
    switch said {
    case .yes: return .authorized
    // Switched off is denied, as far as the system's word goes.
    case .no, .revoked: return .denied
    default: return nil
    }
  }

  package static func contradicts(_ status: AuthorizationStatus, _ kind: EventKind) -> Bool {
    guard EventReading.isAnswer(kind), status != .none else { return false }
    return granting.contains(status) != (kind == .granted || kind == .reEnabled)
  }

  /// Statuses that grant a permission.
  static let granting: Set<AuthorizationStatus> = [
    .authorized, .limited, .provisional, .ephemeral, .writeOnly, .fullAccess, .whenInUse, .always, .reducedAccuracy,
    .allowedOnce, .approvedWithDataAccess,
  ]
}

// MARK: The titles of the buttons on the system's own prompts, as iOS writes them, in the languages that a source was found for:
// English, German, French, Spanish, Italian, Portuguese, Japanese, Korean and Chinese. docs/button-titles.md has each with
// its source. A language that is not here is left unread, never translated.

enum ButtonTitles {
  /// Titles of one meaning, separated by bars.
  private struct TitleRow {
    var said: AnswerReading.Meaning
    var status: AuthorizationStatus?
    /// The only permission with these titles on its prompt; nil if several have them.
    var permission: String?
    var titles: String
  }

  private static let table = [
    TitleRow(
      said: .outcome(.yes),
      titles: """
        Allow | Erlauben | Autoriser | Permitir | Consenti | 許可 | 허용 | 允许 | 允許 | Ja | Aceptar | 승인 | 확인 | 好
        """),
    TitleRow(said: .outcome(.yes), permission: "photo_library_add", titles: "Add Photos Only"),
    TitleRow(
      said: .outcome(.no),
      titles: """
        Don’t Allow | Nein | Nicht erlauben | Ne pas autoriser | Refuser | No permitir | Non consentire | Não Permitir |
        Não permitir | 許可しない | 허용 안 함 | 不允许 | 不允許
        """),
    TitleRow(
      said: .outcome(.no), permission: "tracking",
      titles: """
        Ask App Not to Track | App-Tracking ablehnen |
        Demander à l’app de ne pas me suivre | Pedir a la app que no rastree | Solicitar a la app no rastrear |
        Chiedi all’app di non eseguire il tracciamento | Non tracciarmi | Pedir ao App para Não Rastrear |
        Pedir à aplicação para não seguir | Appにトラッキングしないように要求 | アプリにトラッキングしないように要求 | 앱에 추적 금지 요청 | 要求App不跟踪 | 要求App不要追蹤
        """),
    TitleRow(
      said: .outcome(.yes), status: .whenInUse,
      titles: """
        Allow Once | Einmal erlauben | Autoriser une fois | Permitir una vez | Consenti una volta | Permitir Uma Vez |
        1度だけ許可 | 한 번 허용 | 允许一次 | 允許一次 | Allow While Using App | Beim Verwenden der App erlauben |
        Autoriser lorsque l’app est active | Permitir al usarse la app | Permitir al usar la app |
        Consenti quando utilizzi l’app | Permitir Durante o Uso do App | Appの使用中は許可 | アプリの使用中は許可 | 앱을 사용하는 동안 허용 |
        使用App时允许 | 使用App期間允許 | 使用App時允許 | Only While Using the App | Bei Verwenden der App | Quand l’app est active |
        Lorsque l’app est active | Solo al usarse la app | Sólo al usar la app | Solo mentre utilizzi l’app |
        Apenas Durante Uso do App | Só ao usar a aplicação | このAppの使用中のみ許可 | このアプリの使用中のみ許可 | 앱을 사용하는 동안 | 仅在使用应用期间 |
        只在使用 App 期間 | 只在使用 App 時
        """),
    TitleRow(
      said: .outcome(.yes), status: .always,
      titles: """
        Always Allow | Immer erlauben | Toujours autoriser | Permitir siempre | Consenti sempre | Permitir Sempre |
        Permitir sempre | 常に許可 | 항상 허용 | 始终允许 | 永遠允許 | 總是允許 | Change to Always Allow | In Immer erlauben ändern |
        Passer à Toujours autoriser | Cambiar a Permitir siempre | ”常に許可”に変更 | 常に許可に変更 | 항상 허용으로 변경 | 更改为始终允许 | 改為永遠允許
        """),
    TitleRow(
      said: .outcome(.yes), status: .fullAccess,
      titles: """
        Allow Full Access | Vollen Zugriff erlauben | Autoriser l’accès complet | Permitir acceso total |
        Otorgar acceso completo | Permitir acceso completo | Consenti accesso completo | Permitir Acesso Total |
        Permitir acesso total | フルアクセスを許可 | 전체 접근 허용 | 允许完全访问 | 允許完整取用 | 允許全權取用
        """),
    TitleRow(
      said: .outcome(.yes), status: .authorized,
      titles: """
        Zugriff auf alle Fotos erlauben | Autoriser l’accès à toutes les photos |
        Permitir acceso a todas las fotos | Consenti l’accesso a tutte le foto | Permitir Acesso a Todas as Fotos |
        Permitir acesso a todas as fotografias | すべての写真へのアクセスを許可 | 모든 사진에 대한 접근 허용 | 允许访问所有照片 | 允許取用所有「照片」 | 允許取用全部「相片」
        """),
    TitleRow(
      said: .outcome(.yes), status: .authorized, permission: "photo_library", titles: "Allow access to all Photos"),
    TitleRow(
      said: .outcome(.yes), status: .limited,
      titles: """
        Select Photos… | Fotos wählen … | Kontakte auswählen | Limita accesso | 写真を選択… | 사진 선택 | 选择照片… | Limit Access… | Limiter l’accès… | 접근 제한… | 限制访问…
        """),
    TitleRow(
      said: .outcome(.skip),
      titles: """
        Cancel | Not Now | Abbrechen | Später | Annuler | Plus tard | Pas maintenant | Ahora no | Cancelar | Annulla |
        Non ora | Agora Não | Agora não | キャンセル | 今はしない | 지금 안 함 | 취소 | 以后 | 取消 | 現在不要 | 稍後再說 | 稍後決定
        """),
    TitleRow(said: .keeps, titles: "Keep Only While Using | 사용하는 동안만 유지 | 保持仅使用期间"),
  ]

  private static let byLetters: [String: TitleRow] = {
    var result: [String: TitleRow] = [:]
    for row in table {
      for title in row.titles.split(separator: "|") { result[NormalName(String(title)).letters] = row }
    }
    return result
  }()

  /// Whether iOS itself ends the title with dots.
  static func hasEllipsis(_ name: NormalName) -> Bool { withEllipsis.contains(name.letters) }

  private static let withEllipsis: Set<String> = Set(
    table.flatMap { $0.titles.split(separator: "|") }.filter { $0.contains("…") }.map { NormalName(String($0)).letters }
  )

  /// Whether a title can be of a prompt for this permission.
  static func fits(_ value: [UInt8], _ permission: [UInt8]) -> Bool {
    let letters = NormalName(value).letters
    // The title of an app's own button, which is not an answer by itself.
    let only = letters == "allowtracking" ? "tracking" : byLetters[letters]?.permission
    return only.map { $0.utf8.elementsEqual(permission) } ?? true
  }

  static func reading(_ value: some Collection<UInt8>, _ name: NormalName) -> AnswerReading? {
    // "OK" is the system's button; "ok" says as often that a call went well.
    if value.elementsEqual("OK".utf8) { return AnswerReading(said: .outcome(.yes)) }
    return byLetters[name.letters].map { AnswerReading(said: $0.said, status: $0.status) }
  }
}
