import type { HttpResponse } from '../../http/response.ts'
import { issuedAccessToken } from '../../oauth/token-keeper.ts'
import type { Code } from '../authorization/authorization-steps.ts'
import { isTokenRefusal } from '../expect.ts'
import type { Exchanged } from './issued-tokens.ts'

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
  /** The valid exchange, if the target accepted it. */
  readonly accepted: Accepted | undefined
}

interface Accepted extends Exchanged {
  readonly code: string
}

/**
 * The responses to code exchanges that must be refused. They share one code. The valid exchange of that code follows,
 * and shows whether the code was still valid. If it was not, the first refusal may have invalidated the code, and so
 * caused the later refusals. Then each later exchange is repeated with a new code, except after `invalid_client`, which
 * does not depend on the code.
 */
export async function exchangesOfOneCode<Flaw>(
  first: GrantedCode,
  { flaws, newCode, send, sendValid }: Exchanges<Flaw>,
): Promise<Outcome<Flaw>> {
  const responses = new Map<Flaw, HttpResponse>()
  let code = first
  let refused: (readonly [Flaw, HttpResponse])[] = []
  for (const flaw of flaws) {
    const response = await send(code, flaw)
    responses.set(flaw, response)
    if (isTokenRefusal(response)) refused.push([flaw, response])
    else {
      // The target accepted the code, so the code was not the reason of the earlier refusals.
      refused = []
      code = await newCode()
    }
  }
  const valid = await sendValid(code)
  if (issuedAccessToken(valid) !== undefined)
    return { responses, accepted: { response: valid, code: code.code, request: code.request } }
  for (const [flaw, { object }] of refused.slice(1))
    if (object?.error !== 'invalid_client') responses.set(flaw, await send(await newCode(), flaw))
  return { responses, accepted: undefined }
}
