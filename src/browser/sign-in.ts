import { JourneyFailure } from './landing.ts'
import { allPrompts, type Control } from './login-page-controls.ts'
import { needsCancelSteps, needsRecipe, type PageActions } from './page-actions.ts'
import type { PageSnapshot } from './page-inspector.ts'

/**
 * Answers the prompt for user, password or one-time password, once.
 * @returns whether it was answered: false if the page was left before anything was typed
 */
export async function signIn(
  page: PageActions,
  prompt: 'user' | 'password' | 'totp',
  { controls, captcha }: Pick<PageSnapshot, 'controls' | 'captcha'>,
): Promise<boolean> {
  if (prompt !== 'totp' && (await page.follow('signIn', 'user', 'password'))) return true
  if (captcha) throw captchaFailure('the login page')
  const { credentials } = page
  await page.markAnswered(prompt)
  const password = prompt === 'password' ? credentials.password() : undefined
  if (prompt !== 'totp' && controls.includes('user') && !(await page.fill('user', credentials.username())))
    return false
  if (password !== undefined && !(await page.fill('password', password))) return false
  const asksTotp = prompt === 'totp' || (controls.includes('totp') && credentials.hasTotp)
  if (asksTotp) await page.fill('totp', await credentials.totp())
  await send(page, controls)
  return true
}

async function send(page: PageActions, controls: readonly Control[]): Promise<void> {
  if (controls.includes('submit')) {
    await page.tick('submit', { scopes: [], unchecked: [] })
    await page.press('submit')
  }
  // The return key presses the first button of a form, which may be cancel or one without a password.
  else if (controls.includes('cancel') || controls.includes('withoutPassword'))
    throw needsRecipe('no sign-in button was recognised on the login page')
  else await page.pressEnter()
}

/** @param page with the captcha, as the subject of a sentence */
export function captchaFailure(page: string): JourneyFailure {
  return new JourneyFailure('configuration', `${page} has a captcha`, {
    variables: ['TEST_USER'],
    advice:
      'ask the operators of the target to let TEST_USER, or the address of this machine, sign in without a captcha: Plumbline cannot solve it',
  })
}

export function newPasswordFailure(): JourneyFailure {
  return new JourneyFailure('configuration', 'the target asks for a new password', {
    variables: ['TEST_PASSWORD'],
    advice: 'change the password of TEST_USER in your own browser, and set TEST_PASSWORD to the new one',
  })
}

/**
 * Gives consent.
 * @param unchecked check boxes that were left unchecked when the consent page was answered before
 * @returns those that are left unchecked now
 */
export async function giveConsent(
  page: PageActions,
  controls: readonly Control[],
  scopes: readonly string[],
  unchecked: readonly string[],
): Promise<readonly string[]> {
  if (await page.follow('consent', 'consent')) return []
  await page.markAnswered('consent')
  if (!controls.includes('accept')) return []
  const uncheckedNow = await page.tick('accept', { scopes, unchecked })
  await page.press('accept')
  return uncheckedNow
}

/** Cancels the login on the current page. */
export async function cancelLogin(page: PageActions, controls: readonly Control[]): Promise<void> {
  if (await page.follow('cancel', ...allPrompts)) return
  if (!controls.includes('cancel')) throw needsCancelSteps()
  await page.markAnswered(...allPrompts)
  await page.press('cancel')
}
