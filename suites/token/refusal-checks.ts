import type { CheckOptions } from '../../src/check/catalogue.ts'
import { describe, isRefusal } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { acceptedErrors, type Refusal, type RefusalErrorId, type RefusalId, refusals } from './refusals.ts'
import { check } from './requirements.ts'

type Steps = Pick<CheckContext, 'authorization' | 'provider' | 'sharedRequests' | 'target' | 'tokens'>

/** A request that is sent once, for the check of its refusal and the check of the error. */
interface RefusedRequest {
  /** Effects and needs of both checks. */
  readonly options: CheckOptions
  /** How the request differs from the valid one. */
  readonly sending: string | ((target: CheckContext['target']) => string)
  /** @param errors names of the refusal that do not concern a code, for `refusedExchange` */
  readonly send: (steps: Steps, errors: readonly string[]) => Promise<HttpResponse>
}

/** Defines two checks of one request: that it is refused, and that its refusal has a documented status and error. */
export function checkRefusal(id: RefusalId, { options, sending, send }: RefusedRequest): void {
  const refusal: Refusal = refusals[id]
  const respond = ({ once, expect, ...steps }: Steps & Pick<CheckContext, 'once' | 'expect'>) => {
    expect.sending(typeof sending === 'string' ? sending : sending(steps.target))
    const names = acceptedErrors(refusal, credentialsInForm(steps.target)).map(([, name]) => name)
    return once(`refusal ${id}`, () =>
      send(
        steps,
        names.filter((name) => name !== 'invalid_grant'),
      ),
    )
  }
  check(
    id,
    `${refusal.of} is refused`,
    options,
    async ({ authorization, expect, once, provider, sharedRequests, target, tokens }) =>
      expect.refused(
        await respond({ authorization, expect, once, provider, sharedRequests, target, tokens }),
      ),
  )
  const errorId: RefusalErrorId = `${id}-ERROR`
  check(
    errorId,
    `${refusal.of} is refused with the documented status and error`,
    options,
    async ({ authorization, expect, inconclusive, note, once, provider, sharedRequests, target, tokens }) => {
      const steps = { authorization, provider, sharedRequests, target, tokens }
      const response = await respond({ ...steps, expect, once })
      expectDocumentedError({ expect, inconclusive, note, target }, id, response)
    },
  )
}

/** @throws {Inconclusive} where the request was not refused, or the refusal has no error */
export function expectDocumentedError(
  { expect, inconclusive, note, target }: Pick<CheckContext, 'expect' | 'inconclusive' | 'note' | 'target'>,
  id: RefusalId,
  response: HttpResponse,
): void {
  const refusal: Refusal = refusals[id]
  if (!isRefusal(response)) inconclusive('the request was not refused', { dependsOn: [id] })
  if (response.status === refusal.alternativeStatus) {
    expect.refused(response)
    note(`${refusal.of} is refused with status ${response.status}`)
  } else {
    requireErrorName({ inconclusive }, response)
    expect.documentedError(response, ...acceptedErrors(refusal, credentialsInForm(target)))
  }
}

/** @throws {Inconclusive} where the absent error is a finding of TOKEN-ERROR-JSON */
export function requireErrorName(
  { inconclusive }: Pick<CheckContext, 'inconclusive'>,
  response: HttpResponse,
): void {
  const { status, object } = response
  const isNamed = typeof object?.error === 'string' && object.error !== ''
  if (!isNamed && (status === 400 || status === 401))
    inconclusive(`the refusal has no error (${describe(response)})`, { dependsOn: ['TOKEN-ERROR-JSON'] })
}

function credentialsInForm({ application }: CheckContext['target']): boolean {
  return application.authMethod === 'client_secret_post'
}
