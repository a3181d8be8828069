import { combined, readJsonFile } from '../results/json-file.ts'
import type { TargetName } from '../target/profiles.ts'

/** A temporarily accepted violation or inconclusive verdict of a target. Schema: schemas/waivers.schema.json. */
export interface Waiver {
  readonly requirement: string
  readonly target: TargetName
  readonly reason: string
  readonly owner: string
  readonly issue: string
  /** The last valid day, in UTC: `2026-12-31`. */
  readonly expires: string
}

/**
 * Reads a list of waivers.
 * @throws {SetupError} with the mistakes in the file, each with line, field and permitted values
 */
export function readWaivers(path: string): { waivers: readonly Waiver[]; text: string } {
  const file = readJsonFile<{ waivers: readonly Waiver[] }>(path, {
    option: '--waivers',
    schema: 'waivers',
    hint: 'see docs/gating.md',
    missing: 'pass an existing list, or omit --waivers to use reports/waivers.json',
    isHandwritten: true,
  })
  const { waivers } = file.value
  const repeated = [...waivers.entries()].flatMap(([index, { requirement, target }]) => {
    const first = waivers.findIndex((other) => other.requirement === requirement && other.target === target)
    const what = `repeats waivers[${first}]: ${requirement} may have only one waiver on ${target}`
    return first < index ? [file.errorAt(['waivers', index, 'requirement'], what)] : []
  })
  if (repeated.length > 0) throw combined(repeated)
  return { waivers, text: file.text }
}

export function hasExpired({ expires }: Waiver, now: Date): boolean {
  return now.toISOString().slice(0, 10) > expires
}
