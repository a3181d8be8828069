import { landingPhrase } from '../../src/check/authorization/landing-text.ts'
import { refusedOnce } from '../../src/check/authorization/refused-once.ts'
import { loginAfterAllChecks } from '../../src/check/check-options.ts'
import { check } from './requirements.ts'

check(
  'AUTHZ-CODE-FLOW',
  'every valid request without unusual values returns a code',
  loginAfterAllChecks,
  async ({ run, authorization, expect, observe, note, basis }) => {
    await authorization.firstCode()
    const { authorizations, transientErrors } = run.validRequests
    const { redirects, errorPages } = run.authorizationLog
    const valid = [...redirects, ...errorPages].filter(({ request }) => authorizations.has(request))
    const refused = refusedOnce(valid)
    for (const { exchanges } of refused) run.recorder.useAsEvidence(exchanges)
    expect.describeRequest('valid requests without unusual values')
    const actual = [...new Set(refused.map(({ landing }) => landingPhrase(landing)))].join('; ')
    expect.that(
      refused.length === 0,
      'a code: a later valid request of the same application returned one',
      `${actual}, for ${refused.length} of ${valid.length} valid requests without unusual values`,
    )
    observe('authorization.transient-errors', [...transientErrors].sort())
    if (transientErrors.size > 0) note('requests were repeated after a transient error')
    basis({ 'valid requests without unusual values': valid.length })
  },
)
