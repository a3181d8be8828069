/** Exit codes of all commands; README.md explains those of `check` and `probe`. */
export const exitCodes = {
  ok: 0,
  /** A requirement is violated; or there is drift and `--fail-on drift` is set; or the target refused a token. */
  violated: 1,
  /** Something is inconclusive, and no violation decides the result. For `gate`: *no* without a violation, or *not decided*. */
  inconclusive: 2,
  /** The user has to change something: a variable, an option, a file. */
  setup: 3,
  /** A defect of Plumbline. */
  defect: 4,
  /** The user pressed Ctrl-C, or another program ended the command. */
  interrupted: 130,
  /** Only for the command `provider`, if another program ended the provider. */
  terminated: 143,
} as const

type Codes = typeof exitCodes

/** Any exit code; `ExitCode<'ok' | 'setup'>` is 0 or 3. */
export type ExitCode<Name extends keyof Codes = keyof Codes> = Codes[Name]
