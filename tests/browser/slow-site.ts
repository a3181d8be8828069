import { redirectUri, user } from './login-site.ts'
import { type Answer, html, type Received, redirect, type Site, startSite } from './site.ts'

/** The delays of a site, in milliseconds. */
interface Pace {
  /** Before the login page. */
  readonly page?: number
  /** Before the response to a password or a cancellation. */
  readonly answer?: number
}

export interface SlowSite extends Pick<Site, 'host' | 'log' | 'close'> {
  /** An authorization request whose login page is one of `pages`. */
  authorize(page: string, state: string, pace?: Pace): URL
  /** The redirect that ends the request with this state: with a code, or with an error after a cancellation. */
  landing(state: string, member?: 'code' | 'error'): string
}

const fields = `<label>Email <input name="user"></label><label>Password <input name="password" type="password"></label>
  <button name="do" value="login">Sign in</button><button name="do" value="cancel">Cancel</button>`

/** Scripts that wait in different ways, and then send the form. */
const scripts: Readonly<Record<string, string>> = {
  timer: 'await new Promise((resolve) => setTimeout(resolve, wait)); send()',
  fading: `form.style.transition = 'opacity ' + wait + 'ms'; form.style.opacity = 0
    form.addEventListener('transitionend', send)`,
  animated:
    'await form.animate([{ opacity: 1 }, { opacity: 0 }], { duration: wait, fill: "forwards" }).finished; send()',
  // No timer, transition or animation shows that the page waits.
  hidden: 'AbortSignal.timeout(wait).onabort = send',
}

function pageOf(name: string, action: string, wait: string): string {
  const form = `<form method="post" action="${action}">${fields}</form>`
  if (name === 'plain') return form
  const send =
    name === 'fetched'
      ? `const answer = await fetch(form.action, { method: 'POST', body })
         if (answer.ok) {
           const next = await answer.text()
           await form.animate({ opacity: 0 }, { duration: 600, fill: 'forwards' }).finished
           location.href = next
         }
         else form.insertAdjacentHTML('beforebegin', '<p>Wrong</p>')`
      : `${scripts[name]}`
  return `${form}<script>
    const form = document.forms[0], wait = ${wait}
    form.onsubmit = async (event) => {
      event.preventDefault()
      const body = new URLSearchParams(new FormData(form, event.submitter))
      const send = () => {
        for (const [name, value] of body) if (name === 'do') form.insertAdjacentHTML('beforeend', '<input type=hidden name=do value=' + value + '>')
        form.submit()
      }
      ${send}
    }
  </script>`
}

function landing(state: string, member: 'code' | 'error' = 'code'): string {
  return `${redirectUri}?${member === 'code' ? `code=c-${state}` : 'error=access_denied'}&state=${state}`
}

function answerTo({ url, form }: Received): Answer {
  const { page = '', state = '', slow = '0', answer = '0', wait = '0' } = Object.fromEntries(url.searchParams)
  const delayMs = Number(slow)
  const action = `/answer?${new URLSearchParams({ page, state, slow: answer })}`
  if (url.pathname !== '/answer')
    return { ...html(pageOf(page, action.replaceAll('&', '&amp;'), wait)), delayMs }
  const isCancelled = form.get('do') === 'cancel'
  const isRight = form.get('user') === user.name && form.get('password') === user.password
  if (!isCancelled && !isRight)
    return page === 'fetched'
      ? { status: 401, body: 'no', delayMs }
      : { ...html(pageOf(page, action, wait)), delayMs }
  const location = landing(state, isCancelled ? 'error' : 'code')
  return { ...(page === 'fetched' ? { body: location } : redirect(location)), delayMs }
}

/** An identity provider with slow responses. */
export async function startSlowSite(): Promise<SlowSite> {
  const { host, log, close } = await startSite(answerTo)
  return {
    host,
    log,
    authorize(page, state, { page: slow = 0, answer = 0 } = {}) {
      const members = { page, state, slow: `${slow}`, answer: `${answer}`, wait: `${answer}` }
      return new URL(`http://${host}/authorize?${new URLSearchParams(members)}`)
    },
    landing,
    close,
  }
}
