import { requireLevelOrder } from '../../src/check/authorization/level-order.ts'
import { login, loginWithLevel, loginWithSecond } from '../../src/check/check-options.ts'
import { differentValue, kindOf } from '../../src/check/expect.ts'
import { inconclusive, notApplicable } from '../../src/check/verdict.ts'
import {
  audiencesOf,
  hasAzpIfNeeded,
  isAudience,
  isAuthorizedParty,
  reachesLevel,
} from '../../src/oauth/id-token.ts'
import { decodeJwt } from '../../src/oauth/jwt.ts'
import { check } from './requirements.ts'
import { levelProblem } from './rules.ts'
import { codeExchange, returnedBy, tokenKinds } from './sources.ts'

for (const { kind, prefix } of tokenKinds) {
  check(`${prefix}-ISSUER`, '`iss` is the issuer', login, async ({ tokens, discovery, expect, target }) => {
    expect.describeRequest(returnedBy(codeExchange, kind))
    const { claims } = await tokens.jwt(kind)
    // Compares with IDP_BASE_URL. Inconclusive if discovery suggests that IDP_BASE_URL is wrong.
    const problem = await discovery.issuerProblem(claims.iss)
    const advice = await discovery.issuerAdvice(claims.iss)
    expect.that(
      problem === undefined,
      `iss ${JSON.stringify(target.issuer)} (IDP_BASE_URL)`,
      problem ?? '',
      advice,
    )
  })
}

check(
  'IDTOKEN-AUDIENCE',
  'the application is in `aud` of the ID token',
  login,
  async ({ tokens, expect, application }) => {
    expect.describeRequest(returnedBy(codeExchange, 'idToken'))
    const { claims } = await tokens.jwt('idToken')
    expect.that(
      isAudience(claims, application.id),
      'aud with CLIENT_ID as a whole element, and only non-empty strings',
      audiencesOf(claims)
        ? `aud without CLIENT_ID: ${kindOf(claims.aud)}`
        : `aud: ${malformedAudience(claims.aud)}`,
    )
  },
)

check(
  'ACCESSTOKEN-AUDIENCE',
  'the access token has an audience',
  login,
  async ({ tokens, expect, observe, application }) => {
    expect.describeRequest(returnedBy(codeExchange, 'accessToken'))
    const { claims } = await tokens.jwt('accessToken')
    const audiences = audiencesOf(claims)
    expect.that(
      audiences !== undefined,
      'aud as a non-empty string, or an array of such strings',
      `aud: ${malformedAudience(claims.aud)}`,
    )
    observe('access-token.aud-is-client', audiences?.includes(application.id) === true)
  },
)

check(
  'IDTOKEN-AZP',
  '`azp`, if present, is the application',
  login,
  async ({ tokens, expect, application }) => {
    expect.describeRequest(returnedBy(codeExchange, 'idToken'))
    const { claims } = await tokens.jwt('idToken')
    if (claims.azp === undefined) return notApplicable('the ID token has no azp, which is optional', 'target')
    expect.that(
      isAuthorizedParty(claims, application.id),
      'azp equal to CLIENT_ID',
      differentValue('azp', claims.azp),
    )
  },
)

check(
  'IDTOKEN-AZP-SEVERAL',
  'the number of audiences, and whether there is an `azp`, are recorded',
  login,
  async ({ tokens, observe, note }) => {
    const { claims } = await tokens.jwt('idToken')
    observe('id-token.audiences', Array.isArray(claims.aud) ? claims.aud.length : 1)
    observe('id-token.azp', claims.azp === undefined ? 'absent' : 'present')
    if (!hasAzpIfNeeded(claims))
      note('several audiences and no azp; OpenID Connect Core, 3.1.3.7 recommends an azp')
  },
)

check(
  'IDTOKEN-SECOND-AUDIENCE',
  'the second application is in `aud` of its own ID token',
  loginWithSecond,
  async ({ secondClient, tokens, expect, application, target }) => {
    if (!isAudience((await tokens.jwt('idToken')).claims, application.id))
      return inconclusive('the first application is not in aud of its own ID token', ['IDTOKEN-AUDIENCE'])
    const { idToken } = await secondClient.tokens()
    const token = idToken === undefined ? undefined : decodeJwt(idToken)
    if (!token)
      return inconclusive('the second application received no ID token that is a JWT', [
        'TOKEN-ID-TOKEN-ISSUED',
        'TOKEN-LATER',
        'IDTOKEN-JWT',
      ])
    expect.describeRequest(returnedBy('the code exchange of the second application', 'idToken'))
    expect.that(
      isAudience(token.claims, target.secondApplication?.id ?? ''),
      'aud with SECOND_CLIENT_ID as a whole element',
      isAudience(token.claims, application.id) ? 'aud with CLIENT_ID' : `aud: ${kindOf(token.claims.aud)}`,
    )
  },
)

check('IDTOKEN-NONCE', '`nonce` is that of the request', login, async ({ tokens, expect }) => {
  expect.describeRequest(returnedBy(codeExchange, 'idToken'))
  const { claims } = await tokens.jwt('idToken')
  const { request } = await tokens.first()
  expect.that(
    claims.nonce === request.nonce,
    'the nonce of the request',
    differentValue('nonce', claims.nonce),
  )
})

check(
  'IDTOKEN-NONCE-OWN',
  'a second ID token has the `nonce` of its own request',
  login,
  async ({ tokens, expect, basis }) => {
    const { claims } = await tokens.jwt('idToken')
    const { request: first } = await tokens.first()
    if (claims.nonce !== first.nonce)
      return inconclusive('the first ID token already lacks the nonce of its request', ['IDTOKEN-NONCE'])
    const { token, request } = await tokens.secondAuthorizationIdToken()
    expect.describeRequest(returnedBy('the code exchange of the second authorization', 'idToken'))
    expect.that(
      token.claims.nonce === request.nonce,
      'the nonce of the second request',
      token.claims.nonce === first.nonce
        ? 'the nonce of the first request'
        : differentValue('nonce', token.claims.nonce),
    )
    basis({ authorizations: 2 })
  },
)

check(
  'IDTOKEN-ACR',
  '`acr` is not below the requested level',
  loginWithLevel,
  async ({ run, authorization, tokens, expect, target, observe }) => {
    const { requiredAcr, acrOrder } = target
    expect.describeRequest(returnedBy(codeExchange, 'idToken'))
    const { claims } = await tokens.jwt('idToken')
    const isConfigured = [requiredAcr, ...(acrOrder ?? [])].some((level) => level === claims.acr)
    observe('id-token.acr', typeof claims.acr === 'string' && isConfigured ? claims.acr : kindOf(claims.acr))
    const reached = reachesLevel(claims, requiredAcr, acrOrder)
    if (reached === 'unknown') {
      return inconclusive('acr is not the requested level, and ACR_ORDER does not rank the two', {
        variables: ['ACR_ORDER'],
        advice: 'set ACR_ORDER to all levels, weakest first',
      })
    }
    // Inconclusive if ACR_ORDER seems to be wrong.
    if (reached === 'below' && typeof claims.acr === 'string') await requireLevelOrder(run, authorization)
    const problem = levelProblem({ claims }, target)
    expect.that(problem === undefined, 'acr at or above REQUIRED_ACR', problem ?? '')
  },
)

for (const { kind, prefix } of tokenKinds) {
  check(`${prefix}-CLAIMS`, 'names of the claims are recorded', login, async ({ tokens, observe }) => {
    const { claims } = await tokens.jwt(kind)
    observe(`${kind === 'idToken' ? 'id-token' : 'access-token'}.claims`, Object.keys(claims).sort())
  })
}

/** Describes an invalid `aud`: neither a non-empty string nor an array of such strings. */
function malformedAudience(aud: unknown): string {
  return Array.isArray(aud) && aud.length > 0
    ? `${kindOf(aud)}, not all of which are non-empty strings`
    : kindOf(aud)
}
