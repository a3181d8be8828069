import { setTimeout as sleep } from 'node:timers/promises'
import type { TestUser } from '../target/target.ts'
import type { Deadline } from './deadline.ts'
import type { JourneyWindow } from './journey-traffic.ts'
import { JourneyFailure } from './landing.ts'
import type { Prompt } from './login-page-controls.ts'
import { type PageSnapshot, recognise } from './page-inspector.ts'
import type { LoginRecipe, RecipeLocator } from './recipe.ts'
import { isShown, recognitionOf } from './recipe-steps.ts'

/**
 * Time at rest after which a page with scripts and without a prompt is final, in milliseconds. *Final* means that
 * Plumbline does not expect the page or prompt to change by itself.
 */
const quietMs = 2000
/** Like `quietMs`, for a page with an error status. */
const quietErrorMs = 300
/** Time without change after which a prompt is final, even if timers or requests are under way, in milliseconds. */
const unchangedMs = 3000
/** A page that does not react to an answer is final 500 ms, or 10% of the time limit if longer, before the deadline. */
const lastLook = { ms: 500, share: 0.1 }
/** Interval of polling for the elements of a recipe, in milliseconds. */
const recipePollMs = 100

/** How the user reacts to a prompt: signs in and consents, cancels, or stops at the page. */
export type Act = 'sign-in' | 'cancel' | 'stop'

export interface PromptOptions {
  readonly act: Act
  /** Whether the journey must end at the application: a page without a prompt may then take until the time limit. */
  readonly mustReturn?: boolean
  /** The test user, whose account a page may offer. */
  readonly user?: TestUser
}

/**
 * Waits until the prompt of the page is final, or the page is at rest without a prompt.
 * @param answeredBefore prompts that were answered in this document or an earlier one
 * @returns undefined if the browser left the page meanwhile
 */
export async function waitForPrompt(
  window: JourneyWindow,
  deadline: Deadline,
  { act, mustReturn = false, user, isCancelled }: PromptOptions & { readonly isCancelled: boolean },
  answeredBefore: readonly Prompt[],
): Promise<PageSnapshot | undefined> {
  const { page, traffic, recipe } = window
  const { document } = traffic
  const isError = (document?.status ?? 200) >= 400
  const settleMs = isError ? quietErrorMs : quietMs
  const refreshMs = document?.refreshMs ?? 0
  while (traffic.document === document) {
    const limitMs = deadline.leftMs
    const withinMs = recipe ? recipePollMs : limitMs
    const durations = { withinMs, limitMs, unchangedMs, quietMs: settleMs, refreshMs }
    const mayStart = !isError && !isCancelled
    const options = { ...durations, answeredBefore, userName: user?.name ?? '', mayStart }
    const snapshot = await deadline.inPage(recognise(page, options, window.signal))
    if (!snapshot) return undefined
    const { prompt, answered, settled, dynamic, fields, buttons } = snapshot
    traffic.isStatic = !dynamic && document === traffic.document
    const recipePrompt =
      recipe && (await promptOfRecipe(recipe, answered, (at) => deadline.inPage(isShown(page, at))))
    if (recipePrompt) return { ...snapshot, prompt: recipePrompt }
    // Without scripts, and without an answer that the page may still react to, the page stays as it is.
    const cannotChange = !dynamic && answered.length === 0
    const atRest = settled && traffic.idleMs > 0 && (cannotChange || traffic.idleMs >= settleMs)
    if (prompt === 'none' || answered.includes(prompt) || answeredBefore.includes(prompt)) {
      // A page without fields and buttons may continue by itself after a long time.
      const mayContinue = mustReturn && dynamic && fields + buttons === 0 && !isError
      if (atRest && !mayContinue && !mayReact(snapshot, window, deadline)) return snapshot
    } else if (!isLeftToRecipe(prompt, act, recipe)) {
      if (settled && (cannotChange || traffic.idleMs > 0 || snapshot.unchangedMs >= unchangedMs))
        return snapshot
    } else if (atRest && snapshot.unchangedMs >= settleMs) {
      throw notDescribed(prompt)
    }
    await deadline.inPage(sleep(atRest ? 100 : 20))
  }
  return undefined
}

/** Whether scripts may still react to the answer of the user. */
function mayReact(
  { prompt, answered, dynamic, reacted }: PageSnapshot,
  { traffic, timeoutMs }: JourneyWindow,
  deadline: Deadline,
): boolean {
  const lastLookMs = Math.max(lastLook.ms, lastLook.share * timeoutMs)
  const hasReacted = prompt !== 'none' && reacted && traffic.hasReacted
  return answered.length > 0 && dynamic && !hasReacted && deadline.leftMs > lastLookMs
}

/** The prompt that the recipe recognises on the page, unless this prompt was already answered in this document. */
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

/** Whether the recipe must answer a prompt, so that Plumbline does not answer it by itself. */
function isLeftToRecipe(prompt: Prompt, act: Act, recipe: LoginRecipe | undefined): boolean {
  return act === 'sign-in' && prompt !== 'totp' && recipe?.[sequenceFor(prompt)] !== undefined
}

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
