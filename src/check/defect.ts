import { projectRoot } from '../project.ts'

/** The message for a problem that only a change of Plumbline can fix. */
export function defect(what: string): string {
  return `a defect of Plumbline, please report it: ${what}`
}

/**
 * An unexpected error in a form that is safe to show: `TypeError at src/check/expect.ts:12`. Its message may quote a
 * response of the target.
 */
export function placeOf({ name = 'Error', stack = '' }: Partial<Pick<Error, 'name' | 'stack'>>): string {
  const frame = stack
    .split(`${projectRoot}/`)
    .map((rest) => /^(?:src|suites|load)\/[\w./-]+:\d+/.exec(rest)?.[0])
    .find((place) => place !== undefined)
  return frame === undefined ? name : `${name} at ${frame}`
}
