// The words that generated lines use, and how often. Codes are indexes into these tables.

/// The kinds of event, in the order of permlog's vocabulary.
enum Kind: UInt8, CaseIterable {
  case explanationShown, promptShown, granted, denied, skipped, settingsPromptShown
  case settingsOpened, reEnabled, revoked, statusChecked, featureUsed, appActive
}

/// Authorization statuses that the generator writes; `none` leaves the field out.
enum Status: UInt8, CaseIterable {
  case none, notDetermined, restricted, denied, authorized, limited, provisional, whenInUse
}

enum Vocabulary {
  static let kinds = [
    "explanation_shown", "prompt_shown", "granted", "denied", "skipped", "settings_prompt_shown", "settings_opened",
    "re_enabled", "revoked", "status_checked", "feature_used", "app_active",
  ]
  static let statuses = [
    "", "not_determined", "restricted", "denied", "authorized", "limited", "provisional", "when_in_use",
  ]
  static let variants = ["A", "B"]
  static let surfaces = ["onboarding", "home_feed", "settings", "composer", "profile", "checkout"]
  static let features = [
    "search", "photo_import", "share_sheet", "voice_note", "nearby", "invite_friends", "reminder_set", "edit_profile",
    "story_post", "live_chat", "bookmark", "scan_code", "dark_mode", "export_pdf", "playlist", "map_view", "checkout",
    "filter_apply", "widget_setup", "comment",
  ]
  static let appVersions = [
    "5.0.0", "5.1.0", "5.1.1", "5.2.0", "5.3.0", "5.4.0", "5.4.2", "5.5.0", "5.6.0", "5.7.0", "5.8.0", "5.8.1",
    "5.9.0", "5.10.0",
  ]
  static let osVersions = ["16.7", "17.6", "18.2", "18.4", "18.6", "26.0"]

  /// Country, its usual locale (an index into `locales`), hours ahead of UTC, and share of users (parts, not percent).
  struct Country {
    let code: String
    let locale: Int
    let utcOffset: Int
    let parts: Int
  }

  static let locales = [
    "en_US", "en_GB", "de_DE", "fr_FR", "es_ES", "it_IT", "pt_BR", "ja_JP", "ko_KR", "zh_CN", "nl_NL", "sv_SE", "pl_PL",
    "tr_TR", "es_MX", "en_IN", "id_ID", "th_TH", "da_DK", "ar_SA",
  ]
  static let countries = [
    Country(code: "US", locale: 0, utcOffset: -6, parts: 240), Country(code: "GB", locale: 1, utcOffset: 0, parts: 80),
    Country(code: "DE", locale: 2, utcOffset: 1, parts: 80), Country(code: "JP", locale: 7, utcOffset: 9, parts: 80),
    Country(code: "FR", locale: 3, utcOffset: 1, parts: 60), Country(code: "BR", locale: 6, utcOffset: -3, parts: 50),
    Country(code: "CA", locale: 0, utcOffset: -5, parts: 40), Country(code: "AU", locale: 1, utcOffset: 10, parts: 35),
    Country(code: "ES", locale: 4, utcOffset: 1, parts: 35), Country(code: "IT", locale: 5, utcOffset: 1, parts: 35),
    Country(code: "MX", locale: 14, utcOffset: -6, parts: 30), Country(code: "KR", locale: 8, utcOffset: 9, parts: 30),
    Country(code: "CN", locale: 9, utcOffset: 8, parts: 25), Country(code: "IN", locale: 15, utcOffset: 5, parts: 25),
    Country(code: "NL", locale: 10, utcOffset: 1, parts: 20), Country(code: "SE", locale: 11, utcOffset: 1, parts: 15),
    Country(code: "PL", locale: 12, utcOffset: 1, parts: 15), Country(code: "TR", locale: 13, utcOffset: 3, parts: 15),
    Country(code: "ID", locale: 16, utcOffset: 7, parts: 12), Country(code: "TH", locale: 17, utcOffset: 7, parts: 10),
    Country(code: "DK", locale: 18, utcOffset: 1, parts: 10), Country(code: "SA", locale: 19, utcOffset: 3, parts: 10),
    Country(code: "AT", locale: 2, utcOffset: 1, parts: 8), Country(code: "CH", locale: 2, utcOffset: 1, parts: 8),
    Country(code: "BE", locale: 3, utcOffset: 1, parts: 8), Country(code: "AR", locale: 14, utcOffset: -3, parts: 6),
    Country(code: "IE", locale: 1, utcOffset: 0, parts: 6), Country(code: "NZ", locale: 1, utcOffset: 12, parts: 5),
    Country(code: "NO", locale: 1, utcOffset: 1, parts: 4), Country(code: "PT", locale: 6, utcOffset: 0, parts: 3),
  ]
}
