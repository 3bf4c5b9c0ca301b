// The formats of simulated exports, each as the template of its lines: the canonical forms, and vendors' exports as apps of
// that vendor usually write them. docs/vendors.md describes the formats.

/// The form of the simulated export.
public enum SimulatedFormat: String, CaseIterable, Sendable {
  case ndjson, csv, amplitude, mixpanel, segment, ga4, posthog, snowplow
}

extension SimulatedFormat {
  var heading: String {
    self == .csv
      ? "event_id,user_id,timestamp,event,permission,status,variant,experiment,surface,feature,app_version,"
        + "os_version,platform,locale,country\r\n" : ""
  }

  var template: String {
    switch self {
    case .ndjson:
      """
      {"event_id":"<event>","user_id":"<user>","timestamp":"<time>Z","event":"<kind>\
      <if permission>","permission":"<permission>\
      <if status>","status":"<status><end>\
      <if letter>","variant":"<letter>","experiment":"<experiment><end>\
      <if surface>","surface":"<surface><end><end>\
      <if assigned>","variant":"<letter>","experiment":"<experiment><end>\
      <if feature>","feature":"<feature><end>\
      ","app_version":"<app>","os_version":"<os>","platform":"ios","locale":"<locale>","country":"<code>"}\n
      """
    // No value of the made-up app needs quotes.
    case .csv:
      """
      <event>,<user>,<time>Z,<kind>,<permission>,<status>,<letter>,<experiment>,<surface>,<feature>,<app>,<os>,ios,\
      <locale>,<code>\r\n
      """
    // The export API: an object a line with all keys present, times in UTC with six digits and without a zone.
    case .amplitude:
      """
      {"server_received_time":"<received>000","app":187520,"device_carrier":null,"$schema":13,"city":null,\
      "user_id":<if account>"<account>"<else>null<end>,"uuid":"<row>","event_time":"<time>000","platform":"iOS",\
      "os_version":"<os>","amplitude_id":<number>,"processed_time":"<received+1820>000","version_name":"<app>",\
      "ip_address":"203.0.113.24","paying":null,"dma":null,"group_properties":{},"user_properties":{},\
      "client_upload_time":"<received-240+skew>000","$insert_id":"<event>","event_type":"<name>",\
      "library":"amplitude-swift/1.11.2","amplitude_attribution_ids":null,"device_type":"Apple iPhone",\
      "device_manufacturer":"Apple","start_version":null,"location_lng":null,"server_upload_time":"<received+4>000",\
      "event_id":<serial>,"location_lat":null,"os_name":"ios","amplitude_event_type":null,"device_brand":null,\
      "groups":{},"event_properties":{\(properties)"build":"812"},"data":{},"device_id":"<user>",\
      "language":"<language>","device_model":"iPhone16,2","country":"<country>","region":null,\
      "is_attribution_event":false,"adid":null,"session_id":-1,"device_family":"Apple iPhone","sample_rate":null,\
      "idfa":null,"client_event_time":"<time+skew>000"}\n
      """
    // The raw export with time_in_ms=true: the device's id before a login and the account's after it.
    case .mixpanel:
      """
      {"event":"<name>","properties":{"time":<ms time>,\
      "distinct_id":"<if account><account>","$user_id":"<account><else>$device:<user><end>","$device_id":"<user>",\
      "$insert_id":"<event>","mp_processing_time_ms":<ms received+900>,"$os":"iOS","mp_lib":"swift",\
      \(properties)"$os_version":"<os>","$app_version_string":"<app>","mp_country_code":"<code>"}}\n
      """
    // The S3 archive: one call a line, with four times. `timestamp` is the device's clock, corrected by the server's.
    case .segment:
      """
      {"anonymousId":"<user>","channel":"mobile","context":{"app":{"build":"812","name":"Example",\
      "namespace":"com.example.app","version":"<app>"},"device":{"adTrackingEnabled":false,"id":"<device>",\
      "manufacturer":"Apple","model":"iPhone16,2","type":"ios"},"ip":"203.0.113.24",\
      "library":{"name":"analytics-swift","version":"1.6.2"},"locale":"<locale dashed>",\
      "network":{"cellular":false,"wifi":true},"timezone":"<zone>","location":{"country":"<code>"},\
      "os":{"name":"iOS","version":"<os>"}},"event":"<name>","integrations":{},"messageId":"<event>",\
      "originalTimestamp":"<time+skew>Z","properties":{\(properties)"build":"812"},"receivedAt":"<received>Z",\
      "sentAt":"<received+skew>Z","timestamp":"<time>Z","type":"track",<if account>"userId":"<account>",<end>"version":2}\n
      """
    // Rows of the BigQuery export as JSON, numbers of 64 bits as strings, parameters as an array.
    case .ga4:
      """
      {"event_date":"<date>","event_timestamp":"<ms time>000","event_name":"<name>",\
      "event_params":[{"key":"firebase_event_origin","value":{"string_value":"app"}}\
      <if feature>\(parameter("feature"))<end>\
      <if permission>\(parameter("permission"))\
      <if result>\(parameter("result"))<end>\
      <if status>\(parameter("status"))<end>\
      <if letter>\(parameter("variant", "letter"))\(parameter("experiment"))<end>\
      <if surface>\(parameter("surface"))<end>\
      <if settings>\(parameter("source", "settings"))<end><end>\
      <if assigned>,{"key":"exp_variant_string","value":{"string_value":"<experiment>-<letter>"}}<end>\
      ],"event_bundle_sequence_id":"<bundle>","event_server_timestamp_offset":"431207",\
      "user_id":<if account>"<account>"<else>null<end>,"user_pseudo_id":"<user digits>",\
      "privacy_info":{"analytics_storage":"Yes","ads_storage":"No","uses_transient_token":"No"},"user_properties":[],\
      "device":{"category":"mobile","mobile_brand_name":"Apple","operating_system":"IOS",\
      "operating_system_version":"iOS <os>","language":"<locale small>","is_limited_ad_tracking":"Yes",\
      "time_zone_offset_seconds":"<seconds>"},"geo":{"country":"<country>"},"app_info":{"id":"com.example.app",\
      "version":"<app>","install_source":"iTunes","firebase_app_id":"1:123:ios:abc"},"stream_id":"2100450278",\
      "platform":"IOS","is_active_user":true,"batch_event_index":"<bundle place>"}\n
      """
    // The batch export as JSON lines.
    case .posthog:
      """
      {"uuid":"<event lower>","event":"<name>","distinct_id":"<if account><account><else><user><end>",\
      "person_id":"<person>","properties":{"$lib":"posthog-ios","$lib_version":"3.19.0","$os":"iOS",\
      "$device_id":"<user>",<if permission><if letter>"$feature/<experiment>":"<letter>",<end><end>\
      \(properties)"$os_version":"<os>",\
      "$app_version":"<app>","$timezone":"<zone>","$locale":"<locale>","$geoip_country_code":"<code>"},\
      "person_properties":{},"elements_chain":"","timestamp":"<time>000+00:00","created_at":"<received>000+00:00",\
      "_inserted_at":"<received+4000>000+00:00"}\n
      """
    // Enriched events: 131 tab-separated columns without a header, most of them empty. Permission events are one
    // self-describing event with an action.
    case .snowplow:
      """
      example-ios\tmob\t<received+3000>\t<received>\t<time+skew>\tunstruct\t<event lower>\t\tcore\tios-6.0.9\
      \tssc-3.2.0-kinesis\tsnowplow-enrich-kinesis-5.1.1\t<account>\t203.0.113.24\t\t\t\t<network>\t<code>\(tabs(34))\
      {"schema":"\(iglu)contexts/jsonschema/1-0-0","data":[\
      {"schema":"\(iglu)client_session/jsonschema/1-0-2","data":{"userId":"<user lower>","sessionId":"<session>",\
      "sessionIndex":1,"storageMechanism":"LOCAL_STORAGE","previousSessionId":null,"firstEventId":null}},\
      {"schema":"\(iglu)mobile_context/jsonschema/1-0-3","data":{"osType":"ios","osVersion":"<os>",\
      "deviceManufacturer":"Apple Inc.","deviceModel":"iPhone16,2"}},\
      {"schema":"\(mobileIglu)application/jsonschema/1-0-0","data":{"version":"<app>",\
      "build":"812"}}]}\(tabs(6))\
      {"schema":"\(iglu)unstruct_event/jsonschema/1-0-0","data":{"schema":"\
      <if permission>iglu:com.example/permission_event/jsonschema/1-0-0","data":{"action":"<name>",\
      <else><if feature>iglu:com.example/feature_used/jsonschema/1-0-0","data":{\
      <else><if assigned>iglu:com.example/experiment_viewed/jsonschema/1-0-0","data":{\
      <else><if installed>\(mobileIglu)application_install/jsonschema/1-0-0","data":{\
      <else>\(iglu)application_foreground/jsonschema/1-0-0","data":{<end><end><end><end>\
      \(properties)"build":"812"}}}\(tabs(42))<zone>\(tabs(19))<received-240+skew>\(tabs(5))<time>\t\
      <if permission>com.example\tpermission_event<else>\
      <if feature>com.example\tfeature_used<else>\
      <if assigned>com.example\texperiment_viewed<else>\
      <if installed>com.snowplowanalytics.mobile\tapplication_install<else>\
      com.snowplowanalytics.snowplow\tapplication_foreground<end><end><end><end>\
      \tjsonschema\t1-0-0\t\t\n
      """
    }
  }

  private var iglu: String { "iglu:com.snowplowanalytics.snowplow/" }
  private var mobileIglu: String { "iglu:com.snowplowanalytics.mobile/" }
  private func tabs(_ count: Int) -> String { String(repeating: "\t", count: count) }

  /// The members of a JSON object that the app adds, a comma after each.
  private var properties: String {
    """
    <if feature>"feature":"<feature>",<end>\
    <if assigned>"\(assignment.experiment)":"<experiment>","\(assignment.variant)":"<letter>",<end>\
    <if permission>"permission":"<permission>",\
    <if status>"status":"<status>",<end>\
    <if letter>"\(self == .amplitude ? "message_variant" : "variant")":"<letter>","experiment":"<experiment>",<end>\
    <if surface>"\(self == .amplitude ? "screen" : "surface")":"<surface>",<end>\
    <if settings>"\(self == .segment ? "from" : "source")":"<settings>",<end><end>
    """
  }

  /// How the vendor's own tool for experiments, or Segment's specification, names the two properties of an assignment.
  private var assignment: (experiment: String, variant: String) {
    switch self {
    case .amplitude: ("[Experiment] Flag Key", "[Experiment] Variant")
    case .mixpanel: ("Experiment name", "Variant name")
    case .posthog: ("$feature_flag", "$feature_flag_response")
    default: ("experiment_name", "variation_name")
    }
  }

  /// A parameter of GA4 after another one.
  private func parameter(_ key: String, _ field: String? = nil) -> String {
    #",{"key":"\#(key)","value":{"string_value":"<\#(field ?? key)>"}}"#
  }

  /// The app's names for the kinds, in their order. A grant that was found after a visit to Settings has the name of a
  /// grant, and its source beside it.
  var eventNames: [String] {
    func names(
      _ screen: String, shown: String = "shown", active: String, installed: String, assigned: String
    ) -> [String] {
      [
        "permission_\(screen)_\(shown)", "permission_prompt_\(shown)", "permission_granted", "permission_denied",
        "permission_\(screen)_skipped", "permission_settings_prompt_\(shown)", "permission_settings_opened",
        "permission_granted", "permission_revoked", "permission_status_checked", "feature_used", active,
        installed, assigned,
      ]
    }
    /// `Permission Prompt Shown`, as in Segment's object–action convention.
    func titled(active: String, installed: String, assigned: String) -> [String] {
      names("explanation", active: active, installed: installed, assigned: assigned).map { name in
        if [active, installed, assigned].contains(name) { return name }
        return name.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: " ")
      }
    }
    switch self {
    case .ndjson, .csv: return []
    case .amplitude:
      return titled(
        active: "[Amplitude] Application Opened", installed: "[Amplitude] Application Installed",
        assigned: "[Experiment] Exposure")
    case .mixpanel:
      return names(
        "primer", shown: "viewed", active: "$ae_session", installed: "$ae_first_open", assigned: "$experiment_started")
    case .segment:
      return titled(
        active: "Application Opened", installed: "Application Installed", assigned: "Experiment Viewed")
    // Answers are one event with a parameter.
    case .ga4:
      return names(
        "explanation", active: "session_start", installed: "first_open", assigned: "experience_impression"
      ).map {
        $0 == "permission_granted" || $0 == "permission_denied" ? "permission_result" : $0
      }
    case .posthog:
      return names(
        "primer", active: "Application Opened", installed: "Application Installed", assigned: "$feature_flag_called")
    case .snowplow:
      return [
        "explanation_shown", "prompt_shown", "granted", "denied", "explanation_skipped", "settings_prompt_shown",
        "settings_opened", "granted", "revoked", "status_checked", "feature_used", "app_active",
        "application_install", "experiment_viewed",
      ]
    }
  }
}
