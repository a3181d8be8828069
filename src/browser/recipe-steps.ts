import type { Locator, Page } from 'playwright'
import { JourneyFailure } from './landing.ts'
import type { LoginRecipe, RecipeLocator, RecipeStep } from './recipe.ts'

const stepTimeoutMs = 5000
const optionalTimeoutMs = 500

/** What a step types; asked for only when it is typed. */
export type Values = Readonly<Record<'username' | 'password' | 'totp', () => Promise<string> | string>>

/** What shows that a page is the one a sequence is for. */
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
 *
 * @param sequence member of the recipe that it stands in
 * @param number from 1
 * @param variable that names the recipe
 * @throws {JourneyFailure} configuration, naming sequence, step and element, where the element does not come
 */
export async function runStep(
  page: Page,
  sequence: string,
  number: number,
  step: RecipeStep,
  values: Values,
  variable = 'LOGIN_RECIPE',
): Promise<void> {
  const locator = locate(page, step.at)
  const timeout = step.timeoutMs ?? (step.optional ? optionalTimeoutMs : stepTimeoutMs)
  try {
    await locator.waitFor({ state: 'visible', timeout })
  } catch (error) {
    if (step.optional) return
    if ((error as Error).name !== 'TimeoutError' && page.isClosed()) throw error
    const what = /strict mode violation/.test(String(error))
      ? 'matches several elements'
      : (error as Error).name === 'TimeoutError'
        ? `matches nothing visible within ${timeout / 1000} s`
        : 'is no valid selector'
    throw new JourneyFailure(
      'configuration',
      `step ${number} of ${sequence} in ${variable} cannot ${step.do}: ${describeLocator(step.at)} ${what}`,
    )
  }
  await perform(locator, step, values, step.timeoutMs ?? stepTimeoutMs).catch((error: Error) => {
    if (error.name !== 'TimeoutError') throw error
    throw new JourneyFailure(
      'configuration',
      `step ${number} of ${sequence} in ${variable} cannot ${step.do}: ${describeLocator(step.at)} ${
        /intercepts pointer events/.test(error.message) ? 'is covered by another element' : 'cannot be used'
      }`,
    )
  })
}

async function perform(locator: Locator, step: RecipeStep, values: Values, timeout: number): Promise<void> {
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
