// The form in which people give the token, and how they leave.

import Foundation
import HTTPTypes
import HummingbirdCore
import Permlog

extension Dashboard {
  /// The answer to a request for `/login` or `/logout`; nil where nobody gives a token.
  func session(_ parts: RequestParts, _ request: Request, _ body: () async -> [UInt8]?) async -> Response? {
    guard door.hasSessions else { return nil }
    if parts.path == "/logout" {
      guard request.method == .post, parts.isOfThisSite else {
        return problem(.methodNotAllowed, "POST it from this site")
      }
      var response = redirect(to: "/login")
      response.headers[.setCookie] = door.leave(request)
      return response
    }
    if request.method == .get || request.method == .head { return login(to: "/", comesFromElsewhere: false) }
    guard request.method == .post, parts.isOfThisSite, let bytes = await body() else {
      return problem(.badRequest, "give the token in the form of this site")
    }
    let fields = QueryPart.divided(String(decoding: bytes, as: UTF8.self), own: ["token", "to"]).own
    let isSecure = request.headers.contains { $0.name.canonicalName == "x-forwarded-proto" && $0.value == "https" }
    guard let cookie = door.enter((fields["token"] ?? "").trimmingCharacters(in: .whitespaces), isSecure: isSecure)
    else {
      metrics.add(.unauthorised, 1)
      // Guessing takes time.
      try? await Task.sleep(for: .milliseconds(500))
      return login(to: fields["to"] ?? "/", comesFromElsewhere: false, isWrong: true)
    }
    var response = redirect(to: Self.isOwn(fields["to"]) ? fields["to"] ?? "/" : "/")
    response.headers[.setCookie] = cookie
    return response
  }

  /// Whether an address is of this site.
  private static func isOwn(_ address: String?) -> Bool {
    guard let address, address.hasPrefix("/"), !address.hasPrefix("//"), !address.contains("\\") else { return false }
    return address.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }

  /// - Parameter address: where the reader wanted to go.
  func login(to address: String, comesFromElsewhere: Bool, isWrong: Bool = false) -> Response {
    let to = Self.isOwn(address) ? address : "/"
    let frame = PageFrame(styleSheet: SiteFiles.style.path) { page in
      page.element("div", ["class": "bar"]) { $0.element("span", ["class": "home"], text: "permlog") }
    }
    var response = response(
      frame.page("Who reads?") { page in
        // A browser keeps the cookie back when a link of another site leads here. Then this page itself leads on.
        if comesFromElsewhere { page.element("p") { $0.element("a", ["href": to], text: "Go on to the page") } }
        page.element("form", ["method": "post", "action": "/login", "class": "login"]) { page in
          if isWrong { page.element("p", ["class": "problem", "role": "alert"], text: "This is not the token.") }
          page.empty("input", ["type": "hidden", "name": "to", "value": to])
          page.element("label", ["for": "token"], text: "Read token")
          page.empty(
            "input",
            [
              "type": "password", "id": "token", "name": "token", "autocomplete": "current-password",
              "required": "required",
            ])
          page.element("button", ["type": "submit"], text: "Enter")
        }
        page.prose("The operator of this server has it: the file that read_token_file names.", ["class": "note"])
      }, isWrong ? .unauthorized : .ok)
    if comesFromElsewhere { response.headers[.refresh] = "0; url=" + to }
    return response
  }
}
