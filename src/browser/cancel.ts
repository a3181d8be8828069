import { type LoginPage, needsRecipe } from './login-page.ts'
import type { Control } from './recognition.ts'

const prompts = ['user', 'password', 'totp', 'consent'] as const

/** Cancels the login on the page that asks for something, whatever that is. */
export async function cancelLogin(page: LoginPage, controls: readonly Control[]): Promise<void> {
  if (await page.follow('cancel', ...prompts)) return
  if (!controls.includes('cancel')) {
    throw needsRecipe('no button or link to cancel with was recognised on the page')
  }
  await page.markAnswered(...prompts)
  await page.press('cancel')
}
