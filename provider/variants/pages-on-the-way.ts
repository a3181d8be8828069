import type { Alter } from '../alteration.ts'
import {
  errorLine,
  escapeHtml,
  type FollowingPage,
  type LoginView,
  type Pages,
  page,
  plainPages,
} from '../identity/pages.ts'

/** Descriptions of scopes on the consent page. */
const descriptions: Record<string, string> = {
  openid: 'Confirm who you are',
  profile: 'Your name',
  email: 'Your e-mail address',
}

/** A consent page with a box for each scope, and a box for news that the request does not need. No box is ticked. */
export const consentWithBoxes: Pages = {
  ...plainPages,
  consent: ({ action, application, scopes, error }) =>
    page(
      'Choose what to share',
      `<p><strong>${escapeHtml(application)}</strong> asks for access to your account.</p>${errorLine(error)}
<form method="post" action="${escapeHtml(action)}"><fieldset><legend>Access</legend>
${scopes.map((scope) => `<label><input type="checkbox" name="scope" value="${escapeHtml(scope)}"> ${escapeHtml(descriptions[scope] ?? scope)}</label>`).join('\n')}
</fieldset><label><input type="checkbox" name="news"> Send me news about this service</label>
<div class="actions"><button name="action" value="cancel">Refuse</button> <button name="action" value="allow">Allow selected</button></div>
</form>`,
    ),
}

/** Whether all boxes for scopes are ticked, and the box for news is not. */
export function boxesTicked(form: URLSearchParams, scopes: readonly string[]): boolean {
  const ticked = form.getAll('scope')
  return scopes.every((scope) => ticked.includes(scope)) && !form.has('news')
}

/** Asks the user to confirm a consent before it counts. */
export const confirmation: FollowingPage = {
  html: ({ action, application, error }) =>
    page(
      'Check your choice',
      `<p>You are about to share data with <strong>${escapeHtml(application)}</strong>.</p>${errorLine(error)}
<form method="post" action="${escapeHtml(action)}">
<div class="actions"><button name="action" value="cancel">Back</button> <button name="action" value="confirm">Confirm</button></div>
</form>`,
    ),
  accepts: (form) => form.get('action') === 'confirm',
  once: false,
}

/** Asks after each login whether to remember the browser. Only "No" without the ticked box continues. */
export const staySignedIn: FollowingPage = {
  html: ({ action }) =>
    page(
      'Stay signed in?',
      `<p>Do this to be asked to sign in less often.</p>
<form method="post" action="${escapeHtml(action)}">
<label><input type="checkbox" name="never"> Don’t show this again</label>
<div class="actions"><button name="stay" value="no">No</button> <button name="stay" value="yes">Yes</button></div>
</form>`,
    ),
  accepts: (form) => form.get('stay') === 'no' && !form.has('never'),
  once: false,
}

/** Offers a second factor after each login. Only "Remind me later" continues. */
export const protectAccount: FollowingPage = {
  html: ({ action }) =>
    page(
      'Protect your account',
      `<p>A second factor keeps others out.</p>
<form method="post" action="${escapeHtml(action)}">
<div class="actions"><button name="next" value="factor">Set up now</button> <button name="next" value="later">Remind me later</button></div>
</form>`,
    ),
  accepts: (form) => form.get('next') === 'later',
  once: false,
}

/** Terms that a user accepts once. A script enables the button when the box is ticked. */
export const terms: FollowingPage = {
  html: ({ action, error }) =>
    page(
      'New terms of use',
      `${errorLine(error)}<form method="post" action="${escapeHtml(action)}">
<label><input type="checkbox" name="terms" id="terms"> I have read and accept the terms of use</label>
<label><input type="checkbox" name="survey"> You may ask me to take part in a survey</label>
<div class="actions"><button name="action" value="cancel">Decline</button> <button id="next" name="action" value="next" disabled>Next</button></div>
</form><script>
const box = document.getElementById('terms')
box.addEventListener('change', () => { document.getElementById('next').disabled = !box.checked })
</script>`,
    ),
  accepts: (form) => form.get('action') === 'next' && form.has('terms') && !form.has('survey'),
  once: true,
}

/** A search form for help, as on every page of a site. */
const helpSearch =
  '<form action="/help" method="get"><input name="q" title="Search the help"> <input type="submit" value="Search"></form>'

/** Radio buttons for one decision. At first, the button `cancel` is selected. */
function decision(options: readonly (readonly [value: string, label: string])[]): string {
  return options
    .map(
      ([value, label]) =>
        `<p><input type="radio" name="action" value="${value}" id="${value}"${value === 'cancel' ? ' checked' : ''}> <label for="${value}">${label}</label></p>`,
    )
    .join('\n')
}

/** A consent page with radio buttons and a single submit button. */
export const consentByOption: Pages = {
  ...plainPages,
  consent: ({ action, application, scopes, error }) =>
    page(
      'Consent to authorize',
      `${helpSearch}<p>${escapeHtml(application)} requests access to:</p>${errorLine(error)}
<ul>${scopes.map((scope) => `<li>${escapeHtml(scope)}</li>`).join('')}</ul>
<form method="post" action="${escapeHtml(action)}">${decision([
        ['always', 'Permit always'],
        ['allow', 'Permit this time'],
        ['cancel', 'Deny'],
      ])}
<input type="submit" value="Submit"></form>`,
    ),
}

/** Terms that a user accepts once, with a radio button. */
export const termsByOption: FollowingPage = {
  html: ({ action, error }) =>
    page(
      'License agreement',
      `${helpSearch}${errorLine(error)}<form method="post" action="${escapeHtml(action)}">${decision([
        ['next', 'I accept the license agreement'],
        ['cancel', 'I do not accept the license agreement'],
      ])}
<input type="submit" value="Submit"></form>`,
    ),
  accepts: (form) => form.get('action') === 'next',
  once: true,
}

/** Offers to continue with the account of the session. */
export const knownAccounts: Pages = {
  ...plainPages,
  knownAccount: ({ action, application, user, fullName }) =>
    page(
      'Welcome back',
      `<p>to <strong>${escapeHtml(application)}</strong></p>
<form method="post" action="${escapeHtml(action)}"><p>${escapeHtml(fullName)}<br>${escapeHtml(user)}</p>
<div class="actions"><button name="action" value="continue">Continue as ${escapeHtml(fullName)}</button>
<button name="action" value="cancel">Cancel</button></div>
</form><p><a href="${escapeHtml(action)}">Use another account</a></p>`,
    ),
}

function withoutPassword({ action, application, username }: LoginView): string {
  return page(
    'Sign in with your passkey',
    `<p>to continue to <strong>${escapeHtml(application)}</strong></p>
<form method="post" action="${escapeHtml(action)}">
<input type="hidden" name="username" value="${escapeHtml(username ?? '')}">
<div class="actions"><button type="button">Continue with a passkey</button> <button type="button">E-mail me a link</button></div>
<p><button name="way" value="password">Use your password instead</button> <button name="action" value="cancel">Not now</button></p>
</form>`,
  )
}

/** Offers a passkey or a link by e-mail first. The page for the password also offers both. */
export const passkeyFirst: Pages = {
  ...plainPages,
  login: (view) =>
    view.step === 'start' && view.error === undefined
      ? withoutPassword(view)
      : plainPages
          .login(view)
          .replace('autocomplete="username"', 'autocomplete="username webauthn"')
          .replace(
            '<label for="password">',
            '<button type="submit" name="way" value="link">E-mail me a sign-in link</button>\n<label for="password">',
          ),
}

/** Pages whose cancel button is a picture with a German name. */
export const cancelledByPicture: Pages = {
  ...plainPages,
  login: (view) => withPicture(plainPages.login(view)),
  consent: (view) => withPicture(plainPages.consent(view)),
}

function withPicture(html: string): string {
  const picture = '<img alt="Zurück" src="/cancel.svg" width="60" height="20">'
  return html.replace(/(<button [^>]*)value="cancel"([^>]*>)Cancel/, `$1value="cancel"$2${picture}`)
}

/** Shows a page with links to the login page before the login page. */
export function beforeLogin(title: string, links: readonly string[]): Alter {
  return ({ idp }) =>
    idp.interactions.push((response, { method, path, query }) => {
      const isLogin = method === 'GET' && String(response.body).includes('name="password"')
      if (!isLogin || query.has('chosen')) return
      const lines = links.map((text) => `<p><a href="${escapeHtml(path)}?chosen">${text}</a></p>`)
      response.body = page(title, lines.join('\n'))
    })
}
