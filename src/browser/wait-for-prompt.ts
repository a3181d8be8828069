import { setTimeout as sleep } from 'node:timers/promises'
import type { TestUser } from '../target/target.ts'
import type { Deadline } from './deadline.ts'
import type { JourneyWindow } from './journey-window.ts'
import { JourneyFailure } from './landing.ts'
import type { Prompt } from './page-controls.ts'
import type { LoginRecipe, RecipeLocator } from './recipe.ts'
import { isShown, recognitionOf } from './recipe-steps.ts'
import { type PageSnapshot, recognise } from './recognition.ts'

/** A page with scripts in which nothing is under way for so long asks for nothing more, in milliseconds. */
const quietMs = 2000
/** The same for a page whose status is an error. */
const quietErrorMs = 300
/** A page that stays as it is for so long asks what it shows, whatever it still requests, in milliseconds. */
const unchangedMs = 3000
/** How long before the end of its time a page that never reacted is described as it is, in milliseconds. */
const lastLookMs = 500
/** How often the pages of a recipe are looked for, in milliseconds. */
const recipePollMs = 100

/** What the user does where a page asks: sign in and consent, cancel, or nothing, to see which page it is. */
export type Act = 'sign-in' | 'cancel' | 'stop'

export interface PromptOptions {
  readonly act: Act
  /** Waits to the end of its time for a page that asks for nothing to go on. */
  readonly patient: boolean
  /** Whose account a page may offer to go on with. */
  readonly user?: TestUser
}

/**
 * What the page asks for, once that is certain; undefined where the page was left meanwhile.
 * @param again prompts that were answered before
 */
export async function waitForPrompt(
  window: JourneyWindow,
  deadline: Deadline,
  { act, patient, user }: PromptOptions,
  again: readonly Prompt[],
): Promise<PageSnapshot | undefined> {
  const { page, traffic, recipe } = window
  const isError = (traffic.document?.status ?? 200) >= 400
  const settleMs = isError ? quietErrorMs : quietMs
  const refreshMs = traffic.document?.refreshMs ?? 0
  for (;;) {
    const { document } = traffic
    const limitMs = deadline.leftMs
    const withinMs = recipe ? recipePollMs : limitMs
    const times = { withinMs, limitMs, unchangedMs, quietMs: settleMs, refreshMs }
    const options = { ...times, again, userName: user?.name ?? '' }
    const snapshot = await deadline.inPage(recognise(page, options))
    if (!snapshot) return undefined
    const { prompt, answered, settled, dynamic, fields, buttons } = snapshot
    traffic.isStatic = !dynamic && document === traffic.document
    const described =
      recipe && (await promptOfRecipe(recipe, answered, (at) => deadline.inPage(isShown(page, at))))
    if (described) return { ...snapshot, prompt: described }
    const isComplete = !dynamic && answered.length === 0
    const atRest = settled && traffic.idleMs >= (isComplete ? 0.1 : settleMs)
    if (prompt === 'none' || answered.includes(prompt) || again.includes(prompt)) {
      // A page that asks for nothing may be about to go on by itself, if only slowly.
      const mayGoOn = patient && dynamic && fields + buttons === 0 && !isError
      if (atRest && !mayGoOn && !mayReact(snapshot, window, deadline)) return snapshot
    } else if (!isLeftToRecipe(prompt, act, recipe)) {
      if (settled && (isComplete || traffic.idleMs > 0 || snapshot.unchangedMs >= unchangedMs))
        return snapshot
    } else if (atRest && snapshot.unchangedMs >= settleMs) {
      throw notDescribed(prompt)
    }
    await deadline.inPage(sleep(atRest ? 100 : 20))
  }
}

/** Whether scripts of a page that was answered may still do something with that: then patience alone decides. */
function mayReact(
  { prompt, answered, dynamic, reacted }: PageSnapshot,
  { traffic }: JourneyWindow,
  deadline: Deadline,
): boolean {
  const hasReacted = prompt !== 'none' && reacted && traffic.hasReacted
  return answered.length > 0 && dynamic && !hasReacted && deadline.leftMs > lastLookMs
}

/** The prompt whose page a recipe recognises, unless it was answered in this document. */
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

/** Whether a recipe describes the pages of a prompt, so that the built-in heuristic does not answer them. */
function isLeftToRecipe(prompt: Prompt, act: Act, recipe: LoginRecipe | undefined): boolean {
  if (act !== 'sign-in') return false
  return prompt === 'consent' || prompt === 'offer'
    ? recipe?.consent !== undefined
    : recipe?.signIn !== undefined && prompt !== 'totp'
}

function notDescribed(prompt: Prompt): JourneyFailure {
  const isConsent = prompt === 'consent' || prompt === 'offer'
  const [page, member] = isConsent ? ['consent', 'consentPage'] : ['login', 'loginPage']
  return new JourneyFailure('configuration', `the ${page} page is not the one that LOGIN_RECIPE describes`, {
    variables: ['LOGIN_RECIPE'],
    advice: `correct ${member} in LOGIN_RECIPE, or its first step`,
  })
}
