import { type HeaderEntry, type PausedRequest, type PausedResponse, valuesOf } from './protocol.ts'

type AssetRequest = Pick<PausedRequest, 'resourceType' | 'request'>

interface Asset {
  readonly headers: readonly HeaderEntry[]
  /** Body of the response in base64. */
  readonly body: string
}

/** Resources whose content is the same for all pages of a run, as the Chrome DevTools Protocol names their types. */
const staticTypes: ReadonlySet<string> = new Set(['Script', 'Stylesheet'])
/** Headers that Vary may name. Their values are the same for all pages of a run, except Origin: the key contains it. */
const permittedVary: ReadonlySet<string> = new Set([
  ...['accept', 'accept-encoding', 'accept-language', 'origin', 'user-agent'],
])
/** Names of query parameters that may contain a credential, or a value of a single authorization request. */
const personal = /token|code|auth|sess|sid\b|secret|key|ticket|state|nonce|user|login|jwt|sig/i
/** Maximum size of all assets, in characters of base64. */
const maxCharacters = 64 * 1024 * 1024

/** Scripts and style sheets that the pages of a run share. The target receives one request for each. */
export class AssetCache {
  readonly #assets = new Map<string, Asset>()
  #characters = 0

  get size(): number {
    return this.#assets.size
  }

  find(request: AssetRequest): Asset | undefined {
    return request.request.method === 'GET' ? this.#assets.get(keyOf(request)) : undefined
  }

  /** Whether a response may be stored for other pages (RFC 9111, 3 and 4.1). */
  admits({ resourceType, request, status, headers }: Omit<PausedResponse, 'frameId'>): boolean {
    const values = (name: string) => valuesOf(headers, name).map((value) => value.toLowerCase())
    const vary = values('vary').flatMap((value) => value.split(',').map((name) => name.trim()))
    return (
      staticTypes.has(resourceType) &&
      request.method === 'GET' &&
      status === 200 &&
      !isPersonal(new URL(request.url)) &&
      values('set-cookie').length === 0 &&
      !values('cache-control').some((value) => /\bno-store\b/.test(value)) &&
      vary.every((name) => name === '' || permittedVary.has(name))
    )
  }

  /** Stores an asset, if all assets together stay within the maximum size. */
  keep(request: AssetRequest, asset: Asset): void {
    if (this.#characters + asset.body.length > maxCharacters) return
    this.#characters += asset.body.length
    this.#assets.set(keyOf(request), asset)
  }
}

function keyOf({ request: { url, headers } }: AssetRequest): string {
  const origin = Object.entries(headers).find(([name]) => name.toLowerCase() === 'origin')?.[1] ?? ''
  return `${origin} ${url}`
}

function isPersonal({ username, password, searchParams }: URL): boolean {
  return username !== '' || password !== '' || [...searchParams.keys()].some((name) => personal.test(name))
}
