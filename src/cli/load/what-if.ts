import { savedLimiters } from '../../../load/saved-limiters.ts'
import { whatIfLines } from '../../../load/what-if/text.ts'
import { whatIf } from '../../../load/what-if/what-if.ts'
import { reportDirectory } from '../../run/chosen-target.ts'
import { minuteOf } from '../../text/format.ts'
import { widthOf } from '../../text/terminal.ts'

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
