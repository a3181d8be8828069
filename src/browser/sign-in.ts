import { type LoginPage, needsRecipe } from './login-page.ts'
import type { Control, Prompt } from './recognition.ts'

/**
 * Answers the prompt for user, password or one-time password, once.
 * @returns whether it was answered; not where the page was left before anything was typed
 */
export async function signIn(
  page: LoginPage,
  prompt: Exclude<Prompt, 'consent'>,
  controls: readonly Control[],
): Promise<boolean> {
  if (prompt !== 'totp' && (await page.follow('signIn', 'user', 'password'))) return true
  const { credentials } = page
  await page.markAnswered(prompt)
  const password = prompt === 'password' ? credentials.password() : undefined
  if (prompt !== 'totp' && controls.includes('user') && !(await page.fill('user', credentials.username())))
    return false
  if (password !== undefined && !(await page.fill('password', password))) return false
  const asksTotp = prompt === 'totp' || (controls.includes('totp') && credentials.hasTotp)
  if (asksTotp) await page.fill('totp', await credentials.totp())
  if (controls.includes('submit')) await page.press('submit')
  // The return key presses the first button of a form, which may be this one.
  else if (controls.includes('cancel'))
    throw needsRecipe('no button to sign in with was recognised on the login page')
  else await page.pressEnter()
  return true
}

/** Gives the application what the consent page asks for. */
export async function giveConsent(page: LoginPage, controls: readonly Control[]): Promise<boolean> {
  if (await page.follow('consent', 'consent')) return true
  await page.markAnswered('consent')
  if (controls.includes('accept')) await page.press('accept')
  return true
}
