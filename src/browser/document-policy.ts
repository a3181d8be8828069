import type { HeaderEntry } from './protocol.ts'

/**
 * The content security policy of pages. The request interceptor counts every request of a document and its workers, except
 * those of WebSockets. A login needs neither another window nor a download.
 */
const contentSecurity = [
  'worker-src blob:',
  // Without ws: and wss:.
  'connect-src http: https: data: blob:',
  "manifest-src 'none'",
  "fenced-frame-src 'none'",
  [
    'sandbox allow-forms allow-modals allow-orientation-lock allow-pointer-lock allow-presentation allow-same-origin',
    'allow-scripts allow-storage-access-by-user-activation allow-top-navigation',
    'allow-top-navigation-to-custom-protocols',
  ].join(' '),
].join('; ')

/** Features that make the browser itself send requests for a page. */
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

/** Headers that make the browser send reports or load documents early, and those of a removed encoding. */
const dropped = new Set([
  ...['nel', 'report-to', 'reporting-endpoints', 'content-security-policy-report-only'],
  ...['speculation-rules', 'link', 'critical-ch', 'content-encoding', 'content-length', 'transfer-encoding'],
])

/** The headers of a document with the policy for pages. */
export function withPolicy(headers: readonly HeaderEntry[]): HeaderEntry[] {
  return [
    ...headers.filter(({ name }) => !dropped.has(name.toLowerCase())),
    { name: 'Content-Security-Policy', value: contentSecurity },
    { name: 'Permissions-Policy', value: permissions },
    { name: 'X-DNS-Prefetch-Control', value: 'off' },
  ]
}

/**
 * Removes from a document and its workers the features that send packets outside the browser's HTTP stack or after the
 * page is closed, and obey no content security policy. Workers are loaded from text, so that they obey the policy of their
 * document.
 */
function removeFeatures(): void {
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport', 'SharedWorker'])
    Reflect.deleteProperty(globalThis, name)
  Reflect.deleteProperty(globalThis.ServiceWorkerContainer?.prototype ?? {}, 'register')

  // Scripts of the page could replace these later.
  const { Worker: native, XMLHttpRequest, Blob, URL } = globalThis
  const { apply, construct } = Reflect
  // Requests that outlive their page would leave uncounted when it is closed.
  globalThis.fetch = new Proxy(globalThis.fetch, {
    apply: (target, self, [input, init]) => apply(target, self, [input, { ...init, keepalive: false }]),
  })
  if (globalThis.Navigator) Navigator.prototype.sendBeacon = () => true

  const prefix = `(${removeFeatures})();`
  if (!native) return
  const replaced = new Proxy(native, {
    construct(target, [address, ...options], caller) {
      const request = new XMLHttpRequest()
      request.open('GET', address, false)
      request.send()
      const script = new Blob([prefix, request.responseText], { type: 'text/javascript' })
      return construct(target, [URL.createObjectURL(script), ...options], caller)
    },
  })
  native.prototype.constructor = replaced
  globalThis.Worker = replaced
}

/** A script for each document, to run before those of the page. */
export const removalScript = `(${removeFeatures})()`
