// Requests for pages and answers: who asks, what of, and whether he has it already.

import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import Permlog

/// The pages of the server.
struct Dashboard: Sendable {
  let settings: ServerSettings
  let door: Door
  let desk: AnswerDesk
  let feed: LiveFeed
  let intake: Intake
  let quarantine: Quarantine
  let metrics: ServerMetrics
  let logger: Logger
  private let underway = AnswersUnderway()

  init(
    settings: ServerSettings, door: Door, desk: AnswerDesk, feed: LiveFeed, intake: Intake, quarantine: Quarantine,
    metrics: ServerMetrics, logger: Logger
  ) {
    (self.settings, self.door, self.desk, self.feed) = (settings, door, desk, feed)
    (self.intake, self.quarantine, self.metrics, self.logger) = (intake, quarantine, metrics, logger)
  }

  /// The answer to a request; nil if it is not one of these.
  /// - Parameter body: of a request that has one, read.
  func respond(_ parts: RequestParts, _ request: Request, body: () async -> [UInt8]?) async -> Response? {
    guard request.method != .post || parts.path == "/login" || parts.path == "/logout" else { return nil }
    switch parts.path {
    case SiteFiles.style.path: return file(SiteFiles.style)
    case SiteFiles.script.path: return file(SiteFiles.script)
    case "/login", "/logout": return await session(parts, request, body)
    default: break
    }
    let isLive = parts.path == "/live"
    let place = parts.path == "/" ? (Page.today, "html") : Page.at(parts.path)
    guard request.method == .get || request.method == .head, isLive || place != nil else { return nil }
    switch door.verdict(parts, request) {
    case .open: break
    case .token:
      let wantsPage = place?.1 == "html"
      metrics.add(.unauthorised, wantsPage ? 0 : 1)
      return wantsPage
        ? login(to: request.uri.description, comesFromElsewhere: request.headers[.fetchSite] == "cross-site")
        : problem(.unauthorized, "this needs the read token: Authorization: Bearer TOKEN")
    case .closed(let why):
      metrics.add(.unauthorised, 1)
      return problem(.forbidden, "closed: " + why)
    }
    metrics.add(.pages, 1)
    return await answer(place.map { ($0.0, $0.1) }, parts, request)
  }

  // MARK: From the question to the answer

  private func answer(
    _ place: (page: Page, format: String)?, _ parts: RequestParts, _ request: Request
  ) async -> Response {
    let (query, ofPage, hadEmpty) = QueryPart.divided(request.uri.query ?? "", own: ["log"])
    let logs = await logs
    guard let name = ofPage["log"] ?? logs.first?.name, let log = logs.first(where: { $0.name == name })?.log else {
      return problem(.notFound, "there is no log of this name: use one of " + logs.map(\.name).joined(separator: ", "))
    }
    guard let place else { return live(log, parts, request) }
    // Which log is meant must not change when another is added before it.
    if logs.count > 1, ofPage["log"] == nil {
      let asked = Asked(page: place.page, format: place.format, logName: name, query: query)
      guard place.format == "html" else {
        return problem(.badRequest, "name the log: log=" + logs.map(\.name).joined(separator: ", or log="))
      }
      return redirect(to: asked.address(query: parts.path == "/" ? "" : nil))
    }
    let asked = Asked(
      page: place.page, format: place.format, logName: logs.count > 1 ? name : nil, query: query)
    if parts.path == "/" { return redirect(to: asked.address(query: "")) }
    // A form sends its empty fields too; the address is the question, and has none.
    if hadEmpty { return redirect(to: asked.address(format: place.format)) }
    if let smallest = settings.smallGroups, !Self.pagesOfLargeGroups.contains(place.page) {
      let why =
        "This server shows groups of at least \(smallest) users alone (small_groups). Only the report can be cut to them."
      return place.format == "html"
        ? own(frame(asked, logs), "Not shown", why, .forbidden) : problem(.forbidden, why)
    }
    do {
      switch place.page {
      case .today: return try await today(log, asked, logs)
      case .data: return try await data(log, asked, logs)
      default: return try await question(log, asked, logs, request)
      }
    } catch let error as PermlogError {
      return await refusal(error, log, asked, logs)
    } catch is AnswerDesk.Refusal {
      return busy
    } catch let error as Picture.Problem {
      return problem(.notFound, error.text)
    } catch is PageQuestion.TooLarge {
      return problem(
        .contentTooLarge, "the answer has more than 64 MB: ask the command, which writes it piece by piece")
    } catch {
      logger.error("a page failed", metadata: ["page": "\(place.page)", "reason": "\(error)"])
      return problem(.internalServerError, "the answer failed; the server's messages say why")
    }
  }

  /// Differs with each start: another version, other settings or another machine may answer in other words.
  private static let process = String(UInt64.random(in: 0...(.max)), radix: 36)

  private static let fieldsOfLargeGroups = ["permission", "by", "as_of"]
  private static let pagesOfLargeGroups: [Page] = [.today, .report, .data]

  private func question(
    _ log: PermissionLog, _ asked: Asked, _ logs: [(name: String, log: PermissionLog)], _ request: Request
  ) async throws -> Response {
    let smallest = settings.smallGroups
    if asked.page == .compare, asked.query.isEmpty, asked.format == "html" {
      return try await emptyComparison(log, asked, logs)
    }
    let question = try PageQuestion(asked.page, asked.query, smallest: smallest)
    // Links lead to the question with its fields in their order.
    let asked = Asked(page: asked.page, format: asked.format, logName: asked.logName, query: question.query)
    let isPicture = ["png", "svg"].contains(asked.format)
    let format = isPicture ? "html" : asked.format
    let now = try await desk.view(of: log)
    let state = try await desk.look { try now.state(for: question.scope) }
    // What the page has beside its answer is in the key as well.
    let key =
      ([asked.page.rawValue, asked.format, question.query, log.path, state.text, Self.process]
      + logs.map(\.name)).joined(separator: "\n")
    let tag =
      "\"\(state.fingerprint.prefix(16))-\(Array(key.utf8).withUnsafeBytes { String(CRC32C.of($0), radix: 16) })\""
    if (request.headers[.ifNoneMatch] ?? "").contains(tag) {
      return finished(Response(status: .notModified, headers: [.eTag: tag]))
    }
    let answer = try await desk.answer(key) {
      var style = TextStyle(words: CommandWords.text)
      if format == "html" {
        var frame = frame(asked, logs, question, LogNames(try now.information()))
        frame.state = state.fingerprint
        style.frame = frame.frame
      }
      let answer = try question.answer(of: now, format: format, style: style)
      return isPicture ? try picture(answer, asked.format) : answer
    }
    guard let share = underway.share(answer.bytes.readableBytes) else { return busy }
    let (bytes, watch) = (answer.bytes, WriteWatch.current)
    var response = finished(
      Response(
        status: .ok, headers: [.contentType: answer.type],
        body: ResponseBody(contentLength: bytes.readableBytes) { writer in
          // In pieces: the next one waits until the reader has taken the one before.
          var rest = bytes
          while let piece = rest.readSlice(length: min(256 << 10, rest.readableBytes)), piece.readableBytes > 0 {
            try await writer.write(piece)
            watch?.restart()
          }
          try await writer.finish(nil)
          withExtendedLifetime(share) {}
        }))
    response.headers[.eTag] = tag
    if answer.type == "image/svg+xml" {
      // It has its style within itself, and nothing else.
      response.headers[.contentSecurityPolicy] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    }
    return response
  }

  private func picture(_ page: Answered, _ format: String) throws -> Answered {
    guard let svg = Picture.svg(of: Array(page.bytes.readableBytesView)) else { throw Picture.Problem.nothingDrawn }
    guard format == "png" else { return Answered(bytes: ByteBuffer(bytes: svg), type: "image/svg+xml") }
    guard let converter = Picture.converter else { throw Picture.Problem.noConverter }
    return Answered(bytes: ByteBuffer(bytes: try Picture.png(of: svg, with: converter)), type: "image/png")
  }

  // MARK: The server's own pages

  private func today(
    _ log: PermissionLog, _ asked: Asked, _ logs: [(name: String, log: PermissionLog)]
  ) async throws -> Response {
    var frame = frame(asked, logs)
    let (live, numbers) = await liveNumbers(log)
    let style = TextStyle(words: CommandWords.text)
    var analysis = Markup()
    if settings.smallGroups == nil {
      do {
        let now = try await desk.view(of: log)
        let state = try await desk.look { try now.state(for: QuestionScope()) }
        frame.state = state.fingerprint
        let key = ["today", log.path, state.text, asked.logName ?? ""].joined(separator: "\n")
        let answer = try await desk.answer(key) {
          Answered(part: try TodayPage.analysis(of: now, asked, style: style))
        }
        analysis = answer.part ?? analysis
      } catch let error as PermlogError where error.code == .notFound {
        // No commit yet: the first makes the page another one.
        frame.state = ""
        analysis.prose("The log has no event yet. The first that an app sends makes it.")
      }
    }
    let part = analysis
    return response(
      frame.frame.page("Today") { page in
        TodayPage.write(live, numbers, on: &page)
        page.append(part)
      })
  }

  private func data(
    _ log: PermissionLog, _ asked: Asked, _ logs: [(name: String, log: PermissionLog)]
  ) async throws -> Response {
    let information = try await desk.look { try log.information() }
    var audit: Markup?
    var shown: String?
    // Its sentences have small numbers.
    if settings.smallGroups == nil {
      let style = TextStyle(words: CommandWords.text)
      let now = try await desk.view(of: log)
      let state = try await desk.look { try now.state(for: QuestionScope()) }
      shown = state.fingerprint
      let key = ["data", log.path, state.text].joined(separator: "\n")
      audit = try await desk.answer(key) { Answered(part: try DataPage.audit(now, style: style)) }.part
    }
    let page = DataPage(
      log: information, path: log.path, isCoarse: settings.smallGroups != nil,
      quarantine: await waiting(), dropped: metrics.count(.quarantineDropped), audit: audit, now: Intake.now)
    var frame = frame(asked, logs)
    frame.state = shown
    return response(frame.frame.page("Data") { page.write(asked, on: &$0) })
  }

  /// The entries of the quarantine; nil if they cannot be read.
  private func waiting() async -> [(reason: String, detail: String, count: Int)]? {
    do { return try await quarantine.summary(noOlderThan: .seconds(10)) } catch {
      logger.error("the quarantine cannot be read", metadata: ["reason": "\(error)"])
      return nil
    }
  }

  /// Nothing is asked yet: the experiments of the log to choose from.
  private func emptyComparison(
    _ log: PermissionLog, _ asked: Asked, _ logs: [(name: String, log: PermissionLog)]
  ) async throws -> Response {
    let names = LogNames(try await desk.look { try log.information() })
    var frame = frame(asked, logs)
    frame.form = form(asked, [:], names)
    return response(
      frame.frame.page("Compare") { page in
        page.element("p") { page in
          page.text("Name two messages above, the control first; or choose one of the ")
          page.element("a", ["href": asked.address(.experiments, query: "")], text: "experiments")
          page.text(".")
        }
      })
  }

  /// A question that cannot be answered: what is wrong, beside the fields as they were given.
  private func refusal(
    _ error: PermlogError, _ log: PermissionLog, _ asked: Asked, _ logs: [(name: String, log: PermissionLog)]
  ) async -> Response {
    let status: HTTPResponse.Status =
      switch error.code {
      case .usage, .dataRefused, .limit: .badRequest
      case .notFound: .notFound
      case .busy: .serviceUnavailable
      default: .internalServerError
      }
    if status == .internalServerError {
      logger.error("a page failed", metadata: ["page": "\(asked.page)", "reason": "\(error.message)"])
    }
    let text =
      error.code == .notFound
      ? "The log has no event yet. The first that an app sends makes it."
      : (error.argument.map { $0 == .messages ? "" : $0.rawValue.replacing("_", with: " ") + ": " } ?? "")
        + error.message
    guard asked.format == "html" else { return problem(status, text) }
    var frame = frame(asked, logs)
    guard asked.page.kind != nil else { return own(frame, asked.page.title, text, status) }
    let names = LogNames(try? await desk.look { try log.information() })
    frame.form = form(asked, QueryPart.given(asked.query), names)
    frame.form?.problem = text
    return own(frame, asked.page.title, "There is no answer to this question.", status)
  }

  // MARK: Frames

  private func form(_ asked: Asked, _ given: GivenFields, _ names: LogNames) -> QuestionForm {
    QuestionForm(
      asked: asked, given: given, names: names, only: settings.smallGroups == nil ? nil : Self.fieldsOfLargeGroups)
  }

  private func frame(
    _ asked: Asked, _ logs: [(name: String, log: PermissionLog)], _ question: PageQuestion? = nil,
    _ names: LogNames = LogNames()
  ) -> SiteFrame {
    var frame = SiteFrame(asked: asked, logs: logs.map(\.name), canLeave: door.hasSessions)
    if settings.smallGroups != nil { frame.pages = Self.pagesOfLargeGroups }
    guard let question else { return frame }
    frame.form = form(asked, question.given, names)
    frame.formats = asked.page.formats.filter { $0 != "png" || Picture.converter != nil }
    // Large groups are a table.
    if settings.smallGroups != nil { frame.formats.removeAll { ["png", "svg"].contains($0) } }
    let path = logs.first { $0.name == asked.logName }?.log.path ?? logs.first?.log.path ?? ""
    let small = settings.smallGroups.map { ["--small-groups", "\($0)"] } ?? []
    let words = ["permlog", asked.page.rawValue, "--log", path] + small + question.arguments
    frame.command = words.map { CommandWords.quoted($0) }.joined(separator: " ")
    return frame
  }

  private func own(_ frame: SiteFrame, _ title: String, _ words: String, _ status: HTTPResponse.Status) -> Response {
    response(frame.frame.page(title) { $0.prose(words) }, status)
  }

  /// The logs with their names in addresses: those of their directories, numbered where two are the same.
  private var logs: [(name: String, log: PermissionLog)] {
    get async {
      var taken: Set<String> = []
      return await intake.logs.map { log in
        let last = log.path.split(separator: "/").last.map(String.init) ?? log.path
        let name = last.hasSuffix(".permlog") && last.count > 8 ? String(last.dropLast(8)) : last
        let free = ([name] + (2...).lazy.prefix(1000).map { "\(name)-\($0)" }).first { !taken.contains($0) } ?? log.path
        taken.insert(free)
        return (free, log)
      }
    }
  }

  // MARK: Live numbers

  private func liveNumbers(_ log: PermissionLog) async -> (TodayPage.Live, LiveFeed.Numbers) {
    // An event is a person's: where small groups are not shown, neither are its minute and its time.
    let numbers =
      settings.smallGroups == nil
      ? feed.numbers(log.path) : LiveFeed.Numbers(byMinute: Array(repeating: nil, count: LiveFeed.minutes))
    let information = try? await desk.look { try log.information() }
    let newest = settings.smallGroups == nil ? information?.times?.upperBound : nil
    let waiting = Int(metrics.value(.spoolBytes))
    return (
      TodayPage.Live(
        last_minute: numbers.lastMinute.map(DataPage.grouped) ?? "–",
        last_hour: numbers.byMinute.contains { $0 != nil }
          ? DataPage.grouped(numbers.lastHour) + (numbers.isWholeHour ? "" : " since its start") : "–",
        newest: newest.map { DataPage.ago($0, Intake.now) } ?? "–",
        newest_time: newest.map { Timestamp.text($0) } ?? "",
        waiting: settings.smallGroups != nil ? "–" : waiting == 0 ? "nothing" : DataPage.grouped(waiting) + " bytes",
        quarantine: DataPage.grouped(Int(metrics.value(.quarantineEntries)))), numbers
    )
  }

  private func live(_ log: PermissionLog, _ parts: RequestParts, _ request: Request) -> Response {
    // A stream ends with the session that it began in.
    let (door, head) = (door, Request(head: request.head, body: RequestBody(buffer: ByteBuffer())))
    let isOpen: @Sendable () -> Bool = { door.verdict(parts, head) == .open }
    let isCoarse = settings.smallGroups != nil
    let body = feed.stream(while: isOpen) {
      await desk.pulse(of: log) {
        let (live, _) = await liveNumbers(log)
        let encoder = JSONEncoder()
        // The same numbers are the same text, which is not sent again.
        encoder.outputFormatting = .sortedKeys
        let text = (try? encoder.encode(live)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
        // Each commit is somebody's event.
        return (text, isCoarse ? "" : (try? await desk.look { try log.fingerprint() }) ?? "")
      }
    }
    guard let body else { return busy }
    var response = Response(
      status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"], body: body)
    // nginx would keep it back until it is whole, which it never is.
    response.headers[.accelBuffering] = "no"
    return finished(response)
  }

  // MARK: Responses

  func response(
    _ bytes: [UInt8], _ type: String = "text/html; charset=utf-8", _ status: HTTPResponse.Status = .ok
  ) -> Response {
    finished(
      Response(status: status, headers: [.contentType: type], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))))
  }

  func response(_ page: [UInt8], _ status: HTTPResponse.Status) -> Response {
    response(page, "text/html; charset=utf-8", status)
  }

  private func file(_ file: SiteFiles.File) -> Response {
    var response = response(file.bytes, file.type)
    response.headers[.cacheControl] = "public, max-age=31536000, immutable"
    return response
  }

  func redirect(to address: String) -> Response {
    finished(Response(status: .seeOther, headers: [.location: address]))
  }

  func problem(_ status: HTTPResponse.Status, _ text: String) -> Response {
    finished(Answers.problem(status, text))
  }

  private var busy: Response { finished(Answers.comeAgain(2, "too many ask at once")) }

  /// With the fields that tell a browser what a page may do: nothing but what is here.
  private func finished(_ response: Response) -> Response {
    var response = response
    response.headers[.contentSecurityPolicy] =
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
      + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    response.headers[.xContentTypeOptions] = "nosniff"
    response.headers[.referrerPolicy] = "no-referrer"
    response.headers[.resourcePolicy] = "same-origin"
    // Kept by the browser alone, and asked for again each time: with the tag that costs nothing.
    if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "private, no-cache" }
    return response
  }
}
