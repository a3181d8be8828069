import { counted } from '../../src/text/format.ts'
import {
  type Characterisation,
  type Identified,
  type NotIdentified,
  recoveryMsOf,
  seconds,
} from './conclusion.ts'
import { admittedOf, type DataPoint, longestRetryAfterMs } from './data-points.ts'
import { BudgetedExperiment, type Experiment, type Limits } from './experiment.ts'
import {
  burstRepeatsAfterIdle,
  hasTimeToIdle,
  idlePerWindow,
  sendUntilFirst429,
  sendUntilFirst429After,
} from './first-burst.ts'
import { doubted, mayCountBytes, notIdentified } from './not-identified.ts'
import { identifyWithOtherTraffic } from './other-traffic/identify.ts'
import { pollUntilAdmitted } from './polls.ts'
import { notThrottled } from './sent-together.ts'
import { identifySeveralGrids, severalGrids } from './several-grids.ts'
import { budgetRanOut, identifyWithoutOtherTraffic, type Undecided } from './without-other-traffic.ts'

/**
 * The pause in `sendUntilRecovered` should be just shorter than one window. It is this share of the time from the first
 * request until Retry-After has elapsed. For example, if this time is 10 s, the pause takes 9.3 s.
 */
const recoveryPauseShare = 0.93
/**
 * Number of requests before the pause in `sendUntilRecovered`. If the limiter still counts these requests after the pause,
 * it admits that many fewer requests of the burst. With only one request, a delayed response could hide this difference.
 */
const leadRequests = 3

/**
 * The idle period, as a multiple of the longest time for which the limiter refused requests. After it, a used limiter
 * should be fresh, that is, no longer count earlier requests.
 */
const idlePerRefusalTime = 2.5
/** Shortest idle period, in milliseconds. */
const minIdleMs = 10_000

/** Largest number of idle periods. A second period is needed only if the first was too short for the limiter. */
const idleRounds = 2

/**
 * Identifies the limiter that responds with 429, its capacity and its rate. The stages of an experiment:
 * - one request after another, until the first 429
 * - requests that show when the limiter recovers
 * - steps, each of which rules out possible limiters. One kind of step is a trial: a few requests, a pause, and a burst.
 *   Each time, the probe chooses the trial that is expected to rule out the most for its cost.
 *
 * If the limiter was not fresh, an idle period follows the first 429, and the stages begin again.
 */
export async function characterise(experiment: Experiment, limits: Limits): Promise<Characterisation> {
  const budgeted = new BudgetedExperiment(experiment, limits)
  const { record } = budgeted
  // The result is a queue if the limiter delays requests instead of refusing them.
  const queue = await sendUntilFirst429(budgeted, 0)
  // A limiter that refuses the first request was used before.
  const isUsed = experiment.startsFresh === false || record.sent[0]?.outcome === 'throttled'
  const found = queue ?? (isUsed ? await identifyUsed(budgeted) : await identifyFresh(budgeted))
  return found.result === 'identified' && mayCountBytes(record.sent) ? doubted(found, 'bytes') : found
}

/**
 * Identifies a limiter that earlier requests may have used up. The first burst shows how long the limiter refuses
 * requests. After an idle period, the limiter is identified as if it were fresh. If the identified limiter needs
 * longer than this period to become fresh, it is identified again after a longer idle period.
 */
async function identifyUsed(experiment: BudgetedExperiment): Promise<Characterisation> {
  const { record } = experiment
  // `notThrottled` also sends several requests at once, which may show a limit by concurrency.
  if (record.last?.outcome !== 'throttled') return notThrottled(experiment)
  if (!record.hasRetryAfter) await pollUntilAdmitted(experiment)
  let idleMs = Math.max(minIdleMs, idlePerRefusalTime * longestRefusalMs(record.sent))
  let found: Characterisation = notIdentified(experiment, 'used', [])
  for (let round = 0; round < idleRounds && hasTimeToIdle(experiment, idleMs); round += 1) {
    const omitted = record.sent.length
    // From now on, the limiter need not explain the responses so far. They stay in `sent`.
    record.discardAll()
    found = (await sendUntilFirst429After(experiment, idleMs)) ?? (await identifyFresh(experiment))
    if (found.result !== 'identified') return found
    if (recoveryMsOf(found) <= idleMs)
      return withNote(
        found,
        `Omitted: the first ${counted(omitted, 'response')}, before an idle period of ${seconds(idleMs)}, because requests before the probe may have affected them.`,
      )
    idleMs = idlePerWindow * recoveryMsOf(found)
  }
  // Even the last idle period was too short for the limiter found: earlier requests may have counted.
  return found.result === 'identified' ? doubted(found, 'used') : found
}

function withNote(found: Identified, note: string): Identified {
  return { ...found, notes: [note, ...found.notes] }
}

/** The longest Retry-After or the time from the first refusal to the latest response, whichever is longer (ms). */
function longestRefusalMs(sent: readonly DataPoint[]): number {
  const first = sent.find(({ outcome }) => outcome === 'throttled')
  return Math.max(longestRetryAfterMs(sent), (sent.at(-1)?.endedAt ?? 0) - (first?.endedAt ?? 0))
}

/**
 * Identifies a fresh limiter after its first 429. Three explanations are tried in order:
 * - one limiter without other traffic
 * - several grids: limits of one size whose windows start at different times (`several-grids.ts`)
 * - a limiter with other traffic (requests of other clients) on its key; `verifyOtherTraffic` verifies it
 */
async function identifyFresh(experiment: BudgetedExperiment): Promise<Characterisation> {
  if (experiment.record.last?.outcome !== 'throttled') return notThrottled(experiment)
  await sendUntilRecovered(experiment)
  const single = await identifyWithoutOtherTraffic(experiment, { isRestarted: false })
  if (single.result !== 'undecided') return single
  if (admittedOf(experiment.record.sent) === 0) return notIdentified(experiment, 'none-admitted', [])
  // Several grids come first: they explain each response exactly, without requests of other clients.
  const grids = await identifySeveralGrids(experiment, single)
  if (grids !== undefined) return grids
  const withOthers = await identifyWithOtherTraffic(experiment, single.isContradicted)
  // The first call finds nothing if more than one size or window is possible. The trials of `identifyWithOtherTraffic` may
  // have ruled out all but one, so search again.
  return (
    (await identifySeveralGrids(experiment, single)) ?? verifyOtherTraffic(experiment, single, withOthers)
  )
}

/**
 * Restarts the experiment, if possible: an idle period and new bursts. If these agree, and one limiter without other
 * traffic explains the new responses, it is the result. Otherwise, the result is `withOthers`, marked as doubtful if
 * several grids explain the responses too.
 * @param single result of the search for one limiter without other traffic, before the restart
 * @param withOthers result of the search for a limiter with other traffic
 */
async function verifyOtherTraffic(
  experiment: BudgetedExperiment,
  single: Undecided,
  withOthers: Identified | NotIdentified,
): Promise<Characterisation> {
  const { record } = experiment
  // No limiter with other traffic is identified, and no budget is left for a restart. If some kinds of limiters explain all
  // responses without other traffic, the result names these kinds.
  if (withOthers.result !== 'identified' && experiment.isOver)
    return budgetRanOut(experiment, single) ?? withOthers
  const omitted = record.sent.length
  // Sends the new bursts, and compares them.
  if (await burstRepeatsAfterIdle(experiment, single.windows)) {
    const found = await identifyWithoutOtherTraffic(experiment, { isRestarted: true })
    if (found.result === 'identified')
      return withNote(
        found,
        `Omitted: the first ${counted(omitted, 'response')}, before an idle period. They fit only with other traffic on the key, or with several limits of this size whose windows began at different times.`,
      )
  }
  // If several grids explain the responses too, there may be no other traffic.
  const isDoubtful = withOthers.result === 'identified' && severalGrids(record.kept).length > 0
  return { ...(isDoubtful ? doubted(withOthers, 'several-limits') : withOthers), ...experiment.cost }
}

/**
 * Sends requests after the first 429. Without Retry-After: single requests until one is admitted. With Retry-After:
 * three requests, a pause slightly shorter than the window that Retry-After suggests, and a burst. For example, with
 * 30 requests per 10 s, the pause takes 9.3 s. If the limiter admits 27 requests of the burst, it still counts the three
 * requests, so its window is longer than 9.3 s. If it admits 30, its window is shorter.
 */
async function sendUntilRecovered(experiment: BudgetedExperiment): Promise<void> {
  const { last, sentSinceFresh: sent } = experiment.record
  if (last?.retryAfterMs === undefined) return pollUntilAdmitted(experiment)
  const { earliest: startAt } = experiment.constraints()
  const burstAt = startAt + recoveryPauseShare * (startAt - (sent[0]?.sentAt ?? 0))
  return experiment.sendTrial({ startAt, lead: leadRequests, burstAt, burst: sent.length + 1 })
}
