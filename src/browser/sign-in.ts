import { type LoginPage, needsRecipe } from './login-page.ts'
import type { Control, Prompt } from './recognition.ts'

/** Answers the prompt for user, password or one-time password, once. */
export async function signIn(
  page: LoginPage,
  prompt: Exclude<Prompt, 'consent'>,
  controls: readonly Control[],
): Promise<void> {
  if (prompt !== 'totp' && (await page.follow('signIn', 'user', 'password'))) return
  const { credentials } = page
  await page.markAnswered(prompt)
  const password = prompt === 'password' ? credentials.password() : undefined
  if (prompt !== 'totp' && controls.includes('user')) await page.fill('user', credentials.username())
  if (password !== undefined) await page.fill('password', password)
  const asksTotp = prompt === 'totp' || (controls.includes('totp') && credentials.hasTotp)
  if (asksTotp) await page.fill('totp', await credentials.totp())
  if (controls.includes('submit')) return page.press('submit')
  if (!controls.includes('cancel')) return page.pressEnter()
  // The return key presses the first button of a form, which may be this one.
  throw needsRecipe('no button to sign in with was recognised on the login page')
}

/** Gives the application what the consent page asks for. */
export async function giveConsent(page: LoginPage, controls: readonly Control[]): Promise<void> {
  if (await page.follow('consent', 'consent')) return
  await page.markAnswered('consent')
  if (controls.includes('accept')) await page.press('accept')
}
