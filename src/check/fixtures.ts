import { applicationOf } from '../target/parts.ts'
import { AuthorizationErrors } from './authorization/authorization-errors.ts'
import { AuthorizationSteps } from './authorization/authorization-steps.ts'
import { ClaimSteps } from './claim-steps.ts'
import { DiscoverySteps } from './discovery-steps.ts'
import { EventReadingSteps } from './events/reading-steps.ts'
import { EventRereadingSteps } from './events/rereading-steps.ts'
import { EventSearchSteps } from './events/search-steps.ts'
import { CheckExecution } from './execution.ts'
import type { Expect } from './expect.ts'
import { FixtureSet } from './fixture-set.ts'
import { ResourceSteps } from './resource-steps.ts'
import type { RunContext } from './run-context.ts'
import { SharedRequests } from './shared-requests.ts'
import { ExpirySteps } from './tokens/expiry-steps.ts'
import { SecondClientSteps } from './tokens/second-client-steps.ts'
import { TokenSteps } from './tokens/token-steps.ts'
import { SubscriptionSteps } from './webhooks/subscription-steps.ts'

/** The input of the fixtures of every check. */
export interface CheckBase {
  /** The state that the checks of a run share. */
  readonly run: RunContext
  /** The expectations and records of this check. */
  readonly execution: CheckExecution
  readonly expect: Expect
}

export function checkBase(run: RunContext, execution: CheckExecution): CheckBase {
  return { run, execution, expect: execution.expect }
}

/** The fixtures of a check. Areas extend them with their own. */
export const fixtures = new FixtureSet<CheckBase>()
  // Asserting and recording.
  .extend('note', ({ execution }) => execution.note)
  .extend('observe', ({ execution }) => execution.observe)
  /** Records what the verdict is based on: amounts of data, and details such as the seed. */
  .extend('basis', ({ execution }) => execution.basis)
  // The target and the run.
  .extend('target', ({ run }) => run.target)
  .extend('application', ({ run }) => applicationOf(run.target))
  /** `RunContext.once`: makes a value once per run. */
  .extend('once', ({ run }) => run.once.bind(run) as RunContext['once'])
  .extend('seed', ({ run }) => run.seed)
  /**
   * Returns the time of the target minus the time of this machine, in milliseconds. A function, since each response
   * may change the value.
   */
  .extend(
    'clockOffsetMs',
    ({ run }) =>
      () =>
        run.http.clockOffsetMs,
  )
  /**
   * The throttled responses of the run so far. This fixture makes them evidence of the check, except responses to the
   * browser: they have no `exchange`, since the browser records its exchanges itself.
   */
  .extend('throttledResponses', ({ run }) => {
    const { throttledResponses } = run.budget
    run.recorder.useAsEvidence(throttledResponses.flatMap(({ exchange }) => exchange ?? []))
    return throttledResponses
  })
  // The identity provider.
  /** Sends single requests to the identity provider of the target, without a browser. */
  .extend('identityProvider', ({ run }) => run.provider)
  .extend('discovery', ({ run }) => new DiscoverySteps(run))
  .extend('authorization', ({ run, execution }) => new AuthorizationSteps(run, { execution }))
  .extend('authorizationErrors', ({ run, execution }) => new AuthorizationErrors(run, execution))
  .extend('tokens', ({ run, authorization }) => new TokenSteps(run, { authorization }))
  /** Waits until codes and access tokens have expired. */
  .extend('expiry', ({ run, authorization, tokens }) => new ExpirySteps(run, { authorization, tokens }))
  /** Sends access tokens to UserInfo and introspection. */
  .extend('resources', ({ run, tokens }) => new ResourceSteps(run, { tokens }))
  /** Token requests whose responses several checks judge. */
  .extend(
    'sharedRequests',
    ({ run, authorization, tokens }) => new SharedRequests(run, { authorization, tokens }),
  )
  /** Requests of the second application. */
  .extend(
    'secondClient',
    ({ run, authorization, tokens, resources }) =>
      new SecondClientSteps(run, { authorization, tokens, resources }),
  )
  // The Event Hub.
  /** Sends single searches: the control, and searches with one flaw. */
  .extend('events', ({ run, execution }) => new EventSearchSteps(run, execution))
  /** Reads all events of windows in the past. */
  .extend('readings', ({ run, execution, events }) => new EventReadingSteps(run, { execution, events }))
  /** Reads the same windows again, in other pages and parts, which must contain the same events. */
  .extend('rereadings', ({ run, events, readings }) => new EventRereadingSteps(run, { events, readings }))
  /** Changes a claim of the test user, restores it, and finds the events of both changes. */
  .extend(
    'claims',
    ({ run, note, authorization, tokens, events, readings }) =>
      new ClaimSteps(run, { note, authorization, tokens, events, readings }),
  )
  // Webhooks (planned).
  .extend('subscriptions', ({ run }) => new SubscriptionSteps(run))

export interface CheckContext extends ReturnType<typeof fixtures.create> {}

/**
 * Fixtures for commands and probes, which run outside a check. The caller must close the `execution` of the result.
 */
export function createContext(run: RunContext, requirement = ''): CheckContext {
  return fixtures.create(checkBase(run, new CheckExecution(requirement)))
}
