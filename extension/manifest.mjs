// The manifest of each browser: what they share, and what differs.

/** `publishers`: origins that models may be fetched from. */
const policy = (publishers) => [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  `connect-src 'self' ${publishers.join(" ")}`,
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
].join("; ");

const ICONS = Object.fromEntries([16, 32, 48, 128].map((size) => [size, `icons/icon-${size}.png`]));

const SHARED = {
  manifest_version: 3,
  name: "__MSG_name__",
  description: "__MSG_description__",
  default_locale: "en",
  icons: ICONS,
  // No host is named: a page is touched when the user asks, and only that page. The optional ones are asked for
  // when they are needed: the publisher's for the first fetch of a model, all for offers and rules.
  permissions: ["activeTab", "contextMenus", "scripting", "storage"],
  optional_host_permissions: ["<all_urls>"],
  // Asked for when the engine of this computer is switched on.
  optional_permissions: ["nativeMessaging"],
  action: { default_title: "__MSG_popupTitle__", default_popup: "popup.html", default_icon: ICONS },
  options_ui: { page: "options.html", open_in_tab: true },
  commands: {
    "translate-page": { suggested_key: { default: "Alt+Shift+D" }, description: "__MSG_command__" },
  },
};

const BROWSERS = {
  chrome: {
    minimum_chrome_version: "133",
    // Makes the id the same wherever it is loaded from: the engine of this computer lets that one in
    // (`py/dragoman/messaging/extension.py`). It signs nothing; its private half was not kept.
    key: [
      "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAqe4I0a9OboepsvHWiQ78c822cscisJkDQLwyK/Vn1VoyyLr/W97YdonF+8kRzWePT/WrD9ZJ",
      "EXy9h6fUVeKQrZ7WH/nFdlBmT5QQWiqmJNWx3KktfLkGsivAXoyceSu3E7gtEuPpKrzPruWMfzeRKIECCRrTK9UhuQ45u8iGz+NaHUKzaE70Eoo4eo/Z",
      "CrplWvx7fwmmijXNOwIXW1tGOL9NGX8ENRTLzop6d9VF4e9oXRHURFMCXz1M/IpjHz5HZ9mh2m8r1DiK3lQSQfAsTw1MxLk1njmvGakuvB3tK7HuOX3A",
      "KGu0k8aZLbaowPsJ7cUPMmtQiPE0w/7arXNRZwIDAQAB",
    ].join(""),
    permissions: [...SHARED.permissions, "offscreen"],
    background: { service_worker: "background.js", type: "module" },
    // The offscreen document and its workers are isolated, so that the engine may use threads.
    cross_origin_embedder_policy: { value: "require-corp" },
    cross_origin_opener_policy: { value: "same-origin" },
  },
  firefox: {
    background: { scripts: ["background.js"], type: "module" },
    browser_specific_settings: {
      gecko: {
        // Means nothing, so that it need never change: settings and updates hang on it.
        id: "{7a59718a-d663-4453-b6b7-15b0f9cafe94}",
        strict_min_version: "140.0",
        data_collection_permissions: { required: ["none"] },
      },
    },
  },
};

export const browsers = Object.keys(BROWSERS);

export function manifestOf(browser, version, publishers) {
  const content_security_policy = { extension_pages: policy(publishers) };
  return { ...SHARED, version, content_security_policy, ...BROWSERS[browser] };
}
