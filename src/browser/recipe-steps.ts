import type { Locator, Page } from 'playwright'
import type { Credentials } from './credentials.ts'
import { JourneyFailure } from './landing.ts'
import type { LoginRecipe, RecipeLocator, RecipeStep, RecipeVariable } from './recipe.ts'

const stepTimeoutMs = 5000
const optionalTimeoutMs = 500

/** What a page that a sequence is for is recognised by. */
export function recognitionOf(
  recipe: LoginRecipe,
  sequence: 'signIn' | 'consent',
): RecipeLocator | undefined {
  const condition = sequence === 'signIn' ? recipe.loginPage : recipe.consentPage
  return condition ?? recipe[sequence]?.find((step) => !step.optional)?.at
}

/** Whether an element, or the first of several, is visible now; false also while the page is being left. */
export function isShown(page: Page, at: RecipeLocator): Promise<boolean> {
  return locate(page, at)
    .first()
    .isVisible()
    .catch(() => false)
}

/**
 * Carries out one step.
 * @param sequence member of the recipe that has it
 * @param number from 1
 * @param variable that names the recipe
 * @throws {JourneyFailure} configuration, naming sequence, step and element, where the element does not appear
 */
export async function runStep(
  page: Page,
  sequence: string,
  number: number,
  step: RecipeStep,
  values: Credentials,
  variable: RecipeVariable = 'LOGIN_RECIPE',
): Promise<void> {
  const locator = locate(page, step.at)
  const timeout = step.timeoutMs ?? (step.optional ? optionalTimeoutMs : stepTimeoutMs)
  const failed = (why: string) => {
    const place = `step ${number} of ${sequence} in ${variable}`
    const reason = `${place} cannot ${step.do}: ${describeLocator(step.at)} ${why}`
    return new JourneyFailure('configuration', reason, { variables: [variable], advice: 'correct that step' })
  }
  try {
    await locator.waitFor({ state: 'visible', timeout })
  } catch (error) {
    if (step.optional) return
    if (isAmbiguous(error)) throw failed('matches several elements')
    if (isTimeout(error)) throw failed(`matches nothing visible within ${timeout / 1000} s`)
    if (page.isClosed()) throw error
    throw failed('is no valid selector')
  }
  await perform(locator, step, values, step.timeoutMs ?? stepTimeoutMs).catch((error: Error) => {
    if (!isTimeout(error)) throw error
    const isCovered = /intercepts pointer events/.test(error.message)
    throw failed(isCovered ? 'is covered by another element' : 'cannot be used')
  })
}

async function perform(
  locator: Locator,
  step: RecipeStep,
  values: Credentials,
  timeout: number,
): Promise<void> {
  switch (step.do) {
    case 'fill':
      return locator.fill(await values[step.value](), { timeout })
    case 'totp': {
      const password = await values.totp()
      // The first of several boxes for a digit each: the page moves on from box to box by itself.
      const isBox = (await locator.getAttribute('maxlength', { timeout })) === '1'
      return isBox ? locator.pressSequentially(password, { timeout }) : locator.fill(password, { timeout })
    }
    case 'click':
      return locator.click({ timeout })
    case 'press':
      return locator.press(step.key, { timeout })
    case 'select':
      await locator.selectOption({ label: step.option }, { timeout })
  }
}

export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError'
}

/** Whether a locator matches several elements. */
export function isAmbiguous(error: unknown): boolean {
  return /strict mode violation/.test(String(error))
}

/** A locator in one line, for messages. */
export function describeLocator({ frame, ...at }: RecipeLocator): string {
  const parts = Object.entries(at).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return parts.join(' ') + (frame === undefined ? '' : ` in frame ${JSON.stringify(frame)}`)
}

/** Finds what a recipe points to. */
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
