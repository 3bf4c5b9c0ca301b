// Counts of a billion. The wanted values are from arithmetic with 50 digits, by bisection.

import Statistics
import Testing

@Suite struct ExtremeCountTests {
  static let billion = 1_000_000_000
  typealias Table = (x1: Int, n1: Int, x2: Int, n2: Int, low: Double, high: Double)

  static let differences: [Table] = [
    (3, billion, 5, billion, -9.0481148790700372e-9, 4.3931223400969329e-9),
    (billion - 3, billion, billion - 5, billion, -4.3931223400969329e-9, 9.0481148790700372e-9),
    (0, billion, 0, billion, -3.8414588078580495e-9, 3.8414588078580495e-9),
    (billion, billion, billion, billion, -3.8414588078580495e-9, 3.8414588078580495e-9),
    (billion, billion, 0, billion, 0.99999999615854118, 1),
    (billion - 1, billion, 1, billion, 0.99999999270701333, 0.99999999945152786),
    (1, billion, 0, 3, -0.56149703100126364, 5.6649342472624516e-9),
    (500_000_000, billion, 499_990_000, billion, -3.3826127012521229e-5, 5.3826126974106641e-5),
    (1, 1, 5, billion, 0.20654930921335067, 0.99999999786429886),
    (0, 1, billion, billion, -1, -0.20654931421335069),
    (40, 1000, 3, billion, 0.029510970680978475, 0.054009641129239104),
    (billion - 7, billion, 990, 1000, 0.0054407474439163238, 0.018309461875660904),
    (100, 100, 109_260_874, 109_260_881, -0.036993434466196272, 1.3225771409971647e-7),
    (2, 2, 9_999_998, 10_000_000, -0.65761959500902079, 7.292984068424356e-7),
    (1, 1, 471_685_059, 471_685_065, -0.79345067324986025, 2.7754970105049872e-8),
  ]

  @Test(arguments: differences.indices)
  func difference(_ index: Int) throws {
    let table = Self.differences[index]
    let got = try #require(
      MiettinenNurminen.differenceInterval(sample(table.x1, table.n1), sample(table.x2, table.n2)))
    #expect(close(got.low, table.low), "\(table) \(got)")
    #expect(close(got.high, table.high), "\(table) \(got)")
  }

  static let ratios: [Table] = [
    (3, billion, 5, billion, 0.15853951239269874, 2.270727305346536),
    (billion - 3, billion, billion - 5, billion, 0.99999999560687764, 1.000000009048115),
    (billion, billion, billion, billion, 0.99999999615854119, 1.0000000038414588),
    (1, billion, 0, 3, 9.8750262834726507e-10, .infinity),
    (1, 1, 5, billion, 35652208.948600816, 468230307.11137248),
    (40, 1000, 3, billion, 4379182.4137547703, 40586443.830954737),
    (0, billion, 7, billion, 0, 0.54877983044097642),
    (2, 3, billion, billion, 0.20765960067563699, 0.9385080553239418),
    (billion - 1, billion, 1, billion, 176524555.39677367, 5664934261.3766229),
    (1, 1, 999_999_992, billion, 0.20654931586574522, 1.00000001578766),
  ]

  @Test(arguments: ratios.indices)
  func ratio(_ index: Int) throws {
    let table = Self.ratios[index]
    let got = try #require(
      MiettinenNurminen.ratioInterval(sample(table.x1, table.n1), sample(table.x2, table.n2)))
    #expect(close(got.low, table.low, relative: 1e-11), "\(table) \(got)")
    // The distance from 1 is what a lift shows.
    #expect(close(got.low - 1, table.low - 1, relative: 1e-6), "\(table) \(got)")
    #expect(close(got.high, table.high, relative: 1e-11), "\(table) \(got)")
  }

  @Test func wilsonNearOne() throws {
    let rare = try #require(Wilson.interval(sample(3, Self.billion)))
    let sure = try #require(Wilson.interval(sample(Self.billion - 3, Self.billion)))
    #expect(close(rare.low, 1.0202707288769236e-09, relative: 1e-13))
    #expect(sure.high == 1 - rare.low)
    #expect(close(1 - sure.low, rare.high, relative: 1e-7))
  }

  @Test func everyMethodIsFiniteThere() throws {
    let (a, b) = (try sample(3, Self.billion), try sample(Self.billion / 2, Self.billion))
    let z = try #require(PooledZ.test(a, b))
    #expect(z.pValue == 0 && z.log10PValue < -1e7 && z.log10PValue.isFinite)
    #expect(EqualityTest.primary(a, b)?.method == .z)
    let exact = try #require(ClopperPearson.interval(a))
    #expect(exact.low > 0 && exact.low < 1.1e-9 && exact.high > 8e-9 && exact.high < 9e-9)
    let half = try #require(ClopperPearson.interval(b))
    #expect(close(half.high - half.low, 2 * 1.959963984540054 * 0.5 / 31622.776601683792, relative: 1e-4))
    #expect(close(BetaBinomial.probabilityGreater(b, than: b), 0.5, relative: 1e-9))
    #expect(BetaBinomial.probabilityGreater(a, than: b) == 0)
  }
}
