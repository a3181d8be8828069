import type { JWK } from 'jose'
import { HttpFailure } from '../http/failures.ts'
import type { HttpResponse } from '../http/response.ts'
import { type DecodedJwt, type SignatureVerdict, verifySignature } from '../oauth/jwt.ts'
import { KeySet, KeyUncertain, keysOf } from '../oauth/key-set.ts'
import { issuerOf } from '../target/parts.ts'
import { describe, quotedOrMasked } from './expect.ts'
import { unlessUndecided } from './obstacle.ts'
import type { RunContext } from './run-context.ts'
import { Inconclusive } from './verdict.ts'

/** Requests the discovery document and the key set of the provider, compares issuers, and verifies signatures. */
export class DiscoverySteps {
  readonly #run: RunContext

  constructor(run: RunContext) {
    this.#run = run
  }

  /** The response of the discovery endpoint with any status, requested once per run. */
  response(): Promise<HttpResponse> {
    return this.#run.once(this.response, async () => {
      const response = await this.#run.provider.discovery()
      if (response.status === 200 && response.object) this.#run.controls.worked('discovery')
      return response
    })
  }

  /** Like `metadata`, for hints in findings: accepts any status, and returns undefined instead of an error. */
  async document(): Promise<HttpResponse['object']> {
    return (await unlessUndecided(this.response()))?.object
  }

  /** The discovery document. @throws {Inconclusive} if the response is not a JSON object with status 200 */
  async metadata(): Promise<Readonly<Record<string, unknown>>> {
    const response = await this.response()
    if (response.status === 200 && response.object) return response.object
    throw new Inconclusive(`there is no discovery document (${describe(response)})`, ['DISCOVERY-METADATA'])
  }

  /**
   * The problem with an issuer, for a finding; undefined if the issuer equals IDP_BASE_URL byte for byte.
   * @throws {Inconclusive} if the two differ only by a trailing slash, and IDP_BASE_URL may be wrong: discovery has
   * the other issuer, or IDP_BASE_URL ends in a slash, and discovery does not have it
   */
  async issuerProblem(issuer: unknown): Promise<string | undefined> {
    const configured = issuerOf(this.#run.target)
    if (issuer === configured) return undefined
    const discovered = await this.#discoveredIssuer()
    const isDiscovered = isSafeAddress(issuer) && discovered === issuer
    const differsBySlash = issuer === `${configured}/` || `${issuer}/` === configured
    // IDP_BASE_URL is suspect if it ends in a slash: Plumbline appends paths that begin with a slash.
    const mayBeMisconfigured = isDiscovered || (configured.endsWith('/') && discovered !== configured)
    if (differsBySlash && mayBeMisconfigured) {
      throw new Inconclusive(
        `IDP_BASE_URL is ${quotedOrMasked(configured)}, and the issuer of the target is ${quotedOrMasked(issuer)}${isDiscovered ? ', also in discovery' : ''}`,
        {
          variables: ['IDP_BASE_URL'],
          advice: `set IDP_BASE_URL=${issuer} if you agreed on that issuer with the provider; if not, the target is wrong`,
        },
      )
    }
    return `iss ${quotedOrMasked(issuer)}${isDiscovered ? ', the same as in discovery' : ''}`
  }

  /** Advice for an issuer that differs from IDP_BASE_URL and is also in discovery; undefined for any other. */
  async issuerAdvice(issuer: unknown): Promise<string | undefined> {
    if (issuer === issuerOf(this.#run.target) || issuer !== (await this.#discoveredIssuer())) return undefined
    if (!isSafeAddress(issuer)) return undefined
    return 'check IDP_BASE_URL first: set it to this issuer if you agreed on it with the provider'
  }

  async #discoveredIssuer(): Promise<unknown> {
    return (await this.document())?.issuer
  }

  /**
   * The address of the key set: JWKS_URL or, if that is not set, the `jwks_uri` of discovery.
   * @throws {Inconclusive} if discovery has no `jwks_uri`, or has one on a host that is not configured
   */
  async keySetUrl(): Promise<URL> {
    if (this.#run.target.jwksUrl !== undefined) return new URL(this.#run.target.jwksUrl)
    const { jwks_uri: uri } = await this.metadata()
    if (typeof uri !== 'string' || !URL.canParse(uri)) {
      throw new Inconclusive('discovery has no jwks_uri', {
        variables: ['JWKS_URL'],
        advice: 'set JWKS_URL',
      })
    }
    const url = new URL(uri)
    if (!this.#run.budget.allowsHost(url)) {
      throw new Inconclusive(`the jwks_uri of discovery is on ${url.host}, which is not a configured host`, {
        variables: ['JWKS_URL'],
        advice: 'set JWKS_URL to allow it',
      })
    }
    return url
  }

  /**
   * The response of the key set, requested once per run.
   * @throws {Inconclusive} if JWKS_URL may be wrong: its host is unreachable, and is not that of the issuer
   */
  keySet(): Promise<HttpResponse> {
    return this.#run.once(this.keySet, async () => {
      const url = await this.keySetUrl()
      try {
        return await this.#run.provider.keySet(url)
      } catch (error) {
        const mayBeMisconfigured = this.#run.target.jwksUrl !== undefined && url.origin !== this.#origin
        if (!mayBeMisconfigured || !(error instanceof HttpFailure) || error.kind !== 'unreachable')
          throw error
        throw wrongKeySet(`JWKS_URL points to ${url.host}, which cannot be reached: ${error.message}`)
      }
    })
  }

  get #origin(): string {
    return new URL(issuerOf(this.#run.target)).origin
  }

  /**
   * Call this before a problem with keys becomes a finding, to rule out that JWKS_URL is the address of another
   * provider. It counts as right once one of its keys has verified a token.
   * @throws {Inconclusive} if discovery has another address, or has none while JWKS_URL is not on the issuer's host
   */
  async requireOwnKeySet(problem: string): Promise<void> {
    const { jwksUrl } = this.#run.target
    if (jwksUrl === undefined || this.#run.keySetVerifies) return
    const configured = new URL(jwksUrl)
    const uri = (await this.document())?.jwks_uri
    if (typeof uri !== 'string') {
      if (configured.origin === this.#origin) return
      throw wrongKeySet(
        `${problem}, discovery has no jwks_uri, and JWKS_URL is on ${configured.host}`,
        'correct JWKS_URL',
      )
    }
    if (URL.parse(uri)?.href === configured.href) return
    throw wrongKeySet(`${problem}, and the jwks_uri of discovery differs from JWKS_URL`)
  }

  /** The published keys. @throws {Inconclusive} if there is no key set */
  async publishedKeys(): Promise<readonly JWK[]> {
    return this.#requireKeys(await this.keySet(), 'there is no key set')
  }

  /** @throws {Inconclusive} if the response is not a key set */
  async #requireKeys(response: HttpResponse, problem: string): Promise<readonly JWK[]> {
    const keys = keysOf(response)
    if (keys) return keys
    const reason = `${problem} (${describe(response)})`
    await this.requireOwnKeySet(reason)
    throw new Inconclusive(reason, ['KEYSET-SHAPE'])
  }

  /** Fetches the key set again, whether or not it is cached. */
  async #fetchKeySetAgain(): Promise<HttpResponse> {
    return this.#run.provider.keySet(await this.keySetUrl())
  }

  /**
   * The response of the key set at the end of the run, requested once. Its keys are added to those of earlier
   * responses.
   * @throws {Inconclusive} if the run has no usable address of the key set
   */
  latestKeySet(): Promise<HttpResponse> {
    return this.#run.once(this.latestKeySet, async () => {
      const cached = await this.#cachedKeys()
      const response = await this.#fetchKeySetAgain()
      cached.learn(keysOf(response) ?? [], response.exchange.sentAt)
      return response
    })
  }

  /** Requests the key set again. @returns its keys; undefined if the response is not a key set */
  async keysNow(): Promise<readonly JWK[] | undefined> {
    return keysOf(await this.#fetchKeySetAgain())
  }

  /**
   * Verifies a signature with all key sets that the run has fetched.
   * @throws {Inconclusive} if the kid of the token is unknown, and it is too soon to fetch the key set again
   */
  async verify(token: DecodedJwt): Promise<SignatureVerdict> {
    return this.#verify(token).catch(asInconclusive)
  }

  /** Like `verify`, at the end of the run: if the kid of the token is unknown, fetches the latest key set. */
  verifyAtEnd(token: DecodedJwt): Promise<SignatureVerdict> {
    return this.#withLatestKeySet(() => this.#verify(token))
  }

  /** Runs `work`, which looks up a kid. If the kid is unknown, fetches the latest key set and runs `work` again. */
  async #withLatestKeySet<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof KeyUncertain)) throw error
      await this.latestKeySet()
      return work().catch(asInconclusive)
    }
  }

  async #verify(token: DecodedJwt): Promise<SignatureVerdict> {
    const keys = await this.#cachedKeys()
    const receivedAt = this.#run.provider.log.receivedAt(token.compact)
    const verdict = await verifySignature(token, (kid) => keys.currentKey(kid, receivedAt))
    if (verdict.valid) this.#run.keySetVerifies = true
    const { alg, kid } = token.header
    if (!verdict.valid && alg === 'RS256' && typeof kid === 'string')
      await this.requireOwnKeySet(`a token cannot be verified: ${verdict.reason}`)
    return verdict
  }

  /** Number of published keys with a kid. If there is none, fetches the key set again, at most once per minute. */
  async publishedWith(kid: string): Promise<number> {
    const { length } = await (await this.#cachedKeys()).keys(kid)
    if (length === 0) await this.requireOwnKeySet('the key set lacks the key of a token')
    return length
  }

  /**
   * The only published key with a kid; undefined if no key or several keys have the kid. Other signatures than those
   * of tokens need it, such as those of webhook deliveries.
   * @param usedAt when a signature with the kid was received, in milliseconds since the epoch
   * @throws {Inconclusive} if the kid is unknown, and the latest key set was fetched before `usedAt`
   */
  async keyByKid(kid: string, usedAt: number): Promise<JWK | undefined> {
    const keys = await this.#cachedKeys()
    return this.#withLatestKeySet(() => keys.currentKey(kid, usedAt))
  }

  async #cachedKeys(): Promise<KeySet> {
    const first = await this.keySet()
    return this.#run.once(this.#cachedKeys, async () => {
      // The first fetch of the cache takes the response of `keySet`; only later fetches send a request.
      let fetched: HttpResponse | undefined = first
      return new KeySet(async () => {
        const response = fetched ?? (await this.#fetchKeySetAgain())
        fetched = undefined
        return this.#requireKeys(response, 'there is no key set to verify with')
      })
    })
  }
}

/** @throws {Inconclusive} in place of a `KeyUncertain`; any other error unchanged */
function asInconclusive(error: unknown): never {
  throw error instanceof KeyUncertain ? new Inconclusive(error.message) : error
}

function wrongKeySet(
  reason: string,
  advice = 'correct JWKS_URL, or unset it: Plumbline then uses the address in discovery',
): Inconclusive {
  return new Inconclusive(reason, { variables: ['JWKS_URL'], advice })
}

/**
 * Whether advice may show a value as an address. The target chooses the value, so only few characters are allowed.
 */
function isSafeAddress(value: unknown): value is string {
  return typeof value === 'string' && /^https?:\/\/[\w.:/-]{1,100}$/.test(value)
}
