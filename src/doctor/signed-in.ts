import { describe, quoted } from '../check/expect.ts'
import type { Session } from '../run/session.ts'
import { duration } from '../text/format.ts'
import { applicationFinding } from './application.ts'
import { correctJwksUrl, type Finding, finding, judgedBy } from './finding.ts'

/** One login of the test user through the page, with a typed password. */
export async function examineLogin({ run, context }: Session): Promise<Finding> {
  const started = performance.now()
  const { landing, ...rest } = await context.authorization.first()
  if (landing.kind !== 'redirect' || !landing.query.get('code')) {
    const found = applicationFinding('login', run.target, { landing, ...rest })
    if (found.severity !== 'ok') return found
    return finding('login', 'unanswered', 'the login brought no authorization code', {
      advice: judgedBy('AUTHZ-CODE-FLOW'),
    })
  }
  return finding(
    'login',
    'ok',
    `TEST_USER signed in through the page within ${duration(performance.now() - started)}`,
    { variables: ['TEST_USER', 'TEST_PASSWORD'] },
  )
}

/** The code exchange, which shows that the application's credentials are good, and what its ID token says. */
export async function examineTokens({ run, context }: Session): Promise<Finding[]> {
  const { idToken } = await context.tokens.first()
  const accepted = finding(
    'tokens',
    'ok',
    'the code was exchanged: CLIENT_ID and CLIENT_SECRET are accepted',
    {
      variables: ['CLIENT_ID', 'CLIENT_SECRET', 'CLIENT_AUTH_METHOD'],
    },
  )
  if (idToken === undefined) {
    return [
      accepted,
      finding('tokens', 'unanswered', 'no ID token came', { advice: judgedBy('TOKEN-ID-TOKEN-ISSUED') }),
    ]
  }
  const token = await context.tokens.jwt('idToken')
  const findings = [accepted]
  const { issuer } = run.target
  const { iss } = token.claims
  if (iss !== issuer)
    findings.push(issuerFinding(iss, issuer, (await context.discovery.answer()).object?.issuer))
  const signature = await context.discovery.verify(token)
  if (!signature.valid) {
    const configured = run.target.jwksUrl !== undefined
    findings.push(
      finding(
        'tokens',
        configured ? 'error' : 'unanswered',
        `the ID token cannot be verified: ${signature.reason}`,
        {
          variables: configured ? ['JWKS_URL'] : [],
          advice: configured ? correctJwksUrl : judgedBy('IDTOKEN-SIGNATURE'),
        },
      ),
    )
  }
  return findings
}

/** An issuer that tokens and discovery agree on is meant; one that only a token names is for a check. */
function issuerFinding(iss: unknown, configured: string, discovered: unknown): Finding {
  const what = `the ID token names the issuer ${quoted(iss)}, IDP_BASE_URL is ${quoted(configured)}`
  // Paths cannot be appended to a base that ends in a slash, which so was hardly agreed on.
  if (`${iss}/` === configured && discovered !== configured && discovered !== iss) {
    const advice = `set IDP_BASE_URL=${iss}, if that is the issuer that was agreed on`
    return finding('tokens', 'error', what, { variables: ['IDP_BASE_URL'], advice })
  }
  if (iss !== discovered) return finding('tokens', 'unanswered', what, { advice: judgedBy('IDTOKEN-ISSUER') })
  return finding('tokens', 'error', `${what}; discovery agrees with the token`, {
    variables: ['IDP_BASE_URL'],
    advice: `set IDP_BASE_URL=${iss}, if that is the issuer that was agreed on`,
  })
}

/** One good call of user-info, with the access token of the login. */
export async function examineUserinfo({ run, context }: Session): Promise<Finding> {
  const { accessToken } = await context.tokens.first()
  const response = await run.provider.userinfo(accessToken)
  if (response.status === 200) return finding('user-info', 'ok', 'user-info answers to the access token')
  return finding('user-info', 'unanswered', `user-info refuses the access token: ${describe(response)}`, {
    advice: judgedBy('USERINFO-BEARER'),
  })
}

/** A login of the other application in the same session, and its exchange. */
export async function examineSecondApplication({ run, context }: Session): Promise<Finding[]> {
  const { secondApplication } = run.target
  if (!secondApplication) return []
  const authorization = await context.authorization.authorize('signed-in', {}, secondApplication)
  const { landing, request } = authorization
  const code = landing.kind === 'redirect' ? landing.query.get('code') : null
  if (!code) {
    const found = applicationFinding('application', run.target, authorization)
    const isWrong = found.severity === 'error'
    return [
      {
        ...found,
        what: `of the second application, ${found.what}`,
        variables: isWrong ? ['SECOND_REDIRECT_URI', 'SECOND_CLIENT_ID'] : [],
        advice: isWrong ? 'correct SECOND_CLIENT_ID and SECOND_REDIRECT_URI' : found.advice,
      },
    ]
  }
  context.tokens.of(await context.tokens.exchange({ code, request }), request)
  return [
    finding('tokens', 'ok', 'the second application is known, and its credentials are accepted', {
      variables: ['SECOND_CLIENT_ID', 'SECOND_CLIENT_SECRET', 'SECOND_REDIRECT_URI'],
    }),
  ]
}
