// Journeys by the day by whose end they are settled, under the codes of one walk.

import Buffers
import Folding
import PermissionEvents

/// The kinds of counts of journeys at the ends of days, by arm.
enum SettledCounter: Int, CaseIterable {
  /// Journeys of users who saw one variant, and of users who later saw several, from the day that settles them.
  case one, several
  /// The journeys of the latter again, from the day on by whose end it is known that they saw several.
  case left

  static let count = left.rawValue + 1

  @inline(__always)
  func number(_ arm: Int) -> Int { arm &* Self.count &+ rawValue }
}

/// Counters by stratum, `SettledCounter` and day. Owned by one thread.
struct SettledTable: ~Copyable {
  struct Key: Hashable {
    var stratum: Int
    /// `SettledCounter.number`.
    var place: Int
    var day: DayNumber
  }

  struct User {
    var stratum, arm: Int
    /// The day by whose end it is known that the user saw several variants; nil for one who saw one.
    var leavingDay: DayNumber?
  }

  private(set) var keys: [Key] = []
  /// By stratum, `SettledCounter` and day the slot plus one; 0 without one.
  private var slots = Buffer<Int32>()
  /// Slots of keys outside of it.
  private var others: [Key: Int] = [:]
  private var counters = Buffer<Int64>()
  private let firstDay: DayNumber
  private let dayCount, places: Int

  /// Most slots that are found without hashing: 16 MiB.
  private static let most = 1 << 22

  /// - Parameter days: that are looked up without hashing.
  init(days: ClosedRange<DayNumber>, arms: Int) {
    firstDay = days.lowerBound
    dayCount = days.count
    places = arms * SettledCounter.count
  }

  /// Counts a user's journey on the day that settles it, and if the user saw several variants also as left.
  /// - Parameters:
  ///   - place: the index of the counter in `SettledCounts`.
  ///   - success: the index of the success counter. Nil if the journey is not a success.
  @inline(__always)
  mutating func count(_ place: Int, _ success: Int? = nil, on day: DayNumber, _ user: User) {
    guard let leavingDay = user.leavingDay else {
      count(place, success, Key(stratum: user.stratum, place: SettledCounter.one.number(user.arm), day: day))
      return
    }
    count(place, success, Key(stratum: user.stratum, place: SettledCounter.several.number(user.arm), day: day))
    let left = SettledCounter.left.number(user.arm)
    count(place, success, Key(stratum: user.stratum, place: left, day: max(day, leavingDay)))
  }

  @inline(__always)
  private mutating func count(_ place: Int, _ success: Int?, _ key: Key) {
    let counters = counters(key)
    counters[place] &+= 1
    if let success { counters[success] &+= 1 }
  }

  /// The counters of a key; valid until the next key.
  @inline(__always)
  private mutating func counters(_ key: Key) -> UnsafeMutablePointer<Int64> {
    // First the slot: a new one may move the counters.
    let slot = slot(key)
    return counters.unsafeAddress + slot &* SettledCounts.count
  }

  /// The index of a key in `slots`, which may be past its end. Nil for a day without one.
  @inline(__always)
  private func directPlace(_ key: Key) -> Int? {
    let day = Int(truncatingIfNeeded: key.day &- firstDay)
    guard day >= 0, day < dayCount else { return nil }
    return (key.stratum &* places &+ key.place) &* dayCount &+ day
  }

  @inline(__always)
  private mutating func slot(_ key: Key) -> Int {
    if let place = directPlace(key), place < slots.count, slots[place] > 0 { return Int(slots[place]) &- 1 }
    return newSlot(key)
  }

  @inline(never)
  private mutating func newSlot(_ key: Key) -> Int {
    if let slot = others[key] { return slot }
    let slot = keys.count
    keys.append(key)
    if let place = directPlace(key), place < Self.most {
      slots.extend(to: min((key.stratum + 1) * places * dayCount, Self.most), repeating: 0)
      slots[place] = Int32(truncatingIfNeeded: slot + 1)
    } else {
      others[key] = slot
    }
    counters.extend(to: (slot + 1) * SettledCounts.count, repeating: 0)
    return slot
  }

  /// The counters of a slot, which is the index of its key in `keys`.
  func counts(slot: Int) -> SettledCounts {
    var counts = SettledCounts()
    for place in SettledCounts.places { counts[place] = counters[slot * SettledCounts.count + place] }
    return counts
  }
}

/// A comparison that cannot be adjusted for the properties that were declared.
package enum AdjustmentError: Error, Sendable, Hashable, CustomStringConvertible {
  /// More combinations of values than a comparison can be adjusted for.
  case tooManyStrata(properties: [StringField])

  package static let mostStrata = 1_000

  package var description: String {
    switch self {
    case .tooManyStrata(let properties):
      "\(properties.map(\.name).joined(separator: " and ")) divide the users into more than \(Self.mostStrata) "
        + "strata, which is too many to adjust for"
    }
  }
}

/// Numbers of strata by code of an exposure's attributes. Without properties to adjust for all is one stratum.
struct StratumCodes: ~Copyable {
  /// By code the first code whose values of the checked attributes are the same; empty if the walk has no others, and every code is
  /// a combination of those.
  private let checkedCodes: Buffer<Int32>
  /// The same of the adjusted ones; empty without properties to adjust for.
  private let adjustedCodes: Buffer<Int32>
  /// By adjusted code its stratum's number plus one; 0 if no journey had it yet.
  private let numbers: Buffer<Int32>
  /// By number of a stratum an adjusted code.
  private var codes: [Int] = []
  /// There were more strata than can be adjusted for: all count as one from then on.
  private(set) var areTooMany = false
  private let isAdjusted: Bool
  /// Of the division; strata are numbered by combination of values, then by period.
  private let periods: Int

  init(_ question: ComparisonQuestion, _ contexts: HistoryContexts) {
    // A local: what `precondition` is given is a closure, and the compiler (6.3, optimizing) frees what a closure sees of a value
    // that is not copyable and not yet whole.
    let isAdjusted = !question.adjusted.isEmpty
    self.isAdjusted = isAdjusted
    periods = question.split.periods.count
    let selected = question.selection.attributes
    let hasOthers = selected.count > ComparisonQuestion.checkedAttributes.count
    precondition(
      !isAdjusted && !hasOthers || contexts.attributeValues.count >= selected.count,
      "the walk has the attributes to adjust for")
    func firstCodes(of fields: [StringField]) -> Buffer<Int32> {
      let places = fields.compactMap { selected.firstIndex(of: $0) }
      var first: [[UInt32]: Int] = [:]
      var codes = Buffer<Int32>()
      for (code, values) in contexts.attributes.enumerated() where !places.isEmpty {
        let values = places.map { values[$0] }
        codes.append(Int32(truncatingIfNeeded: first[values] ?? code))
        if first[values] == nil { first[values] = code }
      }
      return codes
    }
    checkedCodes = firstCodes(of: hasOthers ? ComparisonQuestion.checkedAttributes : [])
    adjustedCodes = firstCodes(of: question.adjusted)
    numbers = Buffer(repeating: 0, count: adjustedCodes.count)
  }

  /// The one code of all with the same values of the checked attributes.
  @inline(__always)
  func checkedCode(_ code: Int) -> Int { checkedCodes.count == 0 ? code : Int(checkedCodes[code]) }

  @inline(__always)
  mutating func stratum(of code: Int, period: Int) -> Int {
    (isAdjusted ? adjustedStratum(of: code) : 0) &* periods &+ period
  }

  private mutating func adjustedStratum(of code: Int) -> Int {
    let first = Int(adjustedCodes[code])
    if numbers[first] > 0 { return Int(numbers[first]) - 1 }
    guard codes.count < AdjustmentError.mostStrata / periods else {
      areTooMany = true
      return 0
    }
    codes.append(first)
    numbers[first] = Int32(truncatingIfNeeded: codes.count)
    return codes.count - 1
  }

  func values(of stratum: Int, _ question: ComparisonQuestion, _ contexts: HistoryContexts) -> SettledSums.Stratum {
    guard !areTooMany else { return .whole }
    guard isAdjusted else { return SettledSums.Stratum(period: stratum) }
    let selected = question.selection.attributes
    let values = ComparisonQuestion.adjustable.map { field -> [UInt8]? in
      guard question.adjusted.contains(field), let place = selected.firstIndex(of: field) else { return nil }
      let value = contexts.attributeValues[place][Int(contexts.attributes[codes[stratum / periods]][place])]
      return value.isEmpty ? nil : value
    }
    return SettledSums.Stratum(values: values, period: stratum % periods)
  }
}

// MARK: The arm of an exposure by its value of the property that is compared, under the codes of one walk

/// Owned by one thread.
struct ValueArms: ~Copyable {
  private var values: ExposureValues
  /// By code of a value its arm, -1 for none; empty is one arm of all.
  private var arms = Buffer<Int32>()

  init(_ question: ComparisonQuestion, _ contexts: HistoryContexts) {
    let names = question.variants?.map { Array($0.utf8) }
    values = ExposureValues(names == nil ? [] : [question.comparedProperty], where: [], question.selection, contexts)
    guard let names else { return }
    for value in values.values { arms.append(Int32(names.firstIndex(of: value[0]) ?? -1)) }
  }

  /// - Parameter event: its number among the user's events of permissions.
  mutating func arm(of event: Int, _ user: borrowing UserHistory) -> Int {
    arms.count == 0 ? 0 : Int(arms[Int(values.code(user, event))])
  }
}
