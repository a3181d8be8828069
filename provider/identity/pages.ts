// The pages that a user sees: accessible HTML without scripts.

export interface LoginView {
  /** URL of the form; fields: username, password, action=login or cancel. */
  action: string
  application: string
  username?: string
  error?: string
  /** Step of a login in two pages. */
  step: 'start' | 'password'
}

interface CodeView {
  /** URL of the form; fields: code, action=login or cancel. */
  action: string
  application: string
  error?: string
}

interface ConsentView {
  /** URL of the form; fields: action=allow or cancel. */
  action: string
  application: string
  scopes: string[]
  error?: string
}

/** The contents of a page that follows the login or the consent. */
interface FollowingView {
  /** URL of the form. */
  action: string
  application: string
  error?: string
}

/** A page after the login or the consent. */
export interface FollowingPage {
  html(view: FollowingView): string
  /** Whether the user continues after this form; otherwise the page is shown again. */
  accepts(form: URLSearchParams): boolean
  /** Whether a user answers the page only once. */
  once: boolean
}

interface KnownAccountView extends FollowingView {
  /** User name and full name of the signed-in user. */
  user: string
  fullName: string
}

interface AccountView {
  /** URL of the form; fields: given_name, token. */
  action: string
  token: string
  /** User name of the signed-in user. */
  user: string
  givenName: string
  /** Whether to report a saved change. */
  saved: boolean
  error?: string
}

export interface Pages {
  login(view: LoginView): string
  code(view: CodeView): string
  consent(view: ConsentView): string
  account(view: AccountView): string
  /** Shown before each authorization in a session, unless prompt=none; fields: action=continue or cancel. */
  knownAccount?(view: KnownAccountView): string
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for HTML content and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character)
}

const STYLE = `
:root { color-scheme: light dark; --line: #8886; --accent: #1d4ed8; --error: #b91c1c }
@media (prefers-color-scheme: dark) { :root { --accent: #93b4ff; --error: #fca5a5 } }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; display: grid; place-items: center; min-height: 100vh }
main { width: min(22rem, 100% - 2rem) }
label { display: block; margin: .9rem 0 .2rem; font-weight: 600 }
input { box-sizing: border-box; width: 100%; font: inherit; padding: .5rem; border: 1px solid var(--line); border-radius: .3rem }
.actions { display: flex; gap: .6rem; margin-top: 1.4rem }
button, input[type=submit] { font: inherit; width: auto; padding: .5rem 1rem; border: 1px solid var(--accent);
  border-radius: .3rem; background: none; color: inherit; cursor: pointer }
.primary { font-weight: 600 }
.error { color: var(--error); font-weight: 600 }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }`

/** A complete page around escaped content. */
export function page(title: string, content: string, language = 'en'): string {
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main><h1>${escapeHtml(title)}</h1>
${content}
</main></body></html>
`
}

export function errorLine(error: string | undefined): string {
  return error ? `<p class="error" role="alert" id="error">${escapeHtml(error)}</p>` : ''
}

/** The default pages. The login page has both the user name and the password. */
export const plainPages: Pages = {
  login: ({ action, application, username, error }) =>
    page(
      'Sign in',
      `<p>to continue to <strong>${escapeHtml(application)}</strong></p>
${errorLine(error)}
<form method="post" action="${escapeHtml(action)}">
<label for="username">User name</label>
<input id="username" name="username" type="text" autocomplete="username" autocapitalize="none" required autofocus value="${escapeHtml(username ?? '')}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${error ? ' aria-describedby="error"' : ''}>
<div class="actions"><button class="primary" type="submit" name="action" value="login">Sign in</button>
<button type="submit" name="action" value="cancel" formnovalidate>Cancel</button></div>
</form>`,
    ),
  code: ({ action, application, error }) =>
    page(
      'Enter your code',
      `<p>Enter the one-time code of your authenticator to continue to <strong>${escapeHtml(application)}</strong>.</p>
${errorLine(error)}
<form method="post" action="${escapeHtml(action)}">
<label for="code">One-time code</label>
<input id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9]{6}" required autofocus>
<div class="actions"><button class="primary" type="submit" name="action" value="login">Continue</button>
<button type="submit" name="action" value="cancel" formnovalidate>Cancel</button></div>
</form>`,
    ),
  consent: ({ action, application, scopes }) =>
    page(
      'Allow access',
      `<p><strong>${escapeHtml(application)}</strong> asks for:</p>
<ul>${scopes.map((scope) => `<li>${escapeHtml(scope)}</li>`).join('')}</ul>
<form method="post" action="${escapeHtml(action)}">
<div class="actions"><button class="primary" type="submit" name="action" value="allow">Allow</button>
<button type="submit" name="action" value="cancel">Cancel</button></div>
</form>`,
    ),
  account: ({ action, token, user, givenName, saved, error }) =>
    page(
      'Your account',
      `<p>Signed in as <strong>${escapeHtml(user)}</strong></p>
${saved ? '<p role="status">Your changes are saved.</p>' : ''}${errorLine(error)}
<form method="post" action="${escapeHtml(action)}">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<label for="given-name">Given name</label>
<input id="given-name" name="given_name" type="text" autocomplete="given-name" required maxlength="60" value="${escapeHtml(givenName)}"${error ? ' aria-describedby="error"' : ''}>
<div class="actions"><button class="primary" type="submit">Save</button></div>
</form>`,
    ),
}

/** A page for an error that is not returned to the application. */
export function errorPage(error: string, description: string): string {
  return page('Request refused', `<p class="error">${escapeHtml(error)}</p><p>${escapeHtml(description)}</p>`)
}
