/** What is wrong with one variable, in a form a person can act on. */
export interface Problem {
  /** The variable or option to change. */
  readonly name: string
  /** What is wrong with it; never the value of a secret. */
  readonly what: string
  /** A value that would be accepted. */
  readonly example?: string
}

/**
 * Set-up or usage is wrong: nothing was sent and nothing can be decided.
 * The command ends with exit code 3 and prints the problems, one sentence each.
 */
export class SetupError extends Error {
  readonly problems: readonly Problem[]
  /** A sentence about all of them. */
  readonly advice: string | undefined

  constructor(problems: readonly Problem[], advice?: string) {
    const sentences = problems.map(sentence)
    const last = advice === undefined ? '' : `${sentences.length > 1 ? '\n' : '. '}${advice}`
    super(sentences.join('\n') + last)
    this.name = 'SetupError'
    this.problems = problems
    this.advice = advice
  }
}

function sentence({ name, what, example }: Problem): string {
  return `${name} ${what}${example === undefined ? '' : ` (for example ${name}=${example})`}`
}
