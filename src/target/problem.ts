import { withAdvice } from '../text/format.ts'

/** What is wrong with one variable, option or file, in a form a person can act on. */
export interface Problem {
  /** Of the variable, option or file: the subject of the sentence. */
  readonly name: string
  /** What is wrong with it; never the value of a secret. */
  readonly what: string
  /** Variables that may be wrong, the likeliest first; `name` alone by default. */
  readonly variables?: readonly string[]
  /** What to change, as an imperative. */
  readonly advice?: string
  /** A value that would be accepted. */
  readonly example?: string
}

/**
 * Set-up or usage is wrong: nothing was sent and nothing can be decided.
 * The command ends with exit code 3 and prints the problems, one sentence each.
 */
export class SetupError extends Error {
  readonly problems: readonly Problem[]
  /** What holds for all problems, as a sentence. */
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

function sentence({ name, what, advice, example }: Problem): string {
  return (
    withAdvice(`${name} ${what}`, advice) + (example === undefined ? '' : ` (for example ${name}=${example})`)
  )
}
