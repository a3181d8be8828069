import { JourneyFailure } from './landing.ts'
import { allPrompts, type Control } from './login-page-controls.ts'
import { needsCancelSteps, needsRecipe, type PageActions } from './page-actions.ts'
import type { PageSnapshot } from './page-inspector.ts'

/**
 * Answers a prompt for the user name, the password or a one-time password.
 * @returns false if the page was left before Plumbline typed a value
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
  await submit(page, controls)
  return true
}

async function submit(page: PageActions, controls: readonly Control[]): Promise<void> {
  if (controls.includes('submit')) {
    await page.tick('submit', { scopes: [], unchecked: [] })
    await page.press('submit')
  }
  // Enter presses the first button of a form, which may cancel or sign in without the password.
  else if (controls.includes('cancel') || controls.includes('withoutPassword'))
    throw needsRecipe('no sign-in button was recognised on the login page')
  else await page.pressEnter()
}

/** @param page name of the page with the captcha, such as `the login page` */
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
 * @param unchecked check boxes that were left unchecked on the last consent page
 * @returns check boxes that are left unchecked on this consent page
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

export async function cancelLogin(page: PageActions, controls: readonly Control[]): Promise<void> {
  if (await page.follow('cancel', ...allPrompts)) return
  if (!controls.includes('cancel')) throw needsCancelSteps()
  await page.markAnswered(...allPrompts)
  await page.press('cancel')
}
