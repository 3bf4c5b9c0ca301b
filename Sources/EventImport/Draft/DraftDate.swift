// Dates in other forms than 2026-09-21: how strptime would read them, and whether the day or the month comes first.

/// How one text writes a date, perhaps with a time of day.
struct DraftDate: Equatable {
  /// `strptime`'s format; if only the data can distinguish the day from the month, they are `{A}` and `{B}`.
  var template: String
  /// The numbers at `{A}` and `{B}`.
  var first = 0
  var second = 0
  /// One of them has one digit, as spreadsheets of the United States write it.
  var isUnpadded = false
  /// `%z`, or a zone by name that is UTC.
  var namesZone = false
  var isUTC = false
  var hasTime = false

  /// - Returns: nil if the text is not such a date.
  init?(_ text: String) {
    guard (8...64).contains(text.utf8.count) else { return nil }
    template = ""
    var cursor = Cursor(text)
    guard readDate(&cursor) else { return nil }
    if cursor.isAtEnd { return }
    guard readTime(&cursor), readZone(&cursor), cursor.isAtEnd else { return nil }
  }

  private static let months: Set<String> = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", "january", "february", "march",
    "april", "june", "july", "august", "september", "october", "november", "december",
  ]
  private static let days: Set<String> = [
    "mon", "tue", "wed", "thu", "fri", "sat", "sun", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
    "sunday",
  ]

  private mutating func readDate(_ cursor: inout Cursor) -> Bool {
    if cursor.word(in: Self.days) != nil { template = "%a" + cursor.separator() }
    if cursor.word(in: Self.months) != nil {
      template += "%b" + cursor.separator()
      guard let day = cursor.number(1...2), day.value <= 31 else { return false }
      template += "%d" + cursor.separator()
      return readYear(&cursor)
    }
    guard let a = cursor.number(1...4) else { return false }
    let separator = cursor.separator()
    guard !separator.isEmpty, separator != ":" else { return false }
    if cursor.word(in: Self.months) != nil {
      template += "%d" + separator + "%b" + cursor.separator()
      return readYear(&cursor)
    }
    guard let b = cursor.number(1...2) else { return false }
    let next = cursor.separator()
    guard next == separator, separator.utf8.count == 1, "./-".contains(separator) else { return false }
    if a.digits == 4 {
      guard let c = cursor.number(1...2), b.value <= 12, c.value <= 31 else { return false }
      template += "%Y\(separator)%m\(separator)%d"
      return true
    }
    guard a.digits <= 2, max(a.value, b.value) <= 31, (1...12).contains(min(a.value, b.value)) else { return false }
    (first, second) = (a.value, b.value)
    isUnpadded = a.digits == 1 || b.digits == 1
    template += "{A}\(separator){B}\(separator)"
    return readYear(&cursor)
  }

  private mutating func readYear(_ cursor: inout Cursor) -> Bool {
    guard let year = cursor.number(2...4), year.digits != 3 else { return false }
    template += year.digits == 4 ? "%Y" : "%y"
    return year.digits == 2 || (2000...2100).contains(year.value)
  }

  private mutating func readTime(_ cursor: inout Cursor) -> Bool {
    let separator = cursor.take("T") ? "T" : cursor.separator()
    guard !separator.isEmpty, let hour = cursor.number(1...2), cursor.take(":"), let minute = cursor.number(2...2),
      minute.value < 60, hour.value < 24
    else { return false }
    hasTime = true
    var clock = ":%M"
    if cursor.take(":") {
      guard cursor.number(2...2) != nil else { return false }
      clock += ":%S"
      // A fraction may follow at the end, and is read without being in the format.
      if cursor.take(".") {
        guard cursor.number(1...9) != nil, cursor.isAtEnd else { return false }
      }
    }
    let blank = cursor.take(" ") ? " " : ""
    if cursor.word(in: ["am", "pm"]) != nil {
      template += separator + "%I" + clock + blank + "%p"
    } else {
      template += separator + "%H" + clock
      if !blank.isEmpty { cursor.back() }
    }
    return true
  }

  private mutating func readZone(_ cursor: inout Cursor) -> Bool {
    if cursor.isAtEnd { return true }
    let blank = cursor.take(" ") ? " " : ""
    for name in ["UTC", "GMT", "Z"] where cursor.take(name) {
      template += blank + name
      (namesZone, isUTC) = (true, true)
      return true
    }
    guard cursor.take("+") || cursor.take("-"), cursor.number(2...4) != nil else { return false }
    if cursor.take(":") {
      guard cursor.number(2...2) != nil else { return false }
    }
    template += blank + "%z"
    namesZone = true
    return true
  }

  private struct Cursor {
    private var rest: Substring
    private let text: Substring

    init(_ text: String) {
      self.text = text[...]
      rest = self.text
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ start: String) -> Bool {
      guard rest.utf8.starts(with: start.utf8) else { return false }
      rest = rest.dropFirst(start.count)
      return true
    }

    mutating func back() {
      if rest.startIndex > text.startIndex { rest = text[text.index(before: rest.startIndex)...] }
    }

    /// A word of a list, in any case.
    mutating func word(in list: Set<String>) -> String? {
      let word = rest.prefix { $0.isASCII && $0.isLetter }
      guard list.contains(word.lowercased()) else { return nil }
      rest = rest[word.endIndex...]
      return String(word)
    }

    mutating func number(_ digits: ClosedRange<Int>) -> (value: Int, digits: Int)? {
      let found = rest.prefix { $0.isASCII && $0.isNumber }
      guard digits.contains(found.count), let value = Int(found) else { return nil }
      rest = rest[found.endIndex...]
      return (value, found.count)
    }

    /// The separator of two parts: points, strokes, commas and spaces, at most three.
    mutating func separator() -> String {
      let found = rest.prefix { "./-, ".contains($0) }
      guard found.count <= 3 else { return "" }
      rest = rest[found.endIndex...]
      return String(found)
    }
  }
}

/// The common format of the dates at a path.
struct DraftDateFormat: Equatable {
  enum Order: Equatable {
    /// The format has no two numbers that could be swapped.
    case plain
    /// A number above 12 decides.
    case told
    /// No date decides; the other format is equally likely.
    case open(other: String)
    /// Some dates have a first number above 12, others a second.
    case mixed
  }

  let format: String
  let order: Order
  let namesZone: Bool
  let isUTC: Bool
  let hasTime: Bool
  var isDayFirst: Bool { format.utf8.starts(with: "%d".utf8) || format.contains("%a") }

  /// - Parameter values: texts of one path, in the order of the file.
  /// - Returns: nil unless most of them are dates of one form.
  init?(_ values: [String]) {
    let dates = values.compactMap { DraftDate($0) }
    let counts = Dictionary(grouping: dates, by: \.template)
    let best = counts.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }
    guard let (template, alike) = best, alike.count * 2 > values.count, let one = alike.first else { return nil }
    (namesZone, isUTC, hasTime) = (one.namesZone, one.isUTC, one.hasTime)
    let dayFirst = template.replacing("{A}", with: "%d").replacing("{B}", with: "%m")
    let monthFirst = template.replacing("{A}", with: "%m").replacing("{B}", with: "%d")
    guard dayFirst != monthFirst else {
      (format, order) = (template, .plain)
      return
    }
    let (firsts, seconds) = (alike.count { $0.first > 12 }, alike.count { $0.second > 12 })
    let isDayFirst = firsts == seconds ? Self.likelyDayFirst(alike, template) : firsts > seconds
    format = isDayFirst ? dayFirst : monthFirst
    order =
      firsts == 0 && seconds == 0
      ? .open(other: isDayFirst ? monthFirst : dayFirst) : firsts > 0 && seconds > 0 ? .mixed : .told
  }

  /// A guess if no number decides: points are between day and month; a file is often in the order of time; the day changes more
  /// often than the month; the United States write no zero before the month.
  private static func likelyDayFirst(_ dates: [DraftDate], _ template: String) -> Bool {
    if template.contains("{A}.") { return true }
    let pairs = zip(dates, dates.dropFirst())
    let backward = pairs.count { ($0.second, $0.first) > ($1.second, $1.first) }
    let backwardByMonth = pairs.count { ($0.first, $0.second) > ($1.first, $1.second) }
    if backward != backwardByMonth { return backward < backwardByMonth }
    let (firsts, seconds) = (Set(dates.map(\.first)).count, Set(dates.map(\.second)).count)
    if firsts != seconds { return firsts > seconds }
    return !template.contains("%p") && !dates.contains(where: \.isUnpadded)
  }
}
