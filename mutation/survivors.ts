/** A surviving mutant in Stryker's report. */
export interface Mutant {
  readonly file: string
  /** The source line on which it begins, without indentation. */
  readonly line: string
  /** `original → replacement`, each in one line. */
  readonly change: string
  readonly lineNumber: number
}

/** An entry of survivors.json: a mutant that no test can kill or needs to kill. */
export interface Explanation {
  readonly file: string
  readonly line: string
  readonly change: string
  readonly why: string
}

/** Survivors without an explanation, and explanations without a survivor. */
interface SurvivorComparison {
  readonly unexplained: readonly Mutant[]
  readonly stale: readonly Explanation[]
}

/** Compares the survivors of some files with the explanations of these files. */
export function compareSurvivors(
  survivors: readonly Mutant[],
  explanations: readonly Explanation[],
): SurvivorComparison {
  const explained = new Set(explanations.map(keyOf))
  const survived = new Set(survivors.map(keyOf))
  return {
    unexplained: survivors.filter((mutant) => !explained.has(keyOf(mutant))),
    stale: explanations.filter((explanation) => !survived.has(keyOf(explanation))),
  }
}

function keyOf({ file, line, change }: Pick<Mutant, 'file' | 'line' | 'change'>): string {
  return JSON.stringify([file, line, change])
}
