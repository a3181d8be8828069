import type { HttpResponse } from '../http/response.ts'
import { issuedAccessToken } from '../oauth/token-keeper.ts'
import type { Code } from './authorization-steps.ts'
import { isTokenRefusal } from './expect.ts'
import type { Exchanged } from './issued-tokens.ts'
import type { RunContext } from './run-context.ts'

type GrantedCode = Pick<Code, 'code' | 'request'>

interface Exchanges<Flaw> {
  readonly flaws: readonly Flaw[]
  readonly newCode: () => Promise<GrantedCode>
  /** A code exchange that is valid except for a flaw. */
  readonly send: (code: GrantedCode, flaw: Flaw) => Promise<HttpResponse>
  readonly sendValid: (code: GrantedCode) => Promise<HttpResponse>
}

interface Outcome<Flaw> {
  readonly responses: Map<Flaw, HttpResponse>
  /** The last valid exchange, if the target accepted one. */
  readonly accepted: Accepted | undefined
}

interface Accepted extends Exchanged {
  readonly code: string
}

/**
 * The responses to code exchanges that must be refused. They share one code, and its valid exchange follows, which shows
 * that the code was not the reason. If that is refused, the target may end a code after a refused exchange, which would
 * explain later refusals: they are repeated, each with a code of its own, except for those of the client.
 */
export async function exchangesOfOneCode<Flaw>(
  run: Pick<RunContext, 'validRequests'>,
  first: GrantedCode,
  exchanges: Exchanges<Flaw>,
): Promise<Outcome<Flaw>> {
  const { flaws, newCode, send, sendValid } = exchanges
  const responses = new Map<Flaw, HttpResponse>()
  let code = first
  let refused: Flaw[] = []
  for (const flaw of flaws) {
    const response = await send(code, flaw)
    responses.set(flaw, response)
    if (isTokenRefusal(response)) refused.push(flaw)
    else {
      // The code was valid until now, and has been exchanged.
      refused = []
      code = await newCode()
    }
  }
  const valid = await sendValid(code)
  if (issuedAccessToken(valid) !== undefined)
    return { responses, accepted: { response: valid, code: code.code, request: code.request } }
  const doubtful = refused.slice(1).filter((flaw) => responses.get(flaw)?.object?.error !== 'invalid_client')
  const accepted = await repeated(doubtful, responses, exchanges)
  // The target accepts a code after a refused exchange, so it had no reason to refuse this one.
  if (accepted)
    run.validRequests.exchanges.push({ applicationId: code.request.application.id, response: valid })
  return { responses, accepted }
}

/** @returns the valid exchange that follows the first one, if the target accepts it */
async function repeated<Flaw>(
  flaws: readonly Flaw[],
  responses: Map<Flaw, HttpResponse>,
  { newCode, send, sendValid }: Exchanges<Flaw>,
): Promise<Accepted | undefined> {
  let accepted: Accepted | undefined
  for (const [index, flaw] of flaws.entries()) {
    const code = await newCode()
    responses.set(flaw, await send(code, flaw))
    const valid = index === 0 ? await sendValid(code) : undefined
    if (valid && issuedAccessToken(valid) !== undefined)
      accepted = { response: valid, code: code.code, request: code.request }
  }
  return accepted
}
