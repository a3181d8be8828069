import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { loadClaimRecipe, loadLoginRecipe } from '../browser/index.ts'
import { type Problem, SetupError } from '../target/problem.ts'
import { type SourcedValue, variableNames } from '../target/sources.ts'
import type { Target } from '../target/target.ts'
import { examples } from '../target/variables.ts'
import { type Finding, finding } from './finding.ts'
import { suspicions } from './suspicions.ts'
import { shapeOfValue } from './value-shape.ts'

/** A variable with the shape of its value. */
export interface ShownVariable {
  readonly name: string
  /** Null where it is not set. */
  readonly source: string | null
  readonly shape: string | null
}

type Sources = ReadonlyMap<string, SourcedValue>
type Environment = Readonly<Record<string, string | undefined>>

/** Every variable, set or not. */
export function shownVariables(sources: Sources): ShownVariable[] {
  return variableNames.map((name) => {
    const sourced = sources.get(name)
    return {
      name,
      source: sourced?.source ?? null,
      shape: sourced ? shapeOfValue(name, sourced.value) : null,
    }
  })
}

/** What can be told from the values alone, before anything is validated. */
export function valueFindings(sources: Sources, env: Environment): Finding[] {
  const findings = [...sources].flatMap(([name, sourced]) =>
    suspicions(name, sourced).map(({ severity, what, advice }) =>
      finding('configuration', severity, `${name} ${what}`, { variables: [name], advice }),
    ),
  )
  const warn = (name: string, what: string, advice: string) =>
    findings.push(finding('configuration', 'warning', `${name} ${what}`, { variables: [name], advice }))
  const same = (one: string, other: string) =>
    sources.has(one) && sources.get(one)?.value.trim() === sources.get(other)?.value.trim()
  if (same('CLIENT_SECRET', 'CLIENT_ID')) warn('CLIENT_SECRET', 'equals CLIENT_ID', 'put in the secret')
  for (const [name, { overrides, source }] of sources) {
    if (source === 'the environment' && overrides.length > 0 && name !== 'TARGET') {
      warn(
        name,
        `of ${overrides[0]} does not count: the environment has another`,
        `unset ${name} where that is not meant`,
      )
    }
  }
  for (const name of ['https_proxy', 'HTTP_PROXY', 'http_proxy']) {
    if (env[name] && !sources.has('HTTPS_PROXY'))
      warn(
        'HTTPS_PROXY',
        `is not set, but ${name} is, which Plumbline does not read`,
        'set HTTPS_PROXY where a proxy is needed',
      )
  }
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    warn(
      'NODE_TLS_REJECT_UNAUTHORIZED',
      'is 0, so any certificate is believed',
      'unset it; NODE_EXTRA_CA_CERTS adds an authority',
    )
  }
  return findings
}

/** Mistakes that validation found. */
export function problemFindings(problems: readonly Problem[]): Finding[] {
  return problems.map(({ name, what, example = examples[name] }) =>
    finding('configuration', 'error', `${name} ${what}`, {
      variables: [name],
      advice: example === undefined ? null : `for example ${name}=${example}`,
    }),
  )
}

/** Files that variables name, and the folder that runs are written to. */
export function fileFindings(target: Target, sources: Sources): Finding[] {
  const recipes = [
    [target.loginRecipe, 'LOGIN_RECIPE', loadLoginRecipe],
    [target.claimRecipe, 'CLAIM_RECIPE', (path: string) => loadClaimRecipe(path, target)],
  ] as const
  const findings = recipes.flatMap(([path, name, load]) => {
    if (path === undefined) return []
    try {
      load(path)
      return [
        finding('configuration', 'ok', `${name} names a recipe without mistakes`, { variables: [name] }),
      ]
    } catch (error) {
      if (error instanceof SetupError) return problemFindings(error.problems)
      throw error
    }
  })
  return [...findings, ...authorityFindings(sources.get('NODE_EXTRA_CA_CERTS')), ...reportFindings(target)]
}

/** Node reads the file once at its start, and only from the environment. */
function authorityFindings(sourced: SourcedValue | undefined): Finding[] {
  if (!sourced) return []
  const name = 'NODE_EXTRA_CA_CERTS'
  const error = (what: string, advice: string) => [
    finding('configuration', 'error', `${name} ${what}`, { variables: [name], advice }),
  ]
  if (sourced.source !== 'the environment')
    return error(`is set in ${sourced.source}, where Node does not look`, 'set it in the environment')
  try {
    if (readFileSync(sourced.value, 'utf8').includes('-----BEGIN CERTIFICATE-----')) return []
    return error('names a file without certificates', 'name a file in PEM form')
  } catch {
    return error(
      'names a file that cannot be read',
      'for example NODE_EXTRA_CA_CERTS=/etc/ssl/certs/company.pem',
    )
  }
}

function reportFindings({ reportDir }: Target): Finding[] {
  let folder = resolve(reportDir)
  while (!existsSync(folder)) folder = dirname(folder)
  try {
    accessSync(folder, constants.W_OK)
    return []
  } catch {
    return [
      finding('configuration', 'error', `REPORT_DIR leads to ${folder}, where nothing can be written`, {
        variables: ['REPORT_DIR'],
        advice: 'name a folder of your own, for example REPORT_DIR=reports',
      }),
    ]
  }
}
