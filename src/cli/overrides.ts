import { targetNameFrom, variableSources } from '../target/environment.ts'
import { wrap } from '../text/format.ts'
import { widthOf } from '../text/terminal.ts'

/**
 * Prints the names of variables that the environment and a file set to different values, at the start of a run.
 * @param target the value of the option `--target`
 */
export function printOverrides(target: string | undefined): void {
  const groups = Map.groupBy(variableSources(targetNameFrom(target)), ([, sourced]) => sourced.overriddenFile)
  for (const [file, variables] of groups) {
    if (file === undefined) continue
    const names = variables.map(([name]) => name).join(', ')
    const text = `The environment overrides ${file}: this run uses the values of ${names} from the environment`
    console.log(wrap(text, widthOf(process.stdout), 2).join('\n'))
  }
}
