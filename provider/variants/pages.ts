import { errorLine, escapeHtml, type LoginView, type Pages, page, plainPages } from '../identity/pages.ts'

function hidden(name: string, value: string): string {
  return `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`
}

function usernamePage({ action, application, username, error }: LoginView): string {
  return page(
    'Welcome',
    `<p>Sign in to <strong>${escapeHtml(application)}</strong></p>
${errorLine(error)}
<form method="post" action="${escapeHtml(action)}">
<label for="identifier">E-mail address</label>
<input id="identifier" name="username" type="email" autocomplete="username" required autofocus value="${escapeHtml(username ?? '')}">
<div class="actions"><button type="submit">Next</button>
<button type="submit" name="action" value="cancel" formnovalidate>Cancel</button></div>
</form>`,
  )
}

function passwordPage({ action, username }: LoginView): string {
  return page(
    'Enter your password',
    `<p>${escapeHtml(username ?? '')}</p>
<form method="post" action="${escapeHtml(action)}">
${hidden('username', username ?? '')}
<label for="secret">Password</label>
<input id="secret" name="password" type="password" autocomplete="current-password" required autofocus>
<div class="actions"><button type="submit">Sign in</button>
<button type="submit" name="action" value="cancel" formnovalidate>Cancel</button></div>
</form>`,
  )
}

/** A login with the user name on the first page, and the password on the second. */
export const loginInTwoSteps: Pages = {
  ...plainPages,
  login: (view) => (view.step === 'start' ? usernamePage(view) : passwordPage(view)),
}

/** Pages in Finnish with other ids, labels around fields, `input` elements as buttons, and the cancel button first. */
export const loginInFinnish: Pages = {
  account: plainPages.account,
  login: ({ action, username, error }) =>
    page(
      'Kirjaudu sisään',
      `${errorLine(error && 'Käyttäjätunnus tai salasana on väärin.')}
<form method="post" action="${escapeHtml(action)}">
<label>Käyttäjätunnus <input id="f1" name="username" type="text" autocomplete="username" required value="${escapeHtml(username ?? '')}"></label>
<label>Salasana <input id="f2" name="password" type="password" autocomplete="current-password" required></label>
<div class="actions"><input type="submit" value="Kirjaudu"></div>
</form>
<form method="post" action="${escapeHtml(action)}">${hidden('action', 'cancel')}<input type="submit" value="Peruuta"></form>`,
      'fi',
    ),
  code: ({ action, error }) =>
    page(
      'Kertakäyttöinen koodi',
      `${errorLine(error && 'Koodi on väärin.')}
<form method="post" action="${escapeHtml(action)}">
<label>Koodi <input id="f3" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" required></label>
<div class="actions"><input type="submit" value="Jatka"></div>
</form>
<form method="post" action="${escapeHtml(action)}">${hidden('action', 'cancel')}<input type="submit" value="Peruuta"></form>`,
      'fi',
    ),
  consent: ({ action, application }) =>
    page(
      'Salli pääsy',
      `<p>${escapeHtml(application)} pyytää pääsyä tietoihisi.</p>
<form method="post" action="${escapeHtml(action)}">${hidden('action', 'allow')}<input type="submit" value="Salli"></form>
<form method="post" action="${escapeHtml(action)}">${hidden('action', 'cancel')}<input type="submit" value="Peruuta"></form>`,
      'fi',
    ),
}

/** A consent page in a constructed language that Plumbline cannot know. */
export const consentInVolapuk: Pages = {
  ...plainPages,
  consent: ({ action, application }) =>
    page(
      'Däl',
      `<p>${escapeHtml(application)} vipom logön nünis olik.</p>
<form method="post" action="${escapeHtml(action)}">${hidden('action', 'allow')}<button type="submit">Dälön</button></form>
<form method="post" action="${escapeHtml(action)}">${hidden('action', 'cancel')}<button type="submit">Stöpön</button></form>`,
      'vo',
    ),
}

const SCRIPT_DELAY_MILLISECONDS = 120

/** A login page whose form is added by a script. */
export const loginByScript: Pages = {
  ...plainPages,
  login: (view) => {
    const html = plainPages.login(view)
    const [, content = ''] = /<main>(.*)<\/main>/s.exec(html) ?? []
    const text = JSON.stringify(content).replaceAll('<', '\\u003c')
    return html.replace(
      content,
      () =>
        `<p>Loading…</p><script>setTimeout(() => { document.querySelector('main').innerHTML = ${text} }, ${SCRIPT_DELAY_MILLISECONDS})</script>`,
    )
  },
}

/** Buttons with texts in brackets, as on pages of simple frameworks. */
export const buttonsInBrackets: Pages = {
  ...plainPages,
  login: (view) => inBrackets(plainPages.login(view)),
  consent: (view) => inBrackets(plainPages.consent(view)),
}

function inBrackets(markup: string): string {
  return markup.replaceAll(/(<button[^>]*>)([^<]+)(<\/button>)/g, '$1[ $2 ]$3')
}
