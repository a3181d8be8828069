import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse } from 'dotenv'
import type { Environment } from './config.ts'
import { schema } from './variables.ts'

/** Where the value of a variable comes from. May hold a secret. */
export interface SourcedValue {
  /** As it stands there, white space around it included. */
  readonly value: string
  /** `the environment`, or the name of a file. */
  readonly source: string
  /** Other places that set it to something else, and do not count. */
  readonly overrides: readonly string[]
  /** A file holds more on its line after a `#`, which begins a comment where the value has no quotes. */
  readonly cut: boolean
}

/** Every variable that Plumbline reads, in the order of the schema; the last is read by Node itself. */
export const variableNames: readonly string[] = [...Object.keys(schema.shape), 'NODE_EXTRA_CA_CERTS']

/**
 * Where each variable that is set gets its value: the process environment, then `.env.<target>`, then `.env`.
 * Empty values count as not set. Files that cannot be read are left out.
 */
export function variableSources(
  targetName: string,
  env: Environment,
  directory: string,
): ReadonlyMap<string, SourcedValue> {
  const layers = [
    { source: 'the environment', values: env, text: '' },
    ...[`.env.${targetName}`, '.env'].map((name) => fileLayer(directory, name)),
  ]
  const found = new Map<string, SourcedValue>()
  for (const name of variableNames) {
    const [first, ...others] = layers.filter(({ values }) => values[name]?.trim())
    if (!first) continue
    found.set(name, {
      value: first.values[name] ?? '',
      source: first.source,
      overrides: others
        .filter(({ values }) => values[name]?.trim() !== first.values[name]?.trim())
        .map(({ source }) => source),
      cut: isCut(first.text, name),
    })
  }
  return found
}

function fileLayer(directory: string, name: string): { source: string; values: Environment; text: string } {
  try {
    const text = readFileSync(resolve(directory, name), 'utf8')
    return { source: name, values: parse(text), text }
  } catch {
    return { source: name, values: {}, text: '' }
  }
}

/** A `#` right after the value, without white space before it, was hardly meant to begin a comment. */
function isCut(text: string, name: string): boolean {
  return new RegExp(`^\\s*(?:export\\s+)?${name}\\s*[=:]\\s*[^'"\`\\s#][^'"\`\\s#]*#`, 'm').test(text)
}
