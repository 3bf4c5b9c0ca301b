// Reasons of refused lines, as they are counted: fewer than are kept apart, so that which are kept depends on no order.

import PermissionEvents
import Testing

@testable import EventImport
@testable import Permlog

@Suite struct RejectionReasonTests {
  /// Details that JSON is refused for, and types that are asked for: as many as there are, and more.
  private static let details = (0..<16).map { "detail \($0)" }
  private static let wanted = ["a string", "a string or an integer", "another"]

  private static var rejections: [Rejection] {
    let values = [FieldValue.Kind.string, .number].map { FieldValue(kind: $0, text: .none) }
    let value = values[0]
    var all: [Rejection] = [
      .tooLongLine, .notAnObject, .invalidUTF8, .invalidCSV(.strayQuote), .invalidCSV(.textAfterQuote),
      .openQuote(columns: 3), .openQuote(columns: 4), .cellCount(found: 1, expected: 2),
      .tooFewCells(found: 1, minimum: 2),
      .duplicateMember("a"), .duplicateMember("b"), .missingName("/x/m.yaml", places: "/e"),
      .missingName("amplitude", places: ""),
      .badRecordTime(value), .nobody(value), .pseudonym(value), .badTimestamp(value), .noZone(value), .tooEarly(value),
      .tooLate(value, allowFuture: true), .tooLate(value, allowFuture: false), .unknownKind(value),
      .unknownPermission(value), .unknownStatus(value), .unreadName(value, "/x/m.yaml"),
      .contraryStatus(value, .granted),
    ]
    all += EventKind.allCases.map { .missingPermission($0) } + details.map { .invalidJSON($0) }
    for field in 0..<ImportField.count {
      all += [
        .duplicateField(field), .missing(field), .nothingAt(field, places: "/a"), .tooLong(field, 300, maximum: 256),
        .fieldNotUTF8(field),
      ]
      all += wanted.map { .wrongType(field, value, wanted: $0) } + values.map { .roundedID(field, $0) }
    }
    return all + all.map { .afterQuote(line: 7, $0) }
  }

  @Test func thereIsRoomForAll() {
    let groups = Set(Self.rejections.map(\.group))
    #expect(groups.count > 200 && groups.count < RejectionSummary.maximumGroups)
    // No name of a mapping, which is one machine's.
    #expect(groups.allSatisfy { !$0.contains("m.yaml") && !$0.contains("amplitude") })
    #expect(groups.contains("a quoted cell is not closed") && groups.contains("the record has no name of an event"))
  }
}
