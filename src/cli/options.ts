import { type LocalDateTime, parseLocal } from '../event-hub/local-time.ts'
import { type Problem, SetupError } from '../target/problem.ts'

/** Parses an option as a local date-time. @throws {SetupError} */
export function timeOption(name: string, text: string | undefined): LocalDateTime | undefined {
  if (text === undefined) return undefined
  const time = parseLocal(text)
  if (time) return time.at
  throw new SetupError(problem(name, text, 'is not a local date-time without a zone', '2026-03-02T10:15:00'))
}

/** Parses an option as an integer of at least `least`. @throws {SetupError} */
export function countOption(
  name: string,
  text: string | undefined,
  least: number,
  example = Math.max(least, 1),
): number | undefined {
  if (text === undefined) return undefined
  const number = Number(text)
  if (/^\d{1,9}$/.test(text) && number >= least) return number
  throw new SetupError(problem(name, text, `is not a whole number of at least ${least}`, `${example}`))
}

/** The output format of a command; plain text by default. */
export interface FormatOptions {
  readonly json?: boolean
  readonly markdown?: boolean
}

/** Requires at most one output format. @throws {SetupError} if both are given */
export function oneFormat({ json, markdown }: FormatOptions): void {
  if (json && markdown)
    throw new SetupError({ name: '--json', what: 'and --markdown exclude each other: use one of them' })
}

/** Prints a value in the selected format. */
export function print<T>(
  { json, markdown }: FormatOptions,
  value: T,
  forms: { markdown(value: T): string; text(value: T, stream: NodeJS.WriteStream): string },
): void {
  const text = () => (markdown ? forms.markdown(value) : forms.text(value, process.stdout))
  process.stdout.write(json ? `${JSON.stringify(value, null, 2)}\n` : text())
}

function problem(name: string, text: string, what: string, example: string): Problem {
  return { name, what: `${JSON.stringify(text)} ${what}`, example }
}
