import { withAdvice } from '../text/format.ts'

/** A problem of a variable, an option or a file that the user can fix. */
export interface Problem {
  /** The name of the variable, option or file, which is the subject of the sentence. */
  readonly name: string
  /** The predicate of the sentence; it never contains the value of a secret. */
  readonly what: string
  /** Variables that may be wrong, the most likely first; by default only `name`. */
  readonly variables?: readonly string[]
  /** What to change, as an imperative. */
  readonly advice?: string
  /** A valid value. */
  readonly example?: string
}

/** The set-up or usage is wrong, so no check can run. The command prints one sentence per problem, and exits with 3. */
export class SetupError extends Error {
  readonly problems: readonly Problem[]
  /** A sentence that applies to all problems. */
  readonly advice: string | undefined

  constructor(problem: Problem | readonly Problem[], advice?: string) {
    const problems = [problem].flat()
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
