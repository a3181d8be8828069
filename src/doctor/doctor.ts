import { hasScreen, type LaunchedBrowser } from '../browser/index.ts'
import { applies } from '../check/applicability.ts'
import type { CheckContext } from '../check/fixtures.ts'
import { loadSuites } from '../check/suites.ts'
import { launchFor, withContext } from '../run/context.ts'
import { type LoginPageCost, loginPageText, measureLoginPage } from '../run/login-page-cost.ts'
import { requiredParts } from '../target/parts.ts'
import type { Target } from '../target/target.ts'
import { counted, listText } from '../text/format.ts'
import {
  examineLanding,
  examineLogin,
  examineSecondApplication,
  examineTokens,
  examineUserinfo,
} from './application.ts'
import { type Gap, gapOf, judgedAreas } from './areas.ts'
import { fileDiagnoses, type Sources } from './configuration.ts'
import {
  type Diagnosis,
  diagnose,
  diagnosesOf,
  type Severity,
  skippedTopics,
  type Topic,
} from './diagnosis.ts'
import { examineEventHub } from './event-hub.ts'
import { examineNetwork } from './network.ts'
import { examineDiscovery, examineKeySet } from './provider.ts'

interface ExaminationOptions {
  /** Whether to sign the test user in. */
  readonly login: boolean
  /** Receives each diagnosis. */
  readonly onDiagnosis: (diagnosis: Diagnosis) => void
  /** After the signal, no further examination starts. */
  readonly signal?: AbortSignal
}

interface Examined {
  readonly requests: number
  readonly logins: number
  /** The areas that a check run must select; undefined if it can select all. */
  readonly areas: readonly string[] | undefined
}

/**
 * Examines a valid configuration with a few requests, within the pace and budget of a run: files, browser, network,
 * identity provider, application, login and Event Hub. Skips an examination if it depends on a failed one.
 */
export async function examine(
  target: Target,
  sources: Sources,
  options: ExaminationOptions,
): Promise<Examined> {
  const { signal } = options
  const examination = new Examination(target.name, options)
  const files = fileDiagnoses(target, sources)
  examination.report(files)
  const browser = await startBrowser(target, files, examination)
  try {
    const { diagnoses, unreachable } = await examineNetwork(target)
    examination.report(diagnoses)
    const isReachable = (url: string | undefined) =>
      url === undefined || !unreachable.has(new URL(url).origin)
    return await withContext(target, browser, { signal }, async (context) => {
      const gaps = {
        provider: await gapOf(target, 'identity-provider'),
        partner: await gapOf(target, 'partner-api'),
      }
      const areas = await judgedAreas(target)
      if (gaps.provider && target.issuer === undefined) examination.skip('discovery', gaps.provider.what)
      else if (isReachable(target.issuer))
        await examineIdentity(context, examination, {
          gap: gaps.provider,
          isKeyHostReachable: isReachable(target.jwksUrl),
          login: options.login,
        })
      else examination.skipAll(identityTopics(target), 'the host of IDP_BASE_URL is unreachable')
      examination.reportWithheld()
      if (gaps.partner) examination.report([partnerGap(gaps.partner, areas)])
      else if (isReachable(target.partnerApiUrl))
        await examination.run('Event Hub', ['PARTNER_API_URL'], [], () => examineEventHub(context))
      else examination.skip('Event Hub', 'the host of PARTNER_API_URL is unreachable')
      const { requests, logins } = context.run.budget
      const isComplete = requiredParts.every((part) => target[part] !== undefined)
      return { requests, logins, areas: isComplete ? undefined : areas }
    })
  } finally {
    await browser?.close()
  }
}

const loginTopics = ({ secondApplication }: Target): Topic[] => [
  'login',
  'tokens',
  'UserInfo',
  ...(secondApplication ? (['second application'] as const) : []),
]

const identityTopics = (target: Target): Topic[] => [
  'discovery',
  'clock',
  'key set',
  'application',
  ...loginTopics(target),
]

/** Examines the identity provider, from discovery to UserInfo. */
async function examineIdentity(
  context: CheckContext,
  examination: Examination,
  {
    gap,
    isKeyHostReachable,
    login,
  }: { readonly gap: Gap | undefined; readonly isKeyHostReachable: boolean; readonly login: boolean },
): Promise<void> {
  const { target } = context.run
  const { user, secondApplication } = target
  await examination.run('discovery', ['IDP_BASE_URL'], [], () => examineDiscovery(context))
  if (!examination.has('clock')) examination.skip('clock', 'needs a response from discovery')
  const beforeKeys: Topic[] = target.jwksUrl === undefined ? ['discovery'] : []
  if (isKeyHostReachable)
    await examination.run('key set', ['JWKS_URL'], beforeKeys, () => examineKeySet(context))
  else examination.skip('key set', 'the host of JWKS_URL is unreachable')
  if (gap) return examination.skip('application', gap.what)
  await examination.run('application', ['CLIENT_ID', 'REDIRECT_URI'], ['discovery', 'browser'], async () => {
    const { shown, cost } = await measureLoginPage(context, () =>
      context.authorization.authorize('anonymous'),
    )
    const landing = await examineLanding(context, shown.landing)
    return landing.severity === 'ok' ? [landing, costDiagnosis(cost)] : landing
  })
  if (!login) examination.skipAll(loginTopics(target), '--no-login is set')
  if (user === undefined) examination.report([await withoutUser(target)])
  if (!login || user === undefined) return
  const variables = ['TEST_USER', 'TEST_PASSWORD']
  await examination.run('login', variables, ['application'], () => examineLogin(context))
  await examination.run('tokens', ['CLIENT_SECRET'], ['login'], () => examineTokens(context))
  await examination.run('UserInfo', ['IDP_BASE_URL'], ['tokens'], () => examineUserinfo(context))
  if (secondApplication)
    await examination.run('second application', ['SECOND_CLIENT_ID'], ['tokens'], () =>
      examineSecondApplication(context, secondApplication),
    )
}

/** The partner API is not configured. That is an error if no other area can be judged either. */
function partnerGap({ variables, what }: Gap, areas: readonly string[]): Diagnosis {
  if (areas.length > 0) return diagnose.skipped('Event Hub', what)
  return diagnose.error('Event Hub', what, variables, `set ${listText(variables)}`)
}

function costDiagnosis(cost: LoginPageCost): Diagnosis {
  return diagnose.ok(
    'application',
    `loading the login page takes ${loginPageText(cost)}; \`npx plumbline plan\` uses this number until the first run on the target`,
  )
}

/** The warning that no test user is configured, with the number of checks that need one. */
async function withoutUser(target: Target): Promise<Diagnosis> {
  const { checks } = await loadSuites()
  const withUser = { ...target, user: { name: '', password: '' } }
  const lost = checks.filter((check) => !applies(check, target) && applies(check, withUser))
  const what = `TEST_USER and TEST_PASSWORD are not set: the doctor examines nothing that needs a login, and ${counted(lost.length, 'check')} that sign in will not run`
  return diagnose.warning('login', what, ['TEST_USER', 'TEST_PASSWORD'], 'set both to a user made for tests')
}

/**
 * @param files diagnoses of files; with an invalid recipe, the browser is not started
 * @returns undefined if the browser does not start
 */
async function startBrowser(
  target: Target,
  files: readonly Diagnosis[],
  examination: Examination,
): Promise<LaunchedBrowser | undefined> {
  const wrong = files.filter(({ severity }) => severity === 'error').flatMap(({ variables }) => variables)
  const recipe = wrong.find((name) => name === 'LOGIN_RECIPE' || name === 'CLAIM_RECIPE')
  if (recipe !== undefined) {
    examination.skip('browser', `${recipe} is not valid`)
    return undefined
  }
  try {
    const browser = await launchFor(target)
    const sandbox = browser.sandboxed
      ? 'with its sandbox'
      : 'without its sandbox, which is not available here'
    const what = `Chromium ${browser.version} (${browser.path}) starts ${sandbox}`
    examination.report([diagnose.ok('browser', what)])
    return browser
  } catch (error) {
    examination.report(diagnosesOf('browser', error, ['CHROMIUM_PATH'], target.name))
    return undefined
  }
}

/** Adds the command that records a login recipe, if a recipe would help. */
function withRecording(diagnosis: Diagnosis, target: string): Diagnosis {
  const { variables, advice, severity } = diagnosis
  if (severity !== 'error' || !variables.includes('LOGIN_RECIPE')) return diagnosis
  const remote = hasScreen() ? '' : ' --remote'
  const command = `npx plumbline record-login --target ${target}${remote}`
  return { ...diagnosis, advice: `${advice === null ? '' : `${advice}; `}${command} records one` }
}

/** Runs single examinations, which may depend on each other, and collects their diagnoses. */
class Examination {
  readonly #diagnoses: Diagnosis[] = []
  /** Warnings about the issuer in discovery. An error about the issuer in tokens replaces them; else they come last. */
  #withheld: readonly Diagnosis[] = []
  readonly #target: string
  readonly #options: Pick<ExaminationOptions, 'onDiagnosis' | 'signal'>

  constructor(target: string, options: Pick<ExaminationOptions, 'onDiagnosis' | 'signal'>) {
    this.#target = target
    this.#options = options
  }

  /**
   * Examines a topic, and reports a failure as a diagnosis.
   * @param variables the variables to report for a failure that names none
   * @param after topics that must succeed first
   */
  async run(
    topic: Topic,
    variables: readonly string[],
    after: readonly Topic[],
    inspect: () => Promise<Diagnosis | readonly Diagnosis[]>,
  ): Promise<void> {
    const { signal } = this.#options
    if (signal?.aborted) return
    const missing = after.find((other) => !this.#succeeded(other))
    if (missing !== undefined)
      return this.skip(
        topic,
        `depends on "${missing}", ${this.#wasSkipped(missing) ? 'which was skipped' : 'which has a problem (see above)'}`,
      )
    try {
      this.report([await inspect()].flat())
    } catch (error) {
      if (signal?.aborted) return
      const found = diagnosesOf(topic, error, variables, this.#target)
      this.report(found.map((one) => withRecording(one, this.#target)))
    }
  }

  skip(topic: Topic, why: string): void {
    this.report([diagnose.skipped(topic, why)])
  }

  skipAll(topics: readonly Topic[], why: string): void {
    this.report(skippedTopics(topics, why))
  }

  has(topic: Topic): boolean {
    return this.#severitiesOf(topic).length > 0
  }

  report(diagnoses: readonly Diagnosis[]): void {
    this.#diagnoses.push(...diagnoses)
    const ofIssuer = (topic: Topic, severity: Severity) =>
      diagnoses.filter(
        (one) => one.topic === topic && one.severity === severity && one.variables.includes('IDP_BASE_URL'),
      )
    const issuerWarnings = ofIssuer('discovery', 'warning')
    if (ofIssuer('tokens', 'error').length > 0) this.#withheld = []
    this.#withheld = [...this.#withheld, ...issuerWarnings]
    for (const one of diagnoses) if (!issuerWarnings.includes(one)) this.#options.onDiagnosis(one)
  }

  reportWithheld(): void {
    this.#withheld.forEach(this.#options.onDiagnosis)
    this.#withheld = []
  }

  /** Whether a topic was examined without an error, and without an unexpected or missing response. */
  #succeeded(topic: Topic): boolean {
    return (
      !this.#wasSkipped(topic) &&
      !this.#severitiesOf(topic).some((severity) => ['error', 'unexpected', 'unanswered'].includes(severity))
    )
  }

  #wasSkipped(topic: Topic): boolean {
    return this.#severitiesOf(topic).every((severity) => severity === 'skipped')
  }

  #severitiesOf(topic: Topic): Severity[] {
    return this.#diagnoses.filter((one) => one.topic === topic).map(({ severity }) => severity)
  }
}
