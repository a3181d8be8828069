import { Temporal } from 'temporal-polyfill'
import { EventAudit } from '../event-hub/audit.ts'
import { compareLocal, formatLocal } from '../event-hub/local-time.ts'
import { hasMore } from '../event-hub/page.ts'
import { pagesOf, readAhead } from '../event-hub/paging.ts'
import { searchPages } from '../event-hub/poller/source.ts'
import { EventHub } from '../event-hub/search.ts'
import type { EventWindow } from '../event-hub/window.ts'
import { Recorder } from '../evidence/recorder.ts'
import { Budget } from '../http/budget.ts'
import { HttpFailure } from '../http/failures.ts'
import { Http } from '../http/http.ts'
import { withTarget } from '../run/chosen-target.ts'
import { WaitNotice } from '../run/wait-notice.ts'
import { SetupError } from '../target/problem.ts'
import type { Target } from '../target/target.ts'
import { counted, wrap } from '../text/format.ts'
import { widthOf } from '../text/terminal.ts'
import { failedSearch, refusedOptions, requireEventVariables } from './event-errors.ts'
import { auditText, eventWriter, zoneText } from './event-text.ts'
import { type FollowOptions, follow } from './follow-events.ts'
import { countOption, timeOption } from './options.ts'
import { equalDigests } from './token-table.ts'

interface EventsOptions extends FollowOptions {
  readonly target?: string
  readonly to?: string
  readonly page?: string
  readonly all?: boolean
  readonly follow?: boolean
}

const searchOptions = ['to', 'page', 'all'] as const
const followOptions = ['checkpoint', 'out', 'interval', 'lag', 'once'] as const

/** `plumbline events`: runs one search, or with `--follow` polls for new events. */
export async function events(options: EventsOptions): Promise<void> {
  const misplaced = (options.follow ? searchOptions : followOptions).filter(
    (name) => options[name] !== undefined,
  )
  if (misplaced.length > 0) {
    const what = options.follow ? 'cannot be used with --follow' : 'needs --follow'
    throw new SetupError(misplaced.map((name) => ({ name: `--${name}`, what })))
  }
  await withTarget({ target: options.target, required: new Map() }, (target) =>
    options.follow ? follow(target, options) : search(target, options),
  )
}

/** Prints the events of one search to standard output, and the total and the window to standard error. */
async function search(target: Target, options: EventsOptions): Promise<void> {
  const window = windowOf(options, target)
  const firstPage = countOption('--page', options.page, 0) ?? 0
  const pageSize = countOption('--page-size', options.pageSize, 1, 100) ?? (options.all ? 100 : 10)
  const waits = new WaitNotice()
  const http = new Http(new Budget({ ...target, onPause: waits.onPause }), new Recorder(), target.proxy)
  const read = searchPages(new EventHub(http, target), pageSize, 'safe', (refusedWindow) =>
    refusedOptions(refusedWindow, options, target.name),
  )
  const write = eventWriter(options)
  const audit = new EventAudit(window)
  const pageOf = (number: number) => read(window, firstPage + number)
  let shown = 0
  let total = 0
  let hasNext = false
  try {
    for await (const page of pagesOf(options.all ? readAhead(pageOf) : pageOf)) {
      audit.take(page)
      await write(page.events)
      shown += page.events.length
      total = page.total
      hasNext = hasMore(page)
      if (!options.all) break
    }
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    throw failedSearch(target, error)
  } finally {
    waits.stop()
    await http.close()
  }
  const hint = shown < total && !options.all ? `; ${otherPages(firstPage, shown, hasNext)}` : ''
  const printNote = (text: string) => console.error(wrap(text, widthOf(process.stderr), 2).join('\n'))
  printNote(
    `${shown} of ${counted(total, 'event')} from ${formatLocal(window.from)} to ${formatLocal(window.to)}${hint}`,
  )
  printNote(zoneText(target))
  if (options.all && firstPage === 0) printNote(auditText(audit.findings()))
  if (!options.reveal && shown > 0) printNote(equalDigests)
}

/** How to see the events that a page does not contain. */
function otherPages(page: number, shown: number, hasNext: boolean): string {
  const all = 'and --all shows all events'
  if (shown === 0) return `page ${page} is after the last page: --page 0 shows the first page, ${all}`
  return `--page ${hasNext ? page + 1 : 0} shows the ${hasNext ? 'next' : 'first'} page, ${all}`
}

/** The window to search; by default the last hour. @throws {SetupError} */
function windowOf({ from, to }: EventsOptions, target: Target): EventWindow {
  const given = { from: timeOption('--from', from), to: timeOption('--to', to) }
  const hour = { hours: 1 }
  requireEventVariables(
    target,
    given.to
      ? undefined
      : 'Plumbline cannot determine the local time of the Event Hub: set it, or use --from and --to',
  )
  const end = given.to ?? Temporal.Now.plainDateTimeISO(target.eventTimeZone)
  const window = { from: given.from ?? end.subtract(hour), to: end }
  if (compareLocal(window.from, window.to) < 0) return window
  throw new SetupError({ name: '--from', what: 'must be earlier than --to, which is now by default' })
}
