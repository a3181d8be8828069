import type { LaunchedBrowser } from '../../browser/index.ts'
import type { SourcedValue } from '../../target/sources.ts'
import type { Target } from '../../target/target.ts'
import { launchFor, type Session, withSession } from '../session.ts'
import { applicationFinding } from './application.ts'
import { fileFindings } from './configuration.ts'
import { examineEventHub } from './event-hub.ts'
import { type Finding, finding, type Topic } from './finding.ts'
import { examineNetwork } from './network.ts'
import { examineDiscovery, examineKeySet } from './provider.ts'
import { examineLogin, examineSecondApplication, examineTokens, examineUserinfo } from './signed-in.ts'
import { troubleOf } from './troubles.ts'

export interface Examination {
  /** Whether the test user is signed in. */
  readonly login: boolean
  /** Hears of each finding as it is made. */
  readonly onFinding: (finding: Finding) => void
  readonly signal?: AbortSignal
}

export interface Examined {
  readonly findings: readonly Finding[]
  readonly requests: number
  readonly logins: number
}

/**
 * Everything about a valid configuration that can be found out with a few requests, through the pacer and the budget
 * of a run: files, browser, network, clock, application, login, and one good call of each area. What rests on
 * something that failed is not tried.
 */
export async function examine(
  target: Target,
  sources: ReadonlyMap<string, SourcedValue>,
  { login, onFinding, signal }: Examination,
): Promise<Examined> {
  const findings: Finding[] = []
  const tell = (...found: readonly Finding[]) => {
    findings.push(...found)
    found.forEach(onFinding)
  }
  /** Whether a topic was looked at and nothing is wrong with it. */
  const isWell = (topic: Topic) =>
    findings.some((one) => one.topic === topic && one.severity !== 'skipped') &&
    !findings.some((one) => one.topic === topic && ['error', 'unanswered'].includes(one.severity))
  const step = async (
    topic: Topic,
    variables: readonly string[],
    after: readonly Topic[],
    work: () => Promise<Finding | readonly Finding[]>,
  ) => {
    if (signal?.aborted) return
    const missing = after.find((other) => !isWell(other))
    if (missing !== undefined) {
      tell(finding(topic, 'skipped', `not tried, since ${missing} comes first`))
      return
    }
    try {
      tell(...[await work()].flat())
    } catch (error) {
      if (signal?.aborted) return
      tell(...troubleOf(topic, error, variables))
    }
  }

  const files = fileFindings(target, sources)
  tell(...files)
  const recipe = files.find(
    ({ severity, variables }) => severity === 'error' && /RECIPE$/.test(variables[0] ?? ''),
  )
  if (recipe) tell(finding('browser', 'skipped', `not tried, since ${recipe.variables[0]} comes first`))
  const browser = recipe ? undefined : await startBrowser(target, tell)
  try {
    const { findings: found, unreachable } = await examineNetwork(target)
    tell(...found)
    const used = await withSession(target, browser, { signal }, async (session) => {
      const reaches = (url: string | undefined) => url === undefined || !unreachable.has(new URL(url).origin)
      if (reaches(target.issuer))
        await examineIdentity(session, step, { keys: reaches(target.jwksUrl), login, tell })
      else
        tell(finding('discovery', 'skipped', 'not tried, since the host of IDP_BASE_URL cannot be reached'))
      if (reaches(target.partnerApiUrl)) {
        await step('Event Hub', ['PARTNER_API_URL'], [], () => examineEventHub(session))
      } else
        tell(
          finding('Event Hub', 'skipped', 'not tried, since the host of PARTNER_API_URL cannot be reached'),
        )
      return session.world.gate
    })
    return { findings, requests: used.requests, logins: used.logins }
  } finally {
    await browser?.close()
  }
}

type Step = (
  topic: Topic,
  variables: readonly string[],
  after: readonly Topic[],
  work: () => Promise<Finding | readonly Finding[]>,
) => Promise<void>

/** From what is published to what a login brings. */
async function examineIdentity(
  session: Session,
  step: Step,
  how: { readonly keys: boolean; readonly login: boolean; readonly tell: (found: Finding) => void },
): Promise<void> {
  const { target } = session.world
  await step('discovery', ['IDP_BASE_URL'], [], () => examineDiscovery(session))
  if (how.keys) {
    await step('key set', ['JWKS_URL'], target.jwksUrl === undefined ? ['discovery'] : [], () =>
      examineKeySet(session),
    )
  } else how.tell(finding('key set', 'skipped', 'not tried, since the host of JWKS_URL cannot be reached'))
  await step('application', ['CLIENT_ID', 'REDIRECT_URI'], ['discovery', 'browser'], async () =>
    applicationFinding('application', target, await session.context.authorization.authorize('nobody')),
  )
  if (!how.login || target.user === undefined) {
    const why = how.login ? 'TEST_USER and TEST_PASSWORD are not set' : 'it was not wanted (--no-login)'
    how.tell(finding('login', 'skipped', `not tried, since ${why}: everything behind a login is not known`))
    return
  }
  await step('login', ['TEST_USER', 'TEST_PASSWORD'], ['application'], () => examineLogin(session))
  await step('tokens', ['CLIENT_SECRET'], ['login'], () => examineTokens(session))
  await step('user-info', ['IDP_BASE_URL'], ['tokens'], () => examineUserinfo(session))
  if (target.secondApplication)
    await step('application', ['SECOND_CLIENT_ID'], ['tokens'], () => examineSecondApplication(session))
}

async function startBrowser(
  target: Target,
  tell: (...found: readonly Finding[]) => void,
): Promise<LaunchedBrowser | undefined> {
  try {
    const browser = await launchFor(target)
    const sandbox = browser.sandboxed ? 'in its sandbox' : 'without its sandbox, which root cannot have'
    tell(finding('browser', 'ok', `Chromium ${browser.version} (${browser.path}) starts ${sandbox}`))
    return browser
  } catch (error) {
    tell(
      ...troubleOf('browser', error, ['CHROMIUM_PATH']).map((found) => ({
        ...found,
        topic: 'browser' as const,
      })),
    )
    return undefined
  }
}
