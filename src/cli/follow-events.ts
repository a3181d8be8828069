import { dirname } from 'node:path'
import { passedTime } from '../event-hub/clock-changes.ts'
import { formatLocal, type LocalDateTime } from '../event-hub/local-time.ts'
import { type Disk, fileSystem, lock, memoryDisk } from '../event-hub/poller/disk.ts'
import { PollerMemory } from '../event-hub/poller/memory.ts'
import { Poller, type PollerProgress, systemClock } from '../event-hub/poller/poller.ts'
import { atLeastOnce, eventFile } from '../event-hub/poller/sink.ts'
import { type PageSource, searchPages } from '../event-hub/poller/source.ts'
import { EventHub } from '../event-hub/search.ts'
import { Recorder } from '../evidence/recorder.ts'
import { exitCodes } from '../exit-codes.ts'
import { Budget } from '../http/budget.ts'
import { HttpFailure } from '../http/failures.ts'
import { Http } from '../http/http.ts'
import { partnerApiOf } from '../target/parts.ts'
import { SetupError } from '../target/problem.ts'
import type { Target } from '../target/target.ts'
import { counted, duration } from '../text/format.ts'
import { failedSearch, requireEventVariables } from './event-errors.ts'
import { type EventTextOptions, eventWriter, withoutValues, zoneText } from './event-text.ts'
import { countOption, timeOption } from './options.ts'
import { withGracefulStop } from './signals.ts'

export interface FollowOptions extends EventTextOptions {
  readonly from?: string
  readonly pageSize?: string
  readonly checkpoint?: string
  readonly out?: string
  readonly interval?: string
  readonly lag?: string
  readonly once?: boolean
}

/**
 * `plumbline events --follow`: delivers events until a signal stops the command, which then exits with 130 and leaves
 * consistent files. Progress goes to standard error.
 */
export async function follow(target: Target, options: FollowOptions): Promise<void> {
  const settings = settingsOf(target, options)
  const { checkpoint } = options
  await withGracefulStop('Stopping after the current page', async (stop) => {
    let release: (() => Promise<void>) | undefined
    try {
      if (checkpoint !== undefined) release = await lock(`${checkpoint}.lock`)
      await poll(target, options, settings, stop)
      if (stop.aborted) process.exitCode = exitCodes.interrupted
    } catch (error) {
      throw fileProblem(error) ?? error
    } finally {
      await release?.()
    }
  })
}

interface Settings {
  /** IANA zone of the hub. */
  readonly zone: string
  readonly from: LocalDateTime | undefined
  readonly pageSize: number
  readonly intervalMs: number
  readonly lagMs: number
}

/** @throws {SetupError} */
function settingsOf(target: Target, options: FollowOptions): Settings {
  requireEventVariables(target, '--follow cannot determine the local time of the Event Hub')
  if (options.out !== undefined && options.out === options.checkpoint) {
    const what = 'is the same file as --checkpoint: use two files'
    throw new SetupError({ name: '--out', what })
  }
  return {
    zone: target.eventTimeZone,
    from: timeOption('--from', options.from),
    pageSize: countOption('--page-size', options.pageSize, 1, 100) ?? 100,
    intervalMs: 1000 * (countOption('--interval', options.interval, 1, 30) ?? 30),
    lagMs: 1000 * (countOption('--lag', options.lag, 0, 60) ?? 60),
  }
}

async function poll(
  target: Target,
  options: FollowOptions,
  { zone, from, pageSize, intervalMs, lagMs }: Settings,
  signal: AbortSignal,
): Promise<void> {
  // `--follow` has no request budget. Pace, allowed hosts and Retry-After apply as in a run.
  const unlimited = { requestBudget: Number.POSITIVE_INFINITY, throttleLimit: Number.POSITIVE_INFINITY }
  const budget = new Budget({ ...target, ...unlimited })
  const http = new Http(budget, new Recorder(), target.proxy)
  const source = searchPages(new EventHub(http, target), pageSize)
  const until = () => passedTime(zone, hubTime(http) - lagMs)
  const disk: Disk = options.checkpoint === undefined ? memoryDisk() : fileSystem
  const { url, credentials } = partnerApiOf(target)
  const feed = { hub: url, client: credentials.id, zone }
  const sink =
    options.out === undefined
      ? atLeastOnce(eventWriter(options))
      : eventFile(fileSystem, options.out, options.reveal ? undefined : (event) => withoutValues(event))
  try {
    let accessChecked = false
    let delivered = 0
    const memory = await PollerMemory.open(disk, options.checkpoint ?? 'checkpoint', feed, async () => {
      // Create no checkpoint for an Event Hub that cannot be used.
      await checkAccess(target, source, until)
      accessChecked = true
      return from ?? until()
    })
    const poller = await Poller.resume({
      source,
      memory,
      sink,
      clock: systemClock,
      until,
      signal,
      onProgress: (news) => {
        if (news.kind === 'advanced') {
          budget.recover()
          delivered += news.delivered
        }
        printProgress(news)
      },
    })
    if (!accessChecked) await checkAccess(target, source, until)
    console.error(`Delivering events of ${url} from ${formatLocal(memory.checkpoint)}`)
    console.error(zoneText(target))
    if (!options.once) await poller.follow(intervalMs)
    else if ((await poller.catchUp()) && delivered === 0)
      console.error(`No events up to ${formatLocal(memory.checkpoint)}`)
  } finally {
    await http.close()
  }
}

/**
 * The current time in milliseconds since the epoch, by the clock that is behind: the hub's or this machine's. If a
 * window ended in the hub's future, the poller would miss events that occur between the search and this end.
 */
function hubTime(http: Http): number {
  return Date.now() + Math.min(0, http.clockOffsetMs ?? 0)
}

/**
 * Searches one minute of events, so that a wrong configuration is reported before any file is written, and Plumbline
 * learns the hub's clock.
 * @throws {SetupError}
 */
async function checkAccess(target: Target, source: PageSource, until: () => LocalDateTime): Promise<void> {
  const to = until()
  try {
    await source({ from: to.subtract({ minutes: 1 }), to }, 0)
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    // A hub that throttles or fails is reachable: the poller waits and retries.
    if (error.kind === 'throttled' || error.kind === 'unavailable') return
    throw failedSearch(target, error)
  }
}

function printProgress(news: PollerProgress): void {
  if (news.kind === 'waiting') console.error(`Waiting ${duration(news.milliseconds)}: ${news.why}`)
  else if (news.delivered > 0)
    console.error(`${counted(news.delivered, 'event')} up to ${formatLocal(news.to)}`)
}

/** The set-up error for an error of the file system; undefined for any other error. */
function fileProblem(error: unknown): SetupError | undefined {
  const { code, path, syscall } = error as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined || code === 'EPIPE') return undefined
  return new SetupError({
    name: path ?? 'A file of --checkpoint or --out',
    what: `cannot be used (${code})${code === 'ENOENT' && path ? `: create the folder ${dirname(path)} first` : ''}`,
  })
}
