// Files as people have them, each read by its own draft and compared with what it says. The rows are made up.

import EventMapping
import Foundation
import PermissionEvents
import Testing

@testable import EventImport

private func draft(_ text: String) -> String {
  MappingDraft(HeadSketch(Array(text.utf8), isCut: false), path: "file").text
}

/// The events of a file, read by its own draft: user, kind, permission, time, variant.
private func events(_ text: String) throws -> [String] {
  let mapping = draft(text)
  var options = try testOptions(mapping: mapping)
  options.rows.allowsFutureTimes = true
  let outcome = try importText(text, options)
  if !outcome.rejects.isEmpty { Issue.record("\(outcome.rejects.map(\.reason))\n\(mapping)") }
  return outcome.events.map { event in
    [event.story, event.fields["permission"] ?? "-"].joined(separator: " ")
  }
}

private struct File: CustomTestStringConvertible, Sendable {
  var name: String
  var text: String
  var events: [String]
  /// Lines of the draft.
  var lines: [String] = []
  var testDescription: String { name }
}

@Suite struct DraftedFileTests {
  private static let files: [File] = [
    File(
      name: "AppsFlyer, two ids",
      text: """
        Event Name,Event Time,Event Value,AppsFlyer ID,Advertising ID,Customer User ID,Platform,App Version
        push_permission_granted,2026-03-02 10:00:00,{},1700000000000-1,A-1,c1,ios,3.1
        push_permission_denied,2026-03-02 10:01:00,{},1700000000000-2,,,android,3.1

        """,
      events: [
        "1700000000000-1 granted 2026-03-02T10:00:00.000Z - - notifications",
        "1700000000000-2 denied 2026-03-02T10:01:00.000Z - - notifications",
      ],
      lines: [
        "  user: \"AppsFlyer ID\"   # guess: \"1700…\"",
        "  account: \"Customer User ID\"   # guess: \"c1\"; for users by their account",
        "  app_version: \"App Version\"   # guess: \"3.1\"", "  platform: Platform   # guess: \"ios\"",
      ]),
    File(
      name: "German dates, semicolons",
      text: """
        sep=;
        idfv;Ereignis;Zeitpunkt;Variante
        8C1B3F6E-2D7A-4E55-9A0B-0F3C6D1E7A42;Kamera;05.09.2026 03:53:57;A
        8C1B3F6E-2D7A-4E55-9A0B-0F3C6D1E7A42;camera_permission_denied;21.09.2026 03:54:01;A
        8C1B3F6E-2D7A-4E55-9A0B-0F3C6D1E7A42;camera_permission_prompt_shown;06.09.2026 03:53:57;A

        """.replacingOccurrences(of: "Kamera", with: "camera_permission_prompt_shown"),
      events: [
        "8C1B3F6E-2D7A-4E55-9A0B-0F3C6D1E7A42 prompt_shown 2026-09-05T03:53:57.000Z - - camera",
        "8C1B3F6E-2D7A-4E55-9A0B-0F3C6D1E7A42 denied 2026-09-21T03:54:01.000Z - - camera",
        "8C1B3F6E-2D7A-4E55-9A0B-0F3C6D1E7A42 prompt_shown 2026-09-06T03:53:57.000Z - - camera",
      ],
      lines: [
        "  # The day comes first: some dates have a first number above 12.",
        "  time: {from: Zeitpunkt, format: \"%d.%m.%Y %H:%M:%S\", zone: UTC}   # guess: \"05.09.2026 0…\"",
      ]),
    File(
      name: "American dates by twelve hours",
      text: """
        Install ID,Event,Event Date,Version
        i-1,push_permission_prompt_shown,9/2/2026 3:53:57 AM,3.3.0
        i-1,push_permission_granted,9/21/2026 3:54:01 PM,3.3.0

        """,
      events: [
        "i-1 prompt_shown 2026-09-02T03:53:57.000Z - - notifications",
        "i-1 granted 2026-09-21T15:54:01.000Z - - notifications",
      ], lines: ["  # The month comes first: some dates have a second number above 12."]),
    File(
      name: "dates that do not tell",
      text: """
        Install ID,Event,Event Date
        i-1,push_permission_prompt_shown,9/2/2026 3:53
        i-1,push_permission_granted,9/3/2026 13:54

        """,
      events: [
        "i-1 prompt_shown 2026-09-02T03:53:00.000Z - - notifications",
        "i-1 granted 2026-09-03T13:54:00.000Z - - notifications",
      ],
      lines: [
        "  # No date shows whether the day or the month comes first. This takes the month first; the other way is",
        "  # time: {from: \"Event Date\", format: \"%d/%m/%Y %H:%M\", zone: UTC}",
      ]),
    File(
      name: "an own table, epochs in seconds",
      text: """
        ts,device,name,perm
        1772445600,d-17a,prompt_shown,camera
        1772445601,d-17a,denied,camera

        """,
      events: [
        "d-17a prompt_shown 2026-03-02T10:00:00.000Z - - camera", "d-17a denied 2026-03-02T10:00:01.000Z - - camera",
      ], lines: ["  time: {from: ts, unit: seconds}   # guess: \"1772445600\", seconds since 1970, judging by its size"]
    ),
    File(
      name: "epochs in milliseconds, only an account",
      text: """
        time\temail\taction\tos
        1772445600000\tanna@example.com\tcamera_permission_prompt_shown\tios
        1772445601000\tbert@example.com\tcamera_permission_denied\tandroid

        """,
      events: [
        "anna@example.com prompt_shown 2026-03-02T10:00:00.000Z - - camera",
        "bert@example.com denied 2026-03-02T10:00:01.000Z - - camera",
      ],
      lines: [
        "  user: email   # guess: \"anna…\", an account: no column of install ids is filled",
        "  platform: os   # guess: \"ios\"",
      ]),
    File(
      name: "epochs in microseconds, nested",
      text: """
        [
         {"eventName":"Camera Permission Granted","install_id":"f1","at":1772445600000001,"ctx":{"os":{"name":"ios","version":"17.4"},"app":{"version":"2.0"}},"platform":"ios"},
         {"eventName":"Camera Permission Denied","install_id":"f2","at":1772445601000001,"ctx":{"os":{"name":"ios","version":"17.4"},"app":{"version":"2.0"}},"platform":"ios"}
        ]

        """,
      events: [
        "f1 granted 2026-03-02T10:00:00.000Z - - camera", "f2 denied 2026-03-02T10:00:01.000Z - - camera",
      ],
      lines: [
        "  app_version: /ctx/app/version   # guess: \"2.0\"", "  os_version: /ctx/os/version   # guess: \"17.4\"",
        "  platform: /platform   # guess: \"ios\"",
      ]),
    File(
      name: "a flattened table of Segment",
      text: """
        id,message_id,anonymous_id,user_id,event,event_text,original_timestamp,timestamp,context_app_version,context_device_id,properties_permission,properties_result,properties_message_variant
        1,m1,a-1,,permission_prompt_shown,Permission Prompt Shown,2026-03-02 10:00:00.000,2026-03-02 10:00:00.100,4.1,d1,notifications,,B
        2,m2,a-1,u7,permission_result,Permission Result,2026-03-02 10:00:05.000,2026-03-02 10:00:05.100,4.1,d1,notifications,denied,B
        3,m3,a-2,,permission_result,Permission Result,2026-03-02 10:01:05.000,2026-03-02 10:01:05.100,4.1,d2,notifications,granted,A
        4,m4,a-2,,application_opened,Application Opened,2026-03-02 10:01:06.000,2026-03-02 10:01:06.100,4.1,d2,,,

        """,
      events: [
        "a-1 prompt_shown 2026-03-02T10:00:00.100Z B - notifications",
        "a-1 denied 2026-03-02T10:00:05.100Z B - notifications",
        "a-2 granted 2026-03-02T10:01:05.100Z A - notifications",
        "a-2 app_active 2026-03-02T10:01:06.100Z - - -",
      ], lines: ["extends: segment", "  id: message_id   # guess: \"m1\"; other candidates: id"]),
    File(
      name: "pandas.json_normalize of Amplitude",
      text: """
        ,event_type,event_time,device_id,user_id,$insert_id,platform,os_version,version_name,event_properties.permission,event_properties.is_granted,event_properties.variant,user_properties.push_enabled
        0,permission_result,2026-03-02 10:00:00.000000,D1,,x1,iOS,17.4,4.1,notifications,True,A,False
        1,permission_result,2026-03-02 10:00:01.500000,D2,u1,x2,iOS,17.4,4.1,notifications,False,B,True
        2,session_start,2026-03-02 10:00:02.000000,D2,u1,x3,iOS,17.4,4.1,,,,

        """,
      events: [
        "D1 granted 2026-03-02T10:00:00.000Z A - notifications", "D2 denied 2026-03-02T10:00:01.500Z B - notifications",
        "D2 app_active 2026-03-02T10:00:02.000Z - - -",
      ],
      lines: [
        "extends: amplitude", "  flag: event_properties.is_granted   # guess: \"True\"",
        "  platform: platform   # guess: \"iOS\"",
      ]),
    File(
      name: "Mixpanel's columns, properties by underscores",
      text: """
        event,distinct_id,$insert_id,time,mp_country_code,properties_permission_type,properties_choice,$os
        permission_result,p1,i1,1772445600,DE,microphone,denied,iOS
        permission_result,p2,i2,1772445601,DE,microphone,allowed,iOS

        """,
      events: [
        "p1 denied 2026-03-02T10:00:00.000Z - - microphone",
        "p2 granted 2026-03-02T10:00:01.000Z - - microphone",
      ], lines: ["extends: mixpanel"]),
    File(
      name: "bars, digits, an id that half of the rows have",
      text: """
        device_id|idfv|event_type|datetime
        d-1||push_permission_granted|20260302100000
        |V-2|push_permission_denied|20260302100001

        """,
      events: [
        "d-1 granted 2026-03-02T10:00:00.000Z - - notifications",
        "V-2 denied 2026-03-02T10:00:01.000Z - - notifications",
      ], lines: ["  user: [device_id, idfv]   # guess: \"d-1\""]),
    File(
      name: "month names with a zone, a device that is no id",
      text: """
        when,device,client_id,event_name,status
        "Sep 2, 2026 3:53:57 AM GMT",iPhone 15,k1,push_permission_status,authorized
        "Sep 21, 2026 3:53:58 PM GMT",Pixel 8,k2,push_permission_status,denied

        """,
      events: [
        "k1 status_checked 2026-09-02T03:53:57.000Z - authorized notifications",
        "k2 status_checked 2026-09-21T15:53:58.000Z - denied notifications",
      ], lines: ["  user: client_id   # guess: \"k1\""]),
    File(
      name: "an account among few installs",
      text: "install_id,user_id,event,timestamp\n"
        + (0..<10).map { "\($0 == 3 ? "i-3" : ""),u\($0 % 5),push_permission_granted,2026-03-02T10:00:0\($0)+01:00\n" }
        .joined(),
      events: (0..<10).map { "u\($0 % 5) granted 2026-03-02T09:00:0\($0).000Z - - notifications" },
      lines: [
        "  user: user_id   # guess: \"u0\", an account: no column of install ids is filled; other candidates: install_id"
      ]),
  ]

  @Test(arguments: files)
  private func theDraftReadsTheFile(file: File) throws {
    #expect(try events(file.text) == file.events)
    let made = draft(file.text)
    for line in file.lines { #expect(made.contains(line), "\(line)\n\(made)") }
  }

  @Test func platformsAreNoVersions() {
    for column in ["os", "platform", "version", "app_version", "os_version"] {
      let made = draft("\(column),device_id,event,ts\nios,d1,push_permission_granted,1772445600\n")
      #expect(!made.contains("_version: \(column)"), "\(made)")
      let number = draft("\(column),device_id,event,ts\n17.4,d1,push_permission_granted,1772445600\n")
      #expect(!number.contains("platform: \(column)"), "\(number)")
    }
  }

  @Test(arguments: [
    ("21.09.2026 03:53:57", "%d.%m.%Y %H:%M:%S"), ("9/21/26 3:53", "%m/%d/%y %H:%M"),
    ("21/09/2026 03:53:57.123", "%d/%m/%Y %H:%M:%S"), ("2026/09/21 03:53", "%Y/%m/%d %H:%M"),
    ("21-Sep-2026 03:53:57", "%d-%b-%Y %H:%M:%S"), ("September 21, 2026 3:53PM", "%b %d, %Y %I:%M%p"),
    ("Mon, 21 Sep 2026 03:53:57 GMT", "%a, %d %b %Y %H:%M:%S GMT"), ("21.09.2026, 03:53", "%d.%m.%Y, %H:%M"),
    ("09/21/2026 03:53:57 +0200", "%m/%d/%Y %H:%M:%S %z"), ("21.09.2026", "%d.%m.%Y"), ("2026-09-21", "%Y-%m-%d"),
    ("21.09.2026T03:53:57Z", "%d.%m.%YT%H:%M:%SZ"),
  ])
  func datesAndTheirFormats(text: String, format: String) throws {
    #expect(DraftDateFormat([text])?.format == format)
    // And the format reads the text.
    let mapping = "record: {form: json, event: e, user: u, time: {from: t, format: \"\(format)\", zone: UTC}}\n"
    var options = try testOptions(mapping: mapping)
    options.rows.allowsFutureTimes = true
    let outcome = try importText(#"{"e":"push_permission_granted","u":"a","t":"\#(text)"}"# + "\n", options)
    #expect(outcome.events.count == 1, "\(outcome.rejects.map(\.reason))")
  }

  @Test(arguments: [
    "", "21.09", "1.2.3", "10.0.0.1", "192.168.100.200", "31.31.2026 10:00", "13/13/2026 10:00:00", "21.09.2026 25:00",
    "granted", "3.3.0", "00.00.2026 10:00", "+49 170 1234567", "21 09 2026", "1/2/3/2026", "99999999999999",
  ]) func noDates(text: String) { #expect(DraftDateFormat([text]) == nil) }

  @Test func theFirstNumbersDecide() {
    func order(_ texts: [String]) -> DraftDateFormat.Order? { DraftDateFormat(texts)?.order }
    #expect(order(["01.02.2026 10:00", "21.02.2026 10:00"]) == .told)
    #expect(order(["01.02.2026 10:00"]) == .open(other: "%m.%d.%Y %H:%M"))
    #expect(order(["21/02/2026 10:00", "02/21/2026 10:00"]) == .mixed)
    // A file in the order of time tells by that which way is likely.
    #expect(DraftDateFormat(["01/10/2026", "02/01/2026"])?.format == "%m/%d/%Y")
    #expect(DraftDateFormat(["10/01/2026", "01/02/2026"])?.format == "%d/%m/%Y")
  }

  @Test func aDraftSaysHowTheHeadIsRead() throws {
    let directory = try TemporaryDirectory()
    func made(_ text: String) throws -> String {
      let path = try directory.write("file", text)
      var draft = MappingDraft(try HeadSketch(path: FilePath(path)), path: path)
      draft.tryOut()
      return draft.text
    }
    let good = try made("user_id,timestamp,event,permission\nu,2026-03-02T10:00:00Z,granted,camera\n")
    #expect(
      good.contains(
        "# permlog reads the head of this file without a mapping too, as canonical CSV: 1 event of 1 record"))
    // It never says that a file is read whose lines are rejected.
    let bad = try made("user_id,timestamp,event,permission\nu,2026-03-02T10:00:00Z,blorp,camera\n")
    #expect(!bad.contains("reads the head of this file without"))
    #expect(
      bad.contains("# Without a mapping permlog rejects lines of this file, as canonical CSV: 0 events of 1 record"))
    let amplitude = try made(
      #"{"event_type":"push_permission_granted","event_time":"2026-03-02 10:00:00","device_id":"d","uuid":"1"}"# + "\n")
    #expect(amplitude.contains("\nextends: amplitude\n") && !amplitude.contains("\nrecord:"))
    #expect(amplitude.contains("# With this mapping the head of the file gives: 1 event of 1 record, 0 not understood"))
  }
}
