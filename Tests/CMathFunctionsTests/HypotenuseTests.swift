// hypotf, which the tool brings in place of the C library's: lengths that are known exactly, at every scale, and what ISO C asks of the edges.

#if os(Linux)
  import CMathFunctions
  import Testing

  @Suite("The tool's own hypotf") struct HypotenuseTests {
    @Test("right triangles with whole sides, at every scale that a float has")
    func wholeSides() {
      for (a, b, c) in [(3, 4, 5), (20, 21, 29), (119, 120, 169), (4059, 4060, 5741), (1, 0, 1)]
        as [(Float, Float, Float)]
      {
        // From the smallest float, of which three and four are whole multiples, to those whose squares no float holds.
        for exponent in -149...(127 - 13) {
          let scale =
            exponent < -126
            ? Float(bitPattern: 1 << UInt32(exponent + 149)) : Float(sign: .plus, exponent: exponent, significand: 1)
          #expect(CMathFunctions.hypotf(a * scale, b * scale) == c * scale, "\(a), \(b) times 2^\(exponent)")
          #expect(CMathFunctions.hypotf(-b * scale, a * scale) == c * scale, "\(b), \(a) times 2^\(exponent)")
        }
      }
    }

    @Test("too long for a float is infinite; infinite sides win over what is no number")
    func edges() {
      let most = Float.greatestFiniteMagnitude
      #expect(CMathFunctions.hypotf(most, 0) == most)
      #expect(CMathFunctions.hypotf(most, most) == .infinity)
      #expect(CMathFunctions.hypotf(-.infinity, .nan) == .infinity)
      #expect(CMathFunctions.hypotf(.nan, .infinity) == .infinity)
      #expect(CMathFunctions.hypotf(.nan, 1).isNaN && CMathFunctions.hypotf(1, .nan).isNaN)
      #expect(CMathFunctions.hypotf(-0.0, 0) == 0)
    }

    @Test("√2 and √5 are the floats nearest to them")
    func irrational() {
      // Digits from OEIS A002193 and A002163.
      #expect(CMathFunctions.hypotf(1, 1) == 1.41421356237309504880)
      #expect(CMathFunctions.hypotf(2, 1) == 2.23606797749978969640)
    }
  }
#endif
