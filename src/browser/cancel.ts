import { type LoginPage, needsRecipe } from './login-page.ts'
import { allPrompts, type Control } from './page-controls.ts'

/** Cancels the login on the current page. */
export async function cancelLogin(page: LoginPage, controls: readonly Control[]): Promise<void> {
  if (await page.follow('cancel', ...allPrompts)) return
  if (!controls.includes('cancel')) {
    throw needsRecipe('no button or link to cancel with was recognised on the page')
  }
  await page.markAnswered(...allPrompts)
  await page.press('cancel')
}
