// The rule at the end of a zone's file: a POSIX `TZ` string like `CET-1CEST,M3.5.0,M10.5.0/3` (RFC 9636, section 3.3).

import PermissionEvents

/// Standard time, or standard and summer time with the two days of each year on which they change.
struct ZoneRule {
  /// Seconds east of UTC.
  let standardOffset: Int64
  /// Nil if the clocks never change.
  let summer: (offset: Int64, from: YearMoment, until: YearMoment)?

  /// Reads a rule; nil if it is not one, or leaves to the machine when summer time begins.
  init?(_ text: some Collection<UInt8>) {
    var text = RuleText(rest: Array(text)[...])
    guard text.skipName(), let west = text.time(upTo: 24) else { return nil }
    standardOffset = -west
    if text.rest.isEmpty {
      summer = nil
      return
    }
    guard text.skipName() else { return nil }
    var offset = standardOffset + 3600
    if text.rest.first != UInt8(ascii: ",") {
      guard let west = text.time(upTo: 24) else { return nil }
      offset = -west
    }
    guard text.skip(","), let from = YearMoment(&text), text.skip(","), let until = YearMoment(&text),
      text.rest.isEmpty
    else { return nil }
    summer = (offset, from, until)
  }

  /// The changes of the years that a span of seconds touches, and of the years beside it, in order.
  func changes(over span: ClosedRange<Int64>) -> [ZoneChange] {
    guard let summer else { return [ZoneChange(at: span.lowerBound, offset: standardOffset)] }
    func year(_ second: Int64) -> Int64 { CivilDate(floorDivide(second, 86_400)).year }
    // Each change is told by the clock before it. Where summer time lasts the whole year its end is the next beginning.
    let changes = (year(span.lowerBound) - 1...year(span.upperBound) + 1).flatMap { year in
      [
        ZoneChange(at: summer.until.second(of: year) - summer.offset, offset: standardOffset),
        ZoneChange(at: summer.from.second(of: year) - standardOffset, offset: summer.offset),
      ]
    }
    func isSummer(_ change: ZoneChange) -> Int { change.offset == summer.offset ? 1 : 0 }
    return changes.sorted { ($0.at, isSummer($0)) < ($1.at, isSummer($1)) }
  }
}

/// A second of every year, by the clock on the wall.
struct YearMoment {
  private enum Day {
    /// Day 1 to 365, without 29 February.
    case ofCommonYear(Int64)
    /// Day 0 to 365, with it.
    case ofYear(Int64)
    /// A day of the week (0 is Sunday) in a month: the first to the fourth, or 5, the last.
    case ofWeek(month: Int64, week: Int64, weekday: Int64)
  }

  private let day: Day
  /// Seconds after midnight: also before it, and after the next one.
  private let time: Int64

  fileprivate init?(_ text: inout RuleText) {
    if text.skip("M") {
      guard let month = text.number(1...12), text.skip("."), let week = text.number(1...5), text.skip("."),
        let weekday = text.number(0...6)
      else { return nil }
      day = .ofWeek(month: month, week: week, weekday: weekday)
    } else if text.skip("J") {
      guard let number = text.number(1...365) else { return nil }
      day = .ofCommonYear(number)
    } else {
      guard let number = text.number(0...365) else { return nil }
      day = .ofYear(number)
    }
    guard text.skip("/") else {
      time = 7200
      return
    }
    guard let time = text.time(upTo: 167) else { return nil }
    self.time = time
  }

  /// Seconds from 1970 on the clock on the wall.
  fileprivate func second(of year: Int64) -> Int64 { dayNumber(of: year) * 86_400 + time }

  private func dayNumber(of year: Int64) -> DayNumber {
    let first = CivilDate(year: year, month: 1, day: 1).dayNumber
    switch day {
    case .ofYear(let number): return first + number
    case .ofCommonYear(let number):
      let march = CivilDate(year: year, month: 3, day: 1).dayNumber
      return number < 60 ? first + number - 1 : march + number - 60
    case .ofWeek(let month, let week, let weekday):
      let begin = CivilDate(year: year, month: month, day: 1).dayNumber
      let next = CivilDate(year: month == 12 ? year + 1 : year, month: month % 12 + 1, day: 1).dayNumber
      // Day 0, 1970-01-01, was a Thursday.
      let early = begin + (weekday - begin - 4) % 7
      let day = (early < begin ? early + 7 : early) + 7 * (week - 1)
      return day < next ? day : day - 7
    }
  }
}

/// Takes a rule apart from the front.
private struct RuleText {
  var rest: ArraySlice<UInt8>

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  /// A name of three letters or more, or anything between `<` and `>`.
  mutating func skipName() -> Bool {
    if skip("<") {
      guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
      rest = rest[(end + 1)...]
      return true
    }
    let name = rest.prefix { $0 | 0x20 >= UInt8(ascii: "a") && $0 | 0x20 <= UInt8(ascii: "z") }
    rest = rest.dropFirst(name.count)
    return name.count >= 3
  }

  mutating func number(_ range: ClosedRange<Int64>) -> Int64? {
    let digits = rest.prefix { $0 >= 0x30 && $0 <= 0x39 }
    guard (1...3).contains(digits.count) else { return nil }
    rest = rest.dropFirst(digits.count)
    let value = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
    return range.contains(value) ? value : nil
  }

  /// `[+-]hh[:mm[:ss]]` in seconds.
  mutating func time(upTo hours: Int64) -> Int64? {
    let sign: Int64 = skip("-") ? -1 : 1
    if sign > 0 { _ = skip("+") }
    guard var seconds = number(0...hours).map({ $0 * 3600 }) else { return nil }
    for unit: Int64 in [60, 1] {
      guard skip(":") else { break }
      guard let value = number(0...59) else { return nil }
      seconds += value * unit
    }
    return sign * seconds
  }
}
