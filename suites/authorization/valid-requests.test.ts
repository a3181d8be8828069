import { codeOf, errorOf } from '../../src/check/authorization/landing-content.ts'
import { landingPhrase } from '../../src/check/authorization/landing-text.ts'
import { loginAfterAllChecks } from '../../src/check/options.ts'
import { documentedErrors } from '../../src/oauth/errors.ts'
import { check } from './requirements.ts'

check(
  'AUTHZ-CODE-FLOW',
  'every valid request of the run returns a code',
  loginAfterAllChecks,
  async ({ run, authorization, expect, observe, note, basis }) => {
    await authorization.firstCode()
    const { authorizations, transientErrors } = run.validRequests
    const valid = run.authorizationLog.redirects.filter(({ request }) => authorizations.has(request))
    const refused = valid.filter(
      ({ request, landing }, index) =>
        blamesRequest(errorOf(landing)) &&
        valid
          .slice(index)
          .some((later) => later.request.application.id === request.application.id && codeOf(later.landing)),
    )
    for (const { exchanges } of refused) run.recorder.useAsEvidence(exchanges)
    expect.sending('valid requests')
    const actual = [...new Set(refused.map(({ landing }) => landingPhrase(landing)))].join('; ')
    expect.that(refused.length === 0, 'a code, as after', `${actual} (${refused.length} of ${valid.length})`)
    observe('authorization.transient-errors', [...transientErrors].sort())
    if (transientErrors.size > 0) note('requests were repeated after a transient error')
    basis({ redirects: valid.length })
  },
)

/** Whether an error means that something is wrong with the request or the application. */
function blamesRequest(error: string | undefined): boolean {
  return error !== undefined && (requestErrors.has(error) || !documentedErrors.has(error))
}

const requestErrors: ReadonlySet<string> = new Set([
  'invalid_request',
  'invalid_scope',
  'unauthorized_client',
  'unsupported_response_type',
])
