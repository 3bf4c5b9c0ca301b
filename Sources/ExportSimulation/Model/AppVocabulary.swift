// The words of the made-up app: countries, versions, features.

enum AppVocabulary {
  /// A country with its usual locale, the offset of its clocks in winter, and its share of the users.
  struct Country {
    let code: String
    let name: String
    let locale: String
    let language: String
    let zone: String
    let hours: Int
    let percent: Int
  }

  static let countries = [
    Country(
      code: "US", name: "United States", locale: "en_US", language: "English", zone: "America/Chicago", hours: -6,
      percent: 34),
    Country(
      code: "DE", name: "Germany", locale: "de_DE", language: "German", zone: "Europe/Berlin", hours: 1, percent: 17),
    Country(
      code: "GB", name: "United Kingdom", locale: "en_GB", language: "English", zone: "Europe/London", hours: 0,
      percent: 14),
    Country(
      code: "FR", name: "France", locale: "fr_FR", language: "French", zone: "Europe/Paris", hours: 1, percent: 11),
    Country(
      code: "BR", name: "Brazil", locale: "pt_BR", language: "Portuguese", zone: "America/Sao_Paulo", hours: -3,
      percent: 9),
    Country(
      code: "JP", name: "Japan", locale: "ja_JP", language: "Japanese", zone: "Asia/Tokyo", hours: 9, percent: 8),
    Country(
      code: "IN", name: "India", locale: "en_IN", language: "English", zone: "Asia/Kolkata", hours: 5, percent: 7),
  ]

  static let countryOfPercent = countries.indices.flatMap {
    [UInt8](repeating: UInt8($0), count: countries[$0].percent)
  }

  static let osVersions = ["17.7", "18.6", "26.0", "26.1"]
  /// Of eight users, the system of each.
  static let osOfEighth: [UInt8] = [0, 1, 1, 1, 2, 2, 3, 3]

  static let features = ["feed", "search", "compose", "scan", "map", "share", "profile", "bookmark", "chat", "export"]

  static let daysPerRelease = 18
  static func appVersions(days: Int) -> [String] {
    (0...min(days / daysPerRelease, 250)).map { "3.\($0).0" }
  }
}
