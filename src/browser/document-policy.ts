import type { HeaderEntry } from './headers.ts'

/**
 * The policy for pages. The request gate counts every request of a document and of its workers; it would not see a
 * WebSocket. A login needs neither another window nor a download.
 */
const contentSecurity = [
  'worker-src blob:',
  // Neither ws: nor wss:.
  'connect-src http: https: data: blob:',
  "manifest-src 'none'",
  "fenced-frame-src 'none'",
  [
    'sandbox allow-forms allow-modals allow-orientation-lock allow-pointer-lock allow-presentation allow-same-origin',
    'allow-scripts allow-storage-access-by-user-activation allow-top-navigation',
    'allow-top-navigation-to-custom-protocols',
  ].join(' '),
].join('; ')

/** Features by which the browser itself sends requests for a page. */
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

/** Headers that make the browser send reports or load documents ahead, and those of an encoding that is undone. */
const dropped = new Set([
  ...['nel', 'report-to', 'reporting-endpoints', 'content-security-policy-report-only'],
  ...['speculation-rules', 'link', 'critical-ch', 'content-encoding', 'content-length', 'transfer-encoding'],
])

/** The headers of a document with the policy for every page of a run. */
export function withPolicy(headers: readonly HeaderEntry[]): HeaderEntry[] {
  return [
    ...headers.filter(({ name }) => !dropped.has(name.toLowerCase())),
    { name: 'Content-Security-Policy', value: contentSecurity },
    { name: 'Permissions-Policy', value: permissions },
    { name: 'X-DNS-Prefetch-Control', value: 'off' },
  ]
}
