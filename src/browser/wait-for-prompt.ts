import { setTimeout as sleep } from 'node:timers/promises'
import type { TestUser } from '../target/target.ts'
import type { Deadline } from './deadline.ts'
import type { JourneyWindow } from './journey-traffic.ts'
import { JourneyFailure } from './landing.ts'
import type { Prompt } from './login-page-controls.ts'
import { type PageSnapshot, recognise } from './page-inspector.ts'
import type { LoginRecipe, RecipeLocator } from './recipe.ts'
import { isShown, recognitionOf } from './recipe-steps.ts'

/** Rest after which a page with scripts and no prompt is final, in milliseconds. */
const quietMs = 2000
/** Rest after which such a page with an error status is final, in milliseconds. */
const quietErrorMs = 300
/** Time without change after which a prompt is final, whatever is under way, in milliseconds. */
const unchangedMs = 3000
/** How long before the deadline a page that never reacted is final: milliseconds, and a share of the time limit. */
const lastLook = { ms: 500, share: 0.1 }
/** Interval of the search for pages of a recipe, in milliseconds. */
const recipePollMs = 100

/** How the user reacts to prompts: signs in and consents, cancels, or stops there. */
export type Act = 'sign-in' | 'cancel' | 'stop'

export interface PromptOptions {
  readonly act: Act
  /** Whether the request must return to the application: a page without a prompt then has until the time limit. */
  readonly mustReturn?: boolean
  /** The test user, whose account a page may offer. */
  readonly user?: TestUser
}

/**
 * The page as soon as its prompt is final, or it is at rest without a prompt; undefined if the page was left meanwhile.
 * @param again prompts that were answered before
 */
export async function waitForPrompt(
  window: JourneyWindow,
  deadline: Deadline,
  { act, mustReturn = false, user, isCancelled }: PromptOptions & { readonly isCancelled: boolean },
  again: readonly Prompt[],
): Promise<PageSnapshot | undefined> {
  const { page, traffic, recipe } = window
  const { document } = traffic
  const isError = (document?.status ?? 200) >= 400
  const settleMs = isError ? quietErrorMs : quietMs
  const refreshMs = document?.refreshMs ?? 0
  while (traffic.document === document) {
    const limitMs = deadline.leftMs
    const withinMs = recipe ? recipePollMs : limitMs
    const times = { withinMs, limitMs, unchangedMs, quietMs: settleMs, refreshMs }
    const mayStart = !isError && !isCancelled
    const options = { ...times, again, userName: user?.name ?? '', mayStart }
    const snapshot = await deadline.inPage(recognise(page, options, window.signal))
    if (!snapshot) return undefined
    const { prompt, answered, settled, dynamic, fields, buttons } = snapshot
    traffic.isStatic = !dynamic && document === traffic.document
    const described =
      recipe && (await promptOfRecipe(recipe, answered, (at) => deadline.inPage(isShown(page, at))))
    if (described) return { ...snapshot, prompt: described }
    const isComplete = !dynamic && answered.length === 0
    const atRest = settled && traffic.idleMs >= (isComplete ? 0.1 : settleMs)
    if (prompt === 'none' || answered.includes(prompt) || again.includes(prompt)) {
      // A page without a prompt may still continue by itself, slowly.
      const mayGoOn = mustReturn && dynamic && fields + buttons === 0 && !isError
      if (atRest && !mayGoOn && !mayReact(snapshot, window, deadline)) return snapshot
    } else if (!isLeftToRecipe(prompt, act, recipe)) {
      if (settled && (isComplete || traffic.idleMs > 0 || snapshot.unchangedMs >= unchangedMs))
        return snapshot
    } else if (atRest && snapshot.unchangedMs >= settleMs) {
      throw notDescribed(prompt)
    }
    await deadline.inPage(sleep(atRest ? 100 : 20))
  }
  return undefined
}

/** Whether scripts of an answered page may still react. */
function mayReact(
  { prompt, answered, dynamic, reacted }: PageSnapshot,
  { traffic, timeoutMs }: JourneyWindow,
  deadline: Deadline,
): boolean {
  const lastLookMs = Math.max(lastLook.ms, lastLook.share * timeoutMs)
  const hasReacted = prompt !== 'none' && reacted && traffic.hasReacted
  return answered.length > 0 && dynamic && !hasReacted && deadline.leftMs > lastLookMs
}

/** The prompt that a recipe recognises, unless it was answered in this document. */
async function promptOfRecipe(
  recipe: LoginRecipe,
  answered: readonly Prompt[],
  isVisible: (at: RecipeLocator) => Promise<boolean | undefined>,
): Promise<Prompt | undefined> {
  const pages = [
    ['password', recognitionOf(recipe, 'signIn')],
    ['consent', recognitionOf(recipe, 'consent')],
  ] as const
  for (const [prompt, at] of pages)
    if (at && !answered.includes(prompt) && (await isVisible(at))) return prompt
  return undefined
}

/** Whether a recipe describes the pages of a prompt, so that the built-in heuristic must not answer them. */
function isLeftToRecipe(prompt: Prompt, act: Act, recipe: LoginRecipe | undefined): boolean {
  return act === 'sign-in' && prompt !== 'totp' && recipe?.[sequenceFor(prompt)] !== undefined
}

/** The sequence of a recipe that answers a prompt. */
function sequenceFor(prompt: Prompt): 'signIn' | 'consent' {
  return prompt === 'consent' || prompt === 'offer' ? 'consent' : 'signIn'
}

function notDescribed(prompt: Prompt): JourneyFailure {
  const sequence = sequenceFor(prompt)
  const [page, member] = sequence === 'consent' ? ['consent', 'consentPage'] : ['login', 'loginPage']
  return new JourneyFailure('configuration', `the ${page} page is not the one that LOGIN_RECIPE describes`, {
    variables: ['LOGIN_RECIPE'],
    advice: `correct ${member} in LOGIN_RECIPE, or the first step of ${sequence}`,
  })
}
