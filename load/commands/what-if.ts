import { reportDirectory } from '../../src/run/chosen-target.ts'
import { widthOf } from '../../src/run/terminal.ts'
import { minuteOf } from '../../src/run/text.ts'
import { savedLimiters } from '../saved-limiters.ts'
import { whatIfLines } from '../what-if/text.ts'
import { whatIf } from '../what-if/what-if.ts'

/** `plumbline probe --what-if`: what partners can count on behind the limiters that were found; sends nothing. */
export function showWhatIf(run: string | undefined): number {
  const width = widthOf(process.stdout)
  for (const found of savedLimiters(reportDirectory(), run)) {
    const answer = whatIf(found)
    const lines = typeof answer === 'string' ? [`  ${answer}`] : whatIfLines(answer, width)
    process.stdout.write(
      `${[`${found.endpoint}, probed ${minuteOf(found.startedAt)}`, ...lines, ''].join('\n')}\n`,
    )
  }
  return 0
}
