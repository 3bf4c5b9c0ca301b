// Exponential and logarithm for the oracles, from Foundation rather than from the library under test.

import Foundation

func exponential(_ x: Double) -> Double { exp(x) }
func sine(_ x: Double) -> Double { sin(x) }
func logarithm(_ x: Double) -> Double { log(x) }
