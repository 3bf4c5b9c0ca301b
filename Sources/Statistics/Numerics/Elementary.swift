// The few functions that come from the C library, so that only this file has to import it.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Elementary functions of the C library in double precision.
enum Elementary {
  static func exp(_ x: Double) -> Double { platformExp(x) }
  static func expm1(_ x: Double) -> Double { platformExpm1(x) }
  static func log(_ x: Double) -> Double { platformLog(x) }
  static func log1p(_ x: Double) -> Double { platformLog1p(x) }
  static func erfc(_ x: Double) -> Double { platformErfc(x) }
  static func sin(_ x: Double) -> Double { platformSin(x) }
  static func cos(_ x: Double) -> Double { platformCos(x) }
  static func acos(_ x: Double) -> Double { platformAcos(x) }
  static func atanh(_ x: Double) -> Double { platformAtanh(x) }
  static func tanh(_ x: Double) -> Double { platformTanh(x) }
}

// Outside the enum, because inside it the plain names mean its own functions.
private func platformExp(_ x: Double) -> Double { exp(x) }
private func platformExpm1(_ x: Double) -> Double { expm1(x) }
private func platformLog(_ x: Double) -> Double { log(x) }
private func platformLog1p(_ x: Double) -> Double { log1p(x) }
private func platformErfc(_ x: Double) -> Double { erfc(x) }
private func platformSin(_ x: Double) -> Double { sin(x) }
private func platformCos(_ x: Double) -> Double { cos(x) }
private func platformAcos(_ x: Double) -> Double { acos(x) }
private func platformAtanh(_ x: Double) -> Double { atanh(x) }
private func platformTanh(_ x: Double) -> Double { tanh(x) }
