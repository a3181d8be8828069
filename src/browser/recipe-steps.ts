import type { Locator, Page } from 'playwright'
import type { Credentials } from './credentials.ts'
import { type Deadline, isTimeout } from './deadline.ts'
import type { JourneyWindow } from './journey-traffic.ts'
import { JourneyFailure } from './landing.ts'
import type { LoginRecipe, RecipeLocator, RecipeStep, RecipeVariable } from './recipe.ts'

/** How long an optional step waits for its element by default, in milliseconds. */
const optionalTimeoutMs = 500

/** The element that identifies the page of a sequence; undefined if the recipe describes no such page. */
export function recognitionOf(
  recipe: LoginRecipe,
  sequence: 'signIn' | 'consent',
): RecipeLocator | undefined {
  const condition = sequence === 'signIn' ? recipe.loginPage : recipe.consentPage
  return condition ?? recipe[sequence]?.find((step) => !step.optional)?.at
}

/** Whether an element is visible now: the first one, if several match. False while the browser leaves the page. */
export function isShown(page: Page, at: RecipeLocator): Promise<boolean> {
  return locate(page, at)
    .first()
    .isVisible()
    .catch(() => false)
}

interface PlacedStep {
  readonly step: RecipeStep
  /** Variable with the path of the recipe. */
  readonly variable: RecipeVariable
  /** Member of the recipe with the step, such as `signIn`. */
  readonly sequence: string
  /** Number of the step, from 1. */
  readonly number: number
}

/**
 * Performs one step. Omits an optional step if its element does not appear.
 * @throws {JourneyFailure} with cause configuration, if the element does not appear or cannot be used
 */
export async function runStep(
  { page, signal }: JourneyWindow,
  deadline: Deadline,
  credentials: Credentials,
  { step, variable, sequence, number }: PlacedStep,
): Promise<void> {
  const locator = locate(page, step.at)
  const limitMs = step.timeoutMs ?? (step.optional ? optionalTimeoutMs : undefined)
  const within = <T>(work: (timeout: number) => Promise<T>, maxMs: number | undefined) =>
    maxMs === undefined ? deadline.patiently(work) : work(maxMs)
  const failed = (why: string) => {
    const place = `step ${number} of ${sequence} in ${variable}`
    const reason = `${place} cannot ${step.do}: ${describeLocator(step.at)} ${why}`
    return new JourneyFailure('configuration', reason, { variables: [variable], advice: 'correct that step' })
  }
  try {
    await within((timeout) => locator.waitFor({ state: 'visible', timeout, signal }), limitMs)
  } catch (error) {
    if (signal.aborted) throw error
    if (step.optional) return
    if (isAmbiguous(error)) throw failed('matches several elements')
    const seconds = limitMs === undefined ? deadline.responseSeconds : limitMs / 1000
    if (isTimeout(error)) throw failed(`matches nothing visible within ${seconds} s`)
    if (page.isClosed()) throw error
    throw failed('is not a valid selector')
  }
  // Read the value once, even if typing is retried: each read of the password counts as a login.
  let value: Promise<string> | undefined
  const once = (read: () => string | Promise<string>) => (value ??= Promise.resolve().then(read))
  const act = (timeout: number) => perform(locator, step, credentials, once, { timeout, signal })
  await within(act, step.timeoutMs).catch((error: Error) => {
    if (!isTimeout(error)) throw error
    const isCovered = /intercepts pointer events/.test(error.message)
    throw failed(isCovered ? 'is covered by another element' : 'cannot be used')
  })
}

async function perform(
  locator: Locator,
  step: RecipeStep,
  credentials: Credentials,
  once: (read: () => string | Promise<string>) => Promise<string>,
  options: { readonly timeout: number; readonly signal: AbortSignal },
): Promise<void> {
  switch (step.do) {
    case 'fill':
      return locator.fill(await once(credentials[step.value]), options)
    case 'totp': {
      const password = await once(credentials.totp)
      // For one box per digit: type key by key, because the page moves the focus from box to box.
      const isBox = (await locator.getAttribute('maxlength', options)) === '1'
      return isBox ? locator.pressSequentially(password, options) : locator.fill(password, options)
    }
    case 'click':
      return locator.click(options)
    case 'press':
      return locator.press(step.key, options)
    case 'select':
      await locator.selectOption({ label: step.option }, options)
  }
}

/** Whether an error of Playwright means that a locator matches several elements. */
export function isAmbiguous(error: unknown): boolean {
  return /strict mode violation/.test(String(error))
}

/** A locator in one line, for messages: `role="button" name="Sign in"`. */
export function describeLocator({ frame, ...at }: RecipeLocator): string {
  const parts = Object.entries(at).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return parts.join(' ') + (frame === undefined ? '' : ` in frame ${JSON.stringify(frame)}`)
}

/** The locator of Playwright for a locator of a recipe. */
export function locate(page: Page, at: RecipeLocator): Locator {
  const scope = at.frame === undefined ? page : page.frameLocator(at.frame)
  const exact = at.exact ?? false
  if (at.role !== undefined) {
    const role = at.role as Parameters<Page['getByRole']>[0]
    return scope.getByRole(role, at.name === undefined ? {} : { name: at.name, exact })
  }
  if (at.label !== undefined) return scope.getByLabel(at.label, { exact })
  if (at.placeholder !== undefined) return scope.getByPlaceholder(at.placeholder, { exact })
  if (at.text !== undefined) return scope.getByText(at.text, { exact })
  if (at.testId !== undefined) return scope.getByTestId(at.testId)
  return scope.locator(at.css ?? '')
}
