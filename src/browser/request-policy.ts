import { isLoopback } from '../target/safety.ts'

/** Schemes of addresses that the browser loads without a request. */
const localSchemes = ['about:', 'data:', 'blob:', 'chrome-error:']

/** Types of requests that no page needs: icons, prefetches, beacons, reports, and the browser's own requests. */
const unneeded = [
  ...['other', 'prefetch', 'manifest', 'ping', 'cspviolationreport', 'signedexchange', 'fedcm'],
] as const
/** Types of requests that a page needs only if a person looks at it. */
const decorative = ['image', 'font', 'media', 'texttrack'] as const

/** The requests that a page may send: to permitted hosts, over TLS except on loopback, and never to a redirect URI. */
export class RequestPolicy {
  readonly hosts: readonly string[]
  readonly #unneeded: ReadonlySet<string>
  #redirectUris: readonly URL[] = []

  /**
   * @param hosts permitted hosts: `idp.example`, or `idp.example:8443` if the port is not the default of the scheme
   * @param isComplete whether pages may also load images, fonts and media
   */
  constructor(hosts: readonly string[], isComplete: boolean) {
    this.hosts = hosts
    this.#unneeded = new Set(isComplete ? unneeded : [...unneeded, ...decorative])
  }

  set redirectUris(uris: readonly string[]) {
    this.#redirectUris = uris.map((uri) => URL.parse(uri)).filter((uri) => uri !== null)
  }

  allowsAddress(url: string): boolean {
    const parsed = URL.parse(url)
    if (!parsed) return false
    const { protocol, host, hostname } = parsed
    if (protocol !== 'http:' && protocol !== 'https:') return localSchemes.includes(protocol)
    if (protocol === 'http:' && !isLoopback(hostname)) return false
    return this.hosts.includes(host) && !this.isRedirectUri(url)
  }

  /**
   * Whether the policy refuses every request of a resource type.
   * @param resourceType as CDP (`Image`) or Playwright (`image`) names the type
   */
  isUnneeded(resourceType: string): boolean {
    return this.#unneeded.has(resourceType.toLowerCase())
  }

  allowsRequest(resourceType: string, url: string): boolean {
    return !this.isUnneeded(resourceType) && this.allowsAddress(url)
  }

  /** Whether an address has the host and path of a redirect URI. */
  isRedirectUri(url: string): boolean {
    const parsed = URL.parse(url)
    return this.#redirectUris.some(
      ({ host, pathname }) => host === parsed?.host && pathname === parsed.pathname,
    )
  }
}

export function isHttp(url: string): boolean {
  return /^https?:/.test(url)
}
