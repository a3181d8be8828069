import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse } from 'dotenv'
import { closest, distance } from 'fastest-levenshtein'
import { type Problem, SetupError } from './problem.ts'
import { type TargetName, targetNames } from './profiles.ts'
import { isVariable, type VariableName, variableNames, variables } from './variables.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** A mistake in a file: a name that resembles a variable, or a value that is cut off. */
export interface FileProblem extends Problem {
  /** The variable that the user probably meant. */
  readonly meant: VariableName
}

interface ReadVariables {
  readonly environment: Environment
  readonly mistakes: readonly FileProblem[]
}

/**
 * The variables of a run: the process environment takes precedence over `.env.<target>`, and this file over `.env`.
 * An empty value counts as not set.
 * @throws {SetupError} for a file that cannot be read or contains a mistake
 */
export function readEnvironment(
  targetName: string,
  env: Environment = process.env,
  directory = process.cwd(),
): Environment {
  const { environment, mistakes } = readVariables(targetName, env, directory)
  if (mistakes.length > 0) throw new SetupError(mistakes)
  return environment
}

/**
 * Like `readEnvironment`, for callers that report mistakes together with other problems.
 * @throws {SetupError} for a file that cannot be read
 */
export function readVariables(
  targetName: string,
  env: Environment = process.env,
  directory = process.cwd(),
): ReadVariables {
  const files = readFiles(targetName, directory).map(readable)
  const layers = [environmentLayer(env), ...files]
  const environment: Record<string, string | undefined> = {}
  for (const { values } of layers.toReversed()) {
    for (const [name, value] of Object.entries(values)) if (value?.trim()) environment[name] = value.trim()
  }
  const misspelt = files.toReversed().flatMap(({ source, values }) =>
    Object.keys(values).flatMap((name): FileProblem[] => {
      const meant = meantBy(name)
      if (meant === undefined) return []
      const what = `in ${source} is not a variable of Plumbline`
      const advice = environment[meant] === undefined ? `rename it to ${meant}` : `remove it: ${meant} is set`
      return [{ name, what, advice, meant }]
    }),
  )
  return { environment, mistakes: [...misspelt, ...cutValues(sourcesIn(layers, targetName))] }
}

/**
 * Secrets, identifiers and addresses that a `#` cuts off. Sending half a password, for example, could lock the user.
 */
function cutValues(sources: ReadonlyMap<VariableName, SourcedValue>): FileProblem[] {
  return [...sources].flatMap(([name, { source, cut }]) =>
    cut && variables[name].kind !== 'setting'
      ? [{ name, meant: name, ...cutOff, what: `in ${source} ${cutOff.what}` }]
      : [],
  )
}

/** The problem of a value that a `#` cuts off. */
export const cutOff = {
  what: 'is cut off at a #, which begins a comment',
  advice: 'put the value in single quotes',
} as const

/** Names in the files of a run that resemble no variable, by file. They may belong to other tools. */
export function foreignNames(
  targetName: string,
  directory = process.cwd(),
): ReadonlyMap<string, readonly string[]> {
  const isForeign = (name: string) => !isVariable(name) && meantBy(name) === undefined
  const files = readFiles(targetName, directory).toReversed()
  const named = files.map(({ source, values }) => [source, Object.keys(values).filter(isForeign)] as const)
  return new Map(named.filter(([, names]) => names.length > 0))
}

/** The variable that a misspelt name resembles; undefined if the name is a variable, or resembles none. */
function meantBy(name: string): VariableName | undefined {
  if (isVariable(name)) return undefined
  const upper = name.toUpperCase()
  const nearest = closest(upper, variableNames) as VariableName
  return distance(upper, nearest) <= 2 ? nearest : undefined
}

/**
 * The name of the target: the option, else TARGET of the environment or of `.env`, else `embedded`.
 * @throws {SetupError} for any other name
 */
export function targetNameFrom(
  option: string | undefined,
  env: Environment = process.env,
  directory = process.cwd(),
): TargetName {
  const name =
    option ??
    (env.TARGET?.trim() || readable(readFile(directory, '.env')).values.TARGET?.trim() || 'embedded')
  const known = targetNames.find((candidate) => candidate === name)
  if (known) return known
  throw new SetupError({
    name: option === undefined ? 'TARGET' : '--target',
    what: `${JSON.stringify(name)} is not one of ${targetNames.join(', ')}`,
  })
}

/** The value of a variable, which may be a secret, with its source. */
export interface SourcedValue {
  /** Including surrounding white space. */
  readonly value: string
  /** `the environment`, or the name of a file. */
  readonly source: string
  /** The file whose different value the environment overrides; undefined if there is none. */
  readonly overriddenFile: string | undefined
  /** Whether a `#` in an unquoted value cuts the value off. */
  readonly cut: boolean
}

/** Each variable that is set, with its source. Ignores files that cannot be read. */
export function variableSources(
  targetName: string,
  env: Environment = process.env,
  directory = process.cwd(),
): ReadonlyMap<VariableName, SourcedValue> {
  return sourcesIn([environmentLayer(env), ...readFiles(targetName, directory)], targetName)
}

interface Layer {
  /** `the environment`, or the name of a file. */
  readonly source: string
  readonly values: Environment
  /** The content of a file. */
  readonly text: string
  /** The error code if the file exists but cannot be read, such as EACCES. */
  readonly unreadable?: string
}

function environmentLayer(values: Environment): Layer {
  return { source: 'the environment', values, text: '' }
}

/** The files of a run, the one that takes precedence first. */
function readFiles(targetName: string, directory: string): Layer[] {
  return [`.env.${targetName}`, '.env'].map((source) => readFile(directory, source))
}

function readFile(directory: string, source: string): Layer {
  try {
    const text = readFileSync(resolve(directory, source), 'utf8')
    return { source, values: parse(text), text }
  } catch (error) {
    const { code = 'error' } = error as NodeJS.ErrnoException
    return { source, values: {}, text: '', ...(code !== 'ENOENT' && { unreadable: code }) }
  }
}

/** @throws {SetupError} for a file that exists but cannot be read */
function readable(layer: Layer): Layer {
  if (layer.unreadable === undefined) return layer
  throw new SetupError({ name: layer.source, what: `cannot be read (${layer.unreadable})` })
}

/** Each variable that is set. @param layers sources, the one that takes precedence first */
function sourcesIn(layers: readonly Layer[], targetName: string): ReadonlyMap<VariableName, SourcedValue> {
  const sourcedValues = new Map<VariableName, SourcedValue>()
  for (const name of variableNames) {
    // TARGET has no effect in .env.uat: the name of the file already states the target.
    const isRead = ({ source }: Layer) => name !== 'TARGET' || source !== `.env.${targetName}`
    const [first, ...others] = layers.filter((layer) => layer.values[name]?.trim() && isRead(layer))
    const value = first?.values[name]
    if (!first || value === undefined) continue
    const { source, text } = first
    const different = others.find(({ values }) => values[name]?.trim() !== value.trim())
    const overriddenFile = source === 'the environment' ? different?.source : undefined
    sourcedValues.set(name, { value, source, overriddenFile, cut: isCut(text, name) })
  }
  return sourcedValues
}

/** Whether an unquoted value contains a `#` without white space before it, such as `TEST_PASSWORD=ab#cd`. */
function isCut(text: string, name: string): boolean {
  return new RegExp(`^\\s*(?:export\\s+)?${name}\\s*[=:]\\s*[^'"\`\\s#][^'"\`\\s#]*#`, 'm').test(text)
}
