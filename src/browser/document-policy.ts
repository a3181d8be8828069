import type { HeaderEntry } from './protocol.ts'

/**
 * The content security policy of pages. It forbids WebSockets, which the request interceptor does not count. It also
 * forbids new windows and downloads, which a login does not need.
 */
const contentSecurity = [
  'worker-src blob:',
  // Does not permit `ws:` and `wss:`.
  'connect-src http: https: data: blob:',
  "manifest-src 'none'",
  "fenced-frame-src 'none'",
  [
    'sandbox allow-forms allow-modals allow-orientation-lock allow-pointer-lock allow-presentation allow-same-origin',
    'allow-scripts allow-storage-access-by-user-activation allow-top-navigation',
    'allow-top-navigation-to-custom-protocols',
  ].join(' '),
].join('; ')

/** Features that let the browser itself send requests for a page. */
const permissions = [
  'attribution-reporting',
  'browsing-topics',
  'deferred-fetch',
  'deferred-fetch-minimal',
  'identity-credentials-get',
  'join-ad-interest-group',
  'run-ad-auction',
  'shared-storage',
]
  .map((name) => `${name}=()`)
  .join(', ')

/**
 * Headers that make the browser send reports or load documents early. Also headers about the encoding, because the
 * interceptor delivers decoded bodies.
 */
const removedHeaders = new Set([
  ...['nel', 'report-to', 'reporting-endpoints', 'content-security-policy-report-only'],
  ...['speculation-rules', 'link', 'critical-ch', 'content-encoding', 'content-length', 'transfer-encoding'],
])

/** Adds the policy for pages to the headers of a document. */
export function withPolicy(headers: readonly HeaderEntry[]): HeaderEntry[] {
  return [
    ...headers.filter(({ name }) => !removedHeaders.has(name.toLowerCase())),
    { name: 'Content-Security-Policy', value: contentSecurity },
    { name: 'Permissions-Policy', value: permissions },
    { name: 'X-DNS-Prefetch-Control', value: 'off' },
  ]
}

/**
 * Removes features that send packets outside the HTTP stack of the browser, or after the page is closed. The content
 * security policy does not cover these features. Workers are loaded from text, so that the policy of the document
 * applies.
 */
function removeFeatures(): void {
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport', 'SharedWorker'])
    Reflect.deleteProperty(globalThis, name)
  Reflect.deleteProperty(globalThis.ServiceWorkerContainer?.prototype ?? {}, 'register')

  // Kept here, because scripts of the page can replace these classes later.
  const { Worker: NativeWorker, XMLHttpRequest, Blob, URL } = globalThis
  const { apply, construct } = Reflect
  // Disable `keepalive`: otherwise a request could outlive its page, and Plumbline would not count the request.
  globalThis.fetch = new Proxy(globalThis.fetch, {
    apply: (target, self, [input, init]) => apply(target, self, [input, { ...init, keepalive: false }]),
  })
  if (globalThis.Navigator) Navigator.prototype.sendBeacon = () => true

  const prefix = `(${removeFeatures})();`
  if (!NativeWorker) return
  const replacement = new Proxy(NativeWorker, {
    construct(target, [address, ...options], caller) {
      const request = new XMLHttpRequest()
      request.open('GET', address, false)
      request.send()
      const script = new Blob([prefix, request.responseText], { type: 'text/javascript' })
      return construct(target, [URL.createObjectURL(script), ...options], caller)
    },
  })
  NativeWorker.prototype.constructor = replacement
  globalThis.Worker = replacement
}

/** A script for each document. It must run before the scripts of the page. */
export const removalScript = `(${removeFeatures})()`
