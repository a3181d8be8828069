import { isLoopback } from '../target/safety.ts'

/** Schemes of addresses that never leave the browser. */
const localSchemes = ['about:', 'data:', 'blob:', 'chrome-error:']

/** Types of requests that no page needs: icons, prefetches, beacons, reports, and the browser's own requests. */
const unneeded = [
  ...['other', 'prefetch', 'manifest', 'ping', 'cspviolationreport', 'signedexchange', 'fedcm'],
] as const
/** Types of requests that only a person needs. */
const decorative = ['image', 'font', 'media', 'texttrack'] as const

/** The permitted requests of pages: to the allowed hosts, over TLS except on loopback, and never to a redirect URI. */
export class RequestPolicy {
  readonly hosts: readonly string[]
  readonly #unneeded: ReadonlySet<string>
  #redirectUris: readonly URL[] = []

  /**
   * @param hosts with port unless it is the scheme's default
   * @param isComplete whether images, fonts and media are loaded as well
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

  /** Whether a type of request, in the terms of CDP or Playwright, is not needed. */
  isUnneeded(resourceType: string): boolean {
    return this.#unneeded.has(resourceType.toLowerCase())
  }

  /** Whether a request of a type may be sent. */
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

/** Whether the scheme of an address is http or https. */
export function isHttp(url: string): boolean {
  return /^https?:/.test(url)
}
