import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse } from 'dotenv'
import { closest, distance } from 'fastest-levenshtein'
import { type Problem, SetupError } from './problem.ts'
import { type TargetName, targetNames } from './profiles.ts'
import { isVariable, type VariableName, variableNames } from './variables.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * The variables of a run: the process environment, then `.env.<target>`, then `.env`.
 * An empty value counts as not set.
 * @throws {SetupError} for a file that cannot be read or contains a misspelt name
 */
export function readEnvironment(
  targetName: string,
  env: Environment = process.env,
  directory = process.cwd(),
): Environment {
  const merged: Record<string, string | undefined> = {}
  for (const layer of [readFile(directory, '.env'), readFile(directory, `.env.${targetName}`), env]) {
    for (const [name, value] of Object.entries(layer)) if (value?.trim()) merged[name] = value.trim()
  }
  return merged
}

/**
 * The target: the option, then TARGET of the environment or `.env`, then embedded.
 * @throws {SetupError} for any other name
 */
export function targetNameFrom(
  option: string | undefined,
  env: Environment = process.env,
  directory = process.cwd(),
): TargetName {
  const name = option ?? (env.TARGET?.trim() || readFile(directory, '.env').TARGET?.trim() || 'embedded')
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
  /** Other sources with a different value, which are ignored. */
  readonly overrides: readonly string[]
  /** Whether a `#` in an unquoted value cuts the value off. */
  readonly cut: boolean
}

/** Each variable that is set, with its source. Ignores files that cannot be read. */
export function variableSources(
  targetName: string,
  env: Environment = process.env,
  directory = process.cwd(),
): ReadonlyMap<VariableName, SourcedValue> {
  const layers = [
    { source: 'the environment', values: env, text: '' },
    ...[`.env.${targetName}`, '.env'].map((source) => {
      const text = readText(directory, source, () => '')
      return { source, values: parse(text) as Environment, text }
    }),
  ]
  const found = new Map<VariableName, SourcedValue>()
  for (const name of variableNames) {
    // The name of a file such as .env.uat is the target, and TARGET has no effect in it.
    const isRead = ({ source }: (typeof layers)[number]) =>
      name !== 'TARGET' || source !== `.env.${targetName}`
    const [first, ...others] = layers.filter((layer) => layer.values[name]?.trim() && isRead(layer))
    const value = first?.values[name]
    if (!first || value === undefined) continue
    const overrides = others.filter(({ values }) => values[name]?.trim() !== value.trim())
    found.set(name, {
      value,
      source: first.source,
      overrides: overrides.map(({ source }) => source),
      cut: isCut(first.text, name),
    })
  }
  return found
}

/** A `#` without white space before it is probably part of the value, but begins a comment. */
function isCut(text: string, name: string): boolean {
  return new RegExp(`^\\s*(?:export\\s+)?${name}\\s*[=:]\\s*[^'"\`\\s#][^'"\`\\s#]*#`, 'm').test(text)
}

/**
 * Reads a file of variables. Names that resemble no variable may belong to other tools.
 * @throws {SetupError} for a misspelt name, which would otherwise count as not set
 */
function readFile(directory: string, file: string): Record<string, string> {
  const values = parse(
    readText(directory, file, (code) => {
      throw new SetupError({ name: file, what: `cannot be read (${code})` })
    }),
  )
  const problems = Object.keys(values).flatMap((name): Problem[] => {
    const nearest = closest(name, variableNames)
    if (isVariable(name) || distance(name, nearest) > 2) return []
    return [{ name, what: `in ${file} is not a variable of Plumbline`, advice: `rename it to ${nearest}` }]
  })
  if (problems.length > 0) throw new SetupError(problems)
  return values
}

/** @param otherwise called if the file exists but cannot be read */
function readText(directory: string, file: string, otherwise: (code: string) => string): string {
  try {
    return readFileSync(resolve(directory, file), 'utf8')
  } catch (error) {
    const { code = 'error' } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? '' : otherwise(code)
  }
}
