import type { LaunchedBrowser } from '../browser/index.ts'
import { reasonNotApplicable } from '../check/applicability.ts'
import { loadSuites } from '../check/suites.ts'
import { launchFor, type Session, withSession } from '../run/session.ts'
import type { SourcedValue } from '../target/sources.ts'
import type { Target } from '../target/target.ts'
import { counted } from '../text/format.ts'
import { applicationFinding } from './application.ts'
import { fileFindings } from './configuration.ts'
import { examineEventHub } from './event-hub.ts'
import { type Finding, finding, type Topic } from './finding.ts'
import { examineNetwork } from './network.ts'
import { examineDiscovery, examineKeySet } from './provider.ts'
import { examineLogin, examineSecondApplication, examineTokens, examineUserinfo } from './signed-in.ts'
import { Steps } from './steps.ts'
import { troubleOf } from './troubles.ts'

export interface Examination {
  /** Whether the test user is signed in. */
  readonly login: boolean
  /** Hears of each finding as it is made. */
  readonly onFinding: (finding: Finding) => void
  readonly signal?: AbortSignal
}

/**
 * Everything about a valid configuration that can be found out with a few requests, through the pacer and the budget
 * of a run: files, browser, network, clock, application, login, and one good call of each area. What rests on
 * something that failed is not tried.
 * @returns what it took
 */
export async function examine(
  target: Target,
  sources: ReadonlyMap<string, SourcedValue>,
  { login, onFinding, signal }: Examination,
): Promise<{ readonly requests: number; readonly logins: number }> {
  const steps = new Steps(onFinding, signal)
  const files = fileFindings(target, sources)
  steps.tell(files)
  const browser = await startBrowser(target, files, steps)
  try {
    const { findings, unreachable } = await examineNetwork(target)
    steps.tell(findings)
    const reaches = (url: string | undefined) => url === undefined || !unreachable.has(new URL(url).origin)
    return await withSession(target, browser, { signal }, async (session) => {
      if (reaches(target.issuer))
        await examineIdentity(session, steps, { keys: reaches(target.jwksUrl), login })
      else steps.skip('discovery', 'the host of IDP_BASE_URL cannot be reached')
      if (reaches(target.partnerApiUrl))
        await steps.take('Event Hub', ['PARTNER_API_URL'], [], () => examineEventHub(session))
      else steps.skip('Event Hub', 'the host of PARTNER_API_URL cannot be reached')
      const { requests, logins } = session.run.budget
      return { requests, logins }
    })
  } finally {
    await browser?.close()
  }
}

/** From what is published to what a login brings. */
async function examineIdentity(
  session: Session,
  steps: Steps,
  how: { readonly keys: boolean; readonly login: boolean },
): Promise<void> {
  const { target } = session.run
  await steps.take('discovery', ['IDP_BASE_URL'], [], () => examineDiscovery(session))
  const beforeKeys: Topic[] = target.jwksUrl === undefined ? ['discovery'] : []
  if (how.keys) await steps.take('key set', ['JWKS_URL'], beforeKeys, () => examineKeySet(session))
  else steps.skip('key set', 'the host of JWKS_URL cannot be reached')
  await steps.take('application', ['CLIENT_ID', 'REDIRECT_URI'], ['discovery', 'browser'], async () =>
    applicationFinding('application', target, await session.context.authorization.authorize('anonymous')),
  )
  if (!how.login || target.user === undefined) {
    const why = how.login ? 'TEST_USER and TEST_PASSWORD are not set' : 'it was not wanted (--no-login)'
    steps.skip('login', `${why}: everything behind a login is not known`)
    if (target.user === undefined) steps.tell([await withoutUser(target)])
    return
  }
  await steps.take('login', ['TEST_USER', 'TEST_PASSWORD'], ['application'], () => examineLogin(session))
  await steps.take('tokens', ['CLIENT_SECRET'], ['login'], () => examineTokens(session))
  await steps.take('user-info', ['IDP_BASE_URL'], ['tokens'], () => examineUserinfo(session))
  if (target.secondApplication)
    await steps.take('application', ['SECOND_CLIENT_ID'], ['tokens'], () => examineSecondApplication(session))
}

/** How much of a run needs somebody to sign in as. */
async function withoutUser(target: Target): Promise<Finding> {
  const { checks } = await loadSuites()
  const someone = { ...target, user: { name: '', password: '' } }
  const lost = checks.filter(
    ({ definition }) =>
      reasonNotApplicable(definition, target) !== undefined &&
      reasonNotApplicable(definition, someone) === undefined,
  )
  return finding(
    'login',
    'warning',
    `TEST_USER and TEST_PASSWORD are not set: ${counted(lost.length, 'check')} that sign in will not run`,
    { variables: ['TEST_USER', 'TEST_PASSWORD'], advice: 'set both to a user that is there for tests' },
  )
}

/**
 * @param files what was found about recipes, which name hosts that the browser may reach
 * @returns undefined where none is started, which is told
 */
async function startBrowser(
  target: Target,
  files: readonly Finding[],
  steps: Steps,
): Promise<LaunchedBrowser | undefined> {
  const wrong = files.filter(({ severity }) => severity === 'error').flatMap(({ variables }) => variables)
  const recipe = wrong.find((name) => name.endsWith('_RECIPE'))
  if (recipe !== undefined) {
    steps.skip('browser', `${recipe} comes first`)
    return undefined
  }
  try {
    const browser = await launchFor(target)
    const sandbox = browser.sandboxed ? 'in its sandbox' : 'without its sandbox, which root cannot have'
    steps.tell([finding('browser', 'ok', `Chromium ${browser.version} (${browser.path}) starts ${sandbox}`)])
    return browser
  } catch (error) {
    const found = troubleOf('browser', error, ['CHROMIUM_PATH'])
    steps.tell(found.map((one) => ({ ...one, topic: 'browser' })))
    return undefined
  }
}
