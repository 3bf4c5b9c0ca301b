// Which message is the control, which experiments run, and that what is counted adds up and travels.

import Folding
import PermissionEvents
import Testing

@testable import PermissionAnalysis

@Suite struct ExperimentListTests {
  @Test(arguments: [
    (["A", "B"], "A"), (["B", "a"], "a"), (["CONTROL", "a"], "CONTROL"), (["Default", "original"], "original"),
    (["new", "Off", "0"], "0"), (["new", "off"], "off"), (["y", "x"], "x"), (["control", "Control"], "Control"),
    (["controls", "b"], "b"), (["é", "z"], "z"), (["baseline", "control"], "control"),
  ])
  func theControlIsNamedLikeOne(names: [String], control: String) {
    let sorted = names.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
    #expect(String(decoding: sorted[ExperimentSummary.control(of: sorted)], as: UTF8.self) == control)
  }

  private func sums(_ rows: [(experiment: String, permission: String, variant: String, day: DayNumber, users: Int64)])
    -> ExperimentSums
  {
    var sums = ExperimentSums()
    for row in rows {
      let key = ExperimentSums.Key(
        permission: Array(row.permission.utf8), experiment: Array(row.experiment.utf8),
        variant: Array(row.variant.utf8), day: row.day)
      sums.exposed[key] = (sums.exposed[key] ?? 0) + row.users
    }
    return sums
  }

  @Test func runningOnesComeFirst() {
    let list = sums([
      ("z", "camera", "A", 100, 1), ("y", "camera", "A", 93, 1), ("x", "camera", "A", 92, 1), ("b", "mail", "A", 99, 1),
      ("b", "camera", "A", 99, 1), ("w", "camera", "A", 10, 1), ("w", "camera", "A", 12, 4), ("w", "camera", "", 8, 2),
    ]).summaries(asOfDay: 100)
    #expect(list.map(\.experiment) == ["z", "b", "b", "y", "w", "x"])
    #expect(list.map(\.permission) == ["camera", "camera", "mail", "camera", "camera", "camera"])
    #expect(list.map(\.isRunning) == [true, true, true, true, false, false])
    #expect(list[4].messages == [.init(variant: "A", exposed: 5)] && list[4].withoutMessage == 2)
    #expect(list[4].firstExposure == 8 && list[4].lastExposure == 12 && list[4].notCompared == .oneMessage)
  }

  @Test func sixteenMessagesAreComparedAndSeventeenAreNot() {
    for count in [2, 16, 17] {
      let rows = (0..<count).map { ("e", "camera", "m\($0)", DayNumber(5), Int64(1)) }
      #expect(sums(rows).summaries(asOfDay: 5).first?.notCompared == (count == 17 ? .tooManyMessages : nil))
    }
    #expect(sums([("e", "camera", "", 5, 1)]).summaries(asOfDay: 5).first?.notCompared == .noMessage)
    #expect(sums([]).summaries(asOfDay: 5).isEmpty)
  }

  @Test func sumsAddUpAndTravel() throws {
    var a = sums([("e", "camera", "A", 14_000, 3), ("e", "camera", "", 14_001, 1)])
    let b = sums([("e", "camera", "A", 14_000, 4), ("f", "mail", "B", 14_002, 1)])
    let expected = sums([
      ("e", "camera", "A", 14_000, 7), ("e", "camera", "", 14_001, 1), ("f", "mail", "B", 14_002, 1),
    ])
    try a.add(b)
    #expect(a.exposed == expected.exposed)
    #expect(try ExperimentSums(tables: a.tables).tables == a.tables)
    #expect(throws: SumsError.self) { try ExperimentSums(tables: []) }
    var broken = a.tables
    broken[0].setRow([Array("camera".utf8), nil, nil, Array("2008-05-01".utf8)], SumTable.Row([1]))
    #expect(throws: SumsError.self) { try ExperimentSums(tables: broken) }
  }
}
