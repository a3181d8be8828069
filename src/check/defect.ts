import { projectRoot } from '../project.ts'

/** The message for a problem that only a change of Plumbline can fix. */
export function defect(what: string): string {
  return `a defect of Plumbline, please report it: ${what}`
}

/**
 * Where an unexpected error was thrown: `TypeError at src/check/expect.ts:12`. The result omits the message of the
 * error, which may quote a response of the target.
 */
export function placeOf({ name = 'Error', stack = '' }: Partial<Pick<Error, 'name' | 'stack'>>): string {
  const frame = stack
    .split(`${projectRoot}/`)
    .map((path) => /^(?:src|suites|load)\/[\w./-]+:\d+/.exec(path)?.[0])
    .find((place) => place !== undefined)
  return frame === undefined ? name : `${name} at ${frame}`
}
