import { randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { type Answer, html, type Received, redirect, type Site, startSite } from './site.ts'

const alice = { name: 'alice@example.com', password: 'canary-Pässword-7391' }

/** Secrets of second factors, any of which the site accepts. */
const totpSecrets = new Set<string>()

/** The user with a new second factor, because a login waits if another test has just used the one-time password. */
export function newUser(): typeof alice & { readonly totpSecret: string } {
  const totpSecret = new Secret({ size: 20 }).base32
  totpSecrets.add(totpSecret)
  return { ...alice, totpSecret }
}

export const user = newUser()

/** A registered redirect URI that must not be loaded. */
export const redirectUri = 'https://app.invalid/callback'

type Page = (action: string) => Answer

/** Login pages of many kinds, by name. */
const pages: Readonly<Record<string, Page>> = {
  plain: (action) =>
    html(`<form method="post" action="${action}">
      <label>Email <input name="user" type="email"></label>
      <label>Password <input name="password" type="password"></label>
      <button>Sign in</button> <a href="${action}&cancel=1">Cancel</a></form>`),
  'two-step': (action) =>
    html(
      `<form method="post" action="${action}"><input name="user" autocomplete="username"><button>Next</button></form>`,
    ),
  'two-step-password': (action) =>
    html(`<form method="post" action="${action}"><input name="user" value="${user.name}" readonly>
      <input name="password" type="password"><input type="submit" value="Log in"></form>`),
  scripted: (action) =>
    html(`<div id="app"></div><script>
      setTimeout(() => {
        app.innerHTML = '<label for=u>User name</label><input id=u><input id=p type=password><button type=button>Log in</button>'
        app.querySelector('button').onclick = async () => {
          app.querySelector('button').disabled = true
          const answer = await fetch(${JSON.stringify(action.replaceAll('&amp;', '&'))}, { method: 'POST', body: new URLSearchParams({ user: u.value, password: p.value, script: 1 }) })
          if (answer.ok) location.href = await answer.text()
          else app.innerHTML = '<p role=alert>wrong</p>' + app.innerHTML
        }
      }, 120)
    </script>`),
  banner: (action) =>
    html(`<div class="cookie-banner" style="position:fixed;inset:0;background:#fff9;z-index:9">We use cookies
        <button onclick="this.parentNode.remove()">Accept all</button></div>
      <form method="post" action="${action}"><input name="user" id="login"><input name="password" type="password">
      <button>Sign in</button></form>`),
  german: (action) =>
    html(`<form method="post" action="${action}"><p>Benutzerkennung <input name="user" aria-label="Benutzerkennung"></p>
      <p>Kennwort <input name="password" type="password"></p>
      <input type="submit" name="abbruch" value="Abbrechen"><input type="submit" value="Anmelden">
      <button type="button">Mit Firmenkonto anmelden</button></form>`),
  'div-button': (action) =>
    html(`<style>.b{border:1px solid}</style><form method="post" action="${action}"><input name="user" placeholder="Your account">
      <input name="password" type="password"></form>
      <div class="b" role="button" tabindex="0" onclick="document.forms[0].submit()">Continue</div>
      <div class="b" role="button" tabindex="0" onclick="location.href='${action}&amp;cancel=1'">No, thanks</div>`),
  enter: (action) =>
    html(`<form method="post" action="${action}"><input name="user" type="text"><input name="password" type="password">
      <input type="submit" style="display:none"></form>`),
  totp: (action) => (pages.plain as Page)(action),
  'totp-code': (action) =>
    html(`<form method="post" action="${action}"><p>Enter the number that your phone shows.</p>
      <input name="number" inputmode="numeric" maxlength="6" pattern="[0-9]*"><button>Verify</button></form>`),
  consent: (action) => (pages.plain as Page)(action),
  'consent-form': (action) =>
    html(`<p>Shop wants to see your name.</p><form method="post" action="${action}">
      <button name="consent" value="no">Deny</button><button name="consent" value="yes">Allow access</button></form>`),
  'self-submitting': (action) => (pages.plain as Page)(action),
  'self-submitting-relay': (action) =>
    html(`<body onload="document.forms[0].submit()"><form method="post" action="${action}"><input type="hidden" name="relay" value="1">
      <button>Continue</button></form>`),
  riddle: () =>
    html(
      '<p>Who are you?</p><form method="post"><input name="x1"><input name="x2"><button>Do it</button></form>',
    ),
  framed: (action) => html(`<iframe src="/frame?${new URLSearchParams({ action })}"></iframe>`),
}

/** An identity provider with the login page that the parameter `page` of the authorization request names. */
export async function startLoginSite(): Promise<
  Site & { readonly authorize: (page: string, more?: Record<string, string>) => URL }
> {
  const sessions = new Set<string>()
  const site = await startSite((request) => {
    const { url, method } = request
    if (url.pathname === '/authorize') return authorize(request, sessions)
    if (url.pathname === '/frame') return framed(url.searchParams.get('action') ?? '')
    if (url.pathname.startsWith('/login/'))
      return method === 'POST' || url.searchParams.has('cancel')
        ? submitted(request, sessions)
        : show(request)
    if (url.pathname === '/status')
      return { status: Number(url.searchParams.get('code')), body: '<p>Something went wrong</p>' }
    if (url.pathname === '/empty') return { status: 400 }
    if (url.pathname === '/json')
      return {
        status: 400,
        headers: { 'content-type': 'application/json' },
        body: '{"error":"invalid_request"}',
      }
    return undefined
  })
  return {
    ...site,
    authorize: (page, more = {}) =>
      new URL(
        `/authorize?${new URLSearchParams({ page, redirect_uri: redirectUri, state: 'canary-state-5512', ...more })}`,
        site.origin,
      ),
  }
}

function authorize({ url, cookies }: Received, sessions: Set<string>): Answer {
  const params = url.searchParams
  const signedIn = cookies.session !== undefined && sessions.has(cookies.session)
  if (signedIn && (params.get('page') !== 'consent' || cookies.consent))
    return answered(params, { code: randomBytes(8).toString('hex') })
  if (params.get('prompt') === 'none') return answered(params, { error: 'login_required' })
  return redirect(`/login/${params.get('page')}${signedIn ? '-form' : ''}?${params}`)
}

/** The authorization response: a redirect, or as the parameter `by` states, such as `fragment` or `form_post`. */
function answered(params: URLSearchParams, members: Record<string, string>): Answer {
  const query = `${new URLSearchParams({ ...members, state: params.get('state') ?? '' })}`
  const to = params.get('redirect_uri') ?? ''
  const by = params.get('by')
  if (by === 'fragment') return redirect(`${to}#${query}`)
  if (by === 'script')
    return html(`<script>location.replace(${JSON.stringify(`${to}?${query}#end`)})</script>`)
  if (by === 'refresh')
    return html(
      '<p>One moment</p>',
      `<meta http-equiv="refresh" content="0.1;url=${to}?${query.replaceAll('&', '&amp;')}">`,
    )
  if (by === 'form_post') {
    const inputs = Object.entries(members).map(
      ([name, value]) => `<input type="hidden" name="${name}" value="${value}">`,
    )
    return html(
      `<body onload="document.forms[0].submit()"><form method="post" action="${to}">${inputs.join('')}</form>`,
    )
  }
  return redirect(`${to}?${query}`)
}

function framed(action: string): Answer {
  return { body: `<base target="_top">${pages.plain?.(action).body}` }
}

function show({ url }: Received): Answer {
  const page = pages[url.pathname.slice('/login/'.length)]
  return page?.(`${url.pathname}${url.search}`.replaceAll('&', '&amp;')) ?? { status: 404 }
}

function submitted({ url, form, cookies }: Received, sessions: Set<string>): Answer {
  const name = url.pathname.slice('/login/'.length)
  const params = url.searchParams
  const back = `/authorize?${params}`
  const next = (page: string) => redirect(`/login/${page}?${params}`)
  if (params.has('cancel') || form.has('abbruch') || form.get('consent') === 'no')
    return answered(params, { error: 'access_denied' })
  if (name === 'two-step')
    return form.get('user') === user.name ? next('two-step-password') : next('two-step')
  if (name === 'consent-form') return redirect(back, { 'set-cookie': 'consent=1; Path=/' })
  if (name === 'totp-code') {
    const token = form.get('number') ?? ''
    const valid = [...totpSecrets].some(
      (secret) => new TOTP({ secret: Secret.fromBase32(secret) }).validate({ token, window: 2 }) !== null,
    )
    return !valid ? next('totp-code') : redirect(back, { 'set-cookie': `session=${open(sessions)}; Path=/` })
  }
  if (form.has('relay')) return redirect(back)
  if (form.get('user') !== user.name || form.get('password') !== user.password) {
    return form.has('script') ? { status: 401, body: 'no' } : next(name)
  }
  if (name === 'totp') return next('totp-code')
  const cookie = { 'set-cookie': `session=${cookies.session ?? open(sessions)}; Path=/` }
  if (form.has('script')) return { headers: { 'content-type': 'text/plain', ...cookie }, body: back }
  return name === 'self-submitting'
    ? redirect(`/login/self-submitting-relay?${params}`, cookie)
    : redirect(back, cookie)
}

function open(sessions: Set<string>): string {
  const id = `canary-cookie-${randomBytes(8).toString('hex')}`
  sessions.add(id)
  return id
}
