/** Exit codes of all commands; README.md explains those of `check` and `probe`. */
export const exitCodes = {
  ok: 0,
  /** At least one requirement is violated, or something changed that must not change. */
  violated: 1,
  /** No requirement is violated, but something is inconclusive. */
  inconclusive: 2,
  /** The user has to change something: a variable, an option, a file. */
  setup: 3,
  /** A defect of Plumbline. */
  defect: 4,
  interrupted: 130,
  /** Only for the command `provider`, if another program ended the provider. */
  terminated: 143,
} as const

type Codes = typeof exitCodes

/** An exit code; with `Name`, the code of one of these names. */
export type ExitCode<Name extends keyof Codes = keyof Codes> = Codes[Name]
