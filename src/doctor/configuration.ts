import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { loadClaimRecipe, loadLoginRecipe } from '../browser/index.ts'
import type { Environment, SourcedValue } from '../target/environment.ts'
import { isLoopback } from '../target/safety.ts'
import type { Target } from '../target/target.ts'
import { type VariableName, variableNames, variables } from '../target/variables.ts'
import { type Diagnosis, diagnose, diagnosesOf } from './diagnosis.ts'
import { mistakesIn, shapeOfValue } from './values.ts'

/** Every variable that is set. */
export type Sources = ReadonlyMap<VariableName, SourcedValue>

/** A variable with its source and the shape of its value, or null if it is not set. */
export interface ShownVariable {
  readonly name: string
  readonly source: string | null
  readonly shape: string | null
}

/**
 * Every variable, set or not.
 * @param target the value of the option `--target`, which takes the place of TARGET
 */
export function shownVariables(sources: Sources, target?: string): ShownVariable[] {
  return variableNames.map((name) => {
    if (name === 'TARGET' && target !== undefined) return { name, source: '--target', shape: target }
    const sourced = sources.get(name)
    const shape = sourced ? shapeOfValue(name, sourced.value) : null
    return { name, source: sourced?.source ?? null, shape }
  })
}

const warn = (name: string, what: string, advice: string) =>
  diagnose.warning('configuration', `${name} ${what}`, [name], advice)
const fail = (name: string, what: string, advice: string) =>
  diagnose.error('configuration', `${name} ${what}`, [name], advice)

/** Diagnoses from the values alone, before validation. */
export function valueDiagnoses(sources: Sources, env: Environment): Diagnosis[] {
  const found: Diagnosis[] = []
  for (const [name, sourced] of sources) {
    found.push(...mistakesIn(name, sourced))
    const [file] = sourced.overrides
    if (sourced.source === 'the environment' && file !== undefined && name !== 'TARGET') {
      const what = `in ${file} is ignored: the environment has another value`
      found.push(warn(name, what, `unset ${name} in the environment to use ${file}`))
    }
  }
  const secret = sources.get('CLIENT_SECRET')?.value.trim()
  if (secret !== undefined && secret === sources.get('CLIENT_ID')?.value.trim())
    found.push(warn('CLIENT_SECRET', 'equals CLIENT_ID', 'set it to the secret'))
  for (const name of ['https_proxy', 'HTTP_PROXY', 'http_proxy']) {
    const what = `is not set, but ${name} is, which Plumbline does not read`
    if (env[name] && !sources.has('HTTPS_PROXY'))
      found.push(warn('HTTPS_PROXY', what, 'set HTTPS_PROXY if you need a proxy'))
  }
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    const advice = 'unset it; NODE_EXTRA_CA_CERTS adds a certificate authority'
    found.push(warn('NODE_TLS_REJECT_UNAUTHORIZED', 'is 0, so Node accepts every certificate', advice))
  }
  return found
}

/** Diagnoses of the files that variables name, of the report directory, and of host names. */
export function fileDiagnoses(target: Target, sources: Sources): Diagnosis[] {
  const { loginRecipe, claimRecipe } = target
  return [
    ...(loginRecipe === undefined ? [] : recipeDiagnoses('LOGIN_RECIPE', () => loadLoginRecipe(loginRecipe))),
    ...(claimRecipe === undefined
      ? []
      : recipeDiagnoses('CLAIM_RECIPE', () => loadClaimRecipe(claimRecipe, target))
          // The embedded provider has its own recipe.
          .filter(({ severity }) => severity !== 'ok' || sources.has('CLAIM_RECIPE'))),
    ...authorityDiagnoses(sources.get('NODE_EXTRA_CA_CERTS')),
    ...reportDiagnoses(target),
    ...hostDiagnoses(target),
  ]
}

/** Parts of the host names of test deployments. */
const testWords =
  /(?:^|[.-])(?:uat|test|tst|stage|staging|stg|dev|int|qa|sandbox|preprod|acc|demo|local)\d*(?=[.-]|$)/i

/** A UAT run presents wrong credentials, which production must never receive. */
function hostDiagnoses({ name, hosts }: Target): Diagnosis[] {
  if (name !== 'uat') return []
  const doubtful = hosts.filter((host) => !testWords.test(host) && !isLoopback(host.replace(/:\d+$/, '')))
  return doubtful.map((host) => {
    const what = `is uat, but the name ${host} does not look like a test deployment`
    return warn('TARGET', what, 'make sure that it is not production, or use --target production')
  })
}

function recipeDiagnoses(name: string, load: () => unknown): Diagnosis[] {
  try {
    load()
    return [diagnose.ok('configuration', `${name} names a valid recipe`, [name])]
  } catch (error) {
    return diagnosesOf('configuration', error, [name])
  }
}

/** Node reads this variable only from the environment, when it starts. */
function authorityDiagnoses(sourced: SourcedValue | undefined): Diagnosis[] {
  if (!sourced) return []
  const { source, value } = sourced
  const name = 'NODE_EXTRA_CA_CERTS'
  if (source !== 'the environment')
    return [fail(name, `is set in ${source}, where Node does not look`, 'set it in the environment')]
  try {
    if (readFileSync(value, 'utf8').includes('-----BEGIN CERTIFICATE-----')) return []
    return [fail(name, 'names a file without certificates', 'name a PEM file')]
  } catch {
    return [fail(name, 'names a file that cannot be read', `for example ${name}=${variables[name].example}`)]
  }
}

function reportDiagnoses({ reportDir }: Target): Diagnosis[] {
  let directory = resolve(reportDir)
  while (!existsSync(directory)) directory = dirname(directory)
  try {
    accessSync(directory, constants.W_OK)
    return []
  } catch {
    const what = `leads to ${directory}, which is not writable`
    return [fail('REPORT_DIR', what, 'name a directory of your own, for example REPORT_DIR=reports')]
  }
}
