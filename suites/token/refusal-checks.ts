import type { CheckOptions } from '../../src/check/catalogue.ts'
import { type DocumentedError, describe, isTokenRefusal } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import type { RequirementId } from '../../src/check/requirement.ts'
import { requireRootFinding } from '../../src/check/root-finding.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import type { Application } from '../../src/target/target.ts'
import {
  acceptedErrors,
  type RefusalErrorId,
  type RefusalId,
  refusals,
  type TokenRefusal,
} from './refusals.ts'
import { check } from './requirements.ts'

type Steps = Pick<
  CheckContext,
  'application' | 'authorization' | 'provider' | 'sharedRequests' | 'target' | 'tokens'
>

/** A request that is sent once, for the check of its refusal and the check of the error. */
export interface RefusedRequest {
  /** Effects and needs of both checks. */
  readonly options: CheckOptions
  /** How the request differs from the valid one. */
  readonly sending: string | ((application: Application) => string)
  /** @param errors names of the refusal that do not concern a code, for `refusedExchange` */
  readonly send: (steps: Steps, errors: readonly string[]) => Promise<HttpResponse>
  /**
   * The refusal of a code exchange with the same mistake: if that is accepted as well, there is one finding, and no error
   * shows that the target noticed the mistake.
   */
  readonly twin?: readonly [id: RefusalId, request: RefusedRequest]
}

/**
 * The response to a refused request, which is sent once per run, or twice if the target may have locked the application
 * in the meantime.
 */
function responseTo(
  id: RefusalId,
  { send }: RefusedRequest,
  { once, ...steps }: Steps & Pick<CheckContext, 'once'>,
): Promise<HttpResponse> {
  const accepted = acceptedErrors(refusals[id], credentialsInForm(steps.application))
  const names = accepted.map(([, name]) => name).filter((name) => name !== 'invalid_grant')
  return once(`refusal ${id}`, async () => {
    const response = await send(steps, names)
    const isAccepted = accepted.some((documented) => isDocumented(response, documented))
    const wasLocked = !isAccepted && (await steps.tokens.requireUnlocked(response))
    return wasLocked ? send(steps, names) : response
  })
}

function isDocumented({ status, object }: HttpResponse, [expected, error]: DocumentedError): boolean {
  return status === expected && object?.error === error
}

/** Defines two checks of one request: it is refused, and the refusal has a documented status and error. */
export function checkRefusal(id: RefusalId, request: RefusedRequest): void {
  const { options, sending, twin } = request
  const refusal: TokenRefusal = refusals[id]
  const respond = ({ expect, ...steps }: Steps & Pick<CheckContext, 'once' | 'expect'>) => {
    expect.sending(typeof sending === 'string' ? sending : sending(steps.application))
    return responseTo(id, request, steps)
  }
  check(
    id,
    `${refusal.of} is refused`,
    options,
    async ({
      expect,
      inconclusive,
      application,
      authorization,
      once,
      provider,
      sharedRequests,
      target,
      tokens,
    }) => {
      const steps = { application, authorization, once, provider, sharedRequests, target, tokens }
      const response = await respond({ ...steps, expect })
      if (twin && !isTokenRefusal(response) && !isTokenRefusal(await responseTo(...twin, steps)))
        return inconclusive('a code exchange with the same mistake is accepted as well', {
          dependsOn: [twin[0]],
        })
      expect.refused(response)
    },
  )
  const errorId: RefusalErrorId = `${id}-ERROR`
  check(
    errorId,
    `${refusal.of} is refused with the documented status and error`,
    options,
    async ({
      expect,
      inconclusive,
      note,
      once,
      application,
      authorization,
      provider,
      sharedRequests,
      target,
      tokens,
    }) => {
      const steps = { application, authorization, once, provider, sharedRequests, target, tokens }
      const response = await respond({ ...steps, expect })
      if (twin && !isTokenRefusal(await responseTo(...twin, steps)))
        return inconclusive('a code exchange with the same mistake is accepted', { dependsOn: [twin[0]] })
      await expectDocumentedError({ expect, inconclusive, note, once, application, tokens }, id, response)
    },
  )
}

type Judging = Pick<CheckContext, 'expect' | 'inconclusive' | 'once' | 'tokens'> & {
  /** The application whose credentials the request has, or resembles; by default that of CLIENT_ID. */
  readonly application?: Application | undefined
}

/** @throws {Inconclusive} if the request was not refused, or its error cannot be judged */
export async function expectDocumentedError(
  { note, ...judging }: Judging & Pick<CheckContext, 'note' | 'application'>,
  id: RefusalId,
  response: HttpResponse,
): Promise<void> {
  const refusal: TokenRefusal = refusals[id]
  if (!isTokenRefusal(response)) judging.inconclusive('the request was not refused', { dependsOn: [id] })
  if (response.status === refusal.alternativeStatus) {
    judging.expect.refused(response)
    note(`${refusal.of} is refused with status ${response.status}`)
  } else {
    await expectError(
      judging,
      `${id}-ERROR`,
      response,
      acceptedErrors(refusal, credentialsInForm(judging.application)),
    )
  }
}

/**
 * Expects the refusal of the token endpoint to have one of these statuses and errors, the documented one first.
 * @throws {Inconclusive} if the target has locked the application, an absent error is a finding of TOKEN-ERROR-JSON, or another requirement with the same
 * documented error has the same finding
 */
export async function expectError(
  { expect, inconclusive, once, tokens, application }: Judging,
  id: RequirementId,
  response: HttpResponse,
  accepted: readonly DocumentedError[],
): Promise<void> {
  const { status, object } = response
  const isNamed = typeof object?.error === 'string' && object.error !== ''
  if (!isNamed && (status === 400 || status === 401))
    inconclusive(`the refusal has no error (${describe(response)})`, { dependsOn: ['TOKEN-ERROR-JSON'] })
  if (!accepted.some((documented) => isDocumented(response, documented))) {
    await tokens.requireUnlocked(response, application)
    await requireRootFinding({ once, inconclusive }, JSON.stringify([accepted[0], status, object?.error]), id)
  }
  expect.documentedError(response, ...accepted)
}

function credentialsInForm({ authMethod }: Application): boolean {
  return authMethod === 'client_secret_post'
}
