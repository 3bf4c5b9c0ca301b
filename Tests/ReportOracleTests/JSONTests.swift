// Reading, comparing and the shape of the report.

import Foundation
import ReportOracle
import Testing

@Suite struct JSONTests {
  private func parse(_ text: String) throws -> OracleJSON { try OracleJSON(parsing: Data(text.utf8)) }

  @Test func readsEveryKindOfValue() throws {
    let value = try parse(#" {"a":[1,-2.5,1e3,true,null],"b":"x\u00e9\"\n"} "#)
    let list: OracleJSON = .array([.int(1), .double(-2.5), .double(1000), .bool(true), .null])
    #expect(value == ["a": list, "b": .string("x\u{E9}\"\n")])
  }

  @Test(arguments: ["", "[1,]", "{\"a\":1,\"a\":2}", "NaN", "01", "[1] 2", "\"open", "{\"a\" 1}", "-", "1.", "tru"])
  func refusesWhatIsNotJSON(_ text: String) {
    #expect(throws: OracleJSONError.self) { try parse(text) }
  }

  @Test func differencesAreNamedByPath() throws {
    let expected = try parse(
      #"{"n":3,"x":0.5,"p50":1000,"rows":[{"permission":"a","week":null,"k":1},{"permission":"b"}]}"#)
    let same = try parse(
      #"{"rows":[{"permission":"a","week":null,"k":1.0},{"permission":"b"}],"n":3,"x":0.50000001,"p50":1000.9}"#)
    #expect(differences(expected, same) == [])
    let other = try parse(#"{"n":4,"x":0.500001,"p50":1002,"rows":[{"permission":"a","week":null,"k":null}],"more":0}"#)
    let found = differences(expected, other)
    #expect(
      found == [
        "$: key more is not expected", "$.n: expected 3, found 4", "$.x: expected 0.5, found 0.500001",
        "$.p50: expected 1000, found 1002", "$.rows: no element b", "$.rows[a null].k: expected 1, found null",
      ])
  }

  @Test func momentsAreComparedAsMoments() throws {
    let left = try parse(#"{"as_of":"2026-03-02T00:00:00.000Z"}"#)
    #expect(differences(left, try parse(#"{"as_of":"2026-03-02T01:00:00+01:00"}"#)) == [])
    #expect(differences(left, try parse(#"{"as_of":"2026-03-02T00:00:01Z"}"#)).count == 1)
    #expect(differences(left, try parse(#"{"as_of":null}"#)).count == 1)
  }

  @Test func everyKeyIsThere() {
    var log = Log()
    log.add("u", 0, "prompt_shown")
    let report = log.report(0)
    let header = """
      schema as_of time_zone week_start from to log_start where expired_before unusual_ingests by_limit by_values response_window_ms follow_up_days \
      settings_window_days at_once_ms at_once completeness events users unexposed left_out_users rows reach activity timing by_ranking
      """
    #expect(report.keys == header.components(separatedBy: " "))
    #expect(report["as_of"] == .string("2026-03-02T00:00:00.000Z"))
    let row = report["rows"]?[0] ?? .null
    let keys = """
      permission week complete by no_evidence exposed pending restricted base granted partial denied skipped \
      dropped_off grant_rate deny_rate skip_rate drop_off_rate prompt_grant_rate granted_by_follow_up steps \
      explained_against_cold time_to_answer_ms explanation_time_ms prompt_time_ms time_by_outcome_ms after_grant \
      enabled_later settings_prompt engagement retention trend usual answered_by_status
      """
    #expect(row.keys == keys.components(separatedBy: " "))
    #expect(row.node("retention")?.count == 3)
    #expect(row.node("enabled_later.denied.kaplan_meier")?.count == 3)
  }
}
