// The library as another package uses it: the example of docs/statistics-library.md, with public names only.

import Statistics
import Testing

@Suite struct LibraryExampleTests {
  @Test func theExampleOfTheDocumentation() throws {
    let control = try BinomialSample(successes: 338, trials: 704)
    let treatment = try BinomialSample(successes: 425, trials: 706)

    let interval = MiettinenNurminen.differenceInterval(treatment, control)
    let test = EqualityTest.primary(treatment, control)
    #expect(close(interval?.low, 0.0699617936309939) && close(interval?.high, 0.17312446542084617))
    #expect(close(test?.pValue, 4.395414530564051e-06, relative: 1e-6))

    let sequence = try AsymptoticConfidenceSequence(plannedUsers: 5000)
    switch sequence.evaluate(treatment, control) {
    case .success(let result): #expect(!result.interval.contains(0))
    case .failure(let refusal): Issue.record("\(refusal.sentence)")
    }

    let few = try BinomialSample(successes: 3, trials: 8)
    guard case .failure(let refusal) = sequence.evaluate(few, control) else {
      Issue.record("eight users are too few")
      return
    }
    #expect(refusal.sentence == "Arm 1 has 8 users; an always-valid statement needs 100.")
  }

  @Test func theExampleOfDailyLooks() throws {
    let control = try (1...21).map { try BinomialSample(successes: 20 * $0, trials: 50 * $0) }
    let treatment = try (1...21).map { try BinomialSample(successes: 25 * $0, trials: 50 * $0) }

    let days = zip(control, treatment).map { ArmsAtLook(a: $0, b: $1) }
    let path = try DailyRule(plannedUsers: 5000).path(days, firstLook: 6)
    let look = try path.looks[#require(path.crossing)]
    #expect(look.day == 9, "\(look.day)")
    #expect(look.isHigher && (look.interval?.low ?? 0) > 0 && (path.pValue ?? 1) < 0.05)
  }
}
