// The titles of the system's own buttons, as iOS writes them.

import PermissionEvents
import Testing

@testable import EventMapping

@Suite struct ButtonTitleTests {
  private static func said(_ title: String) -> AnswerReading { AnswerReading(Array(title.utf8)) }

  @Test(
    arguments: [
      ("Allow", Traits.yes, nil), ("Don’t Allow", .no, nil), ("Ask App Not to Track", .no, nil),
      ("Allow Once", .yes, .whenInUse), ("Allow While Using App", .yes, .whenInUse),
      ("Allow Full Access", .yes, .fullAccess),
      ("Add Photos Only", .yes, nil), ("Select Photos…", .yes, .limited), ("Limit Access…", .yes, .limited),
      ("Change to Always Allow", .yes, .always), ("OK", .yes, nil), ("Erlauben", .yes, nil),
      ("Nicht erlauben", .no, nil),
      ("Ne pas autoriser", .no, nil), ("Refuser", .no, nil), ("No permitir", .no, nil), ("Non consentire", .no, nil),
      ("Não Permitir", .no, nil), ("許可しない", .no, nil), ("許可", .yes, nil), ("허용 안 함", .no, nil), ("허용", .yes, nil),
      ("不允许", .no, nil), ("允许", .yes, nil), ("不允許", .no, nil), ("Einmal erlauben", .yes, .whenInUse),
      ("App-Tracking ablehnen", .no, nil), ("Appにトラッキングしないように要求", .no, nil),
    ] as [(String, Traits, AuthorizationStatus?)])
  func aTitleIsReadAsIOSWritesIt(title: String, outcome: Traits, status: AuthorizationStatus?) {
    #expect(Self.said(title).said == .outcome(outcome), "\(title)")
    #expect(Self.said(title).status == status, "\(title)")
  }

  @Test func apostrophesDashesAndBlanksMakeNoDifference() {
    for title in [
      "Don’t Allow", "Don't Allow", "Don‘t Allow", "Don´t Allow", "Donʼt Allow", "DON’T ALLOW", "don’t allow",
      "Don&#39;t Allow",
      "Don&rsquo;t Allow", "Don%27t Allow", "Don\\u2019t Allow", "Donâ€™t Allow", "Don’t\u{00A0}Allow",
      "Don’t\u{200B} Allow",
      "Ｄｏｎ’ｔ Ａｌｌｏｗ", "dontAllow", "dont_allow", "DONT-ALLOW", "don t allow", "DontAllow",
    ] {
      #expect(Self.said(title).said == .outcome(.no), "\(title)")
      var telling = TellingProperties()
      telling.results = [Array(title.utf8)]
      let usual = EventReading(name: NormalName("Permission Result Push"), properties: telling)
      #expect(usual.meaning != .event(.granted), "\(title)")
    }
  }

  @Test func aTitleThatIsCutOrMangledIsNeverAYes() {
    // A byte that is no UTF-8, a sign for what could not be read, a word too many, a language without a source.
    for title in [
      "Don\u{FFFD}t Allow", "Don?t Allow", "Dont Allo", "Do Allow Not", "Nie zezwalaj", "Не разрешать", "Allow?",
      "Allow Never",
      "Nicht erlaubt erlauben", "Tillåt inte",
    ] {
      let said = Self.said(title).said
      #expect(said != .outcome(.yes) && said != .outcome(.reEnabled), "\(title): \(said)")
    }
  }

  @Test func toKeepLessIsANoToMoreAlone() {
    var telling = TellingProperties()
    telling.results = [Array("Keep Only While Using".utf8)]
    telling.permission = Array("location_always".utf8)
    #expect(EventReading(name: NormalName("permission_result"), properties: telling).meaning == .event(.denied))
    telling.permission = Array("location".utf8)
    guard case .unknown = EventReading(name: NormalName("permission_result"), properties: telling).meaning else {
      Issue.record("it keeps what there is")
      return
    }
  }

  @Test(arguments: [
    ("PermissionStatus.limited", AuthorizationStatus.limited), ("PERMISSION_GRANTED", .authorized),
    ("UNAuthorizationStatus.denied", .denied), ("authorizedWhenInUse", .whenInUse),
    ("PermissionStatus.permanentlyDenied", .denied),
    ("never_ask_again", .denied), ("unavailable", .restricted), ("undetermined", .notDetermined),
    ("sharingDenied", .denied),
    ("prompt-with-rationale", .notDetermined), ("notDetermined", .notDetermined), ("provisional", .provisional),
    ("blocked", .denied),
  ]) func whatFrameworksReport(value: String, status: AuthorizationStatus) {
    #expect(StatusWords.status(Array(value.utf8)) == status, "\(value)")
  }

  @Test func numbersOfFrameworksAreLeftUnread() {
    for number in ["0", "1", "2", "3", "-1"] { #expect(StatusWords.status(Array(number.utf8)) == nil) }
  }
}
