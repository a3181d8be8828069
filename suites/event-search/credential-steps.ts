import { randomBytes } from 'node:crypto'
import type { EventSearchSteps } from '../../src/check/events/search-steps.ts'
import type { RunContext } from '../../src/check/run-context.ts'
import { Inconclusive } from '../../src/check/verdict.ts'
import { eventsWithin } from '../../src/event-hub/page.ts'
import { type Header, partnerHeaders } from '../../src/event-hub/search.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { partnerApiOf } from '../../src/target/target.ts'

/** Searches with credentials that lack something, and which of their parts matter. */
export class PartnerCredentialSteps {
  readonly #run: RunContext
  readonly #events: EventSearchSteps

  constructor(run: RunContext, events: EventSearchSteps) {
    this.#run = run
    this.#events = events
  }

  /** The answer to a search without any credentials. */
  answerWithoutCredentials(): Promise<HttpResponse> {
    return this.#run.shared('event search by nobody', () =>
      this.#events.answerTo([], 'without X-Client-Id and X-Client-Secret'),
    )
  }

  /**
   * Makes sure that credentials matter at all, before kinds of them are told apart.
   * @throws {Inconclusive} where a search without any is answered
   */
  async matter(): Promise<void> {
    if (isServed(await this.answerWithoutCredentials()))
      throw new Inconclusive('a search without any credentials is answered', {
        dependsOn: ['EVENT-CREDENTIALS-REQUIRED'],
      })
  }

  /** The answer to a search with the partner's id alone. */
  answerToIdOnly(): Promise<HttpResponse> {
    return this.#run.shared('event search with an id alone', () =>
      this.#events.answerTo(this.#ownHeaders('X-Client-Id'), 'without X-Client-Secret'),
    )
  }

  /** The answer to a search with the partner's secret alone. */
  answerToSecretOnly(): Promise<HttpResponse> {
    return this.#run.shared('event search with a secret alone', () =>
      this.#events.answerTo(this.#ownHeaders('X-Client-Secret'), 'without X-Client-Id'),
    )
  }

  /**
   * Makes sure that the secret matters, before something else is sent in its place.
   * @throws {Inconclusive} where a search without it is answered
   */
  async secretMatters(): Promise<void> {
    await this.matter()
    if (isServed(await this.answerToIdOnly()))
      throw new Inconclusive('a search without a secret is answered', {
        dependsOn: ['EVENT-SECRET-REQUIRED'],
      })
  }

  /** The answer to a search with the partner's id and a secret that nobody has. */
  answerToWrongSecret(): Promise<HttpResponse> {
    const wrong = {
      id: partnerApiOf(this.#run.target).credentials.id,
      secret: randomBytes(24).toString('hex'),
    }
    return this.#run.shared('event search with a wrong secret', () =>
      this.#events.answerTo(partnerHeaders(wrong), 'with a random X-Client-Secret'),
    )
  }

  /**
   * Makes sure that not any secret does, before another one that somebody has is sent.
   * @throws {Inconclusive} where a search with a secret that nobody has is answered
   */
  async secretIsCompared(): Promise<void> {
    await this.secretMatters()
    if (isServed(await this.answerToWrongSecret()))
      throw new Inconclusive('a search with any secret is answered', { dependsOn: ['EVENT-SECRET-WRONG'] })
  }

  /**
   * Makes sure that the id matters, before another one is sent in its place.
   * @throws {Inconclusive} where a search without it is answered
   */
  async idMatters(): Promise<void> {
    await this.matter()
    if (isServed(await this.answerToSecretOnly()))
      throw new Inconclusive('a search without an id is answered', {
        dependsOn: ['EVENT-CLIENT-ID-REQUIRED'],
      })
  }

  #ownHeaders(only: string): readonly Header[] {
    return partnerHeaders(partnerApiOf(this.#run.target).credentials).filter(([name]) => name === only)
  }
}

function isServed({ status, json }: HttpResponse): boolean {
  return status < 300 || eventsWithin(json) > 0
}
