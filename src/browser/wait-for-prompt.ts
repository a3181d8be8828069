import { setTimeout as sleep } from 'node:timers/promises'
import type { Deadline } from './deadline.ts'
import { JourneyFailure } from './landing.ts'
import type { LoginRecipe, RecipeLocator } from './recipe.ts'
import { isShown, recognitionOf } from './recipe-steps.ts'
import { type PageSnapshot, type Prompt, recognise } from './recognition.ts'
import type { BrowserWindow } from './window.ts'

/** A page with scripts that has not changed for so long will not change any more, in milliseconds. */
const quietMs = 2000
/** The same for a page whose status is an error. */
const quietErrorMs = 300
/** How often the pages of a recipe are looked for, in milliseconds. */
const recipePollMs = 100

/** What the user does where a page asks: sign in and consent, cancel, or nothing, to see which page it is. */
export type Act = 'sign-in' | 'cancel' | 'stop'

export interface PromptOptions {
  readonly act: Act
  /** Waits to the end of its time for a page that asks for nothing to go on. */
  readonly patient: boolean
}

/** What the page asks for, once that is certain; undefined where the page was left meanwhile. */
export async function waitForPrompt(
  { page, traffic, recipe }: BrowserWindow,
  deadline: Deadline,
  { act, patient }: PromptOptions,
): Promise<PageSnapshot | undefined> {
  const isError = (traffic.document?.status ?? 200) >= 400
  const settleMs = isError ? quietErrorMs : quietMs
  for (;;) {
    const snapshot = await deadline.inPage(recognise(page, recipe ? recipePollMs : deadline.leftMs, settleMs))
    if (!snapshot) return undefined
    const { prompt, answered, settled, unchangedMs, dynamic, fields, buttons } = snapshot
    const described =
      recipe && (await promptOfRecipe(recipe, answered, (at) => deadline.inPage(isShown(page, at))))
    if (described) return { ...snapshot, prompt: described }
    const atRest = settled && traffic.pending.size === 0
    if (prompt === 'none' || answered.includes(prompt)) {
      // A page that asks for nothing may be about to go on by itself, if only slowly.
      const mayGoOn = patient && dynamic && fields + buttons === 0 && !isError
      if (atRest && !mayGoOn) return snapshot
    } else if (!isLeftToRecipe(prompt, act, recipe)) {
      if (settled) return snapshot
    } else if (atRest && unchangedMs >= settleMs) {
      throw notDescribed(prompt)
    }
    await deadline.inPage(sleep(20))
  }
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
  return prompt === 'consent'
    ? recipe?.consent !== undefined
    : recipe?.signIn !== undefined && prompt !== 'totp'
}

function notDescribed(prompt: Prompt): JourneyFailure {
  const [page, member] = prompt === 'consent' ? ['consent', 'consentPage'] : ['login', 'loginPage']
  return new JourneyFailure('configuration', `the ${page} page is not the one that LOGIN_RECIPE describes`, {
    variables: ['LOGIN_RECIPE'],
    advice: `correct ${member} in LOGIN_RECIPE, or its first step`,
  })
}
