// Timestamps: UTC milliseconds since 1970, read from RFC 3339 text or digits and written back as text.
// Bytes in, integers out: this is called once an event.

/// UTC milliseconds since 1970-01-01T00:00:00Z.
public typealias Milliseconds = Int64

public enum Timestamp {
  /// 2008-01-01T00:00:00Z, the oldest time that is kept: before it there was no app to ask.
  public static let earliest: Milliseconds = 1_199_145_600_000
  /// 2100-01-01T00:00:00Z, the end of time with `--allow-future`.
  public static let latest: Milliseconds = 4_102_444_800_000
  /// How far past the clock a device's clock may be: a day's zone error and an hour.
  public static let futureAllowance: Milliseconds = 25 * 3_600_000

  /// RFC 3339 with `Z` or an offset and 0 to 9 fraction digits, cut to milliseconds; nil if it is not that.
  public static func parse(rfc3339 bytes: UnsafeRawBufferPointer) -> Milliseconds? {
    let n = bytes.count
    guard n >= 20, n <= 35, let base = bytes.baseAddress else { return nil }
    let p = base.assumingMemoryBound(to: UInt8.self)
    @inline(__always) func two(_ i: Int) -> Int64 {
      let tens = p[i] &- 48
      let ones = p[i + 1] &- 48
      return tens <= 9 && ones <= 9 ? Int64(tens) * 10 + Int64(ones) : 1 << 20
    }
    guard p[4] == 0x2D, p[7] == 0x2D, p[13] == 0x3A, p[16] == 0x3A else { return nil }
    guard p[10] | 0x20 == 0x74 || p[10] == 0x20 else { return nil }
    let date = CivilDate(year: two(0) * 100 + two(2), month: two(5), day: two(8))
    let hour = two(11)
    let minute = two(14)
    let second = two(17)
    // A leap second is read as the second after, as POSIX time does.
    guard date.isValid, hour <= 23, minute <= 59, second <= 60 else { return nil }
    var i = 19
    var millisecond: Int64 = 0
    if p[i] == 0x2E {
      i += 1
      let first = i
      var scale: Int64 = 100
      while i < n, p[i] >= 48, p[i] <= 57 {
        millisecond += Int64(p[i] - 48) * scale
        scale /= 10
        i += 1
      }
      guard i > first, i - first <= 9 else { return nil }
    }
    guard i < n else { return nil }
    var offset: Int64 = 0
    if p[i] | 0x20 == 0x7A {
      guard i + 1 == n else { return nil }
    } else {
      guard p[i] == 0x2B || p[i] == 0x2D, i + 6 == n, p[i + 3] == 0x3A else { return nil }
      let hours = two(i + 1)
      let minutes = two(i + 4)
      guard hours <= 23, minutes <= 59 else { return nil }
      offset = (hours * 60 + minutes) * (p[i] == 0x2B ? 1 : -1)
    }
    let seconds = date.dayNumber * 86_400 + hour * 3600 + (minute - offset) * 60 + second
    return seconds * 1000 + millisecond
  }

  /// Epoch milliseconds as decimal digits; nil if a byte is not a digit or the number has more than 15.
  public static func parse(digits bytes: UnsafeRawBufferPointer) -> Milliseconds? {
    guard bytes.count >= 1, bytes.count <= 15 else { return nil }
    var n: Int64 = 0
    for b in bytes {
      guard b >= 48, b <= 57 else { return nil }
      n = n * 10 + Int64(b - 48)
    }
    return n
  }

  /// Appends `YYYY-MM-DDTHH:MM:SS.mmmZ`.
  public static func write(_ time: Milliseconds, into out: inout [UInt8]) {
    let day = floorDivide(time, millisecondsPerDay)
    var rest = time - day * millisecondsPerDay
    func write(_ value: Int64, _ width: Int, then separator: UInt8) {
      DateDigits.append(value, width, to: &out)
      out.append(separator)
    }
    CivilDate(day).write(into: &out)
    out.append(0x54)
    write(rest / 3_600_000, 2, then: 0x3A)
    rest %= 3_600_000
    write(rest / 60_000, 2, then: 0x3A)
    rest %= 60_000
    write(rest / 1000, 2, then: 0x2E)
    write(rest % 1000, 3, then: 0x5A)
  }

  /// `YYYY-MM-DDTHH:MM:SS.mmmZ`.
  public static func text(_ time: Milliseconds) -> String {
    var out: [UInt8] = []
    write(time, into: &out)
    return String(decoding: out, as: UTF8.self)
  }
}
