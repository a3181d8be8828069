import { allOf, readJsonFile, refuseRepeated } from '../results/json-file.ts'
import type { TargetName } from '../target/profiles.ts'

/** A requirement that a target is known not to meet; described by schemas/waivers.schema.json. */
export interface Waiver {
  readonly requirement: string
  readonly target: TargetName
  readonly reason: string
  readonly owner: string
  readonly issue: string
  /** The last day on which it counts, in UTC: `2026-12-31`. */
  readonly expires: string
}

/**
 * Reads a list of waivers.
 * @throws {SetupError} of all mistakes, naming the file, line and field, and what is allowed there
 */
export function readWaivers(path: string): { waivers: readonly Waiver[]; text: string } {
  const file = readJsonFile<{ waivers: readonly Waiver[] }>(path, {
    option: '--waivers',
    schema: 'waivers',
    hint: 'see docs/gating.md',
    all: true,
  })
  refuseRepeated(file)
  const { waivers } = file.value
  const repeated = [...waivers.entries()].flatMap(([index, { requirement, target }]) => {
    const first = waivers.findIndex((other) => other.requirement === requirement && other.target === target)
    const what = `repeats waivers[${first}]: ${requirement} on ${target} needs one waiver`
    return first < index ? [file.wrong(['waivers', index, 'requirement'], what)] : []
  })
  if (repeated.length > 0) throw allOf(repeated)
  return { waivers, text: file.text }
}

/** Whether a waiver no longer counts at a moment. */
export function hasExpired({ expires }: Waiver, now: Date): boolean {
  return now.toISOString().slice(0, 10) > expires
}
